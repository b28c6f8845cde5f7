"""The replay buffer of a collector's games: the newest decisions, with labels of the search and returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.expert_iteration.rollout import Rollout
from rfop_training.learning.states import refill


class ReplayBuffer:
    """The decisions of the last steps of N games, in rows of time that are used in turn; slot = row * N + game.

    A decision can be trained on once its game has ended: its value's target is the return of its seat from there to
    the end. Decisions that are overwritten before their game ends are lost.
    """

    ARRAYS = ("observation", "action_mask", "policy", "searched", "seat", "by_learner", "paid", "target", "known",
              "step", "born")  # fmt: skip

    def __init__(self, size: int, games: int, game: Game):
        self.games = games
        self.rows = rows = max(2, -(-size // games))
        self.seats = game.spec.players

        # What was seen and found, [rows, N, ...].
        self.observation = np.zeros((rows, games, game.observation.size), np.int8)
        self.action_mask = np.ones((rows, games, game.actions.size), np.bool_)
        self.policy = np.zeros((rows, games, game.actions.size), np.float16)  # improved, where searched
        self.searched = np.zeros((rows, games), np.bool_)
        self.seat = np.zeros((rows, games), np.int64)
        self.by_learner = np.zeros((rows, games), np.bool_)
        self.paid = np.zeros((rows, games), np.float32)  # the return of the seat up to the decision
        self.target = np.zeros((rows, games), np.float32)  # and from there to the end of the game
        self.known = np.zeros((rows, games), np.bool_)  # the game has ended

        # Time.
        self.step = np.full(rows, -1, np.int64)  # when each row was written
        self.born = np.zeros(games, np.int64)  # the first step of each game
        self.clock = 0
        self.fresh = 0  # decisions that became known since the last update
        self.lost = 0  # decisions overwritten before their game ended

    def add(self, rollout: Rollout) -> None:
        """Take over the steps of a rollout of the same games."""
        for step in range(rollout.steps):
            row = self.begin_step()
            for name in Rollout.STORED:
                getattr(self, name)[row] = getattr(rollout, name)[step]
            if rollout.ended[step].any():
                self.end_games(rollout.ended[step], rollout.final[step])

    def begin_step(self) -> int:
        """Empty the oldest row for the next step; returns its number."""
        row = self.clock % self.rows
        self.lost += int((self.by_learner[row] & ~self.known[row] & (self.step[row] >= self.born)).sum())
        self.step[row] = self.clock
        self.known[row] = False
        self.clock += 1
        return row

    def end_games(self, ended: NDArray[np.bool_], final: NDArray[np.float32]) -> None:
        """Note the returns of games that the last step ended: bool [N] and float32 [N, P]."""
        games = np.flatnonzero(ended)
        of_game = self.by_learner[:, games] & (self.step[:, None] >= self.born[games])
        returns = final[games, self.seat[:, games]]
        self.target[:, games] = np.where(of_game, returns - self.paid[:, games], self.target[:, games])
        self.known[:, games] |= of_game
        self.fresh += int(of_game.sum())
        self.born[games] = self.clock

    def slots(self) -> NDArray[np.intp]:
        """The slots that can be trained on."""
        return np.flatnonzero(self.known)

    def rows_of(self, name: str, slots: NDArray[np.intp]) -> NDArray[Any]:
        """The entries of an array at these slots [n]: [n, ...]."""
        array: NDArray[Any] = getattr(self, name)
        return array.reshape(-1, *array.shape[2:])[slots]

    # -- exact resume --------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to resume, as tensors and plain values."""
        arrays = {name: torch.from_numpy(getattr(self, name).copy()) for name in self.ARRAYS}
        return {"arrays": arrays, "clock": self.clock, "fresh": self.fresh, "lost": self.lost}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`. Raises `RfopError`."""
        counts = [int(state[name]) for name in ("clock", "fresh", "lost")]
        if min(counts) < 0:
            raise RfopError(f"clock, fresh and lost are {counts}")
        for name in self.ARRAYS:
            refill(getattr(self, name), state["arrays"][name], (0, self.seats) if name == "seat" else None)
        self.clock, self.fresh, self.lost = counts
