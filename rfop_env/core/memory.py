"""Arrays as compiled loops meet them: at their addresses, on whole cache lines, fetched ahead, shared by threads.

Without the compiler the functions do the same to the arrays themselves, for one thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.rule import JIT, small_rule

LINE = 64  # bytes of a cache line: what two threads must not write to at the same time

if JIT:
    import numba

    from rfop_env.core.intrinsics import add_at, load_at, pointer, prefetch_at, store_at, swap_at

    carray: Any = numba.carray

# -- arrays on whole cache lines ---------------------------------------------------------------------------------------


def aligned_zeros(shape: int | tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array of zeros that begins with a cache line."""
    shape = (shape,) if isinstance(shape, int) else shape
    size = math.prod(shape) * np.dtype(dtype).itemsize
    whole = np.zeros(size + LINE, np.uint8)
    start = -whole.ctypes.data % LINE
    return whole[start : start + size].view(dtype).reshape(shape)


def aligned_copy(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of an array of numbers that begins with a cache line."""
    copied = aligned_zeros(array.shape, array.dtype)
    copied[...] = array
    return copied


# -- arrays at addresses -----------------------------------------------------------------------------------------------


def addresses_of(arrays: Sequence[Any]) -> Any:
    """Arrays as `rows_at` and `table_at` find them: int64 [k, 3], address, rows and columns of each.

    It is one argument of a kernel in place of k. The arrays must outlive it and stay where they are. Without the
    compiler it is the arrays themselves.
    """
    if not JIT:
        return arrays
    assert all(array.flags.c_contiguous for array in arrays)
    return np.array([(a.ctypes.data, len(a), a.shape[1] if a.ndim == 2 else 1) for a in arrays], np.int64)


if JIT:

    @small_rule
    def rows_at(addresses: Any, k: int, dtype: Any) -> Any:
        """The k-th array, of one dimension and the given dtype."""
        return carray(pointer(addresses[k, 0]), (addresses[k, 1],), dtype)

    @small_rule
    def table_at(addresses: Any, k: int, dtype: Any) -> Any:
        """The k-th array, of two dimensions and the given dtype."""
        return carray(pointer(addresses[k, 0]), (addresses[k, 1], addresses[k, 2]), dtype)

    @small_rule
    def prefetch(array: Any, i: int, low: int, high: int) -> None:
        """Ask for bytes `low` to `high` of row i, which will be written to, without waiting for them."""
        row = array.ctypes.data + i * array.strides[0]
        for place in range(row + low, row + high, LINE):
            prefetch_at(place)

    @small_rule
    def load(array: Any, i: int, j: int) -> int:
        """Read a number that another thread may write."""
        return load_at(array.ctypes.data + i * array.strides[0] + j * array.strides[1])

    @small_rule
    def store(array: Any, i: int, j: int, number: int) -> None:
        """Write a number that another thread may read: it then sees all that was written before."""
        store_at(array.ctypes.data + i * array.strides[0] + j * array.strides[1], number)

    @small_rule
    def add(array: Any, i: int, j: int, number: int) -> None:
        """Add to a number to which other threads may add."""
        add_at(array.ctypes.data + i * array.strides[0] + j * array.strides[1], number)

    @small_rule
    def swap(array: Any, i: int, j: int, old: int, new: int) -> bool:
        """Write `new` if the number is `old`, unless another thread is faster; says if it was written."""
        return swap_at(array.ctypes.data + i * array.strides[0] + j * array.strides[1], old, new)

else:

    def rows_at(addresses: Any, k: int, dtype: Any) -> Any:
        """The k-th array."""
        return addresses[k]

    table_at = rows_at

    def prefetch(array: Any, i: int, low: int, high: int) -> None:
        """Nothing: Python has no such order."""

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
