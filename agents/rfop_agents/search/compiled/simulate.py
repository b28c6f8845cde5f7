"""The kernel of the search, one for each game: it walks the trees, plays to the end, and adds up the returns.

Everything that needs the rules is one loop over decisions, which calls them as native functions
(`rfop_env/compiler/native_rules.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rfop_agents.search.compiled.tree import (
    NO_NODE,
    ROOT,
    back_up,
    find_child,
    choose,
    empty_tree,
    ends_tree,
    value_scale,
    visits_before,
    weigh,
)
from rfop_env.compiler.memory import HERE
from rfop_env.compiler import rule
from rfop_env.core.advance import ENDLESS, copy_mask, no_advice
from rfop_env.core.decisions import NOBODY, fill_journal
from rfop_env.core.game import Rules
from rfop_env.core.legal_actions import NO_ACTION, count_legal, nth_legal
from rfop_env.core.random_stream import POLICY, STREAMS, mix, random_below

# Tasks. DESCEND and BACK_UP are a simulation with a network in between; RESUME continues pending descents.
EMPTY, SIMULATE, DESCEND, RESUME, BACK_UP = range(5)
NO_LEAF = -1  # the seat of a leaf, where a simulation ended without one: the game ended inside the tree


class Parameters(NamedTuple):
    """The numbers of a search; `SearchSettings` explains them."""

    c_puct: float
    fpu_reduction: float
    prior_weight: float  # of the scripted player's action; a network's is in its priors already
    scripted: bool  # the scripted player plays on from the end of the tree
    rollouts_too: bool  # with a network: leaves are played to the end as well
    fixed_opponent: bool  # the other seats have a fixed opponent: a descent waits until it has acted
    virtual_loss: float
    sampled: bool  # the records of the roots are samples of what their seats cannot see: they are not drawn anew


@rule
def read_parameters(p: Any) -> Parameters:
    """The numbers of a search from float64 [8], as those outside the processor's own memory get them."""
    return Parameters(p[0], p[1], p[2], p[3] != 0.0, p[4] != 0.0, p[5] != 0.0, p[6], p[7] != 0.0)


class Roots(NamedTuple):
    """The positions that are searched, and the units of their returns."""

    components: Any  # component record [1]
    states: Any  # records [n * K]: K samples of each, which the simulations take in turn; K is 1 without `sampled`
    keys: Any  # int64 [n]: the random streams of each tree follow from them
    kinds: Any  # int64 [K]: numbers of reward kinds
    scales: Any  # float64 [K]: the return for one unit of each kind's payoff


class Trees(NamedTuple):
    """The trees, a row for each root."""

    nodes: Any  # NODE [n, nodes]
    totals: Any  # float64 [n, nodes, P]: sums of the returns of every seat
    bounds: Any  # float64 [n, P, 2]: lowest and highest return so far
    node_count: Any  # int32 [n, 1]: how many nodes of the pool are taken
    priors: Any  # float32 [n, nodes, A]: a network's; [n, 1, 1] without one


class Simulation(NamedTuple):
    """Working space for the simulations of a round: L rows for each tree, those of tree g from g * L on."""

    states: Any  # records [n * L]: the determinized positions
    path: Any  # int32 [n * L, nodes + 1]: the nodes from the root on
    length: Any  # int32 [n * L]: how many of them
    mask: Any  # bool [n * L, A]
    advised_mask: Any  # bool [n * L, A]: a copy for scripts, which may strike actions off
    weights: Any  # float64 [n * L, A]: the priors of the node that chooses, not scaled
    returns: Any  # float64 [n * L, P]
    forced: Any  # int64 [n * L]: the action taken at the root, or NO_ACTION where the root chooses as other nodes do
    draws: Any  # int64 [n * L]: with a forced action, the number of the determinization; otherwise the root's visits
    pending: Any  # bool [n * L]: the descent waits for an action of the opponent, whose decision is in `Leaves`
    opponent_action: Any  # int64 [n * L]: that action


class Leaves(NamedTuple):
    """The ends of the simulations, for a network to judge."""

    seat: Any  # int64 [n * L]: who decides there, or NO_LEAF
    mask: Any  # bool [n * L, A]
    observation: Any  # int8 [n * L, D]
    partial_returns: Any  # float64 [n * L, P]: the returns up to there


@rule
def rekey(s: Any, key: int, number: int) -> None:
    """Give a record random streams of its own, independent of the keys it came with."""
    s.key[0] = mix(key ^ mix(number + 1))
    s.key[1] = mix(key + mix(int(s.key[0]) + number))
    for stream in range(STREAMS):
        s.draws[stream] = 0
    s.learner = 0
    fill_journal(s)  # nobody reads what happens here


@rule
def next_node(s: Any, p: Any, trees: Any, sim: Any, g: int, row: int, node: int, count: int, advised: int) -> int:
    """The child that a descent visits: that of the action forced on the root, or as `choose` says."""
    tree, totals, node_count, weights = trees.nodes[g], trees.totals[g], trees.node_count[g], sim.weights[row]
    mask, forced = sim.mask[row], int(sim.forced[row])
    if node == ROOT and forced != NO_ACTION and mask[forced]:
        return find_child(tree, totals, node_count, ROOT, forced)

    total = weigh(weights, trees.priors[g], node, mask, advised, p.prior_weight)
    scale = value_scale(trees.bounds[g], int(s.player))
    c_puct, fpu_reduction, virtual_loss = p.c_puct / total, p.fpu_reduction, p.virtual_loss
    return choose(s, tree, totals, node_count, node, mask, count, weights, c_puct, scale, fpu_reduction, virtual_loss)


def make_simulate(rules: Rules, copy_record: Any) -> Callable[..., None]:
    """What is done for one tree, by a game's rules, as a rule: a task for tree `g`, `repeat` times.

    Each time takes the next of the tree's rows of `sim`. Descents that follow each other before their returns are
    backed up see the nodes of those before them, where these wait.
    `p`, `roots`, `trees`, `sim` and `leaves` are the tuples above. `copy_record` is that of `Access`.
    """
    legal, apply, observe, payoff = rules.legal, rules.apply, rules.observe, rules.payoff
    determinize = rules.determinize
    advise = rules.advise or no_advice

    @rule
    def sum_returns(s: Any, c: Any, kinds: Any, scales: Any, value: Any) -> None:
        for p in range(value.shape[0]):
            value[p] = 0.0
            for k in range(kinds.shape[0]):
                value[p] += scales[k] * payoff(s, c, p, kinds[k])

    @rule
    def ask_script(s: Any, c: Any, mask: Any, advised_mask: Any) -> int:
        copy_mask(mask, advised_mask)
        return advise(s, c, advised_mask, 0)

    @rule
    def show_leaf(s: Any, c: Any, roots: Any, sim: Any, leaves: Any, row: int) -> None:
        leaves.seat[row] = s.player
        copy_mask(sim.mask[row], leaves.mask[row])
        observation = leaves.observation[row]
        observation[:] = 0
        observe(s, c, s.player, observation)
        sum_returns(s, c, roots.kinds, roots.scales, leaves.partial_returns[row])

    @rule
    def begin(s: Any, c: Any, p: Any, roots: Any, tree: Any, sim: Any, g: int, row: int) -> None:
        """Put a determinization of the root, of its own for every simulation, where the descent begins."""
        tree[ROOT].waiting += 1
        number = visits_before(tree, ROOT) if sim.forced[row] == NO_ACTION else int(sim.draws[row])
        samples = roots.states.shape[0] // roots.keys.shape[0]
        sample = g * samples + number % samples
        copy_record(roots.states[sample : sample + 1], sim.states, row)
        rekey(s, int(roots.keys[g]), number)
        determinize(s, c, NOBODY if p.sampled else s.player)
        sim.path[row, 0] = ROOT
        sim.length[row] = 1

    @rule
    def descend(
        s: Any, c: Any, task: int, p: Any, roots: Any, trees: Any, sim: Any, leaves: Any, g: int, row: int
    ) -> None:
        """Go down the tree, from the root or on from where the descent waits, and to the end of the game or a leaf."""
        tree, mask = trees.nodes[g], sim.mask[row]
        if not sim.pending[row]:
            begin(s, c, p, roots, tree, sim, g, row)
        node, inside = int(sim.path[row, sim.length[row] - 1]), True
        root_seat = roots.states[g * (roots.states.shape[0] // roots.keys.shape[0])].player
        leaves.seat[row] = NO_LEAF

        while s.over == 0 and s.fault == 0:
            mask[:] = False
            legal(s, c, mask)
            count = count_legal(mask)
            if count == 0 or s.decisions > ENDLESS:
                s.fault = 1
                return

            # Inside the tree, a fixed opponent decides outside the kernel; its decision is no node.
            if p.fixed_opponent and inside and count > 1 and s.player != root_seat:
                sim.pending[row] = not sim.pending[row]
                if sim.pending[row]:
                    show_leaf(s, c, roots, sim, leaves, row)
                    return
                s.decisions += 1
                apply(s, c, int(sim.opponent_action[row]))
                continue

            # At the end of the tree a network evaluates the leaf, or the game is played on from there, or both.
            if inside and count > 1 and ends_tree(tree, trees.priors[g], node):
                if task != SIMULATE:
                    show_leaf(s, c, roots, sim, leaves, row)
                    if not p.rollouts_too:
                        return
                inside = False

            # The script's action counts in the prior inside the tree, and is played beyond it.
            action = NO_ACTION
            if count > 1 and (p.prior_weight > 0.0 if inside else p.scripted):
                action = ask_script(s, c, mask, sim.advised_mask[row])

            # Descend inside the tree, or expand it by a child; a forced decision is no node.
            if count > 1 and inside:
                child = next_node(s, p, trees, sim, g, row, node, count, action)
                if child == NO_NODE:  # the pool is full: play out from here
                    inside = False
                    continue
                node = child
                tree[node].waiting += 1
                sim.path[row, sim.length[row]] = node
                sim.length[row] += 1
                action = int(tree[node].action)

            # Beyond the tree, where no script advises, play out at random.
            if action == NO_ACTION:
                action = nth_legal(mask, random_below(s, POLICY, count))
            s.decisions += 1
            apply(s, c, action)

    @rule
    def simulate(g: int, task: int, repeat: int, p: Any, roots: Any, trees: Any, sim: Any, leaves: Any) -> None:
        c, tree = roots.components[0], trees.nodes[g]
        rows = sim.length.shape[0] // roots.keys.shape[0]
        if task == EMPTY:
            empty_tree(tree, trees.totals[g], trees.bounds[g], trees.node_count[g])
            return

        for k in range(repeat):
            row = g * rows + k % rows
            if task == RESUME and not sim.pending[row]:
                continue

            if task != BACK_UP:
                s = sim.states[row]
                descend(s, c, task, p, roots, trees, sim, leaves, g, row)
                if s.fault == 1:
                    return
                if sim.pending[row]:
                    continue
                sum_returns(s, c, roots.kinds, roots.scales, sim.returns[row])

            # Back up the returns; with a network, once it has evaluated the leaves.
            if task == SIMULATE or task == BACK_UP:
                totals, bounds = trees.totals[g], trees.bounds[g]
                back_up(tree, totals, bounds, sim.path[row], int(sim.length[row]), sim.returns[row])

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
