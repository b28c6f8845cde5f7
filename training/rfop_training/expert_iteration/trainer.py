"""The trainer of expert iteration: everything that changes during a run, and its state for exact resume."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.cluster import RayCollectors
from rfop_training.expert_iteration.collectors import Collectors, ThreadCollectors
from rfop_training.expert_iteration.learner import Learner
from rfop_training.expert_iteration.replay_buffer import ReplayBuffer
from rfop_training.learning.networks import Network, load_optimiser, require_finite
from rfop_training.learning.opponents import games_of, means_by_name
from rfop_training.learning.phases import BOOKKEEPING
from rfop_training.learning.run_folder import NEW_GAMES
from rfop_training.learning.workers import Workers


class ExpertTrainer:
    """A learner, collectors of games and a replay buffer for each of them; `collect` and `update` alternate.

    The collectors play in threads, or with the module `ray`, connected to a cluster, in its processes.
    """

    def __init__(self, args: ExpertArguments, game: Game, components: Any, ray: Any = None):
        torch.manual_seed(args.seed)
        self.args = args
        self.game = game
        self.rng = np.random.default_rng(args.seed)  # of the learner
        self.workers = Workers(args.threads if ray is None else 1)
        self.learner = Learner(args, game, components, self.rng)
        self.collectors: Collectors
        if ray is None:
            self.collectors = ThreadCollectors(args, game, components, self.network, self.workers)
        else:
            self.collectors = RayCollectors(ray, args, components, self.network, self.workers.phases[0])
        self.buffers = [
            ReplayBuffer(args.buffer_size // args.threads, end - first, game)
            for first, end in (games_of(args, part) for part in range(args.threads))
        ]
        self.steps = 0  # decisions of the learner so far
        self.labels = 0  # of them searched
        self.updates = 0
        self.spent = 0.0  # share of the budget
        self.metrics: dict[str, float] = {}  # of the last update
        self.scores: dict[str, float] = {}  # of the last rollout, by opponent

    @property
    def counts(self) -> dict[str, int]:
        """What progress.csv counts besides steps and updates."""
        return {"labels": self.labels, "lost": sum(buffer.lost for buffer in self.buffers)}

    @property
    def network(self) -> Network:
        """The network that is trained."""
        return self.learner.network

    def collect(self) -> None:
        """Play some steps of every game, and label a share of the positions."""
        rollouts = self.collectors.collect(self.steps)
        for buffer, rollout in zip(self.buffers, rollouts, strict=True):
            buffer.add(rollout)
            self.steps += rollout.decisions
            self.labels += rollout.labels
        self.scores = means_by_name(score for rollout in rollouts for score in rollout.scores)

    def update(self, spent: float) -> None:
        """Train on random decisions of the buffers; `spent` is the share of the budget.

        Raises `RfopError` if a weight becomes infinite or NaN.
        """
        self.spent = spent
        phases = self.workers.phases[0]
        self.metrics = self.learner.update(self.buffers, spent, phases)
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
            "steps": self.steps,
            "labels": self.labels,
            "updates": self.updates,
            "spent": self.spent,
        }
        buffers = [buffer.state() for buffer in self.buffers]
        return copy.deepcopy(small) | {"collectors": self.collectors.state(), "buffers": buffers}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments. Raises an error for what does not fit."""
        steps, labels, updates = (int(state[name]) for name in ("steps", "labels", "updates"))
        spent, owed = float(state["spent"]), float(state["owed"])
        if updates < 0 or not 0 <= labels <= steps or not 0.0 <= spent <= 1.0 or not 0.0 <= owed < 1.0:
            raise RfopError(f"steps {steps}, labels {labels}, updates {updates}, spent {spent}, owed {owed}")
        self.network.load_state_dict(state["network"])
        load_optimiser(self.learner.optimiser, state["optimiser"])
        if NEW_GAMES not in state:
            self.collectors.restore(state["collectors"])
        for buffer, saved in zip(self.buffers, state["buffers"], strict=True):
            buffer.restore(saved)
        self.rng.bit_generator.state = state["rng"]
        self.learner.owed = owed
        self.steps = steps
        self.labels = labels
        self.updates = updates
        self.spent = spent
