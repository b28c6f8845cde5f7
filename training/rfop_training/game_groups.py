"""The games of a run, in groups whose other seats are taken in the same way: on the processor or a graphics card."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_agents.tensors import as_tensor, to_device_like
from rfop_env.agent import Agent, act_for
from rfop_env.core.batch import GameBatch
from rfop_env.core.cuda import device as card
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training import networks, run, run_arguments
from rfop_training.run_arguments import AllSeatsArguments

ALL_SEATS = -1  # the learner's seat in games where it has every seat
PAST_GROUPS = 2  # snapshots that play at the same time, over all threads; each costs a step of its own
SCORE_RATE = 0.01  # of the moving average of returns
PHASES = 32  # of a game, in which the first games of a run start


class TensorAgent(Agent):
    """An agent that acts where the tensors of its positions are, so that games on a card need not leave it."""

    @abstractmethod
    def act_on_tensors(self, observation: Tensor, action_mask: Tensor, rng: np.random.Generator) -> Tensor:
        """A legal action for each position: int64 [n] from int8 [n, D] and bool [n, A]."""


def torch_device(name: str) -> torch.device:
    """Where torch puts what is on a device, cpu or cuda; Numba's simulator has its card on the processor."""
    return torch.device("cpu" if name == card.DEVICE and card.simulated() else name)


def require_card() -> None:
    """Raise `RfopError` where torch finds no card, and there is no simulator of one."""
    if not card.simulated() and not torch.cuda.is_available():
        raise RfopError(f"--device {card.DEVICE}: torch finds none here; leave it out to train on the CPU")


def make_batch(device: str, game: Game, num_games: int, seed: int, **settings: Any) -> Any:
    """A `GameBatch`, or on a card a `CudaBatch`. Raises what `rfop_env.make_batch` does."""
    if device != card.DEVICE:
        return GameBatch(game, num_games, seed, **settings)
    card.require_device()
    from rfop_env.core.cuda.batch import CudaBatch

    return CudaBatch(game, num_games, seed, **settings)


def agent_actions(agent: Agent, batch: Any, games: Tensor, rng: np.random.Generator) -> Tensor:
    """The actions of an agent in some games, int64 [n], of a batch on any device: int64 [n]."""
    if isinstance(batch, GameBatch):
        return torch.from_numpy(act_for(agent, batch, games.numpy(), rng))

    # Of games on a card, most agents get copies.
    if isinstance(agent, TensorAgent):
        return agent.act_on_tensors(as_tensor(batch.observation)[games], as_tensor(batch.action_mask)[games], rng)
    if not agent.needs_positions:
        observation, mask = (as_tensor(array)[games].cpu().numpy() for array in (batch.observation, batch.action_mask))
        return to_device_like(games, agent.act(observation, mask, rng))
    copies = batch.on_processor(games.tolist())
    return to_device_like(games, act_for(agent, copies, np.arange(len(games)), rng))


class GameGroup:
    """Games whose other seats are taken in the same way; `columns` are their places among the games of the thread.

    The learner has every seat (`self`), or one seat of each game. The other seats are then taken inside the environment
    (random and scripted players), or by an `agent` that is asked here (a snapshot, or a model from a file).
    """

    def __init__(
        self,
        name: str,
        batch: Any,
        columns: slice,
        rewards: Mapping[str, float],
        agent: Agent | None,
        openings: float,
        rng: np.random.Generator,
    ):
        from rfop_training.evaluation.games import default_opening

        self.name = name
        self.batch = batch
        self.columns = columns
        self.rewards = rewards
        self.agent = agent
        self.rng = rng
        self.snapshot = 0  # which snapshot of the pool plays, in groups of `past`
        self.score = 0.0  # moving average of the learner's returns

        # The arrays of the batch, as tensors in the same memory.
        self.observation = as_tensor(batch.observation)
        self.action_mask = as_tensor(batch.action_mask)
        self.current_player = as_tensor(batch.current_player)
        self.terminated = as_tensor(batch.terminated)

        self.seat = torch.full_like(self.current_player, ALL_SEATS, dtype=torch.int64)
        if agent is not None:
            self.sample_seats(self.all_games)
        self.desynchronise()
        self.payoff = self.payoffs()  # of every seat at the moment, float32 [n, P]
        length = default_opening(batch.game)
        self.openings = Openings(batch, openings, length) if openings and length else None

    def desynchronise(self) -> None:
        """Play the first games part of the way at random, so that they end at different times.

        Otherwise all games would be in the same phase, and an update would contain that phase alone.
        """
        batch = self.batch
        while not self.over().all():
            batch.step_random(PHASES)
        length = int(np.median(batch.get_state()["decisions"]))

        batch.reset()
        start_phase = self.rng.integers(0, PHASES, batch.num_games)
        for phase in range(PHASES):
            batch.step_random(max(1, length // PHASES))
            batch.reset(only=(start_phase == phase) | self.over())

    @property
    def all_games(self) -> Tensor:
        """Their numbers in the batch: int64 [n]."""
        return torch.arange(self.batch.num_games, device=self.current_player.device)

    def over(self) -> NDArray[np.bool_]:
        """Which games have ended, and ask for nothing: bool [n]."""
        over: NDArray[np.bool_] = ~self.action_mask.any(dim=1).cpu().numpy()
        return over

    def payoffs(self) -> Tensor:
        """The weighted sum of all reward kinds that every seat has at the moment: float32 [n, P]."""
        kinds = [as_tensor(self.batch.game_returns(name, weight)) for name, weight in self.rewards.items()]
        return sum(kinds[1:], kinds[0])

    def sample_seats(self, games: Tensor) -> None:
        """Sample the learner's seat in these games, int64 [k]."""
        self.seat[games] = to_device_like(games, self.rng.integers(0, self.batch.game.spec.players, len(games)))

    def learner_moves(self) -> Tensor:
        """Where the learner decides: bool [n]."""
        return (self.seat == ALL_SEATS) | (self.current_player == self.seat)

    def observe_others(self) -> Tensor:
        """What the other seats see, in the order of play from the seat that decides: int8 [n, P - 1, D]."""
        seats = self.batch.game.spec.players
        player = self.current_player.cpu().numpy()
        views = [as_tensor(self.batch.observe((player + k) % seats)) for k in range(1, seats)]
        return torch.stack(views, dim=1)

    def let_agent_act(self, actions: Tensor, by_learner: Tensor) -> None:
        """Enter the agent's actions where the learner does not decide into `actions`, int64 [n]."""
        if self.agent is None or by_learner.all():
            return
        games = (~by_learner).nonzero()[:, 0]
        actions[games] = agent_actions(self.agent, self.batch, games, self.rng)

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Carry out all actions [n]; returns the rewards of all seats, float32 [n, P], and which games ended, [n]."""
        self.batch.step(actions.contiguous() if actions.is_cuda else actions.numpy())
        payoff = self.payoffs()
        rewards = payoff - self.payoff
        self.payoff = payoff
        return rewards, self.terminated.clone()

    def start_next_games(self, terminated: Tensor) -> None:
        """Add the games that ended, bool [n], to the score, and start the next ones."""
        games = terminated.nonzero()[:, 0]
        seats = as_tensor(self.batch.learner)[games].long() if self.agent is None else self.seat[games]
        for payoff in self.payoff[games, seats].tolist():
            self.score += SCORE_RATE * (payoff - self.score)

        if self.agent is not None:
            self.sample_seats(games)
        starting = terminated.cpu().numpy()
        self.batch.reset(only=starting)
        if self.openings is not None:
            self.openings.start(self.batch, starting, self.rng)
            if (over := starting & self.over()).any():  # by the answer of a player inside the environment
                self.batch.reset(only=over)
        self.payoff = self.payoffs()

    def state(self) -> dict[str, Any]:
        """Everything needed to resume, as tensors and plain values."""
        openings = [] if self.openings is None else [batch_bytes(self.openings.positions)]
        return {
            "states": batch_bytes(self.batch),
            "openings": openings,
            "seat": self.seat.cpu().clone(),
            "snapshot": self.snapshot,
            "score": self.score,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`, but for the agent of a group of `past`. Raises `RfopError`."""
        set_batch_bytes(self.batch, state["states"])
        if self.openings is not None:
            set_batch_bytes(self.openings.positions, state["openings"][0])
        refill(self.seat, state["seat"], (ALL_SEATS, self.batch.game.spec.players))
        self.score = float(state["score"])
        self.payoff = self.payoffs()


class Openings:
    """Positions after a few random decisions, from which a share of games starts that would otherwise start alike.

    All decisions are random there, also those of a player inside the environment.
    """

    def __init__(self, batch: Any, share: float, length: int):
        self.share = share
        self.length = length  # random decisions at most
        self.positions = type(batch)(
            batch.game, batch.num_games, options=batch.given_options, components=batch.components
        )
        self.positions.copy_from(batch)

    def renew(self, rng: np.random.Generator) -> None:
        """Play new openings, all of the same random length."""
        self.positions.reset()
        self.positions.step_random(int(rng.integers(1, self.length + 1)))

    def start(self, batch: Any, starting: NDArray[np.bool_], rng: np.random.Generator) -> None:
        """Put random openings into a share of the games that have just started, bool [n]."""
        games = np.flatnonzero(starting & (rng.random(len(starting)) < self.share))
        sources = [int(rng.integers(0, self.positions.num_games)) for _ in games]
        batch.copy_from(self.positions, sources, games, keep=("seed", "episode", "learner"))


def make_groups(
    args: AllSeatsArguments, game: Game, components: Any, rng: np.random.Generator, thread: int, device: str = "cpu"
) -> list[GameGroup]:
    """The groups of one thread of a run, with games on a device; those of `past` wait for their first snapshot.

    Raises `RfopError`.
    """
    # The share of each group, and its columns among the games of the thread.
    games = args.thread_games(thread)
    past_groups = max(1, PAST_GROUPS // args.threads)
    shares: list[tuple[str, float]] = []
    for name, share in run_arguments.opponent_shares(args.opponents, game).items():
        number = past_groups if name == run_arguments.PAST else 1
        shares += [(name, share / number)] * number
    edges = np.round(np.cumsum([0.0, *(share for _, share in shares)]) * len(games)).astype(int).tolist()
    if min(np.diff(edges)) < 1:
        raise RfopError(
            f"--num-envs: {args.num_envs} games are too few for {len(shares) * args.threads} groups; give more, fewer "
            f"--threads, or other shares"
        )

    # Their games.
    inside = [opponent.name for opponent in game.opponents]
    rewards = run_arguments.training_rewards(args.reward, game)
    groups = []
    for (name, _), low, high in zip(shares, edges[:-1], edges[1:], strict=True):
        batch = make_batch(
            device,
            game,
            high - low,
            args.first_seed + games.start + low,
            options=run_arguments.game_options(args.option, game),
            components=components,
            opponent=name if name in inside else None,
        )
        agent = None
        if name not in (run_arguments.SELF, run_arguments.PAST, *inside):
            agent = args.load_agent(name, game, components)
        groups.append(GameGroup(name, batch, slice(low, high), rewards, agent, args.openings, rng))
    return groups


def mean_scores(groups: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The mean score against each opponent by name, from names and scores of groups."""
    scores: dict[str, list[float]] = {}
    for name, score in groups:
        scores.setdefault(name, []).append(score)
    return {name: sum(values) / len(values) for name, values in scores.items()}


class AllSeatsTrainer(run.Trainer):
    """A trainer of one network for all seats."""

    args: AllSeatsArguments
    network: networks.Network

    def to_arrays(self) -> dict[str, Any]:
        """A copy of the weights under the names of a model file."""
        return self.network.to_arrays()

    def belief_pieces(self) -> Sequence[str]:
        """The names of the pieces that the belief head predicts; none without one."""
        if self.network.belief is None:
            return ()
        return [piece.name for piece in self.game.observation.private()[0].pieces]

    def curve_opponent(self) -> str:
        """The opponent of the learning curve, by default the game's last scripted player; "" in a game of one seat."""
        return self.args.evaluate_against or (self.game.opponents[-1].name if self.game.opponents else "")

    def predicted_rewards(self) -> Mapping[str, float]:
        """The reward kinds, with weights, whose remainder the values predict."""
        return run_arguments.training_rewards(self.args.reward, self.game)


# -- arrays of a checkpoint --------------------------------------------------------------------------------------------


def refill(array: NDArray[Any] | Tensor, saved: Tensor, within: tuple[int, int] | None = None) -> None:
    """Copy a tensor of a checkpoint into an array or tensor of the same shape and type.

    Its numbers lie in `range(*within)`. Raises `RfopError`.
    """
    target = array if isinstance(array, Tensor) else torch.from_numpy(array)
    if saved.shape != target.shape or saved.dtype != target.dtype:
        raise RfopError(f"{saved.dtype} {list(saved.shape)} instead of {target.dtype} {list(target.shape)}")
    if within is not None and not ((within[0] <= saved) & (saved < within[1])).all():
        raise RfopError(f"numbers that are not in {range(*within)}")
    target.copy_(saved)


def batch_bytes(batch: Any) -> Tensor:
    """The records of all games as bytes: uint8 [n * bytes of a record]."""
    return torch.from_numpy(batch.get_state().view(np.uint8).reshape(-1).copy())


def set_batch_bytes(batch: Any, saved: Tensor) -> None:
    """Put the records of `batch_bytes` into a batch."""
    batch.set_state(saved.numpy().view(batch.game.state).reshape(-1))
