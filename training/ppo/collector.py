"""Collection of rollouts: the learner's network plays in all groups, and the buffer stores what the update needs."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.agent import act_for
from rfop_env.core.game import Game
from training.evaluation.games import opening_of
from training.ppo.arguments import SelfPlayArguments
from training.ppo.buffer import NO_ADVICE, RolloutBuffer
from training.ppo.networks import CentralCritic, Network, require_finite
from training.ppo.opponents import SnapshotPool, load_teacher, make_groups
from training.ppo.starts import Openings, RecordedStarts


class Collector:
    """The games of a run and what belongs to them: opponents, buffer, memories, orientations, starts and teacher."""

    def __init__(
        self,
        args: SelfPlayArguments,
        game: Game,
        components: Any,
        network: Network,
        critic: CentralCritic | None,
        rng: np.random.Generator,
    ):
        self.args = args
        self.network = network
        self.critic = critic
        self.rng = rng
        self.device = torch.device(args.device)
        self.steps = 0  # decisions of the learner

        self.groups = make_groups(args, game, components, rng)
        self.pool = SnapshotPool(args, self.groups, rng)
        self.pool.add(network.arrays())
        self.buffer = RolloutBuffer(args.num_steps, args.num_envs, game, args.gru_size, args.central_critic)
        self.memory = np.zeros((args.num_envs, game.spec.players, args.gru_size), np.float32)

        # Each game is observed and played in one orientation of the board.
        symmetries = () if args.no_symmetries else game.symmetries()
        self.oriented_observation = np.array([symmetry.observation for symmetry in symmetries])  # [K, D]
        self.oriented_actions = np.array([symmetry.actions for symmetry in symmetries])  # [K, A]
        self.orientation = np.zeros(args.num_envs, np.int64)
        if symmetries:
            self.orientation = rng.integers(0, len(symmetries), args.num_envs)

        self.starts = [RecordedStarts(group, args.restarts, rng) for group in self.groups if args.restarts > 0]
        if args.openings > 0 and opening_of(game):
            self.starts += [Openings(group, args.openings, rng) for group in self.groups]
        self.teacher = load_teacher(args, game, components)

    def collect(self, ask_teacher: bool) -> None:
        """Play a rollout; the decisions that the last one left open are in its first rows.

        `ask_teacher`: whether the update will use the teacher's actions.
        """
        buffer = self.buffer
        for starts in self.starts:
            starts.record()
        for row in range(buffer.seats, buffer.rows):
            seat, by_learner = self.observe(row)
            actions = self.act(row, seat, by_learner)
            if self.teacher is not None:
                self.record_teacher(row, by_learner, ask_teacher)
            buffer.link(row, seat, by_learner)
            self.step(actions, by_learner)
            self.steps += int(by_learner.sum())

    def observe(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Store observations and masks of all games.

        Returns the seats that decide, int64 [N], and whether the learner has them, bool [N].
        """
        buffer = self.buffer
        seat, by_learner = np.empty(self.args.num_envs, np.int64), np.empty(self.args.num_envs, np.bool_)
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
        logits, value, new_memory = self.network(observation, mask, torch.from_numpy(memory).to(self.device))
        if self.critic is not None:
            value = self.critic(buffer.all_observations(slots, self.device))

        # Actions.
        log_probs = torch.log_softmax(logits, dim=1)
        uniform = 1.0 - self.rng.random(len(games), dtype=np.float32)
        sampled = sample_actions(torch.softmax(logits, dim=1), uniform)
        require_finite(self.steps, log_probs, value)

        # What the update needs.
        buffer.log_prob[row, games] = log_probs.gather(1, sampled[:, None])[:, 0].cpu()
        buffer.value[row, games] = value.cpu()
        buffer.action[row, games] = sampled.cpu()
        self.memory[games, seat[games]] = new_memory.cpu()

        actions = np.zeros(self.args.num_envs, np.int64)
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

    def step(self, actions: NDArray[np.int64], by_learner: NDArray[np.bool_]) -> None:
        """Carry out all actions [N], and pay the rewards."""
        ended = np.empty(self.args.num_envs, np.bool_)
        rewards: NDArray[np.float32] = np.empty((self.args.num_envs, self.buffer.seats), np.float32)
        for group in self.groups:
            columns = group.columns
            rewards[columns], ended[columns] = group.step(actions[columns], by_learner[columns])
        self.buffer.pay(rewards, ended)

        # The next games start without a memory, in another orientation, and a share of them from other positions.
        self.memory[ended] = 0.0
        if len(self.oriented_actions):
            self.orientation[ended] = self.rng.integers(0, len(self.oriented_actions), int(ended.sum()))
        for starts in self.starts:
            starts.restart(ended[starts.group.columns])


def sample_actions(probs: Tensor, uniform: NDArray[np.float32]) -> Tensor:
    """An action for each row of probabilities [n, A], by uniform numbers above 0 and at most 1: int64 [n]."""
    cumulative = probs.cumsum(dim=1)
    threshold = torch.from_numpy(uniform).to(cumulative.device)[:, None] * cumulative[:, -1:]
    return (cumulative < threshold).sum(dim=1)
