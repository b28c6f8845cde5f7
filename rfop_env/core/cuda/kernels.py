"""The kernel of a game on the device: each of its threads does for one game what `advance` does for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from rfop_env.core.advance import AT, AUTO_RESET, CHECK, RESET, find_refused, make_play
from rfop_env.core.game import Rules
from rfop_env.core.memory import HERE, Access
from rfop_env.core.rule import JIT

# Commands before a RESET: games of new seeds, the next game of each seed.
SEED, NEXT_EPISODE = CHECK + 1, CHECK + 2

# What the threads find, int64 [3]: the first game that refuses its action, or the number of games where none does; the
# first one at fault, or that number; how many have ended.
REFUSED, FAULT, ENDED = range(3)


def _access() -> Access:
    """How the kernel reaches arrays: on a card by address; the simulator has them as plain Python does."""
    if not JIT:
        return HERE
    from rfop_env.core.cuda.intrinsics import ON_DEVICE

    return ON_DEVICE


def make_device_kernel(
    rules: Rules, state: np.dtype[Any], components: np.dtype[Any]
) -> Callable[[Any, Any, Any, int, int], None]:
    """The kernel for a game's rules, and for the dtypes of its state and component records.

    Its arguments: the addresses of `Arrays`; `found`; seeds, int64 [N, 2], low and high 32 bits; a command; how many
    random decisions every game takes. After a CHECK that has found an action to refuse, no game moves.
    """
    access = _access()
    rows, table = access.rows, access.table
    play = make_play(rules, state, components, access)

    def advance(addresses: Any, found: Any, seeds: Any, command: int, repeat: int) -> None:
        i = cuda.grid(1)
        actions = rows(addresses, AT.actions, np.int64)
        n = actions.shape[0]
        if i >= n:
            return
        states = rows(addresses, AT.states, state)

        # The seeds of games that are reset next.
        if command == SEED or command == NEXT_EPISODE:
            if rows(addresses, AT.commands, np.int8)[i] == RESET:
                s = states[i]
                if command == SEED:
                    s.seed[0] = seeds[i, 0]
                    s.seed[1] = seeds[i, 1]
                    s.episode = 0
                else:
                    s.episode += 1
            return

        # Before a step.
        if command == CHECK:
            mask = table(addresses, AT.action_mask, np.bool_)
            auto_reset = rows(addresses, AT.settings, np.int64)[AUTO_RESET] == 1
            if find_refused(states, actions, mask, auto_reset, i, i + 1) >= 0:
                cuda.atomic.min(found, REFUSED, i)
            return

        if found[REFUSED] == n:
            faults, ended = play(addresses, i, i + 1, command, repeat)
            if faults > 0:
                cuda.atomic.min(found, FAULT, i)
            if ended > 0:
                cuda.atomic.add(found, ENDED, ended)

    return advance
