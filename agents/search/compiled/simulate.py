"""The kernel of the search, one for each game: it walks the trees, plays to the end, and adds up the returns.

Everything that needs the rules is one loop over decisions, which calls them as native functions
(`rfop_env/core/native_rules.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agents.search.compiled.tree import (
    NO_NODE,
    ROOT,
    back_up,
    child_of,
    choose,
    empty_tree,
    ends_tree,
    value_scale,
    weigh,
)
from rfop_env.core.advance import ENDLESS, copy_mask, no_advice
from rfop_env.core.decisions import fill_journal
from rfop_env.core.game import Rules
from rfop_env.core.legal_actions import NO_ACTION, count_legal, nth_legal
from rfop_env.core.memory import HERE
from rfop_env.core.random_stream import POLICY, STREAMS, mix, random_below
from rfop_env.core.rule import rule

# Tasks. DESCEND and BACK_UP are a simulation with a network in between; RESUME goes on with a descent that waits.
EMPTY, SIMULATE, DESCEND, RESUME, BACK_UP = range(5)
NO_LEAF = -1  # the seat of a leaf, where a simulation ended without one: the game ended inside the tree


class Parameters(NamedTuple):
    """The numbers of a search; `SearchSettings` explains them."""

    c_puct: float
    fpu_reduction: float
    prior_weight: float  # of the scripted player's action; a network's is in its priors already
    scripted: bool  # the scripted player plays on from the end of the tree
    rollouts_too: bool  # with a network: leaves are played to the end as well
    others_known: bool  # the other seats do not choose for themselves: a descent waits for their actions


class Roots(NamedTuple):
    """The positions that are searched, and the units of their returns."""

    components: Any  # component record [1]
    states: Any  # records [n]
    keys: Any  # int64 [n]: the random streams of each tree follow from them
    kinds: Any  # int64 [K]: numbers of reward kinds
    scales: Any  # float64 [K]: the return for one unit of each kind's payoff


class Trees(NamedTuple):
    """The trees, a row for each root."""

    nodes: Any  # NODE [n, nodes]
    totals: Any  # float64 [n, nodes, P]: sums of the returns of every seat
    bounds: Any  # float64 [n, P, 2]: lowest and highest return so far
    used: Any  # int32 [n, 1]: how many nodes of the pool are taken
    priors: Any  # float32 [n, nodes, A]: a network's; [n, 1, 1] without one


class Simulation(NamedTuple):
    """Working space for one simulation of each tree."""

    states: Any  # records [n]: the determinized positions
    path: Any  # int32 [n, nodes + 1]: the nodes from the root on
    length: Any  # int32 [n]: how many of them
    mask: Any  # bool [n, A]
    advised_mask: Any  # bool [n, A]: a copy for scripts, which may strike actions off
    weights: Any  # float64 [n, A]: the priors of the node that chooses, not scaled
    returns: Any  # float64 [n, P]
    forced: (
        Any  # int64 [n]: the action that is taken at the root, or NO_ACTION where the root chooses as other nodes do
    )
    draws: Any  # int64 [n]: with a forced action, the number of the determinization; otherwise the root's visits
    waiting: Any  # bool [n]: the descent waits for the action of another seat, which `Leaves` shows
    reply: Any  # int64 [n]: this action


class Leaves(NamedTuple):
    """The ends of the simulations, for a network to judge."""

    seat: Any  # int64 [n]: who decides there, or NO_LEAF
    mask: Any  # bool [n, A]
    observation: Any  # int8 [n, D]
    paid: Any  # float64 [n, P]: the returns up to there


@rule
def rekey(s: Any, key: int, number: int) -> None:
    """Give a record streams of its own: none of its future depends on the keys it came with."""
    s.key[0] = mix(key ^ mix(number + 1))
    s.key[1] = mix(key + mix(int(s.key[0]) + number))
    for stream in range(STREAMS):
        s.draws[stream] = 0
    s.learner = 0
    fill_journal(s)  # nobody reads what happens here


@rule
def next_node(s: Any, p: Any, trees: Any, sim: Any, g: int, node: int, count: int, advised: int) -> int:
    """The child that a descent visits: that of the action forced on the root, or as `choose` says."""
    tree, totals, used, weights = trees.nodes[g], trees.totals[g], trees.used[g], sim.weights[g]
    mask, forced = sim.mask[g], int(sim.forced[g])
    if node == ROOT and forced != NO_ACTION and mask[forced]:
        return child_of(tree, totals, used, ROOT, forced)

    total = weigh(weights, trees.priors[g], node, mask, advised, p.prior_weight)
    scale = value_scale(trees.bounds[g], int(s.player))
    return choose(s, tree, totals, used, node, mask, count, weights, p.c_puct / total, scale, p.fpu_reduction)


def make_simulate(rules: Rules, copy_record: Any) -> Callable[..., None]:
    """What is done for one tree, by a game's rules, as a rule: a task for tree `g`, `repeat` times.

    `p`, `roots`, `trees`, `sim` and `leaves` are the tuples above. `copy_record` is that of `Access`.
    """
    legal, apply, observe, payoff = rules.legal, rules.apply, rules.observe, rules.payoff
    determinize = rules.determinize
    advise = rules.advise or no_advice

    @rule
    def returns_of(s: Any, c: Any, kinds: Any, scales: Any, value: Any) -> None:
        for p in range(value.shape[0]):
            value[p] = 0.0
            for k in range(kinds.shape[0]):
                value[p] += scales[k] * payoff(s, c, p, kinds[k])

    @rule
    def ask_script(s: Any, c: Any, mask: Any, advised_mask: Any) -> int:
        copy_mask(mask, advised_mask)
        return advise(s, c, advised_mask, 0)

    @rule
    def show_leaf(s: Any, c: Any, roots: Any, sim: Any, leaves: Any, g: int) -> None:
        leaves.seat[g] = s.player
        copy_mask(sim.mask[g], leaves.mask[g])
        seen = leaves.observation[g]
        seen[:] = 0
        observe(s, c, s.player, seen)
        returns_of(s, c, roots.kinds, roots.scales, leaves.paid[g])

    @rule
    def begin(s: Any, c: Any, roots: Any, tree: Any, sim: Any, g: int) -> None:
        """Put a determinization of the root, of its own for every simulation, where the descent begins."""
        copy_record(roots.states[g : g + 1], sim.states, g)
        number = int(tree[ROOT].visits) if sim.forced[g] == NO_ACTION else int(sim.draws[g])
        rekey(s, int(roots.keys[g]), number)
        determinize(s, c, s.player)
        sim.path[g, 0] = ROOT
        sim.length[g] = 1

    @rule
    def simulate(g: int, task: int, repeat: int, p: Any, roots: Any, trees: Any, sim: Any, leaves: Any) -> None:
        c = roots.components[0]
        s, mask, tree = sim.states[g], sim.mask[g], trees.nodes[g]
        if task == EMPTY:
            empty_tree(tree, trees.totals[g], trees.bounds[g], trees.used[g])
            return

        if task == RESUME and not sim.waiting[g]:
            return

        for _ in range(repeat):
            if task != BACK_UP:
                # Begin at the root, or go on where the descent waits.
                if not sim.waiting[g]:
                    begin(s, c, roots, tree, sim, g)
                length = int(sim.length[g])
                node, inside = int(sim.path[g, length - 1]), True
                leaves.seat[g] = NO_LEAF

                while s.over == 0 and s.fault == 0:
                    mask[:] = False
                    legal(s, c, mask)
                    count = count_legal(mask)
                    if count == 0 or s.decisions > ENDLESS:
                        s.fault = 1
                        break

                    # Inside the tree, another seat whose player is known is asked outside; its decision is no node.
                    if p.others_known and inside and count > 1 and s.player != roots.states[g].player:
                        if not sim.waiting[g]:
                            show_leaf(s, c, roots, sim, leaves, g)
                            sim.waiting[g] = True
                            sim.length[g] = length
                            break
                        sim.waiting[g] = False
                        s.decisions += 1
                        apply(s, c, int(sim.reply[g]))
                        continue

                    # At the end of the tree a network is asked, or the game is played on from there, or both.
                    if inside and count > 1 and ends_tree(tree, trees.priors[g], node):
                        if task != SIMULATE:
                            show_leaf(s, c, roots, sim, leaves, g)
                            if not p.rollouts_too:
                                break
                        inside = False

                    # The script's action counts in the prior inside the tree, and is played beyond it.
                    action = NO_ACTION
                    if count > 1 and (p.prior_weight > 0.0 if inside else p.scripted):
                        action = ask_script(s, c, mask, sim.advised_mask[g])

                    # Descend inside the tree, or expand it by a child; a forced decision is no node.
                    if count > 1 and inside:
                        child = next_node(s, p, trees, sim, g, node, count, action)
                        if child == NO_NODE:  # the pool is full: play out from here
                            inside = False
                            continue
                        node = child
                        sim.path[g, length] = node
                        length += 1
                        action = int(tree[node].action)

                    # Beyond the tree, where no script advises, play out at random.
                    if action == NO_ACTION:
                        action = nth_legal(mask, random_below(s, POLICY, count))
                    s.decisions += 1
                    apply(s, c, action)

                if s.fault == 1 or sim.waiting[g]:
                    break
                sim.length[g] = length
                returns_of(s, c, roots.kinds, roots.scales, sim.returns[g])

            # Back up the returns; with a network, once it has judged the leaves.
            if task == SIMULATE or task == BACK_UP:
                back_up(tree, trees.totals[g], trees.bounds[g], sim.path[g], int(sim.length[g]), sim.returns[g])

    return simulate


def make_search(rules: Rules) -> Callable[..., None]:
    """The kernel for a game's rules: one task for the trees from `lo` to `hi`, `repeat` times.

    `p`, `roots`, `trees`, `sim` and `leaves` are the tuples above, without their names.
    """
    simulate = make_simulate(rules, HERE.copy_record)

    def search(lo: int, hi: int, task: int, repeat: int, p: Any, roots: Any, trees: Any, sim: Any, leaves: Any) -> None:
        # The caller passes plain tuples: Numba finds their types in C, those of named ones in Python, at every call.
        p = Parameters(*p)
        roots = Roots(*roots)
        trees = Trees(*trees)
        sim = Simulation(*sim)
        leaves = Leaves(*leaves)

        for g in range(lo, hi):
            simulate(g, task, repeat, p, roots, trees, sim, leaves)

    return search
