"""Beliefs: how probable each position is that a seat cannot tell from its own, as samples of whole positions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Positions


class Belief(ABC):
    """A distribution over the positions that a seat cannot tell from the one in which it decides.

    Searches and rollouts take one in place of uniform determinizations.
    """

    needs_history: bool = False  # it rests on `GameBatch.history`, where a batch keeps one
    most_games: int | None = None  # that an evaluation plays at once, for the memory that they need; None: any number

    @abstractmethod
    def sample(self, positions: Positions, copies: int, rng: Generator) -> NDArray[Any]:
        """Records, structured [copies, n]: `copies` samples of each of the n positions, for the seats that decide.

        As in `Positions.determinize`, they hold nothing of the true hidden cards, seeds or streams: all chance to come
        is drawn anew.
        """


class UniformBelief(Belief):
    """Every deal of the hidden cards is equally probable, whatever the others have done."""

    def sample(self, positions: Positions, copies: int, rng: Generator) -> NDArray[Any]:
        """Determinizations, structured [copies, n]."""
        return positions.determinize(copies)
