"""The loop that plays: resets, steps, random play and refreshes of a batch's games, in one kernel.

Everything that needs the rules is one loop over decisions, in which each rule has one call site: the compiler then
expands it in place, and compiles it once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rfop_env.core.decisions import FRAME_SIZE, clear_journal
from rfop_env.core.game import Rules
from rfop_env.core.legal_actions import NO_ACTION, count_legal, nth_legal, random_legal
from rfop_env.core.memory import LINE, load, prefetch, rows_at, table_at
from rfop_env.core.random_stream import BOT, POLICY, begin_streams, random_below
from rfop_env.core.rule import rule
from rfop_env.core.team import (
    CALL,
    COMMAND,
    DONE,
    ENDED,
    FAULTS,
    NO_PIECE,
    PIECE,
    PIECES,
    PROGRESS,
    REPEAT,
    SEATS,
    finish_piece,
    next_piece,
)

KEEP, RESET, STEP, RANDOM, REFRESH = range(5)  # commands: what is done with a game
BY_GAME, CHECK = 5, 6  # with every game what its own command says; nothing: actions are checked, as before a STEP
ALONE = -1  # in place of a thread's number: one thread has all games
FETCHED_FRAMES = 4  # of the stack: what is fetched early
ENDLESS = 1_000_000  # decisions after which a game is taken for a loop in its rules
NO_OPPONENT = -1  # every seat is asked of the caller
RANDOM_OPPONENT = 0  # others are scripted player n - 1
ANY_SEAT = -1  # the learner's seat is drawn for every game


class Players(NamedTuple):
    """The opponent and the learner."""

    opponent: int  # NO_OPPONENT, RANDOM_OPPONENT, or 1 + the number of a scripted player
    learner: int  # the learner's seat among opponents, or ANY_SEAT


class Arrays(NamedTuple):
    """What the loop reads and writes: the game, how it is played, and the arrays of a batch (see `GameBatch`)."""

    states: Any  # state records [N]
    components: Any  # component record [1]
    options: Any  # int64 [K], as the rules read them
    blank: Any  # state record [1], all zeros: what a reset starts from
    settings: Any  # int64 [6]: see below
    scale: Any  # float64 [1]: the return for one unit of the reward kind's payoff
    board: Any  # int64 [., 8]: where threads meet, see `team`
    commands: Any  # int8 [N], of the games: read with command BY_GAME
    actions: Any  # int64 [N]: read with command STEP
    observation: Any  # int8 [N, D]
    action_mask: Any  # bool [N, A]
    final_observation: Any  # int8 [N, D]
    current_player: Any  # int32 [N]
    learner: Any  # int32 [N]
    rewards: Any  # float32 [N, P]
    terminated: Any  # bool [N]
    end_reason: Any  # int32 [N]


# Settings: those of `Players`, the number of the reward kind, 1 for a dense one (paid in parts, as the return changes),
# 1 if games begin anew by themselves, and how many games ahead of the one that is played are fetched.
OPPONENT, LEARNER, REWARD, DENSE, AUTO_RESET, AHEAD = range(6)


@rule
def no_advice(s: Any, c: Any, mask: Any, which: int) -> int:
    """Stands in for the scripted players of a game that has none."""
    return NO_ACTION


@rule
def asked_seat(s: Any) -> int:
    """The seat that the caller plays at this moment: the learner's, or without opponents the one that decides."""
    return s.player if s.learner == 0 else s.learner - 1


def make_arrays(state: np.dtype[Any], components: np.dtype[Any]) -> Callable[[Any], Arrays]:
    """The rule that finds the arrays of a batch at their addresses, for the dtypes of a game's records."""

    @rule
    def arrays_at(addresses: Any) -> Arrays:
        return Arrays(
            rows_at(addresses, 0, state),
            rows_at(addresses, 1, components),
            rows_at(addresses, 2, np.int64),
            rows_at(addresses, 3, state),
            rows_at(addresses, 4, np.int64),
            rows_at(addresses, 5, np.float64),
            table_at(addresses, 6, np.int64),
            rows_at(addresses, 7, np.int8),
            rows_at(addresses, 8, np.int64),
            table_at(addresses, 9, np.int8),
            table_at(addresses, 10, np.bool_),
            table_at(addresses, 11, np.int8),
            rows_at(addresses, 12, np.int32),
            rows_at(addresses, 13, np.int32),
            table_at(addresses, 14, np.float32),
            rows_at(addresses, 15, np.bool_),
            rows_at(addresses, 16, np.int32),
        )

    return arrays_at


def make_fetch(state: np.dtype[Any]) -> Callable[..., None]:
    """The rule that asks early for the memory of a game: its rows, and of its record what a decision touches."""
    offsets = {name: place[1] for name, place in (state.fields or {}).items()}
    frames = offsets["stack"] + FETCHED_FRAMES * FRAME_SIZE * state["stack"].base.itemsize
    journal = offsets["journal"]
    behind = journal + state["journal"].itemsize
    size = state.itemsize

    @rule
    def fetch(a: Any, i: int) -> None:
        prefetch(a.states, i, 0, frames)
        prefetch(a.states, i, journal - LINE, journal + LINE)
        prefetch(a.states, i, behind, size)
        prefetch(a.observation, i, 0, a.observation.shape[1])
        prefetch(a.action_mask, i, 0, a.action_mask.shape[1])

    return fetch


@rule
def find_refused(a: Any) -> int:
    """The first game that cannot be stepped: its action is not legal, or it has ended and has one; or -1."""
    for i in range(a.actions.shape[0]):
        action = a.actions[i]
        if action < 0 or action >= a.action_mask.shape[1] or not a.action_mask[i, action]:
            if action != NO_ACTION or a.settings[AUTO_RESET] == 1 or a.states[i].over == 0:
                return i
    return -1


def make_advance(rules: Rules, state: np.dtype[Any], components: np.dtype[Any]) -> Callable[..., tuple[int, int, int]]:
    """The kernel for a game's rules, and for the dtypes of its state and component records.

    Its arguments: the addresses of `Arrays`; the number of a thread, or `ALONE`; a command; the random decisions of
    every game. One thread of several takes command and decisions from the board.
    It returns three numbers: alone, the first game that refuses its action (nothing has happened then) or -1; as the
    caller's thread, the pieces that others still play; then the games at fault, and those that have ended.
    """
    deal, legal, apply, observe, payoff = rules.deal, rules.legal, rules.apply, rules.observe, rules.payoff
    advise = rules.advise or no_advice
    arrays_at = make_arrays(state, components)
    fetch = make_fetch(state)

    @rule
    def add_payoffs(s: Any, c: Any, rewards: Any, kind: int, scale: float) -> None:
        for p in range(rewards.shape[0]):
            rewards[p] += scale * payoff(s, c, p, kind)

    @rule
    def reset_record(a: Any, i: int) -> None:
        # The game finds an empty record, in which only the seed and the episode are left.
        s = a.states[i]
        low, high, episode = int(s.seed[0]), int(s.seed[1]), int(s.episode)
        a.states[i] = a.blank[0]
        s.seed[0] = low
        s.seed[1] = high
        s.episode = episode
        begin_streams(s)

        learner, seats = int(a.settings[LEARNER]), a.rewards.shape[1]
        if a.settings[OPPONENT] != NO_OPPONENT:
            s.learner = 1 + (random_below(s, BOT, seats) if learner == ANY_SEAT else learner)
        deal(s, a.components[0], a.options)

    @rule
    def answer(s: Any, c: Any, mask: Any, count: int, opponent: int, forced: bool) -> int:
        # An action that no caller is asked for, or NO_ACTION where one is.
        if forced and count == 1:
            return nth_legal(mask, 0)
        if s.player == asked_seat(s):
            return NO_ACTION
        if opponent == RANDOM_OPPONENT:
            return nth_legal(mask, random_below(s, BOT, count))
        return advise(s, c, mask, opponent - 1)

    @rule
    def play(a: Any, lo: int, hi: int, given: int, repeat: int) -> tuple[int, int]:
        # Carry out a command for the games from `lo` to `hi`; returns how many are at fault, and how many have ended.
        c = a.components[0]
        opponent, kind, scale = int(a.settings[OPPONENT]), int(a.settings[REWARD]), a.scale[0]
        auto_reset, ahead = a.settings[AUTO_RESET] == 1, int(a.settings[AHEAD])
        n = a.states.shape[0]
        faults = 0
        ended = 0

        for i in range(lo, hi):
            if ahead > 0 and i + ahead < n:
                fetch(a, i + ahead)
            command = int(a.commands[i]) if given == BY_GAME else given
            if command == KEEP:
                continue
            s, mask = a.states[i], a.action_mask[i]
            refreshed = command == REFRESH
            moves = command == STEP or command == RANDOM
            dense = moves and a.settings[DENSE] == 1

            # Begin: clear what the last call published, and take off what it paid.
            for seat in range(a.rewards.shape[1]):
                a.rewards[i, seat] = 0.0
            a.terminated[i] = False
            if moves and s.over == 1 and not auto_reset:
                continue
            a.end_reason[i] = s.end_reason if refreshed else 0
            if dense:
                add_payoffs(s, c, a.rewards[i], kind, -scale)
            left = repeat
            task = command
            action = int(a.actions[i])
            if task == RANDOM:
                task = STEP
                action = random_legal(s, POLICY, mask)
            if task == STEP:
                clear_journal(s)

            # One turn of this loop is one reset or one decision, whoever takes it.
            while True:
                if task == RESET:
                    reset_record(a, i)
                elif task == STEP:
                    s.decisions += 1
                    apply(s, c, action)

                # What is asked now. Rules that ask for nothing, or without end, are at fault.
                mask[:] = False
                count = 0
                if s.over == 0:
                    legal(s, c, mask)
                    count = count_legal(mask)
                    if count == 0 or s.decisions > ENDLESS:
                        s.fault = 1
                if s.fault == 1:
                    faults += 1
                    break

                # Forced decisions and those of opponents are answered here.
                if s.over == 0:
                    action = answer(s, c, mask, count, opponent, not refreshed)
                    if action != NO_ACTION:
                        task = STEP
                        continue

                # Publish: the end of the game, and what the seat that is asked sees.
                if not a.terminated[i]:
                    a.learner[i] = max(0, s.learner - 1)  # not yet the next game's, when this step ended one
                if s.over == 1 and task == STEP:
                    ended += 1
                    a.terminated[i] = True
                    a.end_reason[i] = s.end_reason
                    add_payoffs(s, c, a.rewards[i], kind, scale)
                seen = a.final_observation[i] if s.over == 1 and auto_reset else a.observation[i]
                seen[:] = 0
                observe(s, c, asked_seat(s), seen)

                # The next game of the record.
                if s.over == 1 and auto_reset and not refreshed:
                    s.episode += 1
                    task = RESET
                    continue

                # Random play goes on by itself.
                left -= 1
                if command != RANDOM or left == 0 or s.over == 1:
                    break
                clear_journal(s)
                task = STEP
                action = nth_legal(mask, random_below(s, POLICY, count))

            if dense and s.over == 0:
                add_payoffs(s, c, a.rewards[i], kind, scale)
            a.current_player[i] = asked_seat(s)
        return faults, ended

    def advance(addresses: Any, thread: int, command: int, repeat: int) -> tuple[int, int, int]:
        a = arrays_at(addresses)
        n = a.states.shape[0]
        if command == CHECK or (command == STEP and thread == ALONE):
            refused = find_refused(a)
            if refused >= 0 or command == CHECK:
                return refused, 0, 0

        # Play all games, or a piece at a time.
        while True:
            piece = 0 if thread == ALONE else next_piece(a.board, thread)
            if piece == NO_PIECE:
                break
            if thread != ALONE:
                command = int(a.board[CALL, COMMAND])
                repeat = int(a.board[CALL, REPEAT])
            hi = n if thread == ALONE else min(n, (piece + 1) * PIECE)
            faults, ended = play(a, piece * PIECE, hi, command, repeat)
            if thread == ALONE:
                return -1, faults, ended
            finish_piece(a.board, thread, faults, ended)

        # What all threads have found.
        faults = 0
        ended = 0
        for row in range(SEATS, a.board.shape[0]):
            faults += int(a.board[row, FAULTS])
            ended += int(a.board[row, ENDED])
        return int(a.board[PROGRESS, PIECES]) - load(a.board, PROGRESS, DONE), faults, ended

    return advance
