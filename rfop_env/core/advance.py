"""The loop that plays: resets, steps, random play and refreshes of a batch's games, in one kernel.

Everything that needs the rules is one loop over decisions, in which each rule has one call site. The processor's loop
calls native functions there (`native_rules`); that of a graphics card expands each rule in place, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rfop_env.compiler import rule
from rfop_env.compiler.memory import HERE, Access, load, rows, table
from rfop_env.core import team
from rfop_env.core.decisions import clear_journal
from rfop_env.core.game import Rules
from rfop_env.core.legal_actions import NO_ACTION, count_legal, nth_legal, random_legal
from rfop_env.core.random_stream import BOT, POLICY, begin_streams, random_below

# Commands: what is done with a game. ANSWER is a STEP that is a part of the call before: that of an opponent outside.
KEEP, RESET, STEP, RANDOM, REFRESH, ANSWER = range(6)
BY_GAME, CHECK = 6, 7  # with every game what its own command says; nothing: actions are checked, as before a STEP
ALONE = -1  # in place of a thread's number: one thread has all games
ENDLESS = 1_000_000  # decisions after which a game is taken for a loop in its rules
# Opponents: 1 + the number of a scripted player, or one of these.
RANDOM_OPPONENT = 0
NO_OPPONENT = -1  # every seat is asked of the caller
ASKED = -2  # as this and each number below: an opponent outside, whom the caller asks
ANY_SEAT = -1  # in place of the learner's: its seat is drawn for every game

OPPONENT, UNTIL = range(2)  # columns of a mixture: an opponent, and the end of its part of SHARES
SHARES = 2**30  # what the opponents of a mixture share
KIND, DENSE = range(2)  # columns of the reward kinds: a kind, and 1 if it is paid in parts, as the return changes


class Arrays(NamedTuple):
    """What the loop reads and writes: the game, how it is played, and the arrays of a batch (see `GameBatch`)."""

    states: Any  # state records [N]
    components: Any  # component record [1]
    options: Any  # int64 [K], as the rules read them
    blank: Any  # state record [1], all zeros: what a reset starts from
    settings: Any  # int64 [3]: see below
    mixture: Any  # int64 [K, 2]: the opponents, one of which is drawn for every game; none: all seats are asked
    kinds: Any  # int64 [R, 2]: the reward kinds
    scales: Any  # float64 [R]: the return for one unit of the payoff of each
    opponents: Any  # int8 [N]: who is the opponent in each game
    commands: Any  # int8 [N], of the games: read with command BY_GAME
    actions: Any  # int64 [N]: read with the commands STEP and ANSWER
    observation: Any  # int8 [N, D]
    action_mask: Any  # bool [N, A]
    final_observation: Any  # int8 [N, D]
    current_player: Any  # int32 [N]
    learner: Any  # int32 [N]
    rewards: Any  # float32 [N, P]
    terminated: Any  # bool [N]
    end_reason: Any  # int32 [N]
    shown_mask: Any  # bool [N, A], the caller's copy of the mask, which is never read; or [0, A]


AT = Arrays(*range(len(Arrays._fields)))  # their places among the addresses

# Settings: the learner's seat among opponents or ANY_SEAT, 1 if a reward kind is dense, 1 with autoreset.
LEARNER, ANY_DENSE, AUTO_RESET = range(3)


@rule
def no_advice(s: Any, c: Any, mask: Any, which: int) -> int:
    """Stands in for the scripted players of a game that has none."""
    return NO_ACTION


@rule
def asked_seat(s: Any) -> int:
    """The seat that the caller plays at this moment: the learner's, or without opponents the one that decides."""
    return s.player if s.learner == 0 else s.learner - 1


@rule
def copy_mask(mask: Any, target: Any) -> None:
    """Copy a mask, bool [A], entry by entry: Numba compiles the copy of a whole slice for no graphics card."""
    for action in range(mask.shape[0]):
        target[action] = mask[action]


@rule
def find_refused(states: Any, actions: Any, mask: Any, auto_reset: bool, lo: int, hi: int) -> int:
    """The first game from `lo` to `hi` with an illegal action, or that has ended and has one; or -1."""
    for i in range(lo, hi):
        action = actions[i]
        if action < 0 or action >= mask.shape[1] or not mask[i, action]:
            if action != NO_ACTION or auto_reset or states[i].over == 0:
                return i
    return -1


def make_play(
    rules: Rules, state: np.dtype[Any], components: np.dtype[Any], access: Access
) -> Callable[[Any, int, int, int, int], tuple[int, int]]:
    """The loop for a game's rules, and for the dtypes of its state and component records, as a rule.

    Its arguments: the addresses of `Arrays`, which it reaches by `access`; the first game and the one after the last; a
    command; how many random decisions every game takes. It returns how many games are at fault, and how many ended.
    """
    rows, table, row, copy_record = access
    deal, legal, apply, observe, payoff = rules.deal, rules.legal, rules.apply, rules.observe, rules.payoff
    advise = rules.advise or no_advice

    @rule
    def pay(s: Any, c: Any, rewards: Any, kinds: Any, scales: Any, sign: float, all_kinds: bool) -> None:
        # The payoffs of all reward kinds, or of the dense ones.
        for k in range(kinds.shape[0]):
            if all_kinds or kinds[k, DENSE] == 1:
                for p in range(rewards.shape[0]):
                    rewards[p] += sign * scales[k] * payoff(s, c, p, kinds[k, KIND])

    @rule
    def draw_opponent(s: Any, mixture: Any) -> int:
        which = 0
        if mixture.shape[0] > 1:
            share = random_below(s, BOT, SHARES)
            while share >= mixture[which, UNTIL]:
                which += 1
        return int(mixture[which, OPPONENT])

    @rule
    def begin_game(
        states: Any, i: int, c: Any, blank: Any, options: Any, learner: int, mixture: Any, opponents: Any, seats: int
    ) -> None:
        # The rules deal into an empty record, in which only the seed and the episode are left.
        s = states[i]
        low, high, episode = int(s.seed[0]), int(s.seed[1]), int(s.episode)
        copy_record(blank, states, i)
        s.seed[0] = low
        s.seed[1] = high
        s.episode = episode
        begin_streams(s)

        if mixture.shape[0] > 0:
            s.learner = 1 + (random_below(s, BOT, seats) if learner == ANY_SEAT else learner)
            opponents[i] = draw_opponent(s, mixture)
        deal(s, c, options)

    @rule
    def ask(s: Any, c: Any, mask: Any) -> int:
        # Write the legal actions and count them. Rules that ask for nothing, or without end, are at fault.
        mask[:] = False
        count = 0
        if s.over == 0:
            legal(s, c, mask)
            count = count_legal(mask)
            if count == 0 or s.decisions > ENDLESS:
                s.fault = 1
        return count

    @rule
    def answer(s: Any, c: Any, mask: Any, count: int, opponent: int, forced: bool) -> int:
        # An action that no caller is asked for, or NO_ACTION where one is.
        if forced and count == 1:
            return nth_legal(mask, 0)
        if s.player == asked_seat(s) or opponent <= ASKED:
            return NO_ACTION
        if opponent == RANDOM_OPPONENT:
            return nth_legal(mask, random_below(s, BOT, count))
        return advise(s, c, mask, opponent - 1)

    @rule
    def play(addresses: Any, lo: int, hi: int, batch_command: int, repeat: int) -> tuple[int, int]:
        # The arrays are found once, and not in the loop: the compiler cannot know that no game writes to the addresses.
        c = rows(addresses, AT.components, components)[0]
        options = rows(addresses, AT.options, np.int64)
        blank = rows(addresses, AT.blank, state)
        settings = rows(addresses, AT.settings, np.int64)
        mixture = table(addresses, AT.mixture, np.int64)
        kinds = table(addresses, AT.kinds, np.int64)
        scales = rows(addresses, AT.scales, np.float64)
        states = rows(addresses, AT.states, state)
        opponents = rows(addresses, AT.opponents, np.int8)
        commands = rows(addresses, AT.commands, np.int8)
        actions = rows(addresses, AT.actions, np.int64)
        action_mask = table(addresses, AT.action_mask, np.bool_)
        current_player = rows(addresses, AT.current_player, np.int32)
        learners = rows(addresses, AT.learner, np.int32)
        terminated = rows(addresses, AT.terminated, np.bool_)
        end_reason = rows(addresses, AT.end_reason, np.int32)
        shows_mask = table(addresses, AT.shown_mask, np.bool_).shape[0] > 0
        seats = table(addresses, AT.rewards, np.float32).shape[1]
        auto_reset = settings[AUTO_RESET] == 1
        faults = 0
        endings = 0

        for i in range(lo, hi):
            command = int(commands[i]) if batch_command == BY_GAME else batch_command
            if command == KEEP:
                continue
            s, mask, rewards = states[i], action_mask[i], row(addresses, AT.rewards, i, np.float32)
            moves = command == STEP or command == RANDOM or command == ANSWER
            dense = moves and settings[ANY_DENSE] == 1

            # Begin: clear what the last call published, and take off what it paid.
            if command != ANSWER:
                for seat in range(seats):
                    rewards[seat] = 0.0
                terminated[i] = False
            if moves and s.over == 1 and not auto_reset:
                continue
            if command != ANSWER:
                end_reason[i] = s.end_reason if command == REFRESH else 0
            if dense:
                pay(s, c, rewards, kinds, scales, -1.0, False)

            action = actions[i]
            if command == RANDOM:
                action = random_legal(s, POLICY, mask)
            if command == STEP or command == RANDOM:
                clear_journal(s)
            task = STEP if moves else command

            # One turn of this loop is one reset or one decision, whoever takes it.
            remaining = repeat
            while True:
                if task == RESET:
                    begin_game(states, i, c, blank, options, settings[LEARNER], mixture, opponents, seats)
                elif task == STEP:
                    s.decisions += 1
                    apply(s, c, action)
                count = ask(s, c, mask)
                if s.fault == 1:
                    faults += 1
                    break

                # Forced decisions and those of opponents are answered here.
                if s.over == 0:
                    action = answer(s, c, mask, count, int(opponents[i]), command != REFRESH)
                    if action != NO_ACTION:
                        task = STEP
                        continue

                # Publish: the end of the game, and what the seat that is asked sees.
                if not terminated[i]:
                    learners[i] = max(0, s.learner - 1)  # not yet the next game's, when this step ended one
                if s.over == 1 and task == STEP:
                    endings += 1
                    terminated[i] = True
                    end_reason[i] = s.end_reason
                    pay(s, c, rewards, kinds, scales, 1.0, True)
                final = s.over == 1 and auto_reset
                observation = row(addresses, AT.final_observation if final else AT.observation, i, np.int8)
                observation[:] = 0
                observe(s, c, asked_seat(s), observation)

                # The next game of the record.
                if s.over == 1 and auto_reset and command != REFRESH:
                    s.episode += 1
                    task = RESET
                    continue

                # Random play goes on by itself.
                remaining -= 1
                if command != RANDOM or remaining == 0 or s.over == 1:
                    break
                clear_journal(s)
                task = STEP
                action = nth_legal(mask, random_below(s, POLICY, count))

            if dense and s.over == 0:
                pay(s, c, rewards, kinds, scales, 1.0, False)
            current_player[i] = asked_seat(s)
            if shows_mask:
                copy_mask(mask, row(addresses, AT.shown_mask, i, np.bool_))
        return faults, endings

    return play


def make_advance(rules: Rules, state: np.dtype[Any], components: np.dtype[Any]) -> Callable[..., tuple[int, int, int]]:
    """The kernel for a game's rules, and for the dtypes of its state and component records.

    Its arguments: the addresses of `Arrays`; the board of a team; the number of a thread, or `ALONE`; a command; how
    many random decisions every game takes. One thread of several takes the last two from the board.
    It returns three numbers. Alone: the first game that refuses its action (nothing has happened then) or -1, the games
    at fault, and those that have ended. As one of several: the pieces that others still play, 0 and 0.
    """
    play = make_play(rules, state, components, HERE)

    def advance(addresses: Any, board: Any, thread: int, command: int, repeat: int) -> tuple[int, int, int]:
        if command == CHECK or (command == STEP and thread == ALONE):
            refused = find_refused(
                rows(addresses, AT.states, state),
                rows(addresses, AT.actions, np.int64),
                table(addresses, AT.action_mask, np.bool_),
                rows(addresses, AT.settings, np.int64)[AUTO_RESET] == 1,
                0,
                rows(addresses, AT.actions, np.int64).shape[0],
            )
            if refused >= 0 or command == CHECK:
                return refused, 0, 0

        n = rows(addresses, AT.actions, np.int64).shape[0]
        if thread == ALONE:
            faults, endings = play(addresses, 0, n, command, repeat)
            return -1, faults, endings

        while True:
            piece = team.next_piece(board, thread)
            if piece == team.NO_PIECE:
                break
            end = min(n, (piece + 1) * team.PIECE)
            faults, endings = play(
                addresses, piece * team.PIECE, end, board[team.CALL, team.COMMAND], board[team.CALL, team.REPEAT]
            )
            team.finish_piece(board, thread, faults, endings)
        return board[team.PROGRESS, team.PIECES] - load(board, team.PROGRESS, team.DONE), 0, 0

    return advance
