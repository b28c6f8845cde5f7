"""Arrays that kernels reach by their addresses, aligned to cache lines, with atomic access for several threads.

Without the compiler the functions take the arrays themselves, for one thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler.decorators import JIT, rule

LINE = 64  # bytes of a cache line: what two threads must not write to at the same time

if JIT:
    from rfop_env.compiler.intrinsics import add as add
    from rfop_env.compiler.intrinsics import load as load
    from rfop_env.compiler.intrinsics import row as row
    from rfop_env.compiler.intrinsics import rows as rows
    from rfop_env.compiler.intrinsics import store as store
    from rfop_env.compiler.intrinsics import swap as swap
    from rfop_env.compiler.intrinsics import table as table

# -- arrays on whole cache lines ---------------------------------------------------------------------------------------


def aligned_zeros(shape: int | tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array of zeros that begins with a cache line."""
    lengths = (shape,) if isinstance(shape, int) else shape
    size = math.prod(lengths) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(lengths)


def aligned_copy(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of an array of numbers that begins with a cache line."""
    copied = aligned_zeros(array.shape, array.dtype)
    copied[...] = array
    return copied


# -- arrays at addresses -----------------------------------------------------------------------------------------------


def array_addresses(arrays: Sequence[Any]) -> Any:
    """Arrays as `rows`, `row` and `table` find them: int64 [k, 4], address, rows, columns and bytes of a row of each.

    It is one argument of a kernel in place of k. The arrays must outlive it and stay where they are. Without the
    compiler it is the arrays themselves. Rows that lie apart are for `row` alone.
    """
    if not JIT:
        return arrays
    assert all(a.flags.c_contiguous or a.strides[-1] == a.itemsize or a.shape[-1] == 1 for a in arrays)
    return np.array([(a.ctypes.data, len(a), a.shape[-1], a.strides[0]) for a in arrays], np.int64)


if not JIT:

    def rows(addresses: Any, k: int, dtype: Any) -> Any:
        """The k-th array."""
        return addresses[k]

    table = rows

    def row(addresses: Any, k: int, i: int, dtype: Any) -> Any:
        """Row i of the k-th array."""
        return addresses[k][i]

    def load(array: Any, i: int, j: int) -> int:
        """Read a number."""
        return int(array[i, j])

    def store(array: Any, i: int, j: int, number: int) -> None:
        """Write a number."""
        array[i, j] = number

    def add(array: Any, i: int, j: int, number: int) -> None:
        """Add to a number."""
        array[i, j] += number

    def swap(array: Any, i: int, j: int, old: int, new: int) -> bool:
        """Write `new` if the number is `old`; says if it was."""
        if array[i, j] != old:
            return False
        array[i, j] = new
        return True


# -- which of them a loop uses -----------------------------------------------------------------------------------------


class Access(NamedTuple):
    """How a loop reaches the arrays of `array_addresses`: on the processor, or in its own way on another device."""

    rows: Any
    table: Any
    row: Any
    copy_record: Any  # (source, states, i): state i becomes a copy of the first of the source


@rule
def _copy_record(source: Any, states: Any, i: int) -> None:
    states[i] = source[0]


HERE = Access(rows, table, row, _copy_record)
