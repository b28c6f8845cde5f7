"""Arrays of the processor, or of a graphics card, as torch's tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.cuda.device import simulated


def shared(array: Any) -> Tensor:
    """An array of numbers as a tensor in the same memory; nobody writes to that of a read-only array."""
    if isinstance(array, np.ndarray):
        view = array.view()
        view.flags.writeable = True  # torch warns of tensors that could be written to
        return torch.from_numpy(view)
    return torch.from_numpy(np.asarray(array)) if simulated() else torch.as_tensor(array, device=CARD)


def on_device_of(tensor: Tensor, array: NDArray[Any]) -> Tensor:
    """An array of the processor, as a tensor on the device of another one."""
    return torch.from_numpy(array).to(tensor.device)
