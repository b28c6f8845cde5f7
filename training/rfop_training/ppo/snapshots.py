"""Past snapshots of a network: the agents that play them, and the pool that assigns them to groups of games."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor

from rfop_agents.network import NetworkAgent, hidden_layers
from rfop_agents.tensors import to_device_like
from rfop_env.agent import Actions, Agent, Masks, Obs, Positions
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_training.learning.arguments import PAST
from rfop_training.learning.board_network import BoardNetwork
from rfop_training.learning.kernels.first_layer import sparse_rows
from rfop_training.learning.kernels.heads import sample_legal
from rfop_training.learning.kernels.hidden import outputs
from rfop_training.learning.networks import Network, compiled_loops, positive_uniform
from rfop_training.learning.opponents import ALL_SEATS, GameGroup
from rfop_training.learning.states import refill
from rfop_training.learning.tensors import TensorAgent
from rfop_training.ppo.arguments import SelfPlayArguments


class Snapshot(Agent):
    """A dense network without a memory that samples from its policy, by the loops of `rfop_training/learning/kernels`.

    Acting needs no unit of the last layer that only the value uses.
    """

    name = PAST

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]):
        tensors = {name: torch.from_numpy(array) for name, array in weights.items()}
        self._layers = [
            (tensors[f"layers.{k}.weight"], tensors[f"layers.{k}.bias"]) for k in range(hidden_layers(weights))
        ]
        self._scale = weights["scale"]

        last, bias = self._layers[-1]
        width = len(bias) // 2
        self._layers[-1] = last[:width], bias[:width]
        first, bias = self._layers[0]
        self._layers[0] = first.t().contiguous().t(), bias  # a row in memory for each input

        self._policy = np.ascontiguousarray(weights["policy.weight"][:, :width]), weights["policy.bias"]

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """A legal action for each position, sampled with `rng`: int64 [n]."""
        features = outputs(sparse_rows(observation, self._scale), self._layers)[-1].numpy()
        uniform = positive_uniform(rng, len(observation))
        actions: NDArray[np.int64] = sample_legal(action_mask, features, *self._policy, uniform)[0]
        return actions


class TensorSnapshot(TensorAgent):
    """A network without a memory that samples from its policy where the learner's is: on a card, or of a board."""

    name = PAST

    def __init__(self, learner: Network, weights: Mapping[str, NDArray[np.float32]]):
        self._network = copy.deepcopy(learner).requires_grad_(False)
        self._network.load_arrays(weights)

    @torch.inference_mode()
    def act_on_tensors(self, observation: Tensor, action_mask: Tensor, rng: np.random.Generator) -> Tensor:
        """A legal action for each position on the card, sampled with `rng`: int64 [n] from int8 [n, D], bool [n, A]."""
        features = self._network.features(observation)
        return self._network.sample(features, action_mask, positive_uniform(rng, len(observation)))[0]

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The same for positions of the processor."""
        like = self._network.scale
        sampled = self.act_on_tensors(to_device_like(like, observation), to_device_like(like, action_mask), rng)
        actions: NDArray[np.int64] = sampled.cpu().numpy()
        return actions


class SnapshotPool:
    """Snapshots of the learner, which play in the groups of `past`; `network` is the learner's."""

    def __init__(
        self, args: SelfPlayArguments, groups: Sequence[GameGroup], network: Network, rng: np.random.Generator
    ):
        self.args = args
        self.network = network
        self.rng = rng
        self.all_groups = groups
        self.groups = [group for group in groups if group.name == PAST]
        self.weights: list[dict[str, NDArray[np.float32]]] = []
        self.scores: list[float] = []  # the learner's moving average against each snapshot

    def add(self, weights: dict[str, NDArray[np.float32]]) -> None:
        """Add a snapshot, in place of a random older one if the pool is full, and assign a snapshot to each group."""
        if not self.groups:
            return
        for group in self.groups:
            if self.weights:
                self.scores[group.snapshot] = group.score

        if len(self.weights) == self.args.pool:
            removed = int(self.rng.integers(0, self.args.pool))
            del self.weights[removed], self.scores[removed]
        self.weights.append(weights)
        self.scores.append(0.0)

        for group in self.groups:
            self.assign(group, int(self.rng.choice(len(self.weights), p=self.probs())))

    def probs(self) -> NDArray[np.float64]:
        """The probability of each snapshot: equal, or larger for those that the learner loses to."""
        hardness = (1.0 - np.array(self.scores)) ** 2 + 0.01
        return hardness / hardness.sum() if self.args.prioritised else np.full(len(hardness), 1 / len(hardness))

    def assign(self, group: GameGroup, snapshot: int) -> None:
        """Let a snapshot play in a group, whose games continue against it. Raises `IndexError`."""
        group.snapshot = range(len(self.weights))[snapshot]
        group.score = self.scores[snapshot]
        weights, network = self.weights[snapshot], self.network
        if not isinstance(group.batch, GameBatch) or isinstance(network, BoardNetwork):
            group.agent = TensorSnapshot(network, weights)
        elif network.gru is None and compiled_loops(network.scale):
            group.agent = Snapshot(weights)
        else:
            group.agent = NetworkAgent.of_weights(weights, PAST, sample=True)
        if (group.seat == ALL_SEATS).all():
            group.sample_seats(group.all_games)

    def restore(
        self, weights: Sequence[Mapping[str, Tensor]], scores: Sequence[float], like: Mapping[str, Any]
    ) -> None:
        """Restore the snapshots of a checkpoint, which have the names and shapes of `like`. Raises `RfopError`."""
        self.weights = []
        for saved in weights:
            self.weights.append({name: np.empty_like(array) for name, array in like.items()})
            for name, array in self.weights[-1].items():
                refill(array, saved[name])

        self.scores = [float(score) for score in scores]
        if len(self.scores) != len(self.weights) or len(self.weights) > self.args.pool:
            raise RfopError(f"{len(self.weights)} snapshots with {len(self.scores)} scores")
