"""Opponents: groups of games whose other seats are taken in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_agents.tensors import as_tensor, to_device_like
from rfop_env.agent import Agent
from rfop_env.core.batch import GameBatch
from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.players import load_agent
from rfop_training.learning.arguments import (
    PAST,
    SELF,
    AllSeatsArguments,
    RunArguments,
    game_options,
    opponents_of,
    rewards_of,
)
from rfop_training.learning.states import batch_bytes, refill
from rfop_training.learning.tensors import ask, given, new_batch

if TYPE_CHECKING:
    from rfop_env.core.cuda.batch import CudaBatch

ALL_SEATS = -1  # the learner's seat in games where it has every seat
SEEDS_APART = 1_000_003  # between the games of two runs; all stay below the seeds of the evaluation
PAST_GROUPS = 2  # snapshots that play at the same time, over all threads; each costs a step of its own
SCORE_RATE = 0.01  # of the moving average of returns


class GameGroup:
    """Games whose other seats are taken in the same way; `columns` are their places among the games of the run.

    The learner has every seat (`self`), or one seat of each game. The other seats are then taken inside the environment
    (random and scripted players), or by an `agent` that is asked here (a snapshot, or a model from a file).
    """

    PHASES = 32

    def __init__(
        self,
        name: str,
        batch: GameBatch | CudaBatch,
        columns: slice,
        rewards: Mapping[str, float],
        agent: Agent | None,
        rng: np.random.Generator,
    ):
        self.name = name
        self.batch = batch
        self.columns = columns
        self.agent = agent
        self.rng = rng
        self.snapshot = 0  # which snapshot of the pool plays, in groups of `past`
        self.score = 0.0  # moving average of the learner's returns
        self.rewards = rewards

        # The arrays of the batch, as tensors in the same memory.
        self.observation = as_tensor(batch.observation)
        self.action_mask = as_tensor(batch.action_mask)
        self.current_player = as_tensor(batch.current_player)
        self.terminated = as_tensor(batch.terminated)

        self.seat = torch.full_like(self.current_player, ALL_SEATS, dtype=torch.int64)
        if agent is not None:
            self.sample_seats(self.all_games)
        self.desynchronise()
        self.paid = self.payoffs()

    def desynchronise(self) -> None:
        """Play the first games part of the way at random, so that they end at different times.

        Otherwise all games would be in the same phase, and an update would contain that phase alone.
        """
        batch = self.batch
        while not self.over().all():
            batch.step_random(self.PHASES)
        length = int(np.median(batch.get_state()["decisions"]))

        batch.reset()
        start_phase = self.rng.integers(0, self.PHASES, batch.num_games)
        for phase in range(self.PHASES):
            batch.step_random(max(1, length // self.PHASES))
            batch.reset(only=(start_phase == phase) | self.over())

    @property
    def all_games(self) -> Tensor:
        """Their numbers in the batch: int64 [n]."""
        return torch.arange(self.batch.num_games, device=self.current_player.device)

    def over(self) -> NDArray[np.bool_]:
        """Which games have ended, and ask for nothing: bool [n]."""
        over: NDArray[np.bool_] = ~self.action_mask.any(dim=1).cpu().numpy()
        return over

    def observe(self, seats: Tensor) -> Tensor:
        """The present views of these seats, int64 [n]: int8 [n, D]."""
        return as_tensor(self.batch.observe(given(seats)))

    def payoffs(self) -> Tensor:
        """The weighted sum of all reward kinds that every seat has at the moment: float32 [n, P]."""
        kinds = [as_tensor(self.batch.returns_of(name, weight)) for name, weight in self.rewards.items()]
        return sum(kinds[1:], kinds[0])

    def sample_seats(self, games: Tensor) -> None:
        """Sample the learner's seat in these games, int64 [k]."""
        self.seat[games] = to_device_like(games, self.rng.integers(0, self.batch.game.spec.players, len(games)))

    def learner_moves(self) -> Tensor:
        """Where the learner decides: bool [n]."""
        return (self.seat == ALL_SEATS) | (self.current_player == self.seat)

    def let_agent_act(self, actions: Tensor, by_learner: Tensor) -> None:
        """Enter the agent's actions where the learner does not decide into `actions`, int64 [n]."""
        if self.agent is None or by_learner.all():
            return
        others = (~by_learner).nonzero()[:, 0]
        actions[others] = ask(self.agent, self.batch, others, self.rng)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Carry out all actions [n]; returns the rewards of all seats, float32 [n, P], and which games ended, [n]."""
        self.batch.step(given(actions))
        payoffs = self.payoffs()
        rewards = payoffs - self.paid
        self.paid = payoffs
        return rewards, self.terminated.clone()

    def start_next_games(self, ended: Tensor) -> None:
        """Add the games that ended, bool [n], to the score, and start the next ones."""
        games = ended.nonzero()[:, 0]
        seats = as_tensor(self.batch.learner)[games].long() if self.agent is None else self.seat[games]
        for payoff in self.paid[games, seats].tolist():
            self.score += SCORE_RATE * (payoff - self.score)

        if self.agent is not None:
            self.sample_seats(games)
        self.batch.reset(only=ended.cpu().numpy())
        self.paid = self.payoffs()

    def state(self) -> dict[str, Any]:
        """Everything needed to resume, as tensors and plain values."""
        return {
            "states": batch_bytes(self.batch),
            "seat": self.seat.cpu().clone(),
            "snapshot": self.snapshot,
            "score": self.score,
            "memories": [torch.from_numpy(array.copy()) for array in self._memories()],
        }

    def restore(self, state: Mapping[str, Any], assign: Callable[[GameGroup, int], None] | None = None) -> None:
        """Continue from a `state`; `assign` gives groups of `past` their snapshot."""
        self.batch.set_state(state["states"].numpy().view(self.batch.game.state).reshape(-1))
        if assign is not None and self.name == PAST:
            assign(self, int(state["snapshot"]))
        refill(self.seat, state["seat"], (ALL_SEATS, self.batch.game.spec.players))
        self.score = float(state["score"])
        self.paid = self.payoffs()
        for array, saved in zip(self._memories(), state["memories"], strict=True):
            refill(array, saved)

    def _memories(self) -> Sequence[NDArray[Any]]:
        """The memories of the agent in these games: two arrays, none if it is not recurrent."""
        return self.agent.memories(self.batch) if self.agent and isinstance(self.batch, GameBatch) else ()


def make_groups(
    args: AllSeatsArguments, game: Game, components: Any, rng: np.random.Generator, thread: int, device: str = "cpu"
) -> list[GameGroup]:
    """The groups of one thread of a run, with games on a device; those of `past` wait for their first snapshot.

    Raises `RfopError`.
    """
    # The share of each group, and its columns among the games of the thread.
    first, end = games_of(args, thread)
    past_groups = max(1, PAST_GROUPS // args.threads)
    shares: list[tuple[str, float]] = []
    for name, share in opponents_of(args.opponents, game).items():
        shares += [(PAST, share / past_groups)] * past_groups if name == PAST else [(name, share)]
    edges = np.round(np.cumsum([0.0, *(share for _, share in shares)]) * (end - first)).astype(int).tolist()
    if min(np.diff(edges)) < 1:
        raise RfopError(
            f"--num-envs: {args.num_envs} games are too few for {len(shares) * args.threads} groups; give more, fewer "
            f"--threads, or other shares"
        )

    # Their games.
    inside = [opponent.name for opponent in game.opponents]
    groups, rewards = [], rewards_of(args.reward, game)
    for (name, _), low, high in zip(shares, edges[:-1], edges[1:], strict=True):
        batch = new_batch(
            device, game, high - low, args.seed * SEEDS_APART + first + low, game_options(args.option, game),
            components, name if name in inside else None,
        )  # fmt: skip
        agent = None if name in (SELF, PAST, *inside) else agent_of(args, name, game, components)
        if device == CARD and agent is not None and agent.remembers:
            raise RfopError(f"--opponents: {name} has a memory, and cannot play in games on a card: add --games-on-cpu")
        groups.append(GameGroup(name, batch, slice(low, high), rewards, agent, rng))
    return groups


def agent_of(args: RunArguments, name: str, game: Game, components: Any) -> Agent:
    """The agent of a name in the arguments of a run. Raises `RfopError`."""
    return load_agent(name, game, components, typed=True, any_components=args.any_components)


def means_by_name(scores: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean score against each opponent by name, over the groups of games that it plays in."""
    parts: dict[str, list[float]] = {}
    for name, score in scores:
        parts.setdefault(name, []).append(score)
    return {name: sum(values) / len(values) for name, values in parts.items()}


def games_of(args: AllSeatsArguments, thread: int) -> tuple[int, int]:
    """The first game of a thread, and the one after its last."""
    return args.num_envs * thread // args.threads, args.num_envs * (thread + 1) // args.threads
