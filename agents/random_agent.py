"""Uniformly random legal play: the floor of every table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, Positions, random_legal


class RandomAgent(Agent):
    """Every legal action with the same chance."""

    name = "random"

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """A random legal action for each position."""
        return random_legal(action_mask, rng)

    def probabilities(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The same for every legal action."""
        return action_mask / action_mask.sum(axis=1, keepdims=True)
