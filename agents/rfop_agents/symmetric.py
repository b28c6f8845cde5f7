"""A network averaged over the symmetries of the game."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, AgentWrapper, Masks, Obs, Positions, Thoughts
from rfop_agents.network import ILLEGAL, Floats, NetworkAgent, judgement
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game


class SymmetricAgent(AgentWrapper):
    """Evaluates each position in every orientation of the board, and plays by the mean of the policies.

    It costs as many evaluations of the network as the game has symmetries, itself among them. `inner`: a network
    without a memory. It guides a search as `inner` does. Raises `RfopError` for a game without symmetries, and for a
    network with a memory, whose memories are of one orientation.
    """

    def __init__(self, inner: NetworkAgent, game: Game):
        super().__init__(inner)
        self.name = f"symmetric+{inner.name}"
        symmetries = game.symmetries()
        if not symmetries:
            raise RfopError(f"{self.name}: {game.id} has no symmetries; leave symmetric+ out")
        if inner.remembers:
            raise RfopError(f"{self.name}: a network with a memory has one orientation; leave symmetric+ out")
        self._network = inner
        self._observation = np.array([symmetry.observation for symmetry in symmetries])  # [K, D]
        self._actions = np.array([symmetry.actions for symmetry in symmetries])  # [K, A]

    @property
    def rewards(self) -> Mapping[str, float]:
        """The rewards that the network was trained for."""
        return self._network.rewards

    def evaluate(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Logits of the mean policy, float32 [n, A], `ILLEGAL` where the mask is false, and mean values float32 [n]."""
        probs = np.zeros(action_mask.shape, np.float32)
        total = np.zeros(len(observation), np.float32)
        for entries, actions in zip(self._observation, self._actions, strict=True):
            logits, values = self._network.evaluate(observation[:, entries], action_mask[:, actions])
            weights = np.exp(logits - logits.max(axis=1, keepdims=True))
            probs[:, actions] += weights / weights.sum(axis=1, keepdims=True)
            total += values

        sides = np.float32(len(self._actions))
        logits = np.log(np.maximum(probs / sides, np.finfo(np.float32).tiny))
        return np.where(action_mask, logits, np.float32(ILLEGAL)), total / sides

    def logits(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> Floats:
        """The logits of `evaluate` alone, float32 [n, A]."""
        return self.evaluate(observation, action_mask)[0]

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The most likely action of the mean policy, or one sampled from it, as `inner` plays: int64 [n]."""
        return self._network.choose(self.logits(observation, action_mask), action_mask, rng)

    def probabilities(self, observation: Obs, action_mask: Masks) -> NDArray[np.float64] | None:
        """The mean policy that `act` samples from, float64 [n, A]; None if `inner` does not sample."""
        return self._network.shares(self.logits(observation, action_mask), action_mask)

    def think(self, batch: GameBatch, games: NDArray[np.intp], rng: np.random.Generator) -> Thoughts:
        """The most likely actions of the mean policy, their probabilities, and the mean of the returns expected."""
        return judgement(self, batch, games, rng)
