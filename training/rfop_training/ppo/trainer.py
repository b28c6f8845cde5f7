"""The self-play trainer: everything that changes during a run, and its state for exact resume."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.learning.arguments import PAST
from rfop_training.learning.networks import Network, load_optimiser
from rfop_training.learning.opponents import means_by_name
from rfop_training.learning.phases import BOOKKEEPING, Phases
from rfop_training.learning.run_folder import NEW_GAMES
from rfop_training.learning.states import batch_bytes, refill
from rfop_training.learning.workers import Workers
from rfop_training.ppo.arguments import SelfPlayArguments
from rfop_training.ppo.buffer import GAME_OVER, NO_ADVICE, OPEN
from rfop_training.ppo.collector import Collector
from rfop_training.ppo.learner import Learner
from rfop_training.ppo.snapshots import SnapshotPool


class Trainer:
    """A learner, and a collector of games for each thread; `collect` and `update` alternate.

    Collectors, learner and pool of snapshots have random generators of their own, so no result depends on the order
    in which threads work.
    """

    # The arrays of the buffer whose first rows hold the open decisions.
    OPEN_ARRAYS = ("observation", "other_observations", "action_mask", "memory", "seat", "action", "log_prob", "value",
                   "teacher_action", "reward", "next_slot", "first", "by_learner")  # fmt: skip

    def __init__(self, args: SelfPlayArguments, game: Game, components: Any):
        torch.manual_seed(args.seed)
        self.args = args
        self.game = game
        self.rng = np.random.default_rng(args.seed)  # of the learner and the pool
        self.workers = Workers(args.threads)
        self.learner = Learner(args, game, components, self.rng)
        network, critic = self.learner.network, self.learner.critic
        self.collectors = [Collector(args, game, components, network, critic, k) for k in range(args.threads)]
        groups = [group for collector in self.collectors for group in collector.groups]
        self.pool = SnapshotPool(args, groups, network, self.rng)
        self.pool.add(network.arrays())
        self.updates = 0
        self.spent = 0.0  # share of the budget, for everything that changes with it
        self.metrics: dict[str, float] = {}  # of the last update

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return sum(collector.steps for collector in self.collectors)

    @property
    def network(self) -> Network:
        """The network that is trained."""
        return self.learner.network

    @property
    def counts(self) -> dict[str, int]:
        """What progress.csv counts besides steps and updates: nothing."""
        return {}

    @property
    def scores(self) -> dict[str, float]:
        """The moving average of the learner's returns against each opponent in training, by its name."""
        return means_by_name((group.name, group.score) for group in self.pool.all_groups)

    @property
    def teacher_weight(self) -> float:
        """The present weight of the teacher's loss."""
        if not self.args.teacher:
            return 0.0
        return self.args.teacher_weight * max(0.0, 1.0 - self.spent / self.args.teacher_until)

    def collect(self) -> None:
        """Play a rollout."""
        ask_teacher = self.teacher_weight > 0.0

        def play(collector: Collector, phases: Phases) -> None:
            collector.collect(ask_teacher, phases)

        self.workers.map(play, self.collectors)

    def update(self, spent: float) -> None:
        """Train on the rollout, and prepare the next one; `spent` is the share of the budget.

        Raises `RfopError` if a weight becomes infinite or NaN.
        """
        self.spent = spent
        buffers = [collector.buffer for collector in self.collectors]
        self.metrics = self.learner.update(buffers, spent, self.teacher_weight, self.workers)
        self.workers.phases[0].begin(BOOKKEEPING)
        self.learner.require_finite(self.steps)
        self.learner.move_magnet()
        self.updates += 1
        if self.updates % self.args.pool_every == 0:
            self.pool.add(self.learner.network.arrays())
        for buffer in buffers:
            buffer.carry()

    # -- exact resume --------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to resume bit by bit, between two updates, as tensors and plain values."""
        learner, pool = self.learner, self.pool
        state = {
            "network": learner.network.state_dict(),
            "magnet": learner.magnet.state_dict(),
            "critic": learner.critic.state_dict() if learner.critic else {},
            "optimiser": learner.optimiser.state_dict(),
            "collectors": [self._collector_state(collector) for collector in self.collectors],
            "pool": [{name: torch.from_numpy(w) for name, w in weights.items()} for weights in pool.weights],
            "scores": list(pool.scores),
            "rng": self.rng.bit_generator.state,
            "updates": self.updates,
            "spent": self.spent,
        }
        return copy.deepcopy(state)

    def _collector_state(self, collector: Collector) -> dict[str, Any]:
        buffer = collector.buffer
        return {
            "open": {name: getattr(buffer, name)[: buffer.seats].cpu() for name in self.OPEN_ARRAYS},
            "open_slot": buffer.open_slot.cpu(),
            "memory": collector.memory.cpu(),
            "orientation": collector.orientation.cpu(),
            "groups": [group.state() for group in collector.groups],
            "starts": [batch_bytes(starts.positions) for starts in collector.starts],
            "rng": collector.rng.bit_generator.state,
            "steps": collector.steps,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments; what does not fit raises an error before games are touched."""
        updates, spent = int(state["updates"]), float(state["spent"])
        steps = [int(saved["steps"]) for saved in state["collectors"]]
        if min(*steps, updates) < 0 or not 0.0 <= spent <= 1.0:
            raise RfopError(f"steps {steps}, updates {updates}, spent {spent}")

        # Networks.
        learner = self.learner
        learner.network.load_state_dict(state["network"])
        learner.magnet.load_state_dict(state["magnet"])
        if learner.critic is not None:
            learner.critic.load_state_dict(state["critic"])
        load_optimiser(learner.optimiser, state["optimiser"])

        # Snapshots, open decisions, games and start positions.
        self.pool.restore(state["pool"], state["scores"], learner.network.arrays())
        for collector, saved in zip(self.collectors, state["collectors"], strict=True):
            if NEW_GAMES in state:
                self._keep_opponents(collector, saved)
            else:
                self._restore_collector(collector, saved)
        self.rng.bit_generator.state = state["rng"]
        self.updates = updates
        self.spent = spent

    def _restore_collector(self, collector: Collector, state: Mapping[str, Any]) -> None:
        """Restore what `_collector_state` gave."""
        buffer, actions = collector.buffer, self.game.actions.size
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

        for group, saved in zip(collector.groups, state["groups"], strict=True):
            group.restore(saved, self.pool.assign)
        for starts, positions in zip(collector.starts, state["starts"], strict=True):
            starts.positions.set_state(positions.numpy().view(self.game.state).reshape(-1))
        collector.rng.bit_generator.state = state["rng"]
        collector.steps = int(state["steps"])

    def _keep_opponents(self, collector: Collector, state: Mapping[str, Any]) -> None:
        """Restore who plays, and with what success; the games are new."""
        for group, saved in zip(collector.groups, state["groups"], strict=True):
            if group.name == PAST:
                self.pool.assign(group, int(saved["snapshot"]))
            group.score = float(saved["score"])
        collector.steps = int(state["steps"])
