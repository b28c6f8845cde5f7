"""A batch of games put through everything that can be done to it, in any order that Hypothesis thinks of.

Beside the batch of N run N batches of one, which are told the same. After every step the two hold the same bytes, the
masks and observations are those of a batch that has just been given the records, and the invariants of the games hold.
"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.core.errors import BadActions, GameOver, IllegalAction
from rfop_env.core.game import Game
from rfop_env.core.position import load_position, load_position_text, position_text, save_position
from rfop_env.registry import list_games
from rfop_env.testing.random_play import CLOSE, check_position

ARRAYS = (
    "observation", "action_mask", "current_player", "learner", "rewards", "terminated", "truncated", "end_reason",
)  # fmt: skip
MOST_GAMES = 3
FAR = 120 if JIT else 12  # random decisions taken at once
SEEDS = st.integers(0, 2**64 - 1 - MOST_GAMES)
KEYS = st.integers(0, 2**32 - 1)
NUMBERS = st.integers(0, 2**16)  # which of the legal actions, seats, games: modulo their number


class GameMachine(RuleBasedStateMachine):
    """The machine; `machine_of` gives it its game."""

    GAME: Game

    @initialize(data=st.data(), num_games=st.integers(1, MOST_GAMES), seed=SEEDS, far=st.integers(0, FAR))
    def begin(self, data: Any, num_games: int, seed: int, far: int) -> None:
        """Any options, opponent and seat; and not always from the first decision."""
        game = self.GAME
        options = data.draw(st.fixed_dictionaries({o.name: st.sampled_from(o.values) for o in game.options}))
        opponents = [None, *(opponent.name for opponent in game.opponents)]
        made: dict[str, Any] = {"options": options, "opponent": data.draw(st.sampled_from(opponents))}
        if made["opponent"]:
            seats = game.under(options).spec.seats
            made["seat"] = data.draw(st.sampled_from(["random", *seats]))
        self.made = made
        self.batch = GameBatch(game, num_games, seed, **made)
        self.singles = [GameBatch(game, 1, seed + i, **made) for i in range(num_games)]
        self.saved = self.batch.get_state()
        if far:
            self.play_on(far)

    # -- playing ------------------------------------------------------------------------------------------------------

    @rule(seed=st.none() | SEEDS)
    def reset(self, seed: int | None) -> None:
        """All games begin anew."""
        self.batch.reset(seed)
        for i, single in enumerate(self.singles):
            single.reset(None if seed is None else seed + i)

    @precondition(lambda self: self.over().any())
    @rule()
    def reset_ended(self) -> None:
        """The ended games go on to their next episode."""
        ended = self.over()
        self.batch.reset(only=ended)
        for i in np.flatnonzero(ended):
            self.singles[i].reset()

    @rule(number=NUMBERS)
    def step(self, number: int) -> None:
        """A legal action in every game that runs."""
        self.act(self.legal_actions(number))

    @rule()
    def step_scripted(self) -> None:
        """What the scripted player chooses, or an opponent's random action where there is none."""
        game = self.batch.game
        if not game.scripted:
            return
        name, states = game.scripted[0].name, self.batch.get_state()
        actions = scripted_actions(game, states, self.batch.components, self.batch.action_mask, name)
        rows = np.flatnonzero(~self.over())
        assert self.batch.action_mask[rows, actions[rows]].all(), "a scripted player chooses an illegal action"
        self.act(actions)

    @rule(repeat=st.integers(1, FAR))
    def play_on(self, repeat: int) -> None:
        """Random decisions, many at once."""
        for batch in (self.batch, *self.singles):
            batch.step_random(repeat)

    @rule(number=NUMBERS, wrong=NUMBERS, where=NUMBERS)
    def refuse_an_illegal_action(self, number: int, wrong: int, where: int) -> None:
        """One illegal action among legal ones, or any action for an ended game: nothing moves."""
        batch, game = self.batch, where % len(self.singles)
        forbidden = [-2, batch.game.actions.size, *np.flatnonzero(~batch.action_mask[game]).tolist()]
        actions = self.legal_actions(number)
        actions[game] = forbidden[wrong % len(forbidden)]
        self.refuse(GameOver if self.over()[game] else IllegalAction, actions)

    @rule(number=NUMBERS, extra=st.sampled_from(["one more", "floats"]))
    def refuse_bad_actions(self, number: int, extra: str) -> None:
        """Actions of the wrong shape or dtype: nothing moves."""
        actions = self.legal_actions(number)
        self.refuse(BadActions, np.append(actions, 0) if extra == "one more" else actions.astype(float))

    def refuse(self, error: type[Exception], actions: Any) -> None:
        """A step fails and leaves everything as it was."""
        before = self.everything(self.batch)
        try:
            self.batch.step(actions)
        except error:
            assert self.everything(self.batch) == before, "a refused action moved something"
        else:
            raise AssertionError(f"{actions} was accepted")

    # -- saving and copying -------------------------------------------------------------------------------------------

    @rule(where=NUMBERS, to=NUMBERS, text=st.booleans())
    def save_and_load(self, where: int, to: int, text: bool) -> None:
        """A saved position, loaded into any game, is the same to the last byte."""
        where, to = where % len(self.singles), to % len(self.singles)
        if text:
            saved = position_text(self.batch, where)
            load_position_text(self.batch, saved, to)
            load_position_text(self.singles[to], saved)
            assert position_text(self.batch, to) == saved, "a loaded position differs"
        else:
            data = save_position(self.batch, where)
            load_position(self.batch, data, to)
            load_position(self.singles[to], data)
            assert save_position(self.batch, to) == data, "a loaded position differs"

    @rule()
    def keep(self) -> None:
        """Keep the records for later."""
        self.saved = self.batch.get_state()

    @rule()
    def restore(self) -> None:
        """Go back to the records kept."""
        self.put(self.saved)
        assert self.batch.get_state().tobytes() == self.saved.tobytes(), "records that are put back differ"

    @rule(number=NUMBERS)
    def clone(self, number: int) -> None:
        """A clone goes on as its original would, and its original does not notice."""
        self.go_on_beside(self.batch.clone(), number)

    @rule(number=NUMBERS, by=st.sampled_from(["copy", "deepcopy", "pickle"]))
    def copy_by_python(self, number: int, by: str) -> None:
        """So does a copy of Python's own making; only games of the registry can be pickled."""
        if by == "pickle" and self.GAME.id in list_games():
            self.go_on_beside(pickle.loads(pickle.dumps(self.batch)), number)
        else:
            self.go_on_beside(copy.copy(self.batch) if by == "copy" else copy.deepcopy(self.batch), number)

    def go_on_beside(self, other: GameBatch, number: int) -> None:
        """Play a copy and then its original by the same actions, those that the copy's own mask allows."""
        before = self.everything(self.batch)
        assert self.everything(other) == before, "a copy is another"
        actions = self.legal_actions(number)
        other.step(actions)
        assert np.array_equal(other.action_mask.any(axis=1), other.get_state()["over"] == 0), "a copy's mask is frozen"
        other.step_random(2)
        assert self.everything(self.batch) == before, "a copy moves its original"
        self.act(actions)
        self.play_on(2)
        assert self.everything(other) == self.everything(self.batch), "a copy goes another way"

    # -- what is hidden -----------------------------------------------------------------------------------------------

    @rule(number=NUMBERS, key=KEYS, adopted=st.booleans())
    def determinize(self, number: int, key: int, adopted: bool) -> None:
        """A determinization changes nothing of what its seat sees or may do; play can go on from it."""
        batch = self.batch
        seat = number % batch.game.spec.players
        seats = batch.learner.copy() if self.made["opponent"] else np.full(len(self.singles), seat, np.int64)
        other = batch.clone()
        other.determinize(seats, key)
        check_position(other)
        assert np.array_equal(other.observe(seats), batch.observe(seats)), "a determinization can be seen"
        decides = batch.current_player == seats
        assert np.array_equal(other.action_mask[decides], batch.action_mask[decides]), (
            "a determinization moves the mask"
        )
        if adopted:
            self.put(other.get_state())

    # -- what holds after every step ----------------------------------------------------------------------------------

    @invariant()
    def many_games_are_many_single_games(self) -> None:
        """Row i of the batch is the batch of one number i."""
        states = self.batch.get_state()
        for i, single in enumerate(self.singles):
            assert states[i : i + 1].tobytes() == single.get_state().tobytes(), f"game {i} goes another way alone"
            for name in ARRAYS:
                ours, theirs = getattr(self.batch, name)[i], getattr(single, name)[0]
                assert np.array_equal(ours, theirs), f"game {i}: {name} is {ours}, alone {theirs}"

    @invariant()
    def arrays_are_fresh(self) -> None:
        """Mask, observation and player are what a new batch makes of the records."""
        fresh = GameBatch(self.GAME, len(self.singles), **self.made)
        fresh.set_state(self.batch.get_state())
        for name in ("action_mask", "observation", "current_player"):
            assert np.array_equal(getattr(fresh, name), getattr(self.batch, name)), f"{name} is stale"

    @invariant()
    def invariants_hold(self) -> None:
        """No problems, decisions below the most, seats that exist; returns in range that add up as declared."""
        check_position(self.batch)
        spec, rewards = self.batch.game.spec, self.batch.rewards
        assert ((rewards >= spec.lowest_return - CLOSE) & (rewards <= spec.highest_return + CLOSE)).all()
        assert not spec.zero_sum or (np.abs(rewards.sum(axis=1)) <= CLOSE).all(), "returns do not add up to 0"

    @invariant()
    def every_seat_can_look(self) -> None:
        """What a seat observes is within bounds, and looking changes nothing."""
        layout, before = self.batch.game.observation, self.everything(self.batch)
        for seat in range(self.batch.game.spec.players):
            seen = self.batch.observe(seat)
            assert ((seen >= layout.low) & (seen <= layout.high)).all()
        assert self.everything(self.batch) == before, "looking moved something"

    # -- helpers ------------------------------------------------------------------------------------------------------

    def over(self) -> Any:
        """Which games have ended, bool [N]."""
        return self.batch.get_state()["over"] != 0

    def legal_actions(self, number: int) -> Any:
        """A legal action for every game, by a number; NO_ACTION where a game has ended."""
        rows = [np.flatnonzero(row) for row in self.batch.action_mask]
        return np.array([row[number % len(row)] if len(row) else NO_ACTION for row in rows], np.int64)

    def act(self, actions: Any) -> None:
        """A step of the batch and of the single games."""
        self.batch.step(actions)
        for single, action in zip(self.singles, actions, strict=True):
            single.step([action])

    def put(self, states: Any) -> None:
        """Put records into the batch and the single games."""
        self.batch.set_state(states)
        for i, single in enumerate(self.singles):
            single.set_state(states[i : i + 1])

    def everything(self, batch: GameBatch) -> list[bytes]:
        """All that a batch holds of its games, as bytes."""
        return [batch.get_state().tobytes(), *(getattr(batch, name).tobytes() for name in ARRAYS)]


def machine_of(game: Game) -> type[GameMachine]:
    """The machine of a game."""
    return type(f"MachineOf{game.folder.name}", (GameMachine,), {"GAME": game})
