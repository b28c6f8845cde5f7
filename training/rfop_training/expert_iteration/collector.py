"""Play and labels: the network plays its games, and a search that it guides labels a share of the positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rfop_agents.rollouts import RolloutAgent
from rfop_agents.search import SearchAgent
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training.evaluation.games import opening_of
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.rollout import Rollout
from rfop_training.learning.arguments import PAST, opponents_of, rewards_of
from rfop_training.learning.networks import Network, not_finite, positive_uniform
from rfop_training.learning.opponents import games_of, make_groups
from rfop_training.learning.phases import Phases
from rfop_training.learning.starts import Openings
from rfop_training.learning.states import batch_bytes
from rfop_training.learning.tensors import ask

# Phases of playing.
OBSERVATIONS = "observations"
POLICY = "policy of moves not searched"
SEARCH = "search: trees"
LEAVES = "search: network"
OPPONENTS = "opponents"
ENVIRONMENT = "environment"
STARTS = "starts of games"


class LeafNetwork:
    """The network that is trained, as the search asks it: all leaves of a simulation in one call.

    In place of a network with `bf16` a copy with hidden layers in bfloat16 is asked, which `refresh` brings up to date.
    """

    def __init__(self, network: Network, rewards: Mapping[str, float]):
        self.network = network
        self.remembers = network.gru is not None
        self.rewards = rewards
        self.phases = Phases()
        self.asked = network.in_bfloat16() if network.bf16 else network

    def refresh(self) -> None:
        """Take over the weights of the network, which has changed."""
        if self.asked is not self.network:
            with torch.no_grad():
                for own, weight in zip(self.asked.parameters(), self.network.parameters(), strict=True):
                    own.copy_(weight)

    @torch.inference_mode()
    def evaluate(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits float32 [n, A], and float32 [n], what the seats that decide will be paid from here on."""
        self.phases.begin(LEAVES)
        features = self.asked.features(torch.from_numpy(observation))
        logits, values = self.asked.heads(features, torch.from_numpy(action_mask))
        self.phases.begin(SEARCH)
        return logits.numpy(), values.numpy()

    def logits(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The logits of `evaluate` alone, float32 [n, A]."""
        return self.evaluate(observation, action_mask)[0]


class Collector:
    """One part of the games, and their search; no other thread uses them, nor `rng`. The network is only read."""

    def __init__(self, args: ExpertArguments, game: Game, components: Any, network: Network, part: int):
        if PAST in opponents_of(args.opponents, game):
            raise RfopError("--opponents: past: expert iteration keeps no snapshots; give self or a model's path")
        self.args = args
        self.game = game
        self.network = network
        self.rng = rng = np.random.default_rng([args.seed, part])
        self.steps = 0  # decisions of the run before the present rollout

        first, end = games_of(args, part)
        self.num_games = end - first
        self.groups = make_groups(args, game, components, rng, part)
        self.leaves = LeafNetwork(network, rewards_of(args.reward, game))
        self.expert: SearchAgent | RolloutAgent
        if args.rollouts:
            self.expert = RolloutAgent(game, self.leaves, args.rollout_settings())
        else:
            self.expert = SearchAgent(game, args.search_settings(), network=self.leaves)
        self.compile_search()

        self.starts = []
        if args.openings > 0 and opening_of(game):
            self.starts = [Openings(group, args.openings, rng) for group in self.groups]

    def compile_search(self) -> None:
        """Search a position in vain, so that everything is compiled before the clock of the run starts."""
        ask(self.expert, self.groups[0].batch, torch.zeros(1, dtype=torch.int64), np.random.default_rng(0))

    def collect(self, steps: int, phases: Phases) -> Rollout:
        """Play some steps of every game; `steps`: decisions of the run so far. Raises `RfopError`."""
        self.steps = steps
        self.leaves.phases = phases
        self.leaves.refresh()
        phases.begin(STARTS)
        for starts in self.starts:
            starts.record()

        rollout = Rollout(self.args.num_steps, self.num_games, self.game)
        for step in range(rollout.steps):
            phases.begin(OBSERVATIONS)
            self.observe(rollout, step)
            phases.begin(POLICY)
            actions = self.act(rollout, step, phases)
            phases.begin(OPPONENTS)
            for group in self.groups:
                by_learner = torch.from_numpy(rollout.by_learner[step, group.columns])
                group.let_agent_act(torch.from_numpy(actions[group.columns]), by_learner)
            phases.begin(ENVIRONMENT)
            self.step(rollout, step, actions)
        rollout.scores = [(group.name, group.score) for group in self.groups]
        return rollout

    def observe(self, rollout: Rollout, step: int) -> None:
        """Store what the seats that decide see, and what they have been paid."""
        for group in self.groups:
            batch, columns = group.batch, group.columns
            seat = batch.current_player.astype(np.int64)
            rollout.observation[step, columns] = batch.observation
            rollout.action_mask[step, columns] = batch.action_mask
            rollout.seat[step, columns] = seat
            rollout.by_learner[step, columns] = group.learner_moves()
            rollout.paid[step, columns] = group.paid.numpy()[np.arange(len(seat)), seat]

    def act(self, rollout: Rollout, step: int, phases: Phases) -> NDArray[np.int64]:
        """The learner's actions, int64 [N]: of the search in a random share of the games, of the network in others."""
        by_learner, searched = rollout.by_learner[step], rollout.searched[step]
        games = np.flatnonzero(by_learner)
        searched[self.rng.permutation(games)[: int(np.ceil(self.args.search_share * len(games)))]] = True

        # Sampled from the network.
        actions = np.zeros(self.num_games, np.int64)
        others = np.flatnonzero(by_learner & ~searched)
        if len(others):
            actions[others] = self.sample(rollout.observation[step, others], rollout.action_mask[step, others])

        # Searched.
        phases.begin(SEARCH)
        for group in self.groups:
            columns = np.arange(self.num_games)[group.columns]
            places = np.flatnonzero(searched[columns])
            if len(places):
                actions[columns[places]] = ask(self.expert, group.batch, torch.from_numpy(places), self.rng)
                assert self.expert.last is not None
                rollout.policy[step, columns[places]] = self.expert.last.policy
        return actions

    @torch.inference_mode()
    def sample(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Actions int64 [n], sampled from the network's policy for int8 [n, D] and bool [n, A]."""
        features = self.leaves.asked.features(torch.from_numpy(observation))
        uniform = positive_uniform(self.rng, len(observation))
        sampled, log_prob, _ = self.network.sample(features, torch.from_numpy(action_mask), uniform)
        if not bool(log_prob.isfinite().all()):
            raise not_finite(self.steps)
        actions: NDArray[np.int64] = sampled.numpy()
        return actions

    def step(self, rollout: Rollout, step: int, actions: NDArray[np.int64]) -> None:
        """Carry out all actions [N]; note the returns of games that end, and start the next ones."""
        ended, final = rollout.ended[step], rollout.final[step]
        for group in self.groups:
            _, over = group.step(torch.from_numpy(actions[group.columns]))
            ended[group.columns], final[group.columns] = over, group.paid
        if not ended.any():
            return
        for group in self.groups:
            if ended[group.columns].any():
                group.start_next_games(torch.from_numpy(ended[group.columns]))
        for starts in self.starts:
            starts.restart(ended[starts.group.columns])

    # -- exact resume --------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Everything needed to resume, as tensors and plain values."""
        return {
            "groups": [group.state() for group in self.groups],
            "starts": [batch_bytes(starts.positions) for starts in self.starts],
            "rng": self.rng.bit_generator.state,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`. Raises `RfopError`."""
        for group, saved in zip(self.groups, state["groups"], strict=True):
            group.restore(saved)
        for starts, positions in zip(self.starts, state["starts"], strict=True):
            starts.positions.set_state(positions.numpy().view(starts.batch.game.state).reshape(-1))
        self.rng.bit_generator.state = state["rng"]
