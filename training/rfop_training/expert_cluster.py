"""Players of expert iteration as actors of a Ray cluster, with the same results as in threads of one process.

Every actor gets the newest weights, plays a rollout, and hands it over together with its own state. If its process
dies, another actor starts from the last state that was handed over and plays the same rollout again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from rfop_env.core.errors import RfopError
from rfop_training.common.cluster import require_cpus
from rfop_training.networks import Network, make_network
from rfop_training.run_arguments import AllSeatsArguments, load_game

MOST_LOSSES = 10  # processes of players that may die in one rollout before the run ends with an error
COMPILING = 900.0  # seconds for a node to start a player, which may have to compile rules and search


class RemotePlayer:
    """A player in a process of its own, with its own copy of the network."""

    def begin(self, player: Any, args: AllSeatsArguments, components: Any, part: int) -> dict[str, Any]:
        """Make a `player`, which is its class, with its games; returns everything needed to resume.

        Compiles rules and search where no cache has them. Raises `RfopError`.
        """
        torch.set_num_threads(1)
        game, _ = load_game(args, components)
        self.network = make_network(args, game)
        self.player = player(args, game, components, self.network, part)
        return self.player.state()

    def collect(
        self, state: Mapping[str, Any] | None, weights: Mapping[str, Any], steps: int
    ) -> tuple[Any, dict[str, Any]]:
        """Play a rollout with these weights, from a state if there is one; also returns the state after it."""
        if state is not None:
            self.player.restore(state)
        self.network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()})
        rollout = self.player.collect(steps)
        return rollout, self.player.state()


class RayPlayers:
    """Players in processes of a cluster, one CPU each; `player` is their class."""

    def __init__(self, ray: Any, player: Any, args: AllSeatsArguments, components: Any, network: Network):
        require_cpus(ray, args.threads, "--threads")
        self.ray = ray
        self.player = player
        self.args = replace(args, run=Path())  # nothing is written there
        self.components = components
        self.network = network
        self.actors: list[Any] = [None] * args.threads
        starting = [self._begin(part) for part in range(args.threads)]
        try:
            self.states = [self._get(state, COMPILING) for state in starting]
        except _Lost as loss:
            raise RfopError(f"a process of the cluster died while it started: {loss}") from None
        self.behind = [False] * args.threads  # whose actor does not have its state

    def _begin(self, part: int) -> Any:
        """Start an actor; returns what its state will be."""
        remote = self.ray.remote(RemotePlayer).options(num_cpus=1, scheduling_strategy="SPREAD")
        self.actors[part] = remote.remote()
        return self.actors[part].begin.remote(self.player, self.args, self.components, part)

    def collect(self, steps: int) -> list[Any]:
        """Play a rollout in every part, with the network as it is; `steps`: decisions of the run so far.

        Raises `RfopError` if actors die again and again, or no node starts a new one.
        """
        weights = self.ray.put({name: tensor.numpy() for name, tensor in self.network.state_dict().items()})
        playing = [self._ask(part, weights, steps) for part in range(len(self.actors))]
        results: list[tuple[Any, dict[str, Any]]] = []
        starting: dict[int, Any] = {}  # of actors that replace lost ones
        losses = 0
        while len(results) < len(playing):
            part = len(results)
            try:
                if part in starting:
                    self._get(starting.pop(part), COMPILING)
                results.append(self._get(playing[part]))
            except _Lost as loss:
                losses += 1
                if losses > MOST_LOSSES:
                    raise RfopError(
                        f"{losses} processes of the cluster died while they played: {loss}; mend the cluster and "
                        "continue with --resume"
                    ) from None
                starting[part] = self._begin(part)
                self.behind[part] = True
                playing[part] = self._ask(part, weights, steps)

        # Only now, when all have answered: a rollout that is played again starts from the states before it.
        self.states = [state for _, state in results]
        self.behind = [False] * len(results)
        return [rollout for rollout, _ in results]

    def _ask(self, part: int, weights: Any, steps: int) -> Any:
        state = self.states[part] if self.behind[part] else None
        return self.actors[part].collect.remote(state, weights, steps)

    def state(self) -> list[dict[str, Any]]:
        """Everything needed to resume, of each player, as tensors and plain values."""
        return list(self.states)

    def restore(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Continue from a `state`. Raises `RfopError` for what does not fit."""
        if len(states) != len(self.actors):
            raise RfopError(f"{len(states)} players instead of {len(self.actors)}")
        self.states = [dict(state) for state in states]
        self.behind = [True] * len(states)

    def _get(self, result: Any, timeout: float | None = None) -> Any:
        """The result of an actor. Raises what it raised, `_Lost` if it died, `RfopError` if no node starts it."""
        errors = self.ray.exceptions
        try:
            return self.ray.get(result, timeout=timeout)
        except errors.RayTaskError as error:
            if isinstance(error.cause, RfopError):
                raise error.cause from None
            raise
        except errors.GetTimeoutError:
            raise RfopError(
                f"no node of the cluster has started a process for games in {timeout:,.0f} s; add nodes, or CPUs"
            ) from None
        except errors.RayError as error:
            raise _Lost(str(error).strip().splitlines()[0]) from None


class _Lost(Exception):
    """The process of an actor died."""
