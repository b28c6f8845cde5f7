"""Arrays of a checkpoint: to tensors and back, with checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError


def refill(array: NDArray[Any], saved: Tensor, within: tuple[int, int] | None = None) -> None:
    """Copy a tensor of a checkpoint into an array of the same shape and type; its numbers lie in `range(*within)`.

    Raises `RfopError`.
    """
    values = saved.numpy()
    if values.shape != array.shape or values.dtype != array.dtype:
        raise RfopError(f"{values.dtype} {list(values.shape)} instead of {array.dtype} {list(array.shape)}")
    if within is not None and not ((within[0] <= values) & (values < within[1])).all():
        raise RfopError(f"numbers that are not in {range(*within)}")
    array[:] = values


def batch_bytes(batch: GameBatch) -> Tensor:
    """The records of all games as bytes: uint8 [n * bytes of a record]."""
    return torch.from_numpy(batch.get_state().view(np.uint8).reshape(-1).copy())
