"""The self-play trainer: everything that changes during a run, and its state for exact resume."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from training.ppo.arguments import SelfPlayArguments
from training.ppo.buffer import GAME_OVER, NO_ADVICE, OPEN
from training.ppo.collector import Collector
from training.ppo.learner import Learner
from training.ppo.networks import load_optimiser
from training.ppo.states import batch_bytes, refill


class Trainer:
    """A learner, the collector of its games, and one random generator for both; `collect` and `update` alternate."""

    # The arrays of the buffer whose first rows hold the open decisions.
    OPEN_ARRAYS = ("observation", "other_observations", "action_mask", "memory", "seat", "action", "log_prob", "value",
                   "teacher_action", "reward", "next_slot", "first", "by_learner")  # fmt: skip

    def __init__(self, args: SelfPlayArguments, game: Game, components: Any):
        torch.manual_seed(args.seed)
        self.args = args
        self.game = game
        self.rng = np.random.default_rng(args.seed)
        self.learner = Learner(args, game, components, self.rng)
        self.collector = Collector(args, game, components, self.learner.network, self.learner.critic, self.rng)
        self.updates = 0
        self.spent = 0.0  # share of the budget, for everything that changes with it
        self.figures: dict[str, float] = {}  # of the last update

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return self.collector.steps

    @property
    def teacher_weight(self) -> float:
        """The present weight of the teacher's loss."""
        if self.collector.teacher is None:
            return 0.0
        return self.args.teacher_weight * max(0.0, 1.0 - self.spent / self.args.teacher_until)

    def collect(self) -> None:
        """Play a rollout."""
        self.collector.collect(ask_teacher=self.teacher_weight > 0.0)

    def update(self, spent: float) -> None:
        """Train on the rollout, and prepare the next one; `spent` is the share of the budget.

        Raises `RfopError` if a weight becomes infinite or NaN.
        """
        self.spent = spent
        self.figures = self.learner.update(self.collector.buffer, spent, self.teacher_weight)
        self.learner.require_finite(self.steps)
        self.learner.move_magnet()
        self.updates += 1
        if self.updates % self.args.pool_every == 0:
            self.collector.pool.add(self.learner.network.arrays())
        self.collector.buffer.carry()

    # -- exact resume --------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to resume bit by bit, between two updates, as tensors and plain values."""
        learner, collector = self.learner, self.collector
        buffer, pool = collector.buffer, collector.pool
        state = {
            "network": learner.network.state_dict(),
            "magnet": learner.magnet.state_dict(),
            "critic": learner.critic.state_dict() if learner.critic else {},
            "optimiser": learner.optimiser.state_dict(),
            "open": {name: torch.from_numpy(getattr(buffer, name)[: buffer.seats].copy()) for name in self.OPEN_ARRAYS},
            "open_slot": torch.from_numpy(buffer.open_slot.copy()),
            "memory": torch.from_numpy(collector.memory.copy()),
            "orientation": torch.from_numpy(collector.orientation.copy()),
            "groups": [group.state() for group in collector.groups],
            "starts": [batch_bytes(starts.positions) for starts in collector.starts],
            "pool": [{name: torch.from_numpy(w) for name, w in weights.items()} for weights in pool.weights],
            "scores": list(pool.scores),
            "rng": self.rng.bit_generator.state,
            "steps": self.steps,
            "updates": self.updates,
            "spent": self.spent,
        }
        return copy.deepcopy(state)

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments; what does not fit raises an error before games are touched."""
        steps, updates, spent = int(state["steps"]), int(state["updates"]), float(state["spent"])
        if min(steps, updates) < 0 or not 0.0 <= spent <= 1.0:
            raise RfopError(f"steps {steps}, updates {updates}, spent {spent}")

        # Networks.
        learner, collector = self.learner, self.collector
        learner.network.load_state_dict(state["network"])
        learner.magnet.load_state_dict(state["magnet"])
        if learner.critic is not None:
            learner.critic.load_state_dict(state["critic"])
        load_optimiser(learner.optimiser, state["optimiser"])

        # Open decisions, snapshots, games and start positions.
        self._restore_open(state)
        collector.pool.restore(state["pool"], state["scores"], learner.network.arrays())
        for group, saved in zip(collector.groups, state["groups"], strict=True):
            group.restore(saved, collector.pool)
        for starts, positions in zip(collector.starts, state["starts"], strict=True):
            starts.positions.set_state(positions.numpy().view(self.game.state).reshape(-1))

        self.rng.bit_generator.state = state["rng"]
        collector.steps = steps
        self.updates = updates
        self.spent = spent

    def _restore_open(self, state: Mapping[str, Any]) -> None:
        """The open decisions of a `state`, the memories and the orientations."""
        collector, buffer, actions = self.collector, self.collector.buffer, self.game.actions.size
        ranges = {
            "seat": (0, buffer.seats),
            "action": (0, actions),
            "teacher_action": (NO_ADVICE, actions),
            "next_slot": (GAME_OVER, buffer.rows * buffer.games),
        }
        for name in self.OPEN_ARRAYS:
            refill(getattr(buffer, name)[: buffer.seats], state["open"][name], ranges.get(name))
        refill(buffer.open_slot, state["open_slot"], (OPEN, buffer.seats * buffer.games))
        refill(collector.memory, state["memory"])
        refill(collector.orientation, state["orientation"], (0, max(1, len(collector.oriented_actions))))
