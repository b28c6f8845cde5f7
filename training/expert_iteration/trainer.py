"""The trainer of expert iteration: everything that changes during a run, and its state for exact resume."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from training.expert_iteration.arguments import ExpertArguments
from training.expert_iteration.collector import Collector
from training.expert_iteration.learner import Learner
from training.ppo.networks import Network, load_optimiser, require_finite
from training.ppo.opponents import GameGroup
from training.ppo.phases import BOOKKEEPING, Phases
from training.ppo.workers import Workers


class ExpertTrainer:
    """A learner, and a collector of games for each thread; `collect` and `update` alternate.

    Games and searches of the threads share nothing but the network, which is only read then; one thread updates it.
    """

    def __init__(self, args: ExpertArguments, game: Game, components: Any):
        torch.manual_seed(args.seed)
        self.args = args
        self.game = game
        self.rng = np.random.default_rng(args.seed)  # of the learner
        self.workers = Workers(args.threads)
        self.learner = Learner(args, game, components, self.rng)
        self.collectors = [Collector(args, game, components, self.network, k) for k in range(args.threads)]
        self.updates = 0
        self.spent = 0.0  # share of the budget
        self.figures: dict[str, float] = {}  # of the last update

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return sum(collector.steps for collector in self.collectors)

    @property
    def labels(self) -> int:
        """Decisions that were searched so far."""
        return sum(collector.labels for collector in self.collectors)

    @property
    def counts(self) -> dict[str, int]:
        """What progress.csv counts besides steps and updates."""
        return {"labels": self.labels, "lost": sum(collector.buffer.lost for collector in self.collectors)}

    @property
    def network(self) -> Network:
        """The network that is trained."""
        return self.learner.network

    @property
    def groups(self) -> Sequence[GameGroup]:
        """The games, by their opponents."""
        return [group for collector in self.collectors for group in collector.groups]

    def collect(self) -> None:
        """Play some steps of every game, and label a share of the positions."""

        def play(collector: Collector, phases: Phases) -> None:
            collector.collect(phases)

        self.workers.map(play, self.collectors)

    def update(self, spent: float) -> None:
        """Train on random decisions of the buffers; `spent` is the share of the budget.

        Raises `RfopError` if a weight becomes infinite or NaN.
        """
        self.spent = spent
        phases = self.workers.phases[0]
        self.figures = self.learner.update([collector.buffer for collector in self.collectors], spent, phases)
        phases.begin(BOOKKEEPING)
        require_finite(self.steps, *self.network.parameters())
        self.updates += 1

    # -- exact resume --------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to resume bit by bit, between two updates, as tensors and plain values."""
        learner = self.learner
        small = {
            "network": learner.network.state_dict(),
            "optimiser": learner.optimiser.state_dict(),
            "rng": self.rng.bit_generator.state,
            "owed": learner.owed,
            "updates": self.updates,
            "spent": self.spent,
        }
        return copy.deepcopy(small) | {"collectors": [collector.state() for collector in self.collectors]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments. Raises an error for what does not fit."""
        updates, spent, owed = int(state["updates"]), float(state["spent"]), float(state["owed"])
        if updates < 0 or not 0.0 <= spent <= 1.0 or not 0.0 <= owed < 1.0:
            raise RfopError(f"updates {updates}, spent {spent}, owed {owed}")
        self.network.load_state_dict(state["network"])
        load_optimiser(self.learner.optimiser, state["optimiser"])
        for collector, saved in zip(self.collectors, state["collectors"], strict=True):
            collector.restore(saved)
        self.rng.bit_generator.state = state["rng"]
        self.learner.owed = owed
        self.updates = updates
        self.spent = spent
