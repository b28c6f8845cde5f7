"""CFR+ on end games: a table of policies, found by regret matching, as a reference for networks and searches.

Tammelin, *Solving Large Imperfect Information Games Using CFR+*, 2014. Every position is a row of the table. An
iteration evaluates the present policy from the last positions to the first. Then it adds to each move's regret what
the move would have won more, sets negative regrets to 0, and makes the next policy proportional to the regrets. The
answer is the average of the policies, weighted by the number of the iteration and by how often the seat that decides
would have come there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from training.evaluation.exact import Layer, means_of

Arrays = list[NDArray[np.float64]]  # an array for each layer; of a policy the probabilities of its moves, [m]


def cfr_plus(layers: Sequence[Layer], iterations: int) -> Arrays:
    """The average policy after so many iterations, both seats in turn in each of them."""
    regrets = [np.zeros(len(layer.parent)) for layer in layers]
    sums = [np.zeros(len(layer.parent)) for layer in layers]
    for iteration in range(1, iterations + 1):
        for seat in range(2):
            _improve(layers, _policy_by(layers, regrets), regrets, seat)

        policy = _policy_by(layers, regrets)
        for seat in range(2):
            for depth, (layer, reach) in enumerate(zip(layers, _reach(layers, policy, seat), strict=True)):
                own = layer.seat[layer.parent] == seat
                sums[depth] += iteration * own * reach[layer.parent] * policy[depth]
    return _policy_by(layers, sums)


def _policy_by(layers: Sequence[Layer], weights: Arrays) -> Arrays:
    """The policy proportional to weights of the moves; uniform where all weights of a position are 0."""
    policy = []
    for layer, own in zip(layers, weights, strict=True):
        total, moves = (np.bincount(layer.parent, w, len(layer.seat))[layer.parent] for w in (own, np.ones(len(own))))
        policy.append(np.where(total > 0, own / np.where(total > 0, total, 1.0), 1.0 / moves))
    return policy


def _improve(layers: Sequence[Layer], policy: Arrays, regrets: Arrays, seat: int) -> None:
    """Add to the regrets of a seat's moves what each would have won more than the policy."""
    others = _reach(layers, policy, 1 - seat)
    value = np.zeros(0)  # of the positions of the next layer, to the seat
    for depth, layer in reversed([*enumerate(layers)]):
        after = value[layer.child]
        value = layer.returns[:, seat] + means_of(layer, policy[depth], after[:, None])[:, 0]
        gain = others[depth][layer.parent] * (after - value[layer.parent])
        own = layer.seat[layer.parent] == seat
        regrets[depth] = np.where(own, np.maximum(regrets[depth] + gain, 0.0), regrets[depth])


def _reach(layers: Sequence[Layer], policy: Arrays, seat: int) -> Arrays:
    """How much the choices of a seat lead to each position, [n] for each layer: summed over the ways there."""
    reach: Arrays = [np.ones(len(layers[0].seat))]
    for layer, later, chances in zip(layers, layers[1:], policy, strict=False):
        taken = np.where(layer.seat[layer.parent] == seat, chances, 1.0)
        reach.append(np.bincount(layer.child, reach[-1][layer.parent] * taken, len(later.seat)).astype(np.float64))
    return reach
