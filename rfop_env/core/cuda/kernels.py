"""The kernels of a game on the device: a thread does for one game what a loop of the processor does for all.

`advance` plays. The others, which few programs need, look at games, pay, determinize and copy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda

from rfop_env.compiler import JIT
from rfop_env.compiler.memory import HERE, Access
from rfop_env.core.advance import (
    ANY_SEAT,
    AT,
    AUTO_RESET,
    CHECK,
    LEARNER,
    RESET,
    STEP,
    find_refused,
    make_play,
)
from rfop_env.core.game import Rules
from rfop_env.core.random_stream import new_chance

# Commands before a RESET: games of new seeds, the next game of each seed. CHECK checks the games whose command is STEP.
SEED, NEXT_EPISODE = CHECK + 1, CHECK + 2

# What the threads find, int64 [3]: the first game that refuses its action, or the number of games where none does; the
# first one at fault, or that number; how many have ended.
REFUSED, FAULT, ENDED = range(3)


def device_access() -> Access:
    """How kernels reach arrays: on a card by address; the simulator has them as plain Python does."""
    if not JIT:
        return HERE
    from rfop_env.core.cuda.intrinsics import ON_DEVICE

    return ON_DEVICE


def make_device_kernel(
    rules: Rules, state: np.dtype[Any], components: np.dtype[Any]
) -> Callable[[Any, Any, Any, int, int], None]:
    """The kernel for a game's rules, and for the dtypes of its state and component records.

    Its arguments: the addresses of `Arrays`; the report; seeds, int64 [N, 2], low and high 32 bits; a command; how many
    random decisions every game takes. After a CHECK that has found an action to refuse, no game moves.
    """
    access = device_access()
    rows, table = access.rows, access.table
    play = make_play(rules, state, components, access)

    def advance(addresses: Any, report: Any, seeds: Any, command: int, repeat: int) -> None:
        i = cuda.grid(1)
        actions = rows(addresses, AT.actions, np.int64)
        n = actions.shape[0]
        if i >= n:
            return
        states = rows(addresses, AT.states, state)

        own_command = rows(addresses, AT.commands, np.int8)[i]

        # Before a step.
        if command == CHECK:
            mask = table(addresses, AT.action_mask, np.bool_)
            auto_reset = rows(addresses, AT.settings, np.int64)[AUTO_RESET] == 1
            if own_command == STEP and find_refused(states, actions, mask, auto_reset, i, i + 1) >= 0:
                cuda.atomic.min(report, REFUSED, i)
            return
        if report[REFUSED] < n:
            return

        # The seeds of games that are reset next.
        if command == SEED or command == NEXT_EPISODE:
            if own_command == RESET:
                s = states[i]
                if command == SEED:
                    s.seed[0] = seeds[i, 0]
                    s.seed[1] = seeds[i, 1]
                    s.episode = 0
                else:
                    s.episode += 1
            return

        faults, endings = play(addresses, i, i + 1, command, repeat)
        if faults > 0:
            cuda.atomic.min(report, FAULT, i)
        if endings > 0:
            cuda.atomic.add(report, ENDED, endings)

    return advance


def make_device_observe(
    rules: Rules, state: np.dtype[Any], components: np.dtype[Any]
) -> Callable[[Any, Any, Any], None]:
    """The kernel that writes the observation of a seat of each game, int64 [N], into int8 [N, D], which holds zeros."""
    rows, observe = device_access().rows, rules.observe

    def observe_all(addresses: Any, seats: Any, observation: Any) -> None:
        i = cuda.grid(1)
        if i < seats.shape[0]:
            c = rows(addresses, AT.components, components)[0]
            observe(rows(addresses, AT.states, state)[i], c, seats[i], observation[i])

    return observe_all


def make_device_payoffs(
    rules: Rules, state: np.dtype[Any], components: np.dtype[Any]
) -> Callable[[Any, Any, Any, int], None]:
    """The kernel that writes the return of every seat, for a reward kind and scale [1], into float32 [N, P]."""
    rows, payoff = device_access().rows, rules.payoff

    def payoffs(addresses: Any, scale: Any, returns: Any, kind: int) -> None:
        i = cuda.grid(1)
        if i < returns.shape[0]:
            c = rows(addresses, AT.components, components)[0]
            s = rows(addresses, AT.states, state)[i]
            for p in range(returns.shape[1]):
                returns[i, p] = scale[0] * payoff(s, c, p, kind)

    return payoffs


def make_device_determinize(
    rules: Rules, state: np.dtype[Any], components: np.dtype[Any]
) -> Callable[[Any, Any, Any], None]:
    """The kernel that draws anew, from keys, int64 [N], what a seat of each game, int64 [N], cannot see."""
    rows, determinize = device_access().rows, rules.determinize

    def determinize_all(addresses: Any, seats: Any, keys: Any) -> None:
        i = cuda.grid(1)
        if i < seats.shape[0]:
            s = rows(addresses, AT.states, state)[i]
            new_chance(s, keys[i])
            determinize(s, rows(addresses, AT.components, components)[0], seats[i])

    return determinize_all


# -- copies of records, by bytes ---------------------------------------------------------------------------------------

LANES = 32  # threads that copy a record together: those of a card that work in step


def copy_rows(source: Any, target: Any, games: Any, into: Any, copied_bytes: Any) -> None:
    """The kernel that copies bytes: row `games[k]` of [N, B] to row `into[k]` of [M, B], where `copied_bytes` [B] is 1.

    Each is copied by `LANES` threads.
    """
    i = cuda.grid(1)
    k = i // LANES
    if k < games.shape[0]:
        for at in range(i % LANES, copied_bytes.shape[0], LANES):
            if copied_bytes[at] == 1:
                target[into[k], at] = source[games[k], at]


def make_device_seat(state: np.dtype[Any]) -> Callable[[Any, Any], None]:
    """The kernel that gives the learner its seat in some games, int64 [k], as `GameBatch._seat_learner` does."""
    access = device_access()
    rows, table = access.rows, access.table

    def seat_learner(addresses: Any, games: Any) -> None:
        i = cuda.grid(1)
        if i >= games.shape[0]:
            return
        s = rows(addresses, AT.states, state)[games[i]]
        settings = rows(addresses, AT.settings, np.int64)
        if table(addresses, AT.mixture, np.int64).shape[0] == 0:
            s.learner = 0
        elif settings[LEARNER] != ANY_SEAT:
            s.learner = settings[LEARNER] + 1
        elif s.learner <= 0:
            s.learner = s.player + 1

    return seat_learner
