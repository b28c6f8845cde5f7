"""Self-play PPO in one file: one network plays all seats of any game, and each seat has its own chain of decisions.

From top to bottom: arguments, the buffer with its chains, playing, advantages, the loss, the pool of snapshots, the
trainer with its update and its checkpoint, runs of one seed and of several. To try another loss, copy this file and
change `loss`. docs/train.md says where it differs from a single-agent trainer.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from rfop_agents.network import BELIEF, belief_targets
from rfop_env.agent import Actions, Masks, Obs
from rfop_env.core.cuda import device as card
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training import game_groups, networks, run
from rfop_training.run_arguments import (
    MANY,
    NOT_NEGATIVE,
    PAST,
    POSITIVE,
    SHARE,
    AllSeatsArguments,
    Range,
    argument,
    check_arguments,
    game_options,
)

OPEN = -1  # the next index of a decision whose successor is not known yet
GAME_OVER = -2  # the next index of the last decision of a seat in a game
NO_ADVICE = -1  # the teacher's action where no teacher was asked


# -- arguments ---------------------------------------------------------------------------------------------------------


@dataclass
class PPOArguments(AllSeatsArguments):
    """The arguments of `rfop train ppo`."""

    run: Path = argument(Path("runs/self_play"), "folder of the run")
    seeds: int = argument(1, "number of runs, with consecutive seeds, in folders seed_1, ...", Range(1, 1000))
    at_once: int = argument(1, "how many of these runs are trained in parallel processes", Range(1, 1000))

    # The update.
    num_steps: int = argument(64, "steps of each game per rollout", Range(1, MANY), fixed=str)
    minibatch_size: int = argument(1024, "decisions per gradient step", Range(1))
    update_epochs: int = argument(1, "passes over the decisions of a rollout", Range(1))
    gamma: float = argument(1.0, "discount from a decision of a seat to its next one", SHARE)
    gae_lambda: float = argument(0.95, "lambda of generalised advantage estimation", SHARE)

    # The loss.
    clip_coef: float = argument(0.2, "clipping range of the policy ratio", POSITIVE)
    vf_coef: float = argument(0.5, "weight of the value loss", NOT_NEGATIVE)
    ent_coef: float = argument(0.05, "weight of the entropy in the loss at the start", NOT_NEGATIVE)
    final_ent_coef: float = argument(0.01, "the same at the end of the budget", NOT_NEGATIVE)
    max_grad_norm: float = argument(0.5, "maximum gradient norm (clipping)", POSITIVE)
    magnet: float = argument(
        0.0, "weight of KL(policy, magnet), where the magnet is a slow average of the policy; 0: none", NOT_NEGATIVE
    )
    magnet_rate: float = argument(0.05, "step of the magnet towards the policy in an update", SHARE)
    teacher: str = argument("", "player to imitate at first: scripted, ..., or the path of a model")
    teacher_weight: float = argument(
        1.0, "weight of the cross-entropy with the teacher's actions at the start; falls to 0", NOT_NEGATIVE
    )
    teacher_until: float = argument(0.3, "share of the budget after which the weight is 0", Range(0, 1, above=True))

    # The belief head.
    belief: float = argument(
        0.0,
        "weight of the cross-entropy of a head that predicts what the other seats see alone; 0: no such head",
        NOT_NEGATIVE,
        fixed=bool,
    )
    freeze: bool = argument(False, "train this head alone: policy and value stay as they start", fixed=bool)

    # The opponents and the machine.
    pool: int = argument(16, "number of snapshots in the pool for `past`", Range(1, 10_000), fixed=str)
    pool_every: int = argument(20, "updates between two snapshots", Range(1))
    device: str = argument("cpu", "where games are played and networks trained: cpu or cuda", ("cpu", "cuda"))
    games_on_cpu: bool = argument(False, "with --device cuda, play the games on the CPU")

    @property
    def games_device(self) -> str:
        """Where games are played."""
        return "cpu" if self.games_on_cpu else self.device


# -- the rollout buffer: a chain of decisions for each seat ------------------------------------------------------------


class RolloutBuffer:
    """The learner's decisions of `num_steps` steps of N games, in rows of time; index = row * N + game.

    A seat's decisions in a game form a chain. `next_index` is the index of the seat's next decision, `OPEN` if it is
    not known yet, `GAME_OVER` if the game ended first. Rewards between two decisions belong to the earlier one.

    The last decision of a chain is not trained on while it is open. `carry` moves it to the first rows of the next
    rollout, one row for each seat, where its successor will be known. So no advantage needs the value of a position in
    which another seat decides.
    """

    CARRIED = ("observation", "action_mask", "action", "log_prob", "value", "teacher_action", "hidden", "reward")

    def __init__(self, num_steps: int, num_envs: int, game: Game, device: torch.device, targets: int = 0):
        self.num_envs, self.seats = num_envs, game.spec.players
        self.rows = self.seats + num_steps

        def full(value: int, dtype: torch.dtype, *shape: int) -> Tensor:
            return torch.full((self.rows, num_envs, *shape), value, dtype=dtype, device=device)

        # The decisions, [rows, N, ...].
        self.observation = full(0, torch.int8, game.observation.size)
        self.action_mask = full(1, torch.bool, game.actions.size)
        self.action = full(0, torch.int64)
        self.log_prob = full(0, torch.float32)
        self.value = full(0, torch.float32)
        self.teacher_action = full(NO_ADVICE, torch.int64)
        self.hidden = full(0, torch.int8, targets)  # what the other seats see alone, for the belief head
        self.reward = full(0, torch.float32)

        # The chains.
        self.by_learner = full(0, torch.bool)
        self.next_index = full(OPEN, torch.int64)
        self.open_index = torch.full((num_envs, self.seats), OPEN, device=device)  # each seat's open decision

    def link(self, row: int, seat: Tensor, by_learner: Tensor) -> None:
        """Enter the decisions of a step, each as the successor of its seat's last one.

        `seat`: who decides, int64 [N]. `by_learner`: whether that is the learner, bool [N].
        """
        games = by_learner.nonzero()[:, 0]
        index = row * self.num_envs + games
        previous = self.open_index[games, seat[games]]
        linked = previous >= 0
        self.next_index.view(-1)[previous[linked]] = index[linked]
        self.open_index[games, seat[games]] = index

        self.by_learner[row] = by_learner
        self.next_index[row] = OPEN
        self.reward[row] = 0.0

    def add_rewards(self, rewards: Tensor, terminated: Tensor) -> None:
        """Add rewards [N, P] to every seat's open decision, whoever moved; end the chains of terminated games [N]."""
        is_open = self.open_index >= 0
        summands = torch.where(is_open, rewards, 0.0)  # without an open decision index 0 gets nothing
        self.reward.view(-1).index_add_(0, self.open_index.clamp(min=0).view(-1), summands.view(-1))
        if terminated.any():
            final = self.open_index[is_open & terminated[:, None]]
            self.next_index.view(-1)[final] = GAME_OVER
            self.open_index[terminated] = OPEN

    def closed(self) -> Tensor:
        """The decisions whose successor, or whose game's end, is known: bool [rows, N]."""
        return self.by_learner & (self.next_index != OPEN)

    def carry(self) -> None:
        """Start the next rollout: the open decisions become its first rows."""
        games, seats = (self.open_index >= 0).nonzero(as_tuple=True)
        source, target = self.open_index[games, seats], seats * self.num_envs + games
        for name in self.CARRIED:
            flat = getattr(self, name).flatten(0, 1)
            flat[target] = flat[source]

        self.by_learner[: self.seats] = False
        self.by_learner.view(-1)[target] = True
        self.next_index[: self.seats] = OPEN
        self.open_index[games, seats] = target


@dataclass
class Decisions:
    """Decisions to learn from, flat: every field is [n, ...]."""

    observation: Tensor
    action_mask: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    teacher_action: Tensor
    hidden: Tensor
    advantage: Tensor

    @classmethod
    def concatenate(cls, parts: Sequence[Decisions]) -> Decisions:
        """Several decisions as one."""
        return cls(*(torch.cat([getattr(part, f.name) for part in parts]) for f in fields(cls)))

    def select(self, index: Tensor, device: torch.device) -> Decisions:
        """The decisions at these indices, int64 [k], on a device."""
        return Decisions(*(getattr(self, f.name).index_select(0, index).to(device) for f in fields(self)))


# -- playing -----------------------------------------------------------------------------------------------------------


class Player:
    """Plays the games of one thread with the network, and records the learner's decisions.

    No other thread uses its games, buffer and random generator. Tensors are where the games are.
    """

    def __init__(self, args: PPOArguments, game: Game, components: Any, network: networks.Network, thread: int):
        self.args = args
        self.network = network
        self.rng = np.random.default_rng([args.seed, thread])
        self.steps = 0  # decisions of the learner
        self.num_envs = len(args.thread_games(thread))
        self.groups = game_groups.make_groups(args, game, components, self.rng, thread, args.games_device)
        self.device = game_groups.torch_device(args.games_device)
        self.network_device = game_groups.torch_device(args.device)
        self.private_entries = torch.from_numpy(game.observation.private()[1]).to(self.device)
        targets = belief_targets(game) if args.belief else 0
        self.buffer = RolloutBuffer(args.num_steps, self.num_envs, game, self.device, targets)
        self.teacher = args.load_agent(args.teacher, game, components) if args.teacher else None

        # Each game is observed and played in one orientation of the board.
        symmetries = () if args.no_symmetries else game.symmetries()
        observations = np.array([symmetry.observation for symmetry in symmetries])
        actions = np.array([symmetry.actions for symmetry in symmetries])
        self.oriented_observation = torch.tensor(observations, dtype=torch.int64, device=self.device)  # [K, D]
        self.oriented_actions = torch.tensor(actions, dtype=torch.int64, device=self.device)  # [K, A]
        self.orientation = torch.zeros(self.num_envs, dtype=torch.int64, device=self.device)
        self.orient(torch.ones(self.num_envs, dtype=torch.bool))

    def orient(self, games: Tensor) -> None:
        """Choose random orientations for these games, bool [N]."""
        if len(self.oriented_actions):
            numbers = self.rng.integers(0, len(self.oriented_actions), int(games.sum()))
            self.orientation[games] = torch.from_numpy(numbers).to(self.device)

    def collect(self, ask_teacher: bool) -> None:
        """Play a rollout; the decisions that the last one left open are in its first rows."""
        buffer = self.buffer
        for group in self.groups:
            if group.openings is not None:
                group.openings.renew(self.rng)

        for row in range(buffer.seats, buffer.rows):
            seat, by_learner = self.observe(row)
            actions = self.act(row, by_learner)
            buffer.teacher_action[row] = NO_ADVICE
            if ask_teacher:
                self.record_teacher(row, by_learner)
            if self.args.belief:
                self.record_hidden(row)
            buffer.link(row, seat, by_learner)
            self.steps += int(by_learner.sum())

            rewards, terminated = self.step(actions, by_learner)
            buffer.add_rewards(rewards, terminated)
            if terminated.any():
                self.start_next_games(terminated)

    def observe(self, row: int) -> tuple[Tensor, Tensor]:
        """Store observations and masks of all games.

        Returns the seats that decide, int64 [N], and whether the learner has them, bool [N].
        """
        observation, mask = self.buffer.observation[row], self.buffer.action_mask[row]
        seat, by_learner = torch.empty_like(self.orientation), torch.empty_like(self.buffer.by_learner[row])
        for group in self.groups:
            observation[group.columns] = group.observation
            mask[group.columns] = group.action_mask
            seat[group.columns] = group.current_player.long()
            by_learner[group.columns] = group.learner_moves()

        if len(self.oriented_actions):
            observation[:] = observation.gather(1, self.oriented_observation[self.orientation])
            mask[:] = mask.gather(1, self.oriented_actions[self.orientation])
        return seat, by_learner

    @torch.no_grad()
    def act(self, row: int, by_learner: Tensor) -> Tensor:
        """Sample the learner's actions, and store what the update needs: int64 [N], numbered as the games do."""
        buffer, games = self.buffer, by_learner.nonzero()[:, 0]
        observation = buffer.observation[row].index_select(0, games).to(self.network_device)
        mask = buffer.action_mask[row].index_select(0, games).to(self.network_device)
        uniform = networks.positive_uniform(self.rng, len(games))
        action, log_prob, value = self.network.sample(observation, mask, uniform)
        run.require_finite(self.steps, log_prob, value)

        buffer.action[row, games] = action.to(self.device)
        buffer.log_prob[row, games] = log_prob.to(self.device)
        buffer.value[row, games] = value.to(self.device)
        actions = torch.zeros_like(self.orientation)
        actions[games] = action.to(self.device)
        if len(self.oriented_actions):
            actions = self.oriented_actions[self.orientation, actions]
        return actions

    def record_teacher(self, row: int, by_learner: Tensor) -> None:
        """Store what the teacher would do where the learner decides."""
        assert self.teacher is not None
        advice = self.buffer.teacher_action[row]
        for group in self.groups:
            games = by_learner[group.columns].nonzero()[:, 0]
            advice[group.columns][games] = game_groups.agent_actions(self.teacher, group.batch, games, self.rng)

        if len(self.oriented_actions):
            games = by_learner.nonzero()[:, 0]
            to_network = self.oriented_actions[self.orientation[games]].argsort(dim=1)  # from the games' actions
            advice[games] = to_network.gather(1, advice[games, None])[:, 0]

    def record_hidden(self, row: int) -> None:
        """Store what the other seats see alone, in the orientation of the game."""
        hidden = self.buffer.hidden[row]
        for group in self.groups:
            views = group.observe_others()
            if len(self.oriented_actions):
                entries = self.oriented_observation[self.orientation[group.columns]]
                views = views.gather(2, entries[:, None].expand_as(views))
            hidden[group.columns] = views.index_select(2, self.private_entries).flatten(1)

    def step(self, actions: Tensor, by_learner: Tensor) -> tuple[Tensor, Tensor]:
        """Let opponents act, and carry out all actions [N].

        Returns the rewards of all seats, float32 [N, P], and which games ended, bool [N].
        """
        rewards = torch.empty((self.num_envs, self.buffer.seats), device=self.device)
        terminated = torch.empty(self.num_envs, dtype=torch.bool, device=self.device)
        for group in self.groups:
            columns = group.columns
            group.let_agent_act(actions[columns], by_learner[columns])
            rewards[columns], terminated[columns] = group.step(actions[columns])
        return rewards, terminated

    def start_next_games(self, terminated: Tensor) -> None:
        """Start the next games where games have ended, bool [N], in new orientations."""
        for group in self.groups:
            if terminated[group.columns].any():
                group.start_next_games(terminated[group.columns])
        self.orient(terminated)

    def decisions(self) -> Decisions:
        """The closed decisions of the rollout, with their advantages."""
        buffer = self.buffer
        advantage = compute_advantages(buffer, self.args.gamma, self.args.gae_lambda)
        index = buffer.closed().view(-1).nonzero()[:, 0]
        columns = {"advantage": advantage.view(-1)[index]}
        for f in fields(Decisions):
            if f.name != "advantage":
                columns[f.name] = getattr(buffer, f.name).flatten(0, 1).index_select(0, index)
        return Decisions(**columns)


# -- advantages and loss -----------------------------------------------------------------------------------------------


def compute_advantages(buffer: RolloutBuffer, gamma: float, gae_lambda: float) -> Tensor:
    """Generalised advantage estimates along each seat's own decisions: float32 [rows, N], 0 for open decisions."""
    value = buffer.value.view(-1)
    advantage = torch.zeros_like(value)
    closed = buffer.closed()
    for row in reversed(range(buffer.rows)):
        columns = slice(row * buffer.num_envs, (row + 1) * buffer.num_envs)
        has_next = buffer.next_index[row] >= 0
        next_index = buffer.next_index[row].clamp(min=0)
        next_value = torch.where(has_next, value[next_index], 0.0)
        next_advantage = torch.where(has_next, advantage[next_index], 0.0)

        delta = buffer.reward[row] + gamma * next_value - value[columns]
        advantage[columns] = torch.where(closed[row], delta + gamma * gae_lambda * next_advantage, 0.0)
    return advantage.view(buffer.rows, buffer.num_envs)


@dataclass
class LossWeights:
    """The weights of the loss, of which some change during a run."""

    ent_coef: float
    teacher: float

    @classmethod
    def at(cls, args: PPOArguments, progress: float) -> LossWeights:
        """The weights when a share of the budget is spent."""
        ent_coef = args.ent_coef + (args.final_ent_coef - args.ent_coef) * progress
        teacher = args.teacher_weight * max(0.0, 1.0 - progress / args.teacher_until) if args.teacher else 0.0
        return cls(ent_coef, teacher)


def loss(
    network: networks.Network,
    magnet: networks.Network,
    batch: Decisions,
    normalised_advantage: Tensor,
    args: PPOArguments,
    weights: LossWeights,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of PPO on a minibatch, and its metrics; the advantages are float32 [n]."""
    policy = network.evaluate_actions(batch.observation, batch.action_mask)

    # Policy.
    log_ratio = policy.log_prob(batch.action) - batch.log_prob
    ratio = log_ratio.exp()
    clipped_ratio = ratio.clamp(1.0 - args.clip_coef, 1.0 + args.clip_coef)
    policy_loss = -torch.minimum(ratio * normalised_advantage, clipped_ratio * normalised_advantage).mean()

    # Value and entropy.
    value_loss = (policy.value - (batch.value + batch.advantage)).pow(2).mean()
    entropy = policy.entropy.mean()

    # Cross-entropy of the belief head, summed over its targets.
    belief_loss = torch.zeros((), device=entropy.device)
    if network.belief is not None and policy.belief is not None:
        belief_loss = network.belief.loss(policy.belief, batch.hidden).mean()

    # Cross-entropy with the teacher's actions, and KL(policy, magnet).
    teacher_loss = magnet_kl = torch.zeros((), device=entropy.device)
    if weights.teacher > 0:
        advised = batch.teacher_action != NO_ADVICE
        teacher_loss = -(policy.log_prob(batch.teacher_action.clamp(min=0)) * advised).mean()
    if args.magnet > 0:
        with torch.no_grad():
            magnet_log_probs = magnet.evaluate_actions(batch.observation, batch.action_mask).log_probs
        magnet_kl = (policy.probs * (policy.log_probs - magnet_log_probs)).sum(1).mean()

    total = policy_loss + args.vf_coef * value_loss - weights.ent_coef * entropy
    total = total + weights.teacher * teacher_loss + args.magnet * magnet_kl + args.belief * belief_loss

    # KL(policy of the rollout, policy) by its estimate of least variance (Schulman, Approximating KL Divergence).
    change = ratio.detach() - 1.0
    metrics = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": entropy,
        "approx_kl": (change - log_ratio.detach()).mean(),
        "clipfrac": (change.abs() > args.clip_coef).float().mean(),
        "magnet_kl": magnet_kl,
        "teacher_loss": teacher_loss,
        "belief_loss": belief_loss,
    }
    return total, metrics


# -- the pool of snapshots ---------------------------------------------------------------------------------------------


class Snapshot(game_groups.TensorAgent):
    """An earlier state of the network, which samples from its policy."""

    name = PAST

    def __init__(self, network: networks.Network, weights: Mapping[str, Tensor]):
        self.network = copy.deepcopy(network).requires_grad_(False)
        self.network.load_state_dict(weights)

    @torch.inference_mode()
    def act_on_tensors(self, observation: Tensor, action_mask: Tensor, rng: np.random.Generator) -> Tensor:
        """A legal action for each position, sampled with `rng`: int64 [n] from int8 [n, D], bool [n, A]."""
        device, uniform = self.network.scale.device, networks.positive_uniform(rng, len(observation))
        action, _, _ = self.network.sample(observation.to(device), action_mask.to(device), uniform)
        return action.to(observation.device)

    def act(self, observation: Obs, action_mask: Masks, rng: np.random.Generator, positions: Any = None) -> Actions:
        """The same for NumPy arrays."""
        arrays = torch.from_numpy(observation), torch.from_numpy(action_mask)
        actions: Actions = self.act_on_tensors(*arrays, rng).numpy()
        return actions


class SnapshotPool:
    """Snapshots of the network, which play in the groups of `past`."""

    def __init__(
        self,
        args: PPOArguments,
        groups: Iterable[game_groups.GameGroup],
        network: networks.Network,
        rng: np.random.Generator,
    ):
        self.size = args.pool
        self.network = network
        self.rng = rng
        self.groups = [group for group in groups if group.name == PAST]
        self.weights: list[dict[str, Tensor]] = []
        self.add()

    def add(self) -> None:
        """Add a snapshot of the network, in place of a random older one if the pool is full, and sample opponents."""
        if not self.groups:
            return
        if len(self.weights) == self.size:
            del self.weights[int(self.rng.integers(0, self.size))]
        self.weights.append(copy.deepcopy(self.network.state_dict()))
        for group in self.groups:
            self.assign(group, int(self.rng.integers(0, len(self.weights))))

    def assign(self, group: game_groups.GameGroup, snapshot: int) -> None:
        """Let a snapshot play in a group, whose games continue against it. Raises `IndexError`."""
        group.snapshot = range(len(self.weights))[snapshot]
        group.agent = Snapshot(self.network, self.weights[snapshot])
        if (group.seat == game_groups.ALL_SEATS).all():
            group.sample_seats(group.all_games)

    def restore(self, weights: Sequence[Mapping[str, Tensor]]) -> None:
        """Restore the snapshots of a checkpoint. Raises an error where they do not fit the network."""
        if len(weights) > self.size:
            raise RfopError(f"{len(weights)} snapshots in a pool of {self.size}")
        self.weights = []
        for tensors in weights:
            snapshot = copy.deepcopy(self.network.state_dict())
            for name, tensor in snapshot.items():
                game_groups.refill(tensor, tensors[name])
            self.weights.append(snapshot)


# -- the trainer -------------------------------------------------------------------------------------------------------


class PPOTrainer(game_groups.AllSeatsTrainer):
    """The network, its optimiser, and a player for each thread; `update` plays a rollout and learns from it.

    Players and trainer have random generators of their own, so no result depends on the order in which threads work.
    """

    name = "ppo"

    def __init__(self, args: PPOArguments, game: Game, components: Any):
        torch.manual_seed(args.seed)
        torch.set_num_threads(1)  # the threads below share the work
        self.args: PPOArguments = args
        self.game = game
        self.components = components
        self.rng = np.random.default_rng(args.seed)
        self.device = game_groups.torch_device(args.device)
        self.network = networks.make_network(args, game)
        if args.belief:
            self.network.add_belief(game, args.width)
        elif args.freeze:
            raise RfopError("--freeze: there is no head to train: add --belief 1")
        networks.load_initial_network(self.network, args, game, components, game_options(args.option, game))
        self.network.to(self.device)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)  # a slow average of the policy

        # The belief head's gradient is clipped apart, so that policy and value are learned as without it.
        head = [*self.network.belief.parameters()] if self.network.belief is not None else []
        policy = [weight for name, weight in self.network.named_parameters() if not name.startswith(BELIEF)]
        for weight in policy:
            weight.requires_grad_(not args.freeze)
        self.clipped_together = [head] if args.freeze else [policy, head]
        self.parameters = [parameter for part in self.clipped_together for parameter in part]
        self.optimiser = torch.optim.Adam(self.parameters, lr=args.learning_rate, eps=1e-5, fused=True)

        self.executor = ThreadPoolExecutor(args.threads, "trainer") if args.threads > 1 else None
        self.players = [Player(args, game, components, self.network, thread) for thread in range(args.threads)]
        self.groups = [group for player in self.players for group in player.groups]
        self.pool = SnapshotPool(args, self.groups, self.network, self.rng)
        self.updates = 0

    @property
    def steps(self) -> int:  # type: ignore[override]
        """Decisions of the learner so far."""
        return sum(player.steps for player in self.players)

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        """The results of a function for each item, computed in the threads of the trainer."""
        return list(self.executor.map(function, items) if self.executor else map(function, items))

    def update(self, progress: float, learning_rate: float) -> dict[str, float]:
        """Play a rollout, and learn from its closed decisions; returns metrics, the means over minibatches."""
        args = self.args
        weights = LossWeights.at(args, progress)
        self.map(lambda player: player.collect(weights.teacher > 0), self.players)
        decisions = Decisions.concatenate(self.map(Player.decisions, self.players))
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate

        metrics = self.mean_metrics(self.learn(decisions, weights), decisions) if len(decisions.action) else {}
        run.require_finite(self.steps, *self.parameters)

        # The magnet, the pool, and the next rollout.
        with torch.no_grad():
            for slow, fast in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
                slow.lerp_(fast, args.magnet_rate)
        self.updates += 1
        if self.updates % args.pool_every == 0:
            self.pool.add()
        for player in self.players:
            player.buffer.carry()
        scores = game_groups.mean_scores((group.name, group.score) for group in self.groups)
        return metrics | {f"return_{name}": score for name, score in scores.items()}

    def learn(self, decisions: Decisions, weights: LossWeights) -> list[dict[str, float]]:
        """Take gradient steps on random minibatches of all decisions; returns the metrics of each."""
        args, number = self.args, len(decisions.action)
        metrics: list[dict[str, float]] = []
        advantage = decisions.advantage - decisions.advantage.mean()
        advantage /= advantage.std(correction=0) + 1e-8
        for _ in range(args.update_epochs):
            order = torch.from_numpy(self.rng.permutation(number)).to(advantage.device)
            for index in order.tensor_split(max(1, round(number / args.minibatch_size))):
                metrics.append(self.gradient_step(decisions, advantage, index, weights))
        return metrics

    def gradient_step(
        self, decisions: Decisions, advantage: Tensor, index: Tensor, weights: LossWeights
    ) -> dict[str, float]:
        """Take a gradient step on the decisions at `index`, of which each thread has a part; returns metrics."""

        def gradients(part: Tensor) -> tuple[list[Tensor], dict[str, float]]:
            share = len(part) / len(index)
            batch = decisions.select(part, self.device)
            normalised = advantage[part].to(self.device)
            total, metrics = loss(self.network, self.magnet, batch, normalised, self.args, weights)
            gradient = torch.autograd.grad(share * total, self.parameters)
            numbers = torch.stack([share * metric.detach() for metric in metrics.values()]).tolist()
            return list(gradient), dict(zip(metrics, numbers, strict=True))

        parts = [part for part in index.tensor_split(self.args.threads) if len(part)]
        results = self.map(gradients, parts)
        for parameter, *summands in zip(self.parameters, *(gradient for gradient, _ in results), strict=True):
            parameter.grad = sum(summands[1:], summands[0])
        for part in self.clipped_together:
            torch.nn.utils.clip_grad_norm_(part, self.args.max_grad_norm)
        self.optimiser.step()
        return {name: sum(metrics[name] for _, metrics in results) for name in results[0][1]}

    def mean_metrics(self, metrics: Sequence[Mapping[str, float]], decisions: Decisions) -> dict[str, float]:
        """The means over minibatches, and the share of the variance of the returns that the values explain."""
        means = {name: float(np.mean([row[name] for row in metrics])) for name in metrics[0]}
        variance = float((decisions.value + decisions.advantage).var(correction=0))
        unexplained = float(decisions.advantage.var(correction=0))
        means["explained_variance"] = 1.0 - unexplained / variance if variance > 0 else 0.0
        return means

    # -- exact resume --------------------------------------------------------------------------------------------------

    OPEN_DECISIONS = (*RolloutBuffer.CARRIED, "next_index", "by_learner")

    def state(self) -> dict[str, Any]:
        """Everything needed to resume bit by bit, between two updates, as tensors and plain values."""
        state = {
            "network": self.network.state_dict(),
            "magnet": self.magnet.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "players": [self._player_state(player) for player in self.players],
            "pool": self.pool.weights,
            "rng": self.rng.bit_generator.state,
            "updates": self.updates,
        }
        return copy.deepcopy(state)

    def _player_state(self, player: Player) -> dict[str, Any]:
        buffer = player.buffer
        return {
            "open": {name: getattr(buffer, name)[: buffer.seats].cpu() for name in self.OPEN_DECISIONS},
            "open_index": buffer.open_index.cpu(),
            "orientation": player.orientation.cpu(),
            "groups": [group.state() for group in player.groups],
            "rng": player.rng.bit_generator.state,
            "steps": player.steps,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments; what does not fit raises an error before games are touched."""
        steps = [int(player_state["steps"]) for player_state in state["players"]]
        if min(*steps, int(state["updates"])) < 0:
            raise RfopError(f"steps {steps}, updates {state['updates']}")
        self.network.load_state_dict(state["network"])
        self.magnet.load_state_dict(state["magnet"])
        run.load_optimiser(self.optimiser, state["optimiser"])
        self.pool.restore(state["pool"])

        for player, player_state in zip(self.players, state["players"], strict=True):
            if run.NEW_GAMES not in state:
                self._restore_games(player, player_state)
            for group, group_state in zip(player.groups, player_state["groups"], strict=True):
                if group.name == PAST:
                    self.pool.assign(group, int(group_state["snapshot"]))
                group.score = float(group_state["score"])
                if run.NEW_GAMES not in state:
                    group.restore(group_state)
            player.rng.bit_generator.state = player_state["rng"]
            player.steps = int(player_state["steps"])
        self.rng.bit_generator.state = state["rng"]
        self.updates = int(state["updates"])

    def _restore_games(self, player: Player, state: Mapping[str, Any]) -> None:
        """Restore the open decisions of a player, and the orientations of its games."""
        buffer, actions = player.buffer, self.game.actions.size
        limits = {
            "action": (0, actions),
            "teacher_action": (NO_ADVICE, actions),
            "next_index": (GAME_OVER, buffer.rows * buffer.num_envs),
        }
        for name in self.OPEN_DECISIONS:
            game_groups.refill(getattr(buffer, name)[: buffer.seats], state["open"][name], limits.get(name))
        game_groups.refill(buffer.open_index, state["open_index"], (OPEN, buffer.seats * buffer.num_envs))
        game_groups.refill(player.orientation, state["orientation"], (0, max(1, len(player.oriented_actions))))


# -- runs --------------------------------------------------------------------------------------------------------------


def train(args: PPOArguments, callback: run.Callback | None = None) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args, callback).folder.model


def train_run(args: PPOArguments, callback: run.Callback | None = None) -> run.Run:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    if args.device == card.DEVICE:
        game_groups.require_card()
        if args.threads > 1 and not args.games_on_cpu:
            raise RfopError("--threads: a card plays all games at once; leave it out, or add --games-on-cpu")
    return run.train_run(PPOTrainer, args, callback)


def train_seeds(args: PPOArguments) -> list[Path]:
    """Train every seed, `at_once` of them in parallel, in folders seed_1, ... of the run's; returns their models.

    In parallel each run has a process of its own, which starts when an earlier one has ended well. After Ctrl-C or an
    error none starts, and those that train are waited for: Ctrl-C reaches them too, and they save.
    """
    check_arguments(args)
    if args.seeds == 1:
        return [train(args)]

    runs = []
    for seed in range(args.seed, args.seed + args.seeds):
        path = args.run / f"seed_{seed}"
        resume = args.resume and run.RunFolder(path).checkpoint.exists()
        quiet = args.quiet or args.at_once > 1
        runs.append(replace(args, seed=seed, seeds=1, run=path, resume=resume, quiet=quiet))
    if args.at_once == 1:
        return [train(arguments) for arguments in runs]

    from rfop_env.process_pool import in_processes

    models: dict[int, Path] = {}
    with closing(in_processes([partial(train, arguments) for arguments in runs], args.at_once)) as processes:
        for number, model in processes:
            models[number] = model.result()
    return [models[number] for number in range(len(runs))]
