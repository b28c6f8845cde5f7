"""CFR+ on end games: a table of policies, found by regret matching, as a reference for networks and searches.

Tammelin, *Solving Large Imperfect Information Games Using CFR+*, 2014. Every information set is a row of the table. An
iteration evaluates the present policy from the last positions to the first. Then it adds to each choice's regret what
the choice would have won more, sets negative regrets to 0, and makes the next policy proportional to the regrets. The
answer is the average of the policies, weighted by the number of the iteration and by how often the seat that decides
would have come there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from training.research.lab import exact


def cfr_plus_at(layers: Sequence[exact.Layer], iterations: Sequence[int]) -> list[exact.Arrays]:
    """The average policies of one run after some numbers of iterations, in the order given.

    Each is the probabilities of choices [k] for each layer. In each iteration both seats improve in turn.
    """
    regrets = [np.zeros(len(layer.owner)) for layer in layers]
    sums = [np.zeros(len(layer.owner)) for layer in layers]
    policies = {}
    for iteration in range(1, max(iterations, default=0) + 1):
        for seat in range(2):
            _improve(layers, _policy_by(layers, regrets), regrets, seat)

        policy = _policy_by(layers, regrets)
        for seat in range(2):
            for depth, (layer, reach) in enumerate(
                zip(layers, exact.reach_probabilities(layers, policy, [seat]), strict=True)
            ):
                own = layer.decider == seat
                come = np.bincount(layer.information, reach, layer.sets)[layer.owner]
                sums[depth] += iteration * own * come * policy[depth]
        if iteration in iterations:
            policies[iteration] = _policy_by(layers, sums)
    return [policies[iteration] for iteration in iterations]


def _policy_by(layers: Sequence[exact.Layer], weights: exact.Arrays) -> exact.Arrays:
    """The policy proportional to weights of the choices; uniform where all weights of an information set are 0."""
    policy = []
    for layer, own in zip(layers, weights, strict=True):
        total, choices = (np.bincount(layer.owner, w, layer.sets)[layer.owner] for w in (own, np.ones(len(own))))
        policy.append(np.where(total > 0, own / np.where(total > 0, total, 1.0), 1.0 / choices))
    return policy


def _improve(layers: Sequence[exact.Layer], policy: exact.Arrays, regrets: exact.Arrays, seat: int) -> None:
    """Add to the regrets of a seat's choices what each would have won more than the policy."""
    counterfactual = exact.reach_probabilities(layers, policy, [1 - seat, exact.CHANCE])
    value = np.zeros(0)  # of the positions of the next layer, to the seat
    for depth, layer in reversed([*enumerate(layers)]):
        child_values = value[layer.child]
        value = layer.returns[:, seat] + exact.policy_means(layer, policy[depth], child_values[:, None])[:, 0]
        gain = counterfactual[depth][layer.parent] * (child_values - value[layer.parent]) * layer.chance
        gains = np.bincount(layer.choice, gain, len(layer.owner))
        own = layer.decider == seat
        regrets[depth] = np.where(own, np.maximum(regrets[depth] + gains, 0.0), regrets[depth])
