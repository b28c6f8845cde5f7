"""Collection of rollouts: the learner's network plays in all groups, and the buffer stores what the update needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from rfop_env.agent import Agent
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.evaluation.games import opening_of
from rfop_training.learning.dense_network import CentralCritic
from rfop_training.learning.networks import Network, positive_uniform, require_finite
from rfop_training.learning.opponents import agent_of, games_of, make_groups
from rfop_training.learning.phases import Phases
from rfop_training.learning.starts import Openings, RecordedStarts
from rfop_training.learning.tensors import ask, torch_device
from rfop_training.ppo.arguments import SelfPlayArguments
from rfop_training.ppo.buffer import NO_ADVICE, RolloutBuffer

# Phases of collecting.
OBSERVATIONS = "observations"
POLICY = "policy"
TEACHER = "teacher"
OPPONENTS = "opponents' networks"
ENVIRONMENT = "environment"
CHAINS = "chains of decisions"
STARTS = "starts of games"


class Collector:
    """The games of one thread and what belongs to them: opponents, buffer, memories, orientations, starts, teacher.

    No other thread uses them, nor `rng`; networks are read alone. Tensors are where the games are.
    """

    def __init__(
        self,
        args: SelfPlayArguments,
        game: Game,
        components: Any,
        network: Network,
        critic: CentralCritic | None,
        thread: int,
    ):
        self.args = args
        self.network = network
        self.critic = critic
        self.rng = rng = np.random.default_rng([args.seed, thread])
        self.device = torch_device(args.device)  # of the networks
        self.steps = 0  # decisions of the learner

        first, end = games_of(args, thread)
        self.num_games = end - first
        self.groups = make_groups(args, game, components, rng, thread, args.games_device)
        where = torch_device(args.games_device)
        self.buffer = RolloutBuffer(args.num_steps, self.num_games, game, args.gru_size, args.central_critic, where)
        self.memory = torch.zeros((self.num_games, game.spec.players, args.gru_size), device=where)

        # Each game is observed and played in one orientation of the board.
        symmetries = () if args.no_symmetries else game.symmetries()
        views, actions = ([getattr(one, name) for one in symmetries] for name in ("observation", "actions"))
        self.oriented_observation = torch.tensor(np.array(views), dtype=torch.int64, device=where)  # [K, D]
        self.oriented_actions = torch.tensor(np.array(actions), dtype=torch.int64, device=where)  # [K, A]
        self.orientation = torch.zeros(self.num_games, dtype=torch.int64, device=where)
        if symmetries:
            self.orientation[:] = self.random_orientations(self.num_games)

        self.starts = [RecordedStarts(group, args.restarts, rng) for group in self.groups if args.restarts > 0]
        if args.openings > 0 and opening_of(game):
            self.starts += [Openings(group, args.openings, rng) for group in self.groups]
        self.teacher = load_teacher(args, game, components)

    def random_orientations(self, games: int) -> Tensor:
        """Orientations of so many games: int64 [games]."""
        return torch.from_numpy(self.rng.integers(0, len(self.oriented_actions), games)).to(self.memory.device)

    def collect(self, ask_teacher: bool, phases: Phases) -> None:
        """Play a rollout; the decisions that the last one left open are in its first rows.

        `ask_teacher`: whether the update will use the teacher's actions.
        """
        buffer = self.buffer
        phases.begin(STARTS)
        for starts in self.starts:
            starts.record()

        for row in range(buffer.seats, buffer.rows):
            phases.begin(OBSERVATIONS)
            seat, by_learner = self.observe(row)
            phases.begin(POLICY)
            actions = self.act(row, seat, by_learner)
            if self.teacher is not None:
                phases.begin(TEACHER)
                self.record_teacher(row, by_learner, ask_teacher)

            phases.begin(CHAINS)
            buffer.link(row, seat, by_learner)
            self.steps += int(by_learner.sum())
            phases.begin(OPPONENTS)
            self.let_opponents_act(actions, by_learner)
            phases.begin(ENVIRONMENT)
            rewards, ended = self.step(actions)
            phases.begin(CHAINS)
            buffer.pay(rewards, ended)
            phases.begin(STARTS)
            self.start_next_games(ended)

    def observe(self, row: int) -> tuple[Tensor, Tensor]:
        """Store observations and masks of all games.

        Returns the seats that decide, int64 [N], and whether the learner has them, bool [N].
        """
        buffer = self.buffer
        seat, by_learner = torch.empty_like(buffer.seat[row]), torch.empty_like(buffer.by_learner[row])
        observation, others, mask = buffer.observation[row], buffer.other_observations[row], buffer.action_mask[row]

        for group in self.groups:
            columns = group.columns
            observation[columns] = group.observation
            mask[columns] = group.action_mask
            seat[columns] = group.current_player.long()
            by_learner[columns] = group.learner_moves()
            for k in range(others.shape[1]):
                others[columns, k] = group.observe((seat[columns] + 1 + k) % buffer.seats)

        if len(self.oriented_actions):
            order = self.oriented_observation[self.orientation]
            observation[:] = observation.gather(1, order)
            others[:] = others.gather(2, order[:, None].expand_as(others))
            mask[:] = mask.gather(1, self.oriented_actions[self.orientation])
        return seat, by_learner

    def act(self, row: int, seat: Tensor, by_learner: Tensor) -> Tensor:
        """Sample the learner's actions, and store what the update needs: int64 [N], numbered as the games do."""
        buffer, games = self.buffer, by_learner.nonzero()[:, 0]
        slots = row * buffer.games + games

        # Policy and value.
        memory = self.memory[games, seat[games]]
        buffer.memory[row, games] = memory
        uniform = positive_uniform(self.rng, len(games))
        with torch.inference_mode():
            observation, mask = (buffer.at(name, slots, self.device) for name in ("observation", "action_mask"))
            features, new_memory = self.network.recall(observation, memory.to(self.device))
            sampled, log_prob, value = self.network.sample(features, mask, uniform)
            if self.critic is not None:
                value = self.critic(buffer.all_observations(slots, self.device))
        require_finite(self.steps, log_prob, value)

        # What the update needs.
        where = games.device
        buffer.log_prob[row, games] = log_prob.to(where)
        buffer.value[row, games] = value.to(where)
        buffer.action[row, games] = sampled.to(where)
        self.memory[games, seat[games]] = new_memory.to(where)

        actions = torch.zeros_like(seat)
        actions[games] = sampled.to(where)
        if len(self.oriented_actions):
            actions = self.oriented_actions[self.orientation, actions]
        return actions

    def record_teacher(self, row: int, by_learner: Tensor, asked: bool) -> None:
        """Store what the teacher would do where the learner decides, or `NO_ADVICE` unless it is asked."""
        assert self.teacher is not None
        teacher_action = self.buffer.teacher_action[row]
        teacher_action[:] = NO_ADVICE
        if not asked:
            return
        for group in self.groups:
            games = by_learner[group.columns].nonzero()[:, 0]
            teacher_action[group.columns][games] = ask(self.teacher, group.batch, games, self.rng)

        if len(self.oriented_actions):
            games = by_learner.nonzero()[:, 0]
            to_network = self.oriented_actions[self.orientation[games]].argsort(dim=1)  # from the games' actions
            teacher_action[games] = to_network.gather(1, teacher_action[games, None])[:, 0]

    def let_opponents_act(self, actions: Tensor, by_learner: Tensor) -> None:
        """Enter the actions of agents in the other seats into `actions`, int64 [N]."""
        for group in self.groups:
            group.let_agent_act(actions[group.columns], by_learner[group.columns])

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Carry out all actions [N]; returns the rewards of all seats, float32 [N, P], and which games ended, [N]."""
        ended = torch.empty(self.num_games, dtype=torch.bool, device=actions.device)
        rewards = torch.empty((self.num_games, self.buffer.seats), device=actions.device)
        for group in self.groups:
            columns = group.columns
            rewards[columns], ended[columns] = group.step(actions[columns])
        return rewards, ended

    def start_next_games(self, ended: Tensor) -> None:
        """Start games without a memory, in another orientation, and a share of them from other positions."""
        if not ended.any():
            return
        for group in self.groups:
            if ended[group.columns].any():
                group.start_next_games(ended[group.columns])
        self.memory[ended] = 0.0
        if len(self.oriented_actions):
            self.orientation[ended] = self.random_orientations(int(ended.sum()))
        if self.starts:
            over = ended.cpu().numpy()
            for starts in self.starts:
                starts.restart(over[starts.group.columns])


def load_teacher(args: SelfPlayArguments, game: Game, components: Any) -> Agent | None:
    """The player to imitate at first, if any. Raises `RfopError`."""
    if not args.teacher:
        return None
    teacher = agent_of(args, args.teacher, game, components)
    if teacher.remembers:
        raise RfopError(f"--teacher: {args.teacher} has a memory of the games it plays itself; take one without")
    return teacher
