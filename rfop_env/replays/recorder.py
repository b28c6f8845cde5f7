"""Record a game while it is played.

A `Recorder` repeats the game on a batch of its own, in which every seat is asked. It repeats the decisions that an
opponent takes inside `step`, too, drawing from the same streams; those of agents come from `GameBatch.answers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rfop_env.core import kernels, random_stream
from rfop_env.core.advance import ASKED
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import GameOver, RfopError
from rfop_env.core.game import ILLEGAL_ACTION, RANDOM_OPPONENT, forfeited
from rfop_env.core.position import save_position
from rfop_env.replays import replay_file

DIFFERING = ("learner", "journal_size", "journal")  # fields in which a game among opponents differs from its replay
NOBODY_NAMED = "-"


class Recorder:
    """The record of one game of a batch, from where it stands now.

    `players` names who sits in each seat; by default an opponent of the batch by its name, and others by "-". Report
    every decision, with `add` or `add_random`, after the batch has taken it; the recorder repeats those of the batch's
    opponent. The
    replay begins at the seed if the game has just been reset, else at the position where the game stands.
    """

    def __init__(self, batch: GameBatch, game: int = 0, players: Sequence[str] = ()) -> None:
        record = batch.get_record(game)
        self._batch, self._number = batch, game
        self._opponent = batch.game_opponent(game)
        self._outside = bool(batch._opponents[game] <= ASKED)
        self._answers = iter(self._outside_decisions())
        self._learner = int(record["learner"][0]) - 1

        self._own = GameBatch(batch.game, 1, options=batch.given_options, components=batch.components)
        self._players = [replay_file.one_line(name) for name in players or self._usual_players()]
        if len(self._players) != batch.game.spec.players:
            raise RfopError(f"{batch.game.id} has {batch.game.spec.players} seats here, and {len(players)} are named")
        self._decisions: list[replay_file.Decision] = []
        self._snapshots: list[tuple[int, Any, Any]] = []  # decisions, record and returns before each `add`
        self._notes: list[str] = []
        self._seed, self._episode = batch.game_seed(game)
        self._returns = np.zeros(batch.game.spec.players)
        self._position = None if self._begin_at_seed(record) else self._begin_at_position()

    def _usual_players(self) -> list[str]:
        seats = range(self._own.game.spec.players)
        return [NOBODY_NAMED if self._opponent is None or k == self._learner else self._opponent for k in seats]

    # -- the start -----------------------------------------------------------------------------------------------------

    def _begin_at_seed(self, record: Any) -> bool:
        """Try to come from the reset to where the game stands, with nothing but the opponent's decisions.

        A reset draws the learner's seat from stream `BOT` where it is random, and nothing where it is fixed: try both.
        It draws one of several opponents then.
        """
        mixture = [2] if len(self._batch._mixture) > 1 else []
        seats = [[], [self._own.game.spec.players]] if self._opponent is not None else [[]]
        for draws in seats:
            replay_file.begin_episode(self._own, self._seed, self._episode)
            self._forget()
            for choices in draws + mixture:
                kernels.random_actions(
                    self._own.game, self._own.states, np.ones((1, choices), np.bool_), random_stream.BOT
                )
            self._answers = iter(self._outside_decisions())
            self._answer()
            if self._alike(record):
                return True
        return False

    def _begin_at_position(self) -> bytes:
        """Begin where the game stands; returns the position."""
        self._own.copy_from(self._batch, [self._number], [0])
        self._forget()
        return save_position(self._own)

    def _forget(self) -> None:
        """Begin anew where the own game stands."""
        self._decisions.clear()
        self._returns = self._own.returns_so_far()[0].astype(np.float64)

    def _alike(self, record: Any) -> bool:
        """Whether the own game stands where another record does."""
        own = self._own.get_record()
        names = [name for name in self._own.game.state.names or () if name not in DIFFERING]
        return all((np.asarray(own[name]) == np.asarray(record[name])).all() for name in names)

    # -- decisions -----------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._own.states["over"][0])

    def add(self, action: int) -> None:
        """Note the action that the batch has taken, and what its opponent did then.

        An illegal action is noted where it has lost the game (`on_illegal="lose"`). Raises `IllegalAction` for any
        other one, and `GameOver` for a game that has ended; then nothing is noted.
        """
        self._require_running()
        snapshot = self._snapshot()
        self._answers = iter(self._outside_decisions())
        if self._forfeits(int(action)):
            self._forfeit(int(action))
        else:
            self._take(int(action))
        self._snapshots.append(snapshot)
        self._answer()

    def add_random(self, repeat: int = 1) -> None:
        """Note what `step_random(repeat)` of the batch has done; nothing once the game has ended."""
        self._answers = iter(self._outside_decisions())
        for _ in range(repeat):
            if self.over:
                break
            own = self._own
            self._snapshots.append(self._snapshot())
            self._take(int(kernels.random_actions(own.game, own.states, own.action_mask, random_stream.POLICY)[0]))
            self._answer()

    def undo(self) -> None:
        """Take the last decision back, with all that the opponent did after it. Raises `RfopError` without one."""
        if not self._snapshots:
            raise RfopError("there is no decision to take back")
        count, record, returns = self._snapshots.pop()
        del self._decisions[count:]
        self._own.set_state(record)
        self._returns = returns

    def _snapshot(self) -> tuple[int, Any, Any]:
        return len(self._decisions), self._own.get_record(), self._returns.copy()

    def note(self, text: str) -> None:
        """Add a note to the last decision, or to the start."""
        note = replay_file.one_line(text, replay_file.LONGEST_TEXT)
        if self._decisions:
            last = self._decisions[-1]
            self._decisions[-1] = replace(last, notes=(*last.notes, note))
        else:
            self._notes.append(note)

    def _require_running(self) -> None:
        if self.over:
            raise GameOver("this game has ended: its replay takes no further decision")

    def _take(self, action: int) -> None:
        """One decision of anybody."""
        game = self._own.game
        seat = game.spec.seats[int(self._own.current_player[0])]
        self._own.step([action])
        self._returns += self._own.rewards[0]
        self._decisions.append(replay_file.Decision(seat, game.actions.label(action)))

    def _forfeits(self, action: int) -> bool:
        """Whether an action has lost the game of the batch: it is illegal, and that game runs no more."""
        mask = self._own.action_mask[0]
        if 0 <= action < len(mask) and mask[action]:
            return False
        next_game = self._batch.game_seed(self._number) != (self._seed, self._episode)
        return next_game or forfeited(self._batch.record(self._number))

    def _forfeit(self, action: int) -> None:
        """The illegal action that loses the game."""
        actions, seats = self._own.game.actions, self._own.game.spec.seats
        label = actions.label(action) if 0 <= action < actions.size else str(action)
        self._decisions.append(replay_file.Decision(seats[int(self._own.current_player[0])], label, illegal=True))
        self._own.forfeit(np.ones(1, np.bool_))

    def _answer(self) -> None:
        """The decisions of the batch's opponent, up to the next one of the learner."""
        own, opponent = self._own, self._opponent
        while opponent is not None and not self.over and int(own.current_player[0]) != self._learner:
            if self._outside:
                action = next(self._answers, None)
                if action is None or not own.action_mask[0, action]:
                    return  # its decision was not reported
                actions = np.array([action])
            elif opponent == RANDOM_OPPONENT.name:
                actions = kernels.random_actions(own.game, own.states, own.action_mask, random_stream.BOT)
            else:
                actions = kernels.scripted_actions(own.game, own.states, own.components, own.action_mask, opponent)
            self._take(int(actions[0]))

    def _outside_decisions(self) -> list[int]:
        """The decisions of an opponent outside in the batch's last call."""
        return [
            int(actions[games == self._number][0]) for games, actions in self._batch.answers if self._number in games
        ]

    # -- the replay ----------------------------------------------------------------------------------------------------

    def replay(self) -> replay_file.Replay:
        """The episode so far. Raises `RfopError` if the batch took decisions that were not added."""
        record = self._batch.get_record(self._number)
        if self._batch.game_seed(self._number) == (self._seed, self._episode) and not self._alike(record):
            raise RfopError("the game took decisions that its recorder has not got: call add for each of them")

        game = self._own.game
        reason, returns = replay_file.UNFINISHED, None
        if self.over:
            own = self._own.record()
            reason = game.end_reason(own)
            values = game.spec.forfeit_returns(own.player) if reason == ILLEGAL_ACTION else self._returns
            returns = tuple(float(f"{value:g}") for value in values)  # as the file writes them
        return replay_file.Replay(
            game,
            replay_file.one_line(self._own.components.name),
            self._own.components.digest,
            game.option_values(self._own.given_options),
            0 if self._position else self._seed,
            0 if self._position else self._episode,
            self._position,
            tuple(self._players),
            tuple(self._decisions),
            reason,
            returns,
            tuple(self._notes),
        )
