"""Expert iteration in one file: a search labels positions with improved policies, and its network learns them.

From top to bottom: arguments, the network as the search calls it, playing and labelling, the replay buffer, the loss,
the trainer with its update and its checkpoint. The network plays its games; a search that it guides labels a share of
the positions, and the network learns the labels and the returns of the games.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rfop_agents import rollouts, search
from rfop_agents.search import settings as search_settings
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training import game_groups, networks, run
from rfop_training.common import cluster
from rfop_training.run_arguments import (
    MANY,
    NOT_NEGATIVE,
    PAST,
    POSITIVE,
    AllSeatsArguments,
    Range,
    argument,
    check_arguments,
    check_budget,
    game_options,
    opponent_shares,
    training_rewards,
)

ROLLOUT_RANGES, SEARCH_RANGES = rollouts.RANGES, search_settings.RANGES


# -- arguments ---------------------------------------------------------------------------------------------------------


@dataclass
class ExpertArguments(AllSeatsArguments):
    """The arguments of `rfop train expert`."""

    run: Path = argument(Path("runs/expert_iteration"), "folder of the run")
    opponents: str = argument(
        "self=1",
        "who has the other seats, by shares of the games: self, random, a scripted player, or the path of a "
        "model, as in self=0.8,scripted=0.2",
        fixed=str,
    )
    num_envs: int = argument(256, "parallel games", Range(1, MANY), fixed=str)
    checkpoint_every: float = argument(300.0, "seconds between two checkpoints", NOT_NEGATIVE)
    threads: int = argument(
        1, "threads, or with --ray processes: each plays its share of the games", Range(1, 1024), fixed=str
    )
    ray: str = argument("", f"play in processes of a cluster, one CPU each: {cluster.ADDRESS}; empty: in threads here")

    # The search, or rollouts in place of it.
    rollouts: int = argument(
        0,
        "redraws of hidden information and chance for each label: likely actions are tried on the same redraws, and "
        "the network plays on from each; 0: a tree search labels, by --simulations",
        Range(0, ROLLOUT_RANGES["draws"][1]),
    )
    rollout_length: int = argument(
        8, "with --rollouts: decisions that the network plays on, before it judges", Range(*ROLLOUT_RANGES["length"])
    )
    simulations: int = argument(16, "simulations for each label of a tree search", Range(*SEARCH_RANGES["simulations"]))
    considered: int = argument(8, "actions of a root that are considered at most", Range(*SEARCH_RANGES["considered"]))
    q_scale: float = argument(
        0.5, "how much values count against logits in an improved policy", Range(*SEARCH_RANGES["q_scale"])
    )
    root_noise: float = argument(
        1.0, "factor of the Gumbel noise with which roots choose", Range(*SEARCH_RANGES["root_noise"])
    )
    prior_weight: float = argument(
        0.75, "share of the search's prior that is the network's policy; the rest is uniform", Range(0, 0.999)
    )
    search_share: float = argument(
        0.25,
        "share of the decisions that are searched and so labelled with a policy; the others are sampled from the "
        "network, and only their values are learned",
        Range(0, 1, above=True),
    )

    # The update.
    num_steps: int = argument(16, "steps of each game between two updates", Range(1, MANY))
    buffer_size: int = argument(
        131_072,
        "decisions kept; they should be more than --num-envs times the decisions of a game",
        Range(1, 10**9),
        fixed=str,
    )
    passes: float = argument(2.0, "how often a decision is trained on, on average", POSITIVE)
    minibatch_size: int = argument(1024, "decisions per gradient step", Range(1))
    vf_coef: float = argument(1.0, "weight of the value loss", NOT_NEGATIVE)
    max_grad_norm: float = argument(1.0, "maximum gradient norm (clipping)", POSITIVE)

    def make_expert(self, game: Game, network: SearchNetwork) -> Any:
        """The agent that labels: rollouts, or a tree search whose leaves the network judges."""
        if self.rollouts:
            rollout_settings = rollouts.RolloutSettings(
                draws=self.rollouts, length=self.rollout_length, considered=self.considered, q_scale=self.q_scale
            )
            return rollouts.RolloutAgent(game, network, rollout_settings)
        tree_settings = search_settings.SearchSettings(
            simulations=self.simulations,
            root=search_settings.GUMBEL,
            considered=self.considered,
            q_scale=self.q_scale,
            root_noise=self.root_noise,
            prior_weight=self.prior_weight,
        )
        return search.SearchAgent(game, tree_settings, network=network)


# -- playing and labelling ---------------------------------------------------------------------------------------------


class SearchNetwork:
    """The network as the search calls it; with `bf16` it is a copy with hidden layers in bfloat16."""

    remembers = False

    def __init__(self, network: networks.Network, rewards: Mapping[str, float]):
        self.network = network
        self.rewards = rewards
        self.model = network.bf16_copy() if network.bf16 else network

    def refresh(self) -> None:
        """Copy the weights of the network, which has changed."""
        if self.model is not self.network:
            self.network.refresh_copy(self.model)

    @torch.inference_mode()
    def evaluate(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits float32 [n, A], and float32 [n], the rewards still to come for the seats that decide."""
        logits, values = self.model(torch.from_numpy(observation), torch.from_numpy(action_mask))
        return logits.numpy(), values.numpy()

    def logits(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The logits of `evaluate` alone, float32 [n, A]."""
        return self.evaluate(observation, action_mask)[0]


class Rollout:
    """The decisions of T steps of N games, with labels of the search, and the games that ended."""

    DECISIONS = ("observation", "action_mask", "policy", "searched", "seat", "by_learner", "payoff")

    def __init__(self, num_steps: int, num_envs: int, game: Game):
        shape = num_steps, num_envs
        self.num_steps = num_steps
        self.observation = np.zeros((*shape, game.observation.size), np.int8)
        self.action_mask = np.ones((*shape, game.actions.size), np.bool_)
        self.policy = np.zeros((*shape, game.actions.size), np.float16)  # improved, where searched
        self.searched = np.zeros(shape, np.bool_)
        self.seat = np.zeros(shape, np.int64)
        self.by_learner = np.zeros(shape, np.bool_)
        self.payoff = np.zeros(shape, np.float32)  # the return of the seat up to the decision

        self.terminated = np.zeros(shape, np.bool_)
        self.final = np.zeros((*shape, game.spec.players), np.float32)  # the returns of all seats after the step
        self.scores: list[tuple[str, float]] = []  # opponents, and the moving average of returns against each


class Player:
    """Plays and labels the games of one thread; no other thread uses them, nor `rng`. The network is only read."""

    def __init__(self, args: ExpertArguments, game: Game, components: Any, network: networks.Network, thread: int):
        if PAST in opponent_shares(args.opponents, game):
            raise RfopError("--opponents: past: expert iteration keeps no snapshots; give self or a model's path")
        self.args = args
        self.game = game
        self.network = network
        self.rng = np.random.default_rng([args.seed, thread])
        self.num_envs = len(args.thread_games(thread))
        self.groups = game_groups.make_groups(args, game, components, self.rng, thread)
        self.search_network = SearchNetwork(network, training_rewards(args.reward, game))
        self.expert = args.make_expert(game, self.search_network)

        # Search a position, so that everything is compiled before the clock of the run starts.
        games = torch.zeros(1, dtype=torch.int64)
        game_groups.agent_actions(self.expert, self.groups[0].batch, games, np.random.default_rng(0))

    def collect(self, steps: int) -> Rollout:
        """Play some steps of every game; `steps`: decisions of the run so far. Raises `RfopError`."""
        self.search_network.refresh()
        for group in self.groups:
            if group.openings is not None:
                group.openings.renew(self.rng)

        rollout = Rollout(self.args.num_steps, self.num_envs, self.game)
        for step in range(rollout.num_steps):
            self.observe(rollout, step)
            actions = self.act(rollout, step, steps)
            self.step(rollout, step, actions)
        rollout.scores = [(group.name, group.score) for group in self.groups]
        return rollout

    def observe(self, rollout: Rollout, step: int) -> None:
        """Store what the seats that decide see, and their returns so far."""
        for group in self.groups:
            batch, columns = group.batch, group.columns
            seat = batch.current_player.astype(np.int64)
            rollout.observation[step, columns] = batch.observation
            rollout.action_mask[step, columns] = batch.action_mask
            rollout.seat[step, columns] = seat
            rollout.by_learner[step, columns] = group.learner_moves()
            rollout.payoff[step, columns] = group.payoff.numpy()[np.arange(len(seat)), seat]

    def act(self, rollout: Rollout, step: int, steps: int) -> NDArray[np.int64]:
        """The learner's actions, int64 [N]: of the search in a random share of the games, of the network elsewhere."""
        by_learner, searched = rollout.by_learner[step], rollout.searched[step]
        games = np.flatnonzero(by_learner)
        searched[self.rng.permutation(games)[: int(np.ceil(self.args.search_share * len(games)))]] = True

        # Sampled from the network.
        actions = np.zeros(self.num_envs, np.int64)
        sampled = np.flatnonzero(by_learner & ~searched)
        if len(sampled):
            positions = rollout.observation[step, sampled], rollout.action_mask[step, sampled]
            actions[sampled] = self.sample(*positions, steps)

        # Searched.
        for group in self.groups:
            columns = np.arange(self.num_envs)[group.columns]
            places = np.flatnonzero(searched[columns])
            if len(places):
                games_here = torch.from_numpy(places)
                actions[columns[places]] = game_groups.agent_actions(self.expert, group.batch, games_here, self.rng)
                rollout.policy[step, columns[places]] = self.expert.last.policy
        return actions

    @torch.inference_mode()
    def sample(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_], steps: int) -> NDArray[np.int64]:
        """Actions int64 [n], sampled from the network's policy for int8 [n, D] and bool [n, A]."""
        uniform = networks.positive_uniform(self.rng, len(observation))
        positions = torch.from_numpy(observation), torch.from_numpy(action_mask)
        action, log_prob, _ = self.search_network.model.sample(*positions, uniform)
        run.require_finite(steps, log_prob)
        actions: NDArray[np.int64] = action.numpy()
        return actions

    def step(self, rollout: Rollout, step: int, actions: NDArray[np.int64]) -> None:
        """Let opponents act, carry out all actions [N], and start the next games where games have ended."""
        terminated = rollout.terminated[step]
        for group in self.groups:
            columns = group.columns
            group_actions = torch.from_numpy(actions[columns])
            group.let_agent_act(group_actions, torch.from_numpy(rollout.by_learner[step, columns]))
            _, terminated[columns] = group.step(group_actions)
            rollout.final[step, columns] = group.payoff
            if terminated[columns].any():
                group.start_next_games(torch.from_numpy(terminated[columns]))

    def state(self) -> dict[str, Any]:
        """Everything needed to resume, as tensors and plain values."""
        return {"groups": [group.state() for group in self.groups], "rng": self.rng.bit_generator.state}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`. Raises `RfopError`."""
        for group, group_state in zip(self.groups, state["groups"], strict=True):
            group.restore(group_state)
        self.rng.bit_generator.state = state["rng"]


class Players(Protocol):
    """A player for each part of the games, wherever it plays."""

    def collect(self, steps: int) -> list[Rollout]:
        """Play a rollout in every part, with the network as it is; `steps`: decisions of the run so far."""

    def state(self) -> list[dict[str, Any]]:
        """Everything needed to resume, of each player, as tensors and plain values."""

    def restore(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Continue from a `state`. Raises an error for what does not fit."""


class ThreadPlayers:
    """Players in the threads of this process; they share nothing but the network, which they only read."""

    def __init__(self, args: ExpertArguments, game: Game, components: Any, network: networks.Network):
        self.executor = ThreadPoolExecutor(args.threads, "trainer")
        self.players = [Player(args, game, components, network, thread) for thread in range(args.threads)]

    def collect(self, steps: int) -> list[Rollout]:
        """Play a rollout in every thread."""
        if len(self.players) == 1:
            return [self.players[0].collect(steps)]
        return list(self.executor.map(lambda player: player.collect(steps), self.players))

    def state(self) -> list[dict[str, Any]]:
        """Everything needed to resume, of each player."""
        return [player.state() for player in self.players]

    def restore(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Continue from a `state`."""
        for player, state in zip(self.players, states, strict=True):
            player.restore(state)


# -- the replay buffer -------------------------------------------------------------------------------------------------


class ReplayBuffer:
    """The decisions of the last steps of N games, in rows of time that are used in turn; index = row * N + game.

    A decision can be trained on once its game has ended: its value's target is the return of its seat from there to
    the end. Decisions that are overwritten before their game ends are lost.
    """

    ARRAYS = (*Rollout.DECISIONS, "target", "complete", "step", "first_step")
    by_learner: NDArray[np.bool_]
    seat: NDArray[np.int64]
    payoff: NDArray[np.float32]

    def __init__(self, size: int, num_envs: int, game: Game):
        self.rows = rows = max(2, -(-size // num_envs))
        self.seats = game.spec.players
        storage = Rollout(rows, num_envs, game)
        for name in Rollout.DECISIONS:  # [rows, N, ...]
            setattr(self, name, getattr(storage, name))
        self.target = np.zeros((rows, num_envs), np.float32)  # the return of the seat from the decision to the end
        self.complete = np.zeros((rows, num_envs), np.bool_)  # the game has ended

        # Time.
        self.step = np.full(rows, -1, np.int64)  # when each row was written
        self.first_step = np.zeros(num_envs, np.int64)  # of each game
        self.clock = 0
        self.fresh = 0  # decisions that became complete since the last update
        self.lost = 0  # decisions overwritten before their game ended

    def add(self, rollout: Rollout) -> None:
        """Add the steps of a rollout of the same games."""
        for step in range(rollout.num_steps):
            row = self.clock % self.rows
            incomplete = self.by_learner[row] & ~self.complete[row] & (self.step[row] >= self.first_step)
            self.lost += int(incomplete.sum())
            self.step[row] = self.clock
            self.complete[row] = False
            self.clock += 1
            for name in Rollout.DECISIONS:
                getattr(self, name)[row] = getattr(rollout, name)[step]
            if rollout.terminated[step].any():
                self.end_games(rollout.terminated[step], rollout.final[step])

    def end_games(self, terminated: NDArray[np.bool_], final: NDArray[np.float32]) -> None:
        """Compute the targets of games that the last step ended: bool [N] and float32 [N, P]."""
        games = np.flatnonzero(terminated)
        decisions = self.by_learner[:, games] & (self.step[:, None] >= self.first_step[games])
        returns = final[games, self.seat[:, games]]
        self.target[:, games] = np.where(decisions, returns - self.payoff[:, games], self.target[:, games])
        self.complete[:, games] |= decisions
        self.fresh += int(decisions.sum())
        self.first_step[games] = self.clock

    def indices(self) -> NDArray[np.intp]:
        """The decisions that can be trained on."""
        return np.flatnonzero(self.complete)

    def select(self, name: str, index: NDArray[np.intp]) -> NDArray[Any]:
        """The entries of an array at these indices [n]: [n, ...]."""
        array: NDArray[Any] = getattr(self, name)
        return array.reshape(-1, *array.shape[2:])[index]

    def state(self) -> dict[str, Any]:
        """Everything needed to resume, as tensors and plain values."""
        arrays = {name: torch.from_numpy(getattr(self, name).copy()) for name in self.ARRAYS}
        return {"arrays": arrays, "clock": self.clock, "fresh": self.fresh, "lost": self.lost}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`. Raises `RfopError`."""
        counts = [int(state[name]) for name in ("clock", "fresh", "lost")]
        if min(counts) < 0:
            raise RfopError(f"clock, fresh and lost are {counts}")
        for name in self.ARRAYS:
            limits = (0, self.seats) if name == "seat" else None
            game_groups.refill(getattr(self, name), state["arrays"][name], limits)
        self.clock, self.fresh, self.lost = counts


# -- the loss ----------------------------------------------------------------------------------------------------------


class Minibatch(NamedTuple):
    """Decisions to learn from."""

    observation: Tensor
    action_mask: Tensor
    policy: Tensor  # of the search
    searched: Tensor
    target: Tensor


def loss(network: networks.Network, batch: Minibatch, vf_coef: float) -> tuple[Tensor, dict[str, Tensor]]:
    """The cross entropy to the search's policies, and the squared error of all values; and the metrics of a minibatch.

    `search_kl` is the mean KL(search's policy, network's policy).
    """
    evaluation = network.evaluate_actions(batch.observation, batch.action_mask)
    value_loss = 0.5 * (evaluation.value - batch.target).square().mean()

    number = max(1, int(batch.searched.sum()))
    policy = batch.policy[batch.searched].float()
    policy_loss = -(policy * evaluation.log_probs[batch.searched]).sum() / number
    with torch.no_grad():
        variance = batch.target.var(correction=0)
        unexplained = (batch.target - evaluation.value).var(correction=0)
        metrics = {
            "policy_loss": policy_loss,
            "value_loss": value_loss,
            "entropy": evaluation.entropy[batch.searched].sum() / number,
            "search_kl": policy_loss + torch.xlogy(policy, policy).sum() / number,
            "explained_variance": torch.where(variance > 0, 1.0 - unexplained / variance, 0.0),
        }
    return policy_loss + vf_coef * value_loss, metrics


# -- the trainer -------------------------------------------------------------------------------------------------------


class ExpertTrainer(game_groups.AllSeatsTrainer):
    """The network, its optimiser, players, and a replay buffer for each of them.

    The players play in threads, or with the module `ray`, connected to a cluster, in its processes.
    """

    name = "expert"

    def __init__(self, args: ExpertArguments, game: Game, components: Any, ray: Any = None):
        torch.manual_seed(args.seed)
        torch.set_num_threads(1)
        self.args: ExpertArguments = args
        self.game = game
        self.components = components
        self.rng = np.random.default_rng(args.seed)
        self.network = networks.make_network(args, game)
        networks.load_initial_network(self.network, args, game, components, game_options(args.option, game))
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=args.learning_rate, eps=1e-5, fused=True)

        self.players: Players
        if ray is None:
            self.players = ThreadPlayers(args, game, components, self.network)
        else:
            from rfop_training.expert_cluster import RayPlayers

            self.players = RayPlayers(ray, Player, args, components, self.network)
        sizes = [len(args.thread_games(thread)) for thread in range(args.threads)]
        self.buffers = [ReplayBuffer(args.buffer_size // args.threads, size, game) for size in sizes]

        symmetries = () if args.no_symmetries else game.symmetries()
        self.oriented_observation = np.array([symmetry.observation for symmetry in symmetries])  # [K, D]
        self.oriented_actions = np.array([symmetry.actions for symmetry in symmetries])  # [K, A]

        self.steps = 0  # decisions of the learner so far
        self.labels = 0  # of them searched
        self.updates = 0
        self.pending = 0.0  # gradient steps that the decisions so far ask for, and have not had yet

    def counts(self) -> dict[str, int]:
        """What progress.csv counts besides steps and updates."""
        return {"labels": self.labels, "lost": sum(buffer.lost for buffer in self.buffers)}

    def update(self, progress: float, learning_rate: float) -> dict[str, float]:
        """Play and label some steps, and take as many gradient steps as the complete decisions ask for.

        The metrics are means over the minibatches; `approx_kl` is the mean KL(policy before the update, policy after
        it) in the searched positions of its first minibatch.
        """
        results = self.players.collect(self.steps)
        for buffer, rollout in zip(self.buffers, results, strict=True):
            buffer.add(rollout)
            self.steps += int(rollout.by_learner.sum())
            self.labels += int(rollout.searched.sum())
            self.pending += self.args.passes * buffer.fresh / self.args.minibatch_size
            buffer.fresh = 0
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate

        indices = [buffer.indices() for buffer in self.buffers]
        metrics: list[dict[str, float]] = []
        reference: tuple[Minibatch, Tensor] | None = None  # positions, and log probabilities before the update
        while self.pending >= 1.0:
            batch = self.minibatch(indices)
            if reference is None and batch.searched.any():
                reference = batch, self.log_probs(batch)
            metrics.append(self.gradient_step(batch))
            self.pending -= 1.0
        run.require_finite(self.steps, *self.network.parameters())
        self.updates += 1

        means = {name: float(np.mean([row[name] for row in metrics])) for name in (metrics[0] if metrics else ())}
        if reference is not None:
            batch, log_probs = reference
            change = log_probs - self.log_probs(batch)
            means["approx_kl"] = float((log_probs.exp() * change).sum()) / len(change)
        scores = game_groups.mean_scores(score for rollout in results for score in rollout.scores)
        return means | {f"return_{name}": score for name, score in scores.items()}

    @torch.no_grad()
    def log_probs(self, batch: Minibatch) -> Tensor:
        """The network's log probabilities in the searched positions of a minibatch, float32 [n, A]."""
        searched = batch.searched
        return self.network.evaluate_actions(batch.observation[searched], batch.action_mask[searched]).log_probs

    def minibatch(self, indices: Sequence[NDArray[np.intp]]) -> Minibatch:
        """Random decisions of all buffers, each in a random orientation of a board that has symmetries."""
        size = self.args.minibatch_size
        edges = np.cumsum([0, *(len(index) for index in indices)])
        places = np.sort(self.rng.integers(0, edges[-1], size))
        parts = np.split(places, np.searchsorted(places, edges[1:-1]))
        selected = [index[part - edge] for index, part, edge in zip(indices, parts, edges[:-1], strict=True)]
        arrays = {}
        for name in Minibatch._fields:
            columns = [buffer.select(name, index) for buffer, index in zip(self.buffers, selected, strict=True)]
            arrays[name] = np.concatenate(columns)

        if len(self.oriented_actions):
            orientation = self.rng.integers(0, len(self.oriented_actions), size)
            order = self.oriented_observation[orientation]
            arrays["observation"] = np.take_along_axis(arrays["observation"], order, axis=1)
            for name in ("action_mask", "policy"):
                arrays[name] = np.take_along_axis(arrays[name], self.oriented_actions[orientation], axis=1)
        return Minibatch(**{name: torch.from_numpy(array) for name, array in arrays.items()})

    def gradient_step(self, batch: Minibatch) -> dict[str, float]:
        """Take a gradient step; returns the metrics of its minibatch."""
        total, metrics = loss(self.network, batch, self.args.vf_coef)
        self.optimiser.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.args.max_grad_norm)
        self.optimiser.step()
        return {name: float(metric.detach()) for name, metric in metrics.items()}

    def state(self) -> dict[str, Any]:
        """Everything needed to resume bit by bit, between two updates, as tensors and plain values."""
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "rng": self.rng.bit_generator.state,
            "pending": self.pending,
            "steps": self.steps,
            "labels": self.labels,
            "updates": self.updates,
        }
        buffers = [buffer.state() for buffer in self.buffers]
        return copy.deepcopy(state) | {"players": self.players.state(), "buffers": buffers}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments. Raises an error for what does not fit."""
        steps, labels, updates = (int(state[name]) for name in ("steps", "labels", "updates"))
        pending = float(state["pending"])
        if updates < 0 or not 0 <= labels <= steps or not 0.0 <= pending < 1.0:
            raise RfopError(f"steps {steps}, labels {labels}, updates {updates}, pending {pending}")
        self.network.load_state_dict(state["network"])
        run.load_optimiser(self.optimiser, state["optimiser"])
        if run.NEW_GAMES not in state:
            self.players.restore(state["players"])
        for buffer, buffer_state in zip(self.buffers, state["buffers"], strict=True):
            buffer.restore(buffer_state)
        self.rng.bit_generator.state = state["rng"]
        self.steps, self.labels, self.updates, self.pending = steps, labels, updates, pending


# -- runs --------------------------------------------------------------------------------------------------------------


def train(args: ExpertArguments, callback: run.Callback | None = None) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args, callback).folder.model


def train_run(args: ExpertArguments, callback: run.Callback | None = None) -> run.Run:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    if not args.ray:
        return run.train_run(ExpertTrainer, args, callback)

    # Refuse unfit arguments before Ray starts.
    check_arguments(args)
    check_budget(args)
    with cluster.connected(args.ray, cpus=args.threads) as ray:
        return run.train_run(ExpertTrainer, args, callback, ray=ray)
