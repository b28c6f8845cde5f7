"""Collection of rollouts: the learner's network plays in all groups, and the buffer stores what the update needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.agent import act_for
from rfop_env.core.game import Game
from training.evaluation.games import opening_of
from training.ppo.arguments import SelfPlayArguments
from training.ppo.buffer import NO_ADVICE, RolloutBuffer
from training.ppo.networks import CentralCritic, Network, positive_uniform, require_finite
from training.ppo.opponents import games_of, load_teacher, make_groups
from training.ppo.phases import Phases
from training.ppo.starts import Openings, RecordedStarts

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

    No other thread uses them, nor `rng`; networks are read alone.
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
        self.device = torch.device(args.device)
        self.steps = 0  # decisions of the learner

        first, end = games_of(args, thread)
        self.num_games = end - first
        self.groups = make_groups(args, game, components, rng, thread)
        self.buffer = RolloutBuffer(args.num_steps, self.num_games, game, args.gru_size, args.central_critic)
        self.memory = np.zeros((self.num_games, game.spec.players, args.gru_size), np.float32)

        # Each game is observed and played in one orientation of the board.
        symmetries = () if args.no_symmetries else game.symmetries()
        self.oriented_observation = np.array([symmetry.observation for symmetry in symmetries])  # [K, D]
        self.oriented_actions = np.array([symmetry.actions for symmetry in symmetries])  # [K, A]
        self.orientation = np.zeros(self.num_games, np.int64)
        if symmetries:
            self.orientation = rng.integers(0, len(symmetries), self.num_games)

        self.starts = [RecordedStarts(group, args.restarts, rng) for group in self.groups if args.restarts > 0]
        if args.openings > 0 and opening_of(game):
            self.starts += [Openings(group, args.openings, rng) for group in self.groups]
        self.teacher = load_teacher(args, game, components)

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

    def observe(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Store observations and masks of all games.

        Returns the seats that decide, int64 [N], and whether the learner has them, bool [N].
        """
        buffer = self.buffer
        seat, by_learner = np.empty(self.num_games, np.int64), np.empty(self.num_games, np.bool_)
        observation, others, mask = buffer.observation[row], buffer.other_observations[row], buffer.action_mask[row]

        for group in self.groups:
            batch, columns = group.batch, group.columns
            observation[columns] = batch.observation
            mask[columns] = batch.action_mask
            seat[columns] = batch.current_player
            by_learner[columns] = group.learner_moves()
            for k in range(others.shape[1]):
                others[columns, k] = batch.observe((batch.current_player + 1 + k) % buffer.seats)

        if len(self.oriented_actions):
            order = self.oriented_observation[self.orientation]
            observation[:] = np.take_along_axis(observation, order, axis=1)
            others[:] = np.take_along_axis(others, order[:, None], axis=2)
            mask[:] = np.take_along_axis(mask, self.oriented_actions[self.orientation], axis=1)
        return seat, by_learner

    @torch.inference_mode()
    def act(self, row: int, seat: NDArray[np.int64], by_learner: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Sample the learner's actions, and store what the update needs: int64 [N], numbered as the games do."""
        buffer, games = self.buffer, np.flatnonzero(by_learner)
        slots = row * buffer.games + games

        # Policy and value.
        memory = self.memory[games, seat[games]]
        buffer.memory[row, games] = memory
        observation, mask = (buffer.tensor(name, slots, self.device) for name in ("observation", "action_mask"))
        features, new_memory = self.network.recall(observation, torch.from_numpy(memory).to(self.device))
        uniform = positive_uniform(self.rng, len(games))
        sampled, log_prob, value = self.network.sample(features, mask, uniform)
        if self.critic is not None:
            value = self.critic(buffer.all_observations(slots, self.device))
        require_finite(self.steps, log_prob, value)

        # What the update needs.
        buffer.log_prob[row, games] = log_prob.cpu()
        buffer.value[row, games] = value.cpu()
        buffer.action[row, games] = sampled.cpu()
        self.memory[games, seat[games]] = new_memory.cpu()

        actions = np.zeros(self.num_games, np.int64)
        actions[games] = sampled.cpu()
        if len(self.oriented_actions):
            actions = self.oriented_actions[self.orientation, actions]
        return actions

    def record_teacher(self, row: int, by_learner: NDArray[np.bool_], ask: bool) -> None:
        """Store what the teacher would do where the learner decides, or `NO_ADVICE` unless it is asked."""
        assert self.teacher is not None
        teacher_action = self.buffer.teacher_action[row]
        teacher_action[:] = NO_ADVICE
        if not ask:
            return
        for group in self.groups:
            games = np.flatnonzero(by_learner[group.columns])
            teacher_action[group.columns][games] = act_for(self.teacher, group.batch, games, self.rng)

        if len(self.oriented_actions):
            to_network = np.argsort(self.oriented_actions[self.orientation], axis=1)  # from the games' actions
            teacher_action[by_learner] = to_network[by_learner, teacher_action[by_learner]]

    def let_opponents_act(self, actions: NDArray[np.int64], by_learner: NDArray[np.bool_]) -> None:
        """Enter the actions of agents in the other seats into `actions`, int64 [N]."""
        for group in self.groups:
            group.let_agent_act(actions[group.columns], by_learner[group.columns])

    def step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Carry out all actions [N]; returns the rewards of all seats, float32 [N, P], and which games ended, [N]."""
        ended = np.empty(self.num_games, np.bool_)
        rewards: NDArray[np.float32] = np.empty((self.num_games, self.buffer.seats), np.float32)
        for group in self.groups:
            columns = group.columns
            rewards[columns], ended[columns] = group.step(actions[columns])
        return rewards, ended

    def start_next_games(self, ended: NDArray[np.bool_]) -> None:
        """Start games without a memory, in another orientation, and a share of them from other positions."""
        if not ended.any():
            return
        for group in self.groups:
            if ended[group.columns].any():
                group.start_next_games(ended[group.columns])
        self.memory[ended] = 0.0
        if len(self.oriented_actions):
            self.orientation[ended] = self.rng.integers(0, len(self.oriented_actions), int(ended.sum()))
        for starts in self.starts:
            starts.restart(ended[starts.group.columns])
