"""Counting, picking and drawing legal actions from a mask, bool [A]: below rules, batches and searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import rule, small_rule
from rfop_env.core.random_stream import random_below

NO_ACTION = -1  # where there is no action: in a game that has ended, from a script that has no advice


def are_legal(actions: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which actions, integers [n] of any size, are legal by the masks of their positions, bool [n, A]: bool [n]."""
    valid = (actions >= 0) & (actions < mask.shape[1])
    legal: NDArray[np.bool_] = valid & mask[np.arange(len(mask)), np.where(valid, actions, 0)]
    return legal


@rule
def count_legal(mask: Any) -> int:
    """Count the legal actions."""
    count = 0
    for action in range(mask.shape[0]):
        count += int(mask[action])
    return count


@rule
def nth_legal(mask: Any, n: int) -> int:
    """The id of the n-th legal action, n from 0; `NO_ACTION` where there are not so many."""
    for action in range(mask.shape[0]):
        if mask[action]:
            if n == 0:
                return action
            n -= 1
    return NO_ACTION


@rule
def random_legal(s: Any, stream: int, mask: Any) -> int:
    """A uniformly random legal action, from one of the record's streams; at least one must be legal."""
    return nth_legal(mask, random_below(s, stream, count_legal(mask)))


# -- the highest worth, ties broken at random --------------------------------------------------------------------------

# In a loop: ties = tie_count(worth, best, ties); where replaces_best(...) holds, best = worth and the choice changes.


@small_rule
def tie_count(worth: int, best: int, ties: int) -> int:
    """How many share the highest worth, this one included; `best` and `ties` are those of the ones before it."""
    return 1 if worth > best else ties + int(worth == best)


@small_rule
def replaces_best(s: Any, stream: int, worth: int, best: int, ties: int) -> bool:
    """True if this one is worth more than the best so far, or as much and wins a draw among the `tie_count`."""
    return worth > best or (worth == best and random_below(s, stream, ties) == 0)
