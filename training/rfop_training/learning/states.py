"""Arrays of a checkpoint: to tensors and back, with checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError

if TYPE_CHECKING:
    from rfop_env.core.cuda.batch import CudaBatch


def refill(array: NDArray[Any] | Tensor, saved: Tensor, within: tuple[int, int] | None = None) -> None:
    """Copy a tensor of a checkpoint into an array or tensor of the same shape and type.

    Its numbers lie in `range(*within)`. Raises `RfopError`.
    """
    target = array if isinstance(array, Tensor) else torch.from_numpy(array)
    if saved.shape != target.shape or saved.dtype != target.dtype:
        raise RfopError(f"{saved.dtype} {list(saved.shape)} instead of {target.dtype} {list(target.shape)}")
    if within is not None and not ((within[0] <= saved) & (saved < within[1])).all():
        raise RfopError(f"numbers that are not in {range(*within)}")
    target.copy_(saved)


def batch_bytes(batch: GameBatch | CudaBatch) -> Tensor:
    """The records of all games as bytes: uint8 [n * bytes of a record]."""
    return torch.from_numpy(batch.get_state().view(np.uint8).reshape(-1).copy())
