"""The loop that plays: resets, steps, random play and refreshes of a stretch of a batch's games, in one kernel.

Everything that needs the rules is one loop over decisions, in which each rule has one call site: the compiler then
expands it in place, and compiles it once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rfop_env.core.decisions import clear_journal
from rfop_env.core.game import Rules
from rfop_env.core.legal_actions import NO_ACTION, count_legal, nth_legal, random_legal
from rfop_env.core.random_stream import BOT, POLICY, begin_streams, random_below
from rfop_env.core.rule import rule

KEEP, RESET, STEP, RANDOM, REFRESH = range(5)  # commands: what is done with a game
ENDLESS = 1_000_000  # decisions after which a game is taken for a loop in its rules
NO_OPPONENT = -1  # every seat is asked of the caller
RANDOM_OPPONENT = 0  # others are scripted player n - 1
ANY_SEAT = -1  # the learner's seat is drawn for every game


class Setup(NamedTuple):
    """The game that is played."""

    components: Any  # component record [1]
    options: Any  # int64 [K], as the rules read them
    blank: Any  # state record [1], all zeros: what a reset starts from


class Players(NamedTuple):
    """The opponent and the learner."""

    opponent: int  # NO_OPPONENT, RANDOM_OPPONENT, or 1 + the number of a scripted player
    learner: int  # the learner's seat among opponents, or ANY_SEAT


class Payment(NamedTuple):
    """The reward kind."""

    kind: int  # the number of the reward kind
    scale: float  # the return for one unit of its payoff
    dense: bool  # paid in parts, as the return changes


class Outputs(NamedTuple):
    """The arrays that a call fills in, one row for each game: see `GameBatch`."""

    observation: Any  # int8 [N, D]
    action_mask: Any  # bool [N, A]
    final_observation: Any  # int8 [N, D]
    current_player: Any  # int32 [N]
    learner: Any  # int32 [N]
    rewards: Any  # float32 [N, P]
    terminated: Any  # bool [N]
    end_reason: Any  # int32 [N]


@rule
def no_advice(s: Any, c: Any, mask: Any, which: int) -> int:
    """Stands in for the scripted players of a game that has none."""
    return NO_ACTION


@rule
def asked_seat(s: Any) -> int:
    """The seat that the caller plays at this moment: the learner's, or without opponents the one that decides."""
    return s.player if s.learner == 0 else s.learner - 1


@rule
def clear_row(s: Any, out: Any, i: int, refreshed: bool) -> None:
    """Clear what the last call said about the end of game `i`; a game that is merely refreshed keeps its end reason."""
    for p in range(out.rewards.shape[1]):
        out.rewards[i, p] = 0.0
    out.terminated[i] = False
    out.end_reason[i] = s.end_reason if refreshed else 0


def make_advance(rules: Rules) -> Callable[..., None]:
    """The loop for a game's rules: it carries out the commands of the games from `lo` to `hi`.

    `setup`, `players`, `payment` and `out` are the tuples above, without their names.
    """
    deal, legal, apply, observe, payoff = rules.deal, rules.legal, rules.apply, rules.observe, rules.payoff
    advise = rules.advise or no_advice

    @rule
    def add_payoffs(s: Any, c: Any, rewards: Any, kind: int, scale: float) -> None:
        for p in range(rewards.shape[0]):
            rewards[p] += scale * payoff(s, c, p, kind)

    @rule
    def reset_record(states: Any, i: int, c: Any, setup: Any, players: Any, seats: int) -> None:
        # The game finds an empty record, in which only the seed and the episode are left.
        s = states[i]
        low, high, episode = int(s.seed[0]), int(s.seed[1]), int(s.episode)
        states[i] = setup.blank[0]
        s.seed[0] = low
        s.seed[1] = high
        s.episode = episode
        begin_streams(s)

        if players.opponent != NO_OPPONENT:
            s.learner = 1 + (random_below(s, BOT, seats) if players.learner == ANY_SEAT else players.learner)
        deal(s, c, setup.options)

    @rule
    def answer(s: Any, c: Any, mask: Any, count: int, opponent: int, forced: bool) -> int:
        # An action that no caller is asked for, or NO_ACTION where one is.
        if forced and count == 1:
            return nth_legal(mask, 0)
        if s.player == asked_seat(s):
            return NO_ACTION
        return random_legal(s, BOT, mask) if opponent == RANDOM_OPPONENT else advise(s, c, mask, opponent - 1)

    @rule
    def publish(s: Any, c: Any, out: Any, i: int, payment: Any, stepped: bool, auto_reset: bool) -> None:
        if not out.terminated[i]:
            out.learner[i] = max(0, s.learner - 1)  # not yet the next game's, when this step ended one
        if s.over == 1 and stepped:
            out.terminated[i] = True
            out.end_reason[i] = s.end_reason
            add_payoffs(s, c, out.rewards[i], payment.kind, payment.scale)

        seen = out.final_observation[i] if s.over == 1 and auto_reset else out.observation[i]
        seen[:] = 0
        observe(s, c, asked_seat(s), seen)

    def advance(
        lo: int, hi: int, states: Any, setup: Any, players: Any, payment: Any, out: Any, command: Any, actions: Any,
        repeat: int, auto_reset: bool,
    ) -> None:  # fmt: skip
        # The caller passes plain tuples: Numba finds their types in C, those of named ones in Python, at every call.
        setup = Setup(*setup)
        players = Players(*players)
        payment = Payment(*payment)
        out = Outputs(*out)
        c = setup.components[0]
        for i in range(lo, hi):
            if command[i] == KEEP:
                continue
            s, mask = states[i], out.action_mask[i]
            refreshed = command[i] == REFRESH
            dense = payment.dense and (command[i] == STEP or command[i] == RANDOM)

            # Begin: clear what the last call published, and take off what it paid.
            clear_row(s, out, i, refreshed)
            if dense:
                add_payoffs(s, c, out.rewards[i], payment.kind, -payment.scale)
            left, task, action = repeat, int(command[i]), int(actions[i])
            if task == RANDOM:
                task, action = STEP, random_legal(s, POLICY, mask)
            if task == STEP:
                clear_journal(s)

            # One turn of this loop is one reset or one decision, whoever takes it.
            while True:
                if task == RESET:
                    reset_record(states, i, c, setup, players, out.rewards.shape[1])
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
                    break

                # Forced decisions and those of opponents are answered here.
                if s.over == 0:
                    action = answer(s, c, mask, count, players.opponent, not refreshed)
                    if action != NO_ACTION:
                        task = STEP
                        continue

                publish(s, c, out, i, payment, task == STEP, auto_reset)
                if s.over == 1 and auto_reset and not refreshed:
                    s.episode += 1
                    task = RESET
                    continue

                # Random play goes on by itself.
                left -= 1
                if command[i] != RANDOM or left == 0 or s.over == 1:
                    break
                clear_journal(s)
                task, action = STEP, random_legal(s, POLICY, mask)

            if dense and s.over == 0:
                add_payoffs(s, c, out.rewards[i], payment.kind, payment.scale)
            out.current_player[i] = asked_seat(s)

    return advance
