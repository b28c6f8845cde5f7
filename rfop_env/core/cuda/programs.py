"""The kernels of a game as programs of the card: compiled, kept on disk, loaded and started.

Each is compiled when it is first needed. Numba compiles a kernel to PTX, the assembly language of all cards, and
NVIDIA's linker makes machine code for one architecture of it. The machine code is kept as kernels of the processor are
(`compiler/kernel_cache.py`): under a hash of its sources, in a folder of the user's own.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from rfop_env.compiler.code_digest import code_digest
from rfop_env.compiler.kernel_cache import cached_code
from rfop_env.core.cuda import kernels
from rfop_env.core.cuda.device import simulated
from rfop_env.core.errors import NoDevice
from rfop_env.core.game import Game, Rules

Capability = tuple[int, int]  # the architecture of a card: (9, 0) for an H100 or H200
BLOCK = 128  # threads that a card starts together
SIMULATED_BLOCK = 4  # and the simulator, which makes each a thread of Python


class Program(NamedTuple):
    """Machine code, and the name that its kernel has in there."""

    entry: str
    code: bytes


# What a kernel takes: the dimensions and dtype of each array, None for a whole number, a tuple of these for a tuple.
Signature = tuple[Any, ...]
ADDRESSES, NUMBERS, PAIRS, BYTES = (2, "int64"), (1, "int64"), (2, "int64"), (2, "uint8")
SIGNATURES: dict[str, Signature] = {
    "advance": (ADDRESSES, NUMBERS, PAIRS, None, None),
    "observe": (ADDRESSES, NUMBERS, (2, "int8")),
    "payoffs": (ADDRESSES, (1, "float64"), (2, "float32"), None),
    "determinize": (ADDRESSES, NUMBERS, NUMBERS),
    "seat": (ADDRESSES, NUMBERS),
    "copy": (BYTES, BYTES, NUMBERS, NUMBERS, (1, "uint8")),
}

# What makes each from a game's rules and the dtypes of its state and component records; what it is about, for people.
KERNELS: dict[str, tuple[Callable[[Rules, Any, Any], Callable[..., None]], str]] = {
    "advance": (kernels.make_device_kernel, "the rules of"),
    "observe": (kernels.make_device_observe, "the observations of"),
    "payoffs": (kernels.make_device_payoffs, "the rewards of"),
    "determinize": (kernels.make_device_determinize, "determinizations of"),
    "seat": (lambda rules, state, components: kernels.make_device_seat(state), "copies of"),
    "copy": (lambda rules, state, components: kernels.copy_rows, "copies of"),
}


class DeviceKernels:
    """The kernels of one game on the card, shared by all its batches there.

    Each takes the number of threads, then the arguments that `core/cuda/kernels.py` describes. The card does it after
    all that it was asked to do before. Raises `NoDevice` where one cannot be compiled.
    """

    _built: ClassVar[dict[tuple[Any, ...], DeviceKernels]] = {}

    def __init__(self, game: Game):
        components = game.load_components(None).record.dtype
        self._dtypes = game.state, components
        self._rules = game.rules
        self._name = game.rules_name
        self._title = game.title
        self._programs: dict[str, Callable[..., None]] = {}

    @classmethod
    def of(cls, game: Game) -> DeviceKernels:
        """The kernels of a game's rules."""
        key = (game.rules, game.state)
        if key not in cls._built:
            cls._built[key] = cls(game)
        return cls._built[key]

    def prepare(self, kind: str) -> Callable[..., None]:
        """The kernel of a kind of `KERNELS`, ready to be started."""
        if kind not in self._programs:
            kernel, name, title = self._parts(kind)
            self._programs[kind] = prepare_kernel(kernel, SIGNATURES[kind], name, title)
        return self._programs[kind]

    def copy(self, source: Any, target: Any, games: Any, into: Any, copied_bytes: Any) -> None:
        """Copies records, with as many threads as `copy_rows` asks for."""
        self.prepare("copy")(games.size * kernels.LANES, source, target, games, into, copied_bytes)

    def keep(self, capability: Capability) -> None:
        """Compile all kernels for cards of an architecture, and keep them on the disk; no card need be here."""
        for kind in SIGNATURES:
            kernel, name, title = self._parts(kind)
            cached_program(kernel, SIGNATURES[kind], capability, name, title)

    def _parts(self, kind: str) -> tuple[Callable[..., None], str, str]:
        """A kernel, its name on the disk, and what it is for people."""
        make, about = KERNELS[kind]
        return make(self._rules, *self._dtypes), f"{self._name}.cuda.{kind}", f"{about} {self._title}"


def prepare_kernel(kernel: Callable[..., None], signature: Signature, name: str, title: str) -> Callable[..., None]:
    """A kernel that is ready to be started, with a number of threads and its arguments. Raises `NoDevice`."""
    if simulated():
        return _prepare_for_simulator(kernel)
    return _prepare_for_driver(cached_program(kernel, signature, current_capability(), name, title))


# -- started by the simulator ------------------------------------------------------------------------------------------


def _prepare_for_simulator(kernel: Callable[..., None]) -> Callable[..., None]:
    from numba import cuda

    compiled: Any = cuda.jit(kernel)

    def start(threads: int, *arguments: Any) -> None:
        if threads:
            compiled[-(-threads // SIMULATED_BLOCK), SIMULATED_BLOCK](*arguments)

    return start


# -- compiled and kept -------------------------------------------------------------------------------------------------


def current_capability() -> Capability:
    """The architecture of the card that is used."""
    from numba import cuda

    major, minor = cuda.get_current_device().compute_capability
    return major, minor


def cached_program(
    kernel: Callable[..., None],
    signature: Signature,
    capability: Capability,
    name: str,
    title: str,
) -> Program:
    """The program of a kernel for an architecture, from the disk or compiled. Raises `NoDevice` where that fails."""
    code = cached_code(
        name,
        code_digest(kernel).text,
        f"{name}.{_digest(capability)}.cubin",
        f"{title} for the graphics card",
        lambda: _compiled_program(kernel, signature, capability, title),
    )
    entry, _, machine_code = code.partition(b"\n")
    return Program(entry.decode("ascii"), machine_code)


def _digest(capability: Capability) -> str:
    import numba_cuda

    return hashlib.sha256(repr((numba_cuda.__version__, capability)).encode()).hexdigest()[:16]


def _compiled_program(kernel: Callable[..., None], signature: Signature, capability: Capability, title: str) -> bytes:
    """The program of a kernel as it is kept: its name, a line feed, its code."""
    try:
        program = linked(compiled(kernel, signature, capability), capability)
    except Exception as error:  # NVIDIA's libraries are missing or do not know the card: their errors share no class
        raise NoDevice(
            f"{title} cannot be compiled for a card of compute capability {capability[0]}.{capability[1]} "
            f"({type(error).__name__}: {error}): pip install -U 'rfop-env[cuda]'"
        ) from error
    return program.entry.encode("ascii") + b"\n" + program.code


def compiled(kernel: Callable[..., None], signature: Signature, capability: Capability) -> str:
    """A kernel as PTX."""
    from numba import cuda

    from rfop_env.compiler.compilers import rare_collection
    from rfop_env.core.cuda.rules import use_device_rules

    use_device_rules()
    with rare_collection(), _as_if_on(capability):
        ptx, _ = cuda.compile_ptx(kernel, tuple(map(_numba_type, signature)), cc=capability)
    return str(ptx)


@contextlib.contextmanager
def _as_if_on(capability: Capability) -> Iterator[None]:
    """Let Numba compile what a kernel calls for this architecture; it asks the card, which need not be here."""
    from numba.cuda import dispatcher

    original = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = original


def _numba_type(kind: Any) -> Any:
    """Numba's type for an entry of a `Signature`."""
    from numba.cuda import types
    from numba.cuda.np.numpy_support import from_dtype

    if kind is None:
        return types.int64
    if isinstance(kind[0], int):
        return types.Array(from_dtype(np.dtype(kind[1])), kind[0], "C")
    return types.Tuple([_numba_type(part) for part in kind])


def linked(ptx: str, capability: Capability) -> Program:
    """The machine code of PTX for an architecture."""
    from cuda.core import Linker, LinkerOptions, ObjectCode

    entry = re.search(r"\.entry\s+([\w$]+)", ptx)
    assert entry is not None
    options = LinkerOptions(arch=f"sm_{capability[0]}{capability[1]}")
    code = Linker(ObjectCode.from_ptx(ptx.encode()), options=options).link("cubin").code
    return Program(entry[1], bytes(code))


# -- started by the driver ---------------------------------------------------------------------------------------------


def _prepare_for_driver(program: Program) -> Callable[..., None]:
    from cuda.core import LEGACY_DEFAULT_STREAM, LaunchConfig, ObjectCode, launch

    kernel = ObjectCode.from_cubin(program.code).get_kernel(program.entry)

    def start(threads: int, *arguments: Any) -> None:
        if not threads:
            return
        config = LaunchConfig(grid=-(-threads // BLOCK), block=BLOCK)
        launch(
            LEGACY_DEFAULT_STREAM,
            config,
            kernel,
            *(word for argument in arguments for word in argument_words(argument)),
        )

    return start


def argument_words(argument: Any) -> list[int]:
    """A kernel's argument as the 64-bit words that its code takes: of an array, the parts of Numba's array type."""
    if isinstance(argument, int):
        return [argument]
    if isinstance(argument, tuple):
        return [word for part in argument for word in argument_words(part)]
    address = argument.__cuda_array_interface__["data"][0]
    no_owner = [0, 0]
    return [*no_owner, argument.size, argument.dtype.itemsize, address, *argument.shape, *argument.strides]
