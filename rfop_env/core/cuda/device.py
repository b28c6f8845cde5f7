"""The graphics card: whether there is one, how much memory it has, and arrays in it.

`NUMBA_ENABLE_CUDASIM=1` puts Numba's simulator in its place, which runs the same code as plain Python (`RFOP_JIT=0`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import JIT
from rfop_env.core.errors import BadArgument, NoDevice, extra

DEVICE = "cuda"
MEND = f'leave device="{DEVICE}" out, or run this where an NVIDIA card and its driver are (nvidia-smi shows them)'


def simulated() -> bool:
    """True if Numba's simulator stands in for a card."""
    from numba.core import config

    return bool(config.ENABLE_CUDASIM)


def require_compiler() -> None:
    """Raise `MissingExtra`, `BrokenExtra` or `BadArgument` where compiled rules cannot be compiled for a card."""
    with extra("cuda", f"device={DEVICE!r}", "numba_cuda"):
        import numba_cuda  # noqa: F401 - it takes the place of numba.cuda
    if simulated() and JIT:
        raise BadArgument("NUMBA_ENABLE_CUDASIM=1 simulates a card in plain Python: set RFOP_JIT=0, too")


def require_device() -> None:
    """Raise `MissingExtra`, `BrokenExtra`, `NoDevice` or `BadArgument` where nothing can be played on a card."""
    require_compiler()
    if simulated():
        return
    if not JIT:
        raise BadArgument(f"device={DEVICE!r} needs compiled rules: unset RFOP_JIT and NUMBA_DISABLE_JIT")

    from numba import cuda

    try:
        cuda.current_context()
    except Exception as error:  # the driver is missing or too old, it shows no card, or the card is taken
        raise NoDevice(f"no CUDA device ({' '.join(str(error).split())}): {MEND}") from None


def free_memory() -> int | None:
    """The bytes that are free on the card; None where the simulator uses this machine's memory."""
    if simulated():
        return None
    from numba import cuda

    return int(cuda.current_context().get_memory_info().free)


def description() -> dict[str, str]:
    """The card and its architecture, for people."""
    if simulated():
        return {"card": "Numba's simulator", "capability": "none"}
    from numba import cuda

    card = cuda.get_current_device()
    name = card.name.decode() if isinstance(card.name, bytes) else str(card.name)
    return {"card": name, "capability": ".".join(map(str, card.compute_capability))}


# -- arrays ------------------------------------------------------------------------------------------------------------


def on_device(array: NDArray[Any]) -> Any:
    """A copy of an array of numbers on the card."""
    from numba import cuda

    return cuda.to_device(array) if array.size else cuda.device_array(array.shape, array.dtype)


def copy_on_device(array: Any) -> Any:
    """A copy, on the card, of an array there."""
    from numba import cuda

    copied = cuda.device_array(array.shape, array.dtype)
    copied.copy_to_device(array)
    return copied


def is_on_device(array: Any) -> bool:
    """True for an array of any library that lies on a card."""
    return hasattr(array, "__cuda_array_interface__")


def as_device_array(array: Any) -> Any:
    """An array of any library on the card as one of Numba's, which shares its memory."""
    from numba import cuda

    return cuda.as_cuda_array(array)


def addresses_on_device(arrays: Sequence[Any]) -> Any:
    """The addresses of arrays on the card, int64 [k, 4], as `memory.array_addresses` gives those of this machine.

    The simulator finds the arrays themselves.
    """
    if simulated():
        return arrays
    places = []
    for array in arrays:
        address = array.__cuda_array_interface__["data"][0] if math.prod(array.shape) else 0
        places.append((address, array.shape[0], array.shape[-1], array.strides[0]))
    return on_device(np.array(places, np.int64))
