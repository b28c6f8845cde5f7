"""An agent with the time that it takes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, AgentAround, Positions


class Timed(AgentAround):
    """An agent that lets another one choose, and counts its decisions and their seconds by a clock."""

    def __init__(self, inner: Agent, clock: Callable[[], float]):
        super().__init__(inner)
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """Count from here on."""
        self.seconds, self.decisions = 0.0, 0

    @property
    def mean(self) -> float:
        """Seconds a decision; 0 without any."""
        return self.seconds / max(1, self.decisions)

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """What the agent chooses."""
        start = self._clock()
        actions = super().act(observation, action_mask, rng, positions)
        self.seconds += self._clock() - start
        self.decisions += len(actions)
        return actions
