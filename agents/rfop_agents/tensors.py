"""Arrays of the processor, or of a graphics card, as torch's tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.cuda.device import simulated


def as_tensor(array: Any) -> Tensor:
    """An array as a tensor in the same memory. Tensors of read-only arrays must not be written to."""
    if isinstance(array, np.ndarray):
        view = array.view()
        view.flags.writeable = True  # torch warns of tensors that could be written to
        return torch.from_numpy(view)
    return torch.from_numpy(np.asarray(array)) if simulated() else torch.as_tensor(array, device=CARD)


def to_device_like(tensor: Tensor, array: NDArray[Any]) -> Tensor:
    """A NumPy array as a tensor on the device of another tensor."""
    return torch.from_numpy(array).to(tensor.device)
