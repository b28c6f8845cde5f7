"""One search tree: a pool of nodes, how a node chooses its next child, and how a result is added to a path.

A node stands for a sequence of decisions from the root, whatever is hidden and whatever chance brought in between: each
simulation walks the tree in a determinization of its own, so that a node may meet other legal actions every time.
Returns are summed for every seat, and a node is read by the seat that decides there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rfop_env.compiler import rule
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.random_stream import POLICY, random_below

NODE = np.dtype(
    [
        ("action", np.int32),  # the decision that leads here
        ("child", np.int32),  # its youngest child, NO_NODE if none
        ("sibling", np.int32),  # the next older child of the same node, NO_NODE if none
        ("visits", np.int32),
        ("available", np.int32),  # visits of the parent, but those in which the action was not legal
        ("waiting", np.int32),  # descents that came through and whose returns are still to come
    ],
    align=True,
)
NO_NODE = -1
ROOT = 0
LOW, HIGH = range(2)  # of the bounds of the returns seen
LEAST_SCALE = 1e-6  # while all returns have been equal


@rule
def empty_tree(tree: Any, totals: Any, bounds: Any, node_count: Any) -> None:
    """Reset the pool to one root without children."""
    node_count[0] = 0
    for p in range(bounds.shape[0]):
        bounds[p, LOW] = np.inf
        bounds[p, HIGH] = -np.inf
    add_node(tree, totals, node_count, NO_ACTION, NO_NODE, 0)


@rule
def add_node(tree: Any, totals: Any, node_count: Any, action: int, sibling: int, available: int) -> int:
    """A node that nobody has visited, from the pool; returns its number."""
    number = int(node_count[0])
    node_count[0] += 1
    node = tree[number]
    node.action = action
    node.child = NO_NODE
    node.sibling = sibling
    node.visits = 0
    node.available = available
    node.waiting = 0
    for p in range(totals.shape[1]):
        totals[number, p] = 0.0
    return number


@rule
def ends_tree(tree: Any, priors: Any, node: int) -> bool:
    """True if a simulation that comes to a node with a choice goes no further in the tree.

    Nobody has visited the node; or it has no network's priors yet, since its visits so far were determinizations in
    which the game ended there. A network's priors are all above 0.
    """
    if priors.shape[0] > 1:
        return priors[node, 0] == 0.0
    return tree[node].visits == 0


@rule
def weigh(weights: Any, priors: Any, node: int, mask: Any, advised: int, prior_weight: float) -> float:
    """Fill in the prior of every action at a node, not scaled; returns the sum over the legal ones.

    A network's priors, kept for the node; without them 1 for all, and the share `prior_weight` for the advised action.
    """
    total = 0.0
    for action in range(mask.shape[0]):
        weights[action] = priors[node, action] if priors.shape[0] > 1 else 1.0
        total += weights[action] if mask[action] else 0.0

    if advised != NO_ACTION:
        extra = total * prior_weight / (1.0 - prior_weight)
        weights[advised] += extra
        total += extra
    return total


@rule
def value_scale(bounds: Any, seat: int) -> float:
    """Half the range of a seat's returns so far: the unit of the search, so that no scale of rewards matters to it.

    Not their standard deviation: once a search has settled on an action, that shrinks and holds it there.
    """
    return max(LEAST_SCALE, 0.5 * (bounds[seat, HIGH] - bounds[seat, LOW]))


@rule
def choose(
    s: Any, tree: Any, totals: Any, node_count: Any, node: int, mask: Any, count: int, weights: Any, c_puct: float,
    scale: float, fpu_reduction: float, virtual_loss: float,
) -> int:  # fmt: skip
    """The child to visit, made if need be; NO_NODE if no legal action has a child and the pool is full.

    PUCT: the mean return for the seat that decides, in units of `scale`, plus `c_puct` times the weight of the action
    times the root of the visits in which it was legal, over 1 + its own visits; weights are not scaled, so the caller
    divides `c_puct` by their sum. First-play urgency: an untried action
    is taken to be `fpu_reduction` units worse than its node. Virtual loss: a descent that waits counts as a visit, with
    a return `virtual_loss` units below the mean of its action. `mask`: the legal actions, `count` of them; those with a
    child are struck off.
    """
    seat = int(s.player)
    first_play = totals[node, seat] / int(tree[node].visits) / scale - fpu_reduction

    # The best of the children whose action is legal now.
    best, best_child, untried = -np.inf, NO_NODE, count
    child = int(tree[node].child)
    while child != NO_NODE:
        edge = tree[child]
        action, visits, waiting = int(edge.action), int(edge.visits), int(edge.waiting)
        if mask[action]:
            mask[action] = False
            untried -= 1
            edge.available += 1
            score = totals[child, seat] / visits / scale if visits > 0 else first_play
            if waiting > 0:
                score -= virtual_loss * waiting / (visits + waiting)
            score += c_puct * weights[action] * math.sqrt(edge.available) / (1 + visits + waiting)
            if score > best:
                best, best_child = score, child
        child = int(edge.sibling)
    if untried == 0 or node_count[0] == tree.shape[0]:
        return best_child

    # The best of the untried actions, if it promises more, becomes a child.
    visits = visits_before(tree, node)
    action = best_untried(s, mask, weights)
    if first_play + c_puct * weights[action] * math.sqrt(visits) <= best:
        return best_child
    child = add_node(tree, totals, node_count, action, int(tree[node].child), visits)
    tree[node].child = child
    return child


@rule
def visits_before(tree: Any, node: int) -> int:
    """How many descents have come to a node before the present one, which waits there: visits and those that wait."""
    return int(tree[node].visits) + int(tree[node].waiting) - 1


@rule
def find_child(tree: Any, totals: Any, node_count: Any, node: int, action: int) -> int:
    """The child of a node that stands for an action, made if need be; NO_NODE if it has none and the pool is full."""
    child = int(tree[node].child)
    while child != NO_NODE:
        if tree[child].action == action:
            tree[child].available += 1
            return child
        child = int(tree[child].sibling)

    if node_count[0] == tree.shape[0]:
        return NO_NODE
    child = add_node(tree, totals, node_count, action, int(tree[node].child), visits_before(tree, node))
    tree[node].child = child
    return child


@rule
def best_untried(s: Any, mask: Any, weights: Any) -> int:
    """The action of a mask with the largest weight; equal ones are drawn from stream POLICY."""
    best, best_action, equals = -np.inf, NO_ACTION, 0
    for action in range(mask.shape[0]):
        if mask[action]:
            if weights[action] > best:
                best, equals = weights[action], 0
            if weights[action] == best:
                equals += 1
                if random_below(s, POLICY, equals) == 0:
                    best_action = action
    return best_action


@rule
def back_up(tree: Any, totals: Any, bounds: Any, path: Any, length: int, value: Any) -> None:
    """Add the returns of a simulation [P] to the first nodes of a path, where its descent no longer waits."""
    for i in range(length):
        tree[path[i]].visits += 1
        tree[path[i]].waiting -= 1
        for p in range(value.shape[0]):
            totals[path[i], p] += value[p]
    for p in range(value.shape[0]):
        bounds[p, LOW] = min(bounds[p, LOW], value[p])
        bounds[p, HIGH] = max(bounds[p, HIGH], value[p])
