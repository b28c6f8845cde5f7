"""An agent with the time that it takes."""

from __future__ import annotations

from collections.abc import Callable

from numpy.random import Generator

from rfop_env import agent


class Timed(agent.AgentWrapper):
    """An agent that lets another one choose, and counts its decisions and their seconds by a clock."""

    def __init__(self, inner: agent.Agent, clock: Callable[[], float]):
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
        self, observation: agent.Obs, action_mask: agent.Masks, rng: Generator, positions: agent.Positions | None = None
    ) -> agent.Actions:
        """What the agent chooses."""
        start = self._clock()
        actions = super().act(observation, action_mask, rng, positions)
        self.seconds += self._clock() - start
        self.decisions += len(actions)
        return actions
