"""The kernel of the search, one for each game: it plants trees, walks them, plays to the end, and adds up what came.

Everything that needs the rules is one loop over decisions, so that each rule is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.search.compiled.tree import NO_ACTION, NO_NODE, ROOT, back_up, choose, ends_tree, plant, reach, weigh
from rfop_env.core.batch import ENDLESS, nth_legal
from rfop_env.core.decisions import fill_journal
from rfop_env.core.game import Rules
from rfop_env.core.random_stream import POLICY, STREAMS, mix, random_below
from rfop_env.core.rule import rule

PLANT, SIMULATE, DESCEND, BACK_UP = range(4)  # DESCEND and BACK_UP are a simulation with a network in between
NOBODY = -1  # who decides at the end of a game


@rule
def _no_advice(s: Any, c: Any, mask: Any, which: int) -> int:
    """For games without a scripted player, whose advice nobody asks."""
    return NO_ACTION


@rule
def rekey(s: Any, key: int, number: int) -> None:
    """Give a record chances of its own: none of its future depends on the keys it came with."""
    s.key[0] = mix(key ^ mix(number + 1))
    s.key[1] = mix(key + mix(int(s.key[0]) + number))
    for stream in range(STREAMS):
        s.draws[stream] = 0
    s.learner = 0
    fill_journal(s)  # nobody reads what happens here


def make_search(rules: Rules) -> Callable[..., None]:
    """The kernel of a game: `Forest` names the arrays. One task for the trees from `lo` to `hi`, `repeat` times."""
    legal, apply, observe, payoff, determinize = (
        rules.legal,
        rules.apply,
        rules.observe,
        rules.payoff,
        rules.determinize,
    )
    advise = rules.advise or _no_advice

    @rule
    def returns(s: Any, c: Any, kinds: Any, scales: Any, value: Any) -> None:
        for p in range(value.shape[0]):
            value[p] = 0.0
            for k in range(kinds.shape[0]):
                value[p] += scales[k] * payoff(s, c, p, kinds[k])

    def search(
        lo: int, hi: int, task: int, repeat: int, exploration: float, caution: float, trust: float, scripted: bool,
        kinds: Any, scales: Any, components: Any, roots: Any, keys: Any, scratch: Any, trees: Any, totals: Any,
        bounds: Any, used: Any, weights: Any, paths: Any, lengths: Any, masks: Any, hints: Any, priors: Any,
        values: Any, play_on: bool, paid: Any, leaf_seat: Any, leaf_mask: Any, observation: Any,
    ) -> None:  # fmt: skip
        c = components[0]
        for g in range(lo, hi):
            s, tree, total, path, mask, key = scratch[g], trees[g], totals[g], paths[g], masks[g], int(keys[g])
            if task == PLANT:
                plant(tree, total, bounds[g], used[g])
                continue
            for _ in range(repeat):
                if task != BACK_UP:
                    scratch[g] = roots[g]
                    rekey(s, key, int(tree[ROOT].visits))
                    determinize(s, c, s.player)
                    node, length, inside = ROOT, 1, True
                    path[0] = ROOT
                    leaf_seat[g] = NOBODY
                    while s.over == 0 and s.fault == 0:
                        mask[:] = False
                        count = legal(s, c, mask)
                        if count == 0 or s.decisions > ENDLESS:  # a fault in the rules
                            s.fault = 1
                            break
                        if inside and count > 1 and ends_tree(tree, weights[g], node):
                            if task == DESCEND:
                                leaf_seat[g] = s.player
                                leaf_mask[g] = mask
                                observation[g, :] = 0
                                observe(s, c, s.player, observation[g])
                                returns(s, c, kinds, scales, paid[g])
                                if not play_on:
                                    break
                            inside = False
                        advised = NO_ACTION  # inside the tree it weighs in the prior, beyond it is played
                        if count > 1 and (trust > 0.0 if inside else scripted):
                            for action in range(mask.shape[0]):
                                hints[g, action] = mask[action]  # scripts may strike actions off
                            advised = advise(s, c, hints[g], 0)
                        if count > 1 and inside:
                            legal_sum = weigh(priors[g], weights[g], node, mask, advised, trust)
                            scale = reach(bounds[g], int(s.player))
                            child = choose(
                                s, tree, total, used[g], node, mask, count, priors[g], exploration / legal_sum, scale,
                                caution,
                            )  # fmt: skip
                            if child == NO_NODE:
                                inside = False  # the pool is full: play on from here
                                continue
                            node = child
                            path[length] = node
                            length += 1
                            advised = int(tree[node].action)
                        action = advised if advised != NO_ACTION else nth_legal(mask, random_below(s, POLICY, count))
                        s.decisions += 1
                        apply(s, c, action)
                    if s.fault == 1:
                        break
                    lengths[g] = length
                    returns(s, c, kinds, scales, values[g])
                if task != DESCEND:
                    back_up(tree, total, bounds[g], path, int(lengths[g]), values[g])

    return search
