"""The loop that searches positions without chance and secrets to the end of the game, for a game of two seats.

A search by depth, with a table of the positions whose value is known. A position is left as soon as the seat that
decides has found a move with which it gets the most there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.random_stream import WORD, mix

EMPTY = -1  # the key of a free place of the table
FIRST, SECOND = 0x7FEB352D, 0x2C1B3C6D  # odd, below 2**31


@rule
def digest_words(words: Any, indices: Any) -> int:
    """A number from 0 to 2**63 - 1 for the words of a record, int32 [W], at some `indices`, int64."""
    low = 1
    high = 2
    for k in range(indices.shape[0]):
        word = int(words[indices[k]]) & WORD
        low = (low * FIRST + word) & WORD
        high = (high * SECOND + word) & WORD
    return ((mix(high) & 0x7FFFFFFF) << 32) | mix(low)


@rule
def find_slot(keys: Any, key: int) -> int:
    """The place of a key in the table, int64 [2**k]: where it stands, or the free one where it can be put."""
    place = key & (keys.shape[0] - 1)
    while keys[place] != key and keys[place] != EMPTY:
        place = (place + 1) & (keys.shape[0] - 1)
    return place


def make_best_play(legal: Callable[..., Any], apply: Callable[..., Any], payoff: Callable[..., Any]) -> Any:
    """The loop for the rules of a game; `BestPlay.values` makes the arrays that it takes, and checks them.

    `stack` holds the records on the way to a position, `masks` the moves left in each, `path` int64 [depth, 3] the move
    that is tried, the best value so far, and the key. `worth` counts for each seat how often a move was best: it is
    tried first elsewhere. `keys` and `stored` are the table, `filled` int64 [1] how many of its places are taken.

    It writes the payoff of the first seat in each position into `values`, int64 [n], and returns how many positions it
    has valued: all n, or fewer where the table is half full or the stack is too short.
    """

    @rule
    def next_move(mask: Any, worth: Any) -> int:
        """The move left that was best most often, struck off the mask, or NO_ACTION."""
        best = NO_ACTION
        for action in range(mask.shape[0]):
            if mask[action] and (best == NO_ACTION or worth[action] > worth[best]):
                best = action
        if best != NO_ACTION:
            mask[best] = False
        return best

    def best_play(
        states: Any, components: Any, kind: int, highest: int, stack: Any, words: Any, indices: Any, masks: Any,
        path: Any, worth: Any, keys: Any, stored: Any, filled: Any, values: Any,
    ) -> int:  # fmt: skip
        c = components[0]
        for i in range(states.shape[0]):
            stack[0] = states[i]
            depth = 0
            arrived = True
            while depth >= 0:
                s = stack[depth]
                step = path[depth]

                # A position that is new here: it has ended, is known, or is searched.
                value = 0
                settled = False
                if arrived:
                    arrived = False
                    if s.over == 1:
                        value = payoff(s, c, 0, kind)
                        settled = True
                    else:
                        step[2] = digest_words(words[depth], indices)
                        place = find_slot(keys, step[2])
                        if keys[place] != EMPTY:
                            value = stored[place]
                            settled = True
                        else:
                            masks[depth, :] = False
                            legal(s, c, masks[depth])
                            step[0] = NO_ACTION
                            step[1] = -highest if s.player == 0 else highest

                # The next move, or the value once all have been tried, or none can be better.
                if not settled:
                    best_reached = step[0] != NO_ACTION and step[1] == (highest if s.player == 0 else -highest)
                    if best_reached:
                        worth[s.player, step[0]] += 1
                    action = NO_ACTION if best_reached else next_move(masks[depth], worth[s.player])
                    if action != NO_ACTION:
                        if depth + 1 == stack.shape[0]:
                            return i
                        step[0] = action
                        stack[depth + 1] = s
                        apply(stack[depth + 1], c, action)
                        depth += 1
                        arrived = True
                        continue
                    value = step[1]
                    if 2 * filled[0] == keys.shape[0]:
                        return i
                    filled[0] += 1
                    place = find_slot(keys, step[2])
                    keys[place] = step[2]
                    stored[place] = value

                # Tell the position before.
                depth -= 1
                if depth < 0:
                    values[i] = value
                elif stack[depth].player == 0:
                    path[depth, 1] = max(path[depth, 1], value)
                else:
                    path[depth, 1] = min(path[depth, 1], value)
        return states.shape[0]

    return best_play
