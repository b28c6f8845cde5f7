"""The layers of a network for boards: each space takes from itself, from its neighbours, and from the mean of all.

`near` int64 [S, K] has the neighbours of each space, filled up with `NOBODY`. Features lie in memory as float32
[n * S, 2 * C]: those of a space, and beside them the sum of its neighbours, so that one product takes both. The layers
go through `ROWS` positions at a time, whose features stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_training.learning.kernels.compiled import compiled

NOBODY = -1
ROWS = 32
PARAMETERS = 4  # of a layer: weights own, near and mean [C, C], and bias [C]


def neighbours_of(neighbours: NDArray[np.float32]) -> NDArray[np.int64]:
    """The neighbours of each space, int64 [S, K], from a matrix [S, S] with 1 where two spaces are neighbours."""
    most = int(neighbours.sum(axis=1).max())
    near = np.full((len(neighbours), most), NOBODY, np.int64)
    for space, row in enumerate(neighbours):
        found = np.flatnonzero(row)
        near[space, : len(found)] = found
    return near


@compiled
def look_around(x: Any, near: Any, mean: Any) -> None:
    """Fill the second half of `x` float32 [n * S, 2 * C] with the sums of neighbours, and `mean` [n, C]."""
    spaces, units = near.shape[0], mean.shape[1]
    for i in range(mean.shape[0]):
        first = i * spaces
        m = mean[i]
        m[:] = 0.0
        for space in range(spaces):
            row = x[first + space]
            for c in range(units):
                m[c] += row[c]
                row[units + c] = 0.0
            for k in range(near.shape[1]):
                if near[space, k] < 0:
                    break
                other = x[first + near[space, k]]
                for c in range(units):
                    row[units + c] += other[c]
        for c in range(units):
            m[c] /= spaces


@compiled
def add_changes(x: Any, change: Any, of_mean: Any, out: Any) -> None:
    """Features after a layer, in the first half of `out` [n * S, 2 * C]: those before, and the rectified change.

    `change` [n * S, C] of each space, `of_mean` [n, C] of each position.
    """
    spaces = x.shape[0] // of_mean.shape[0]
    for i in range(of_mean.shape[0]):
        m = of_mean[i]
        for j in range(i * spaces, (i + 1) * spaces):
            for c in range(m.shape[0]):
                out[j, c] = x[j, c] + max(change[j, c] + m[c], np.float32(0.0))


@compiled
def pass_rectified(before: Any, after: Any, gradient: Any, passed: Any, total: Any) -> None:
    """The gradient of the change, `passed` [n * S, C], from that of the features after it; its sums, `total` [n, C].

    The change was passed on where features have grown from `before` to `after`.
    """
    spaces = passed.shape[0] // total.shape[0]
    for i in range(total.shape[0]):
        t = total[i]
        t[:] = 0.0
        for j in range(i * spaces, (i + 1) * spaces):
            for c in range(t.shape[0]):
                g = gradient[j, c] if after[j, c] > before[j, c] else np.float32(0.0)
                passed[j, c] = g
                t[c] += g


@compiled
def pass_around(gradient: Any, passed: Any, of_mean: Any, near: Any) -> None:
    """Add to the gradient [n * S, C] of the features before a layer what came through its products.

    `passed` [n * S, 2 * C]: through the space itself, and to the sum of its neighbours; `of_mean` [n, C] to the mean.
    """
    spaces, units = near.shape[0], of_mean.shape[1]
    for i in range(of_mean.shape[0]):
        first = i * spaces
        m = of_mean[i]
        for space in range(spaces):
            row, own = gradient[first + space], passed[first + space]
            for c in range(units):
                row[c] += own[c] + m[c] / spaces
            for k in range(near.shape[1]):
                if near[space, k] < 0:
                    break
                other = gradient[first + near[space, k]]
                for c in range(units):
                    other[c] += own[units + c]


class SpaceLayers(torch.autograd.Function):
    """All layers from spaces to spaces on features float32 [n, S, C].

    `parameters`: weights own, near and mean, and bias, of each layer in turn. Without `keep` no gradient can be asked
    for, and nothing is kept for it.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, near: NDArray[np.int64], keep: bool, *parameters: Tensor) -> Tensor:
        """Features float32 [n, S, C] after the last layer."""
        layers = _layers(parameters)
        n, spaces, units = x.shape
        rows_kept = n if keep else min(n, ROWS)
        found = [torch.empty(rows_kept * spaces, 2 * units) for _ in range(len(layers) + 1)]
        means = [torch.empty(rows_kept, units) for _ in layers]
        room = torch.empty(ROWS * spaces, units)
        out = torch.empty(x.shape)

        for positions, rows in _stretches(n, spaces):
            size = positions.stop - positions.start
            at, own = (positions, rows) if keep else (slice(size), slice(size * spaces))
            found[0][own, :units] = x[positions].reshape(-1, units)
            for (weight, of_mean, bias), before, after, mean in zip(layers, found, found[1:], means, strict=False):
                look_around(before[own].numpy(), near, mean[at].numpy())
                change = torch.mm(before[own], weight, out=room[: size * spaces])
                shift = torch.addmm(bias, mean[at], of_mean)
                add_changes(before[own].numpy(), change.numpy(), shift.numpy(), after[own].numpy())
            out[positions] = found[-1][own, :units].view(size, spaces, units)

        if keep:
            ctx.near, ctx.shape = near, x.shape
            ctx.found, ctx.means = found, means
            ctx.save_for_backward(*parameters)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the features and of all parameters from that of the features after the last layer."""
        layers = _layers(ctx.saved_tensors)
        n, spaces, units = ctx.shape
        gradient = gradient.reshape(n * spaces, units).clone()
        sums = [(torch.zeros(2 * units, units), torch.zeros(units, units), torch.zeros(units)) for _ in layers]
        room = torch.empty(ROWS * spaces, units), torch.empty(ROWS * spaces, 2 * units)

        for positions, rows in _stretches(n, spaces):
            change, passed = (part[: rows.stop - rows.start] for part in room)
            for k in reversed(range(len(layers))):
                weight, of_mean, _ = layers[k]
                before, after, own = ctx.found[k][rows], ctx.found[k + 1][rows], gradient[rows]
                total = torch.empty(positions.stop - positions.start, units)
                pass_rectified(before.numpy(), after.numpy(), own.numpy(), change.numpy(), total.numpy())

                for_weight, for_mean, for_bias = sums[k]
                for_weight.addmm_(before.t(), change)
                for_mean.addmm_(ctx.means[k][positions].t(), total)
                for_bias += total.sum(0)
                torch.mm(change, weight.t(), out=passed)
                pass_around(own.numpy(), passed.numpy(), (total @ of_mean.t()).numpy(), ctx.near)

        gradients: list[Tensor] = []
        for for_weight, for_mean, for_bias in sums:
            gradients += [for_weight[:units].t(), for_weight[units:].t(), for_mean.t(), for_bias]
        return gradient.view(ctx.shape), None, None, *gradients


def _layers(parameters: Sequence[Tensor]) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Of each layer: the weight of a space beside that of its neighbours [2 * C, C], that of the mean, and the bias."""
    found = []
    for k in range(0, len(parameters), PARAMETERS):
        own, near, mean, bias = (parameter.detach() for parameter in parameters[k : k + PARAMETERS])
        found.append((torch.cat((own.t(), near.t())), mean.t(), bias))
    return found


def _stretches(n: int, spaces: int) -> Iterator[tuple[slice, slice]]:
    """`ROWS` positions after another: their numbers, and the rows of their spaces."""
    for first in range(0, n, ROWS):
        last = min(first + ROWS, n)
        yield slice(first, last), slice(first * spaces, last * spaces)
