"""Positions from which a share of the games of a group starts: recorded ones, and openings of random decisions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_training.evaluation.games import opening_of
from rfop_training.learning.opponents import GameGroup


class RecordedStarts:
    """Positions recorded in a group while it plays.

    At every rollout some of them are replaced by current positions. In all of them the information that the seat to
    move cannot see, and all future chance, is determinized. A game that starts from such a position keeps its own seed
    for the games that follow.
    """

    REPLACED = 0.1  # share of the positions that a rollout replaces
    OWN_FIELDS: tuple[str, ...] = ("seed", "episode")  # what a game keeps of its own record

    def __init__(self, group: GameGroup, share: float, rng: np.random.Generator):
        self.group = group
        self.batch: Any = group.batch
        self.share = share
        self.rng = rng
        self.positions = self.new_positions()

    def new_positions(self) -> Any:
        """A batch that holds as many positions as the group has games."""
        return self.batch.clone()

    def record(self) -> None:
        """Store some current positions, and determinize all that are stored."""
        replaced = np.flatnonzero(self.rng.random(self.positions.num_games) < self.REPLACED)
        self.positions.copy_from(self.batch, replaced, replaced)
        keys = self.rng.integers(0, 2**32, self.positions.num_games)
        self.positions.determinize(self.positions.current_player, keys)

    def restart(self, ended: NDArray[np.bool_]) -> None:
        """Let a share of the games that have just started, bool [n], start from a stored position instead."""
        games = np.flatnonzero(ended & (self.rng.random(len(ended)) < self.share))
        sources = [int(self.rng.integers(0, self.positions.num_games)) for _ in games]
        self.batch.copy_from(self.positions, sources, games, keep=self.OWN_FIELDS)

        # A player inside the environment may have ended the game by its answer.
        over = ended & self.group.over()
        if over.any():
            self.batch.reset(only=over)
        self.group.paid = self.group.payoffs()


class Openings(RecordedStarts):
    """Positions after a few random decisions, for games that would otherwise all start alike, as in the evaluation.

    All decisions are random there, also those of a player inside the environment, which would soon beat random play.
    """

    OWN_FIELDS = (*RecordedStarts.OWN_FIELDS, "learner")

    def new_positions(self) -> Any:
        """A batch without a player inside, whose games have the seeds of the group's games."""
        batch = self.batch
        positions = type(batch)(batch.game, batch.num_games, options=batch.given_options, components=batch.components)
        positions.copy_from(batch)
        return positions

    def record(self) -> None:
        """Play new openings, of one to as many decisions as those of the evaluation."""
        self.positions.reset()
        self.positions.step_random(int(self.rng.integers(1, opening_of(self.batch.game) + 1)))
