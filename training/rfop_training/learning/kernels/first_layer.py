"""The first layer of a network on observations that are mostly 0: only what is not 0 is multiplied.

The entries of a batch that are not 0 lie row by row: `start` int64 [n + 1] is where each row begins in `place` int64
[m], the number of the entry, and `amount` float32 [m], its scaled value. Each row is filled up with zeros to a multiple
of `GROUP`, so that the loops take several entries at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_training.learning.kernels.compiled import compiled

GROUP = 4  # entries that a row is filled up to; the loops take 8, or once 4


@compiled
def sparse_rows(observation: Any, scale: Any) -> Any:
    """`start`, `place` and `amount` of observations int8 [n, D], each entry times its `scale` float32 [D]."""
    n, size = observation.shape
    start = np.empty(n + 1, np.int64)
    place = np.empty(n * (size + GROUP), np.int64)
    end = 0

    for i in range(n):
        start[i] = end
        row = observation[i]
        for j in range(size):  # without a branch: every entry is written, and those that are 0 are written over
            place[end] = j
            end += row[j] != 0
        while end % GROUP != 0:
            place[end] = -1
            end += 1
    start[n] = end

    amount = np.zeros(end, np.float32)
    for i in range(n):
        row = observation[i]
        for k in range(start[i], start[i + 1]):
            j = place[k]
            if j < 0:
                place[k] = 0
            else:
                amount[k] = np.float32(row[j]) * scale[j]
    return start, place[:end], amount


@compiled
def sparse_columns(start: Any, place: Any, amount: Any, size: int) -> Any:
    """The same entries column by column: where each of `size` columns begins, the rows, and the values."""
    # The length of each column, filled up as rows are.
    count = np.zeros(size, np.int64)
    for k in range(start[-1]):
        count[place[k]] += amount[k] != 0.0
    begin = np.empty(size + 1, np.int64)
    end = 0
    for j in range(size):
        begin[j] = end
        end += (count[j] + GROUP - 1) // GROUP * GROUP
        count[j] = begin[j]
    begin[size] = end

    # The entries.
    row = np.zeros(end, np.int64)
    value = np.zeros(end, np.float32)
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            if amount[k] != 0.0:
                at = count[place[k]]
                count[place[k]] = at + 1
                row[at] = i
                value[at] = amount[k]
    return begin, row, value


@compiled
def add_products(start: Any, place: Any, amount: Any, rows: Any, out: Any) -> None:
    """Add to each row of `out` float32 [n, W] the sum of `amount` times `rows` [m, W] at `place`."""
    for i in range(out.shape[0]):
        o = out[i]
        k = start[i]
        end = start[i + 1]
        while k + 8 <= end:
            a0, a1, a2, a3 = amount[k], amount[k + 1], amount[k + 2], amount[k + 3]
            a4, a5, a6, a7 = amount[k + 4], amount[k + 5], amount[k + 6], amount[k + 7]
            r0, r1, r2, r3 = rows[place[k]], rows[place[k + 1]], rows[place[k + 2]], rows[place[k + 3]]
            r4, r5, r6, r7 = rows[place[k + 4]], rows[place[k + 5]], rows[place[k + 6]], rows[place[k + 7]]
            for c in range(o.shape[0]):
                first = a0 * r0[c] + a1 * r1[c] + a2 * r2[c] + a3 * r3[c]
                o[c] += first + a4 * r4[c] + a5 * r5[c] + a6 * r6[c] + a7 * r7[c]
            k += 8
        if k < end:
            a0, a1, a2, a3 = amount[k], amount[k + 1], amount[k + 2], amount[k + 3]
            r0, r1, r2, r3 = rows[place[k]], rows[place[k + 1]], rows[place[k + 2]], rows[place[k + 3]]
            for c in range(o.shape[0]):
                o[c] += a0 * r0[c] + a1 * r1[c] + a2 * r2[c] + a3 * r3[c]
