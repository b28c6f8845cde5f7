"""What a collector hands over: some steps of its games, as the replay buffer takes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rfop_env.core.game import Game


class Rollout:
    """The decisions of T steps of N games, with labels of the search, and the games that ended."""

    STORED = ("observation", "action_mask", "policy", "searched", "seat", "by_learner", "paid")  # for each decision

    def __init__(self, steps: int, games: int, game: Game):
        self.steps = steps
        self.observation = np.zeros((steps, games, game.observation.size), np.int8)
        self.action_mask = np.ones((steps, games, game.actions.size), np.bool_)
        self.policy = np.zeros((steps, games, game.actions.size), np.float16)  # improved, where searched
        self.searched = np.zeros((steps, games), np.bool_)
        self.seat = np.zeros((steps, games), np.int64)
        self.by_learner = np.zeros((steps, games), np.bool_)
        self.paid = np.zeros((steps, games), np.float32)  # the return of the seat up to the decision

        self.ended = np.zeros((steps, games), np.bool_)
        self.final = np.zeros((steps, games, game.spec.players), np.float32)  # the returns of all seats after the step
        self.scores: Sequence[tuple[str, float]] = ()  # opponents, and the moving average of returns against each

    @property
    def decisions(self) -> int:
        """Decisions of the learner."""
        return int(self.by_learner.sum())

    @property
    def labels(self) -> int:
        """Decisions of the learner that were searched."""
        return int(self.searched.sum())
