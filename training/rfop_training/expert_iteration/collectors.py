"""The collectors of a run, as its trainer sees them; here those that play in threads of its own process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rfop_env.core.game import Game
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.collector import Collector
from rfop_training.expert_iteration.rollout import Rollout
from rfop_training.learning.networks import Network
from rfop_training.learning.phases import Phases
from rfop_training.learning.workers import Workers


class Collectors(Protocol):
    """A collector for each of `--threads` parts of the games, wherever it plays."""

    def collect(self, steps: int) -> list[Rollout]:
        """Play a rollout in every part, with the network as it is; `steps`: decisions of the run so far."""

    def state(self) -> list[dict[str, Any]]:
        """Everything needed to resume, of each collector, as tensors and plain values."""

    def restore(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Continue from a `state`. Raises an error for what does not fit."""


class ThreadCollectors:
    """Collectors in the threads of this process; they share nothing but the network, which they only read."""

    def __init__(self, args: ExpertArguments, game: Game, components: Any, network: Network, workers: Workers):
        self.workers = workers
        self.collectors = [Collector(args, game, components, network, part) for part in range(args.threads)]

    def collect(self, steps: int) -> list[Rollout]:
        """Play a rollout in every part, with the network as it is; `steps`: decisions of the run so far."""

        def play(collector: Collector, phases: Phases) -> Rollout:
            return collector.collect(steps, phases)

        return self.workers.map(play, self.collectors)

    def state(self) -> list[dict[str, Any]]:
        """Everything needed to resume, of each collector, as tensors and plain values."""
        return [collector.state() for collector in self.collectors]

    def restore(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Continue from a `state`. Raises an error for what does not fit."""
        for collector, state in zip(self.collectors, states, strict=True):
            collector.restore(state)
