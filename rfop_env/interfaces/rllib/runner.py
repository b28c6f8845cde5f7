"""A runner for RLlib that plays many games at once, one policy in every seat that is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from rfop_env.core.arguments import whole_number
from rfop_env.core.errors import extra
from rfop_env.interfaces.common import observation_space
from rfop_env.interfaces.rllib.chains import Chain, ChainRecorder
from rfop_env.interfaces.setup import BATCH, Setup

with extra("ray", __name__, "ray", "torch"):
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.rllib.env.single_agent_episode import SingleAgentEpisode
    from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
    from ray.rllib.utils.metrics import ENV_STEP_TIMER, RLMODULE_INFERENCE_TIMER

SEEDS = 2**40  # the games of runners have seeds below this number; those of evaluations are above it


class RunnerGames(VectorEnv[Any, Any, Any]):
    """The games of a runner, and the spaces that RLlib asks for; the runner steps `batch` itself.

    `arguments` are those of `interfaces.setup.Setup` that concern the games, and the game's options by name.
    """

    def __init__(self, game: str, num_envs: int, **arguments: Any):
        self.num_envs = whole_number("num_envs", num_envs, 1)
        self.batch = Setup.read(game, arguments, BATCH, several_seats=True).new_batch(num_envs, autoreset=True)

        self.single_observation_space = observation_space(self.batch.game, True)
        self.single_action_space = spaces.Discrete(self.batch.game.actions.size)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)


class BatchRunner(SingleAgentEnvRunner):  # type: ignore[misc]  # untyped base
    """One policy plays `num_envs_per_env_runner` games: all seats, or one if `env_config` names an `opponent`.

    `PPOConfig().environment(id, env_config=...)` names the game as `rfop_env.make_batch` does, and
    `.env_runners(env_runner_cls=BatchRunner)` this class. To RLlib it is training of a single agent: an episode is
    the chain of decisions of one seat in one game, with all that the seat was paid from each decision to its next one.
    One forward pass and one compiled call step all games. Connectors between environment and module are not used.

    Decisions that wait for their seat's next one are in the next sample. Sampling of whole episodes
    (`batch_mode="complete_episodes"`) raises `ValueError`.
    """

    def make_env(self) -> None:
        """Make the games, which `sample` starts."""
        options = dict(self.config.env_config)
        self.env = RunnerGames(str(self.config.env), self.config.num_envs_per_env_runner, **options)
        self.num_envs = self.env.num_envs
        self._needs_initial_reset = True

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[Any]:
        if num_timesteps is None:
            raise ValueError("BatchRunner samples decisions, not whole episodes: batch_mode='truncate_episodes'")
        if force_reset or self._needs_initial_reset:
            self._start()

        # Play until so many decisions are complete.
        games = 0
        while self._recorder.completed < num_timesteps:
            games += self._step(explore, random_actions)

        # Hand the chains over, and count them.
        chains = self._recorder.take()
        episodes = [self._episode(chain) for chain in chains]
        for episode in episodes:
            if episode.is_done:
                self._done_episodes_for_metrics.append(episode)
            else:
                self._ongoing_episodes_for_metrics[episode.id_].append(episode)
        steps = sum(len(episode) for episode in episodes)
        self._log_env_steps(metric=self._metrics_num_env_steps_sampled, num_steps=steps)
        self._increase_sampled_metrics(steps, games)
        return episodes

    def _start(self) -> None:
        """Start all games, with seeds that depend on the run's seed, this runner and the decisions sampled before."""
        batch = self.env.batch
        entropy = [self.config.seed or 0, self.worker_index or 0, int(self.num_env_steps_sampled_lifetime)]
        draws = np.random.default_rng(None if self.config.seed is None else entropy)
        self._started_as = int(draws.integers(SEEDS - self.num_envs))
        batch.reset(self._started_as)
        self._recorder = ChainRecorder(self.num_envs, batch.game.spec.players)
        self._ongoing_episodes_for_metrics.clear()
        self._needs_initial_reset = False

    def _step(self, explore: bool, random_actions: bool) -> int:
        """One decision in every game; returns how many games it ended."""
        batch = self.env.batch
        observation, mask = batch.observation.copy(), batch.action_mask.astype(np.int8)
        seat = batch.current_player.copy()

        # Ask the policy.
        with self.metrics.log_time(RLMODULE_INFERENCE_TIMER):
            logits = self._logits(observation, mask, random_actions)
            kind = self.module.get_exploration_action_dist_cls()
            policy = kind.from_logits(logits)
            actions = policy.sample() if explore else logits.argmax(dim=1)
            log_probs = policy.logp(actions)

        # Step all games.
        with self.metrics.log_time(ENV_STEP_TIMER):
            batch.step(actions.cpu().numpy())
        decisions = {
            "observation": observation,
            "action_mask": mask,
            "action": actions.cpu().numpy(),
            "log_prob": log_probs.cpu().numpy(),
            "logits": logits.cpu().numpy(),
        }
        self._recorder.add(seat, decisions, batch.rewards, batch.terminated)
        return int(batch.terminated.sum())

    def _logits(self, observation: NDArray[np.int8], mask: NDArray[np.int8], random_actions: bool) -> torch.Tensor:
        """The policy's logits float32 [N, A]; equal ones for legal actions if they are to be random."""
        legal = torch.from_numpy(mask).to(self._device)
        if random_actions:
            return torch.where(legal.bool(), 0.0, -torch.inf)
        observations = {"observation": torch.from_numpy(observation).to(self._device), "action_mask": legal}
        with torch.no_grad():
            output = self.module.forward_inference({Columns.OBS: observations})
        logits: torch.Tensor = output[Columns.ACTION_DIST_INPUTS]
        return logits

    def _episode(self, chain: Chain) -> Any:
        """A chain as RLlib's episode, in arrays. The last view of an ended game is repeated as its next one."""
        decisions, following = chain.decisions, chain.following
        if following is None:
            following = {name: values[-1] for name, values in decisions.items()}
        parts = ("observation", "action_mask")
        observations = {name: np.concatenate([decisions[name], following[name][None]]) for name in parts}
        observation, action = self.env.single_observation_space, self.env.single_action_space
        length = len(chain.rewards)
        return SingleAgentEpisode(
            id_=f"{self.worker_index or 0}.{self._started_as}.{chain.game}.{chain.episode}.{chain.seat}",
            observations=InfiniteLookbackBuffer(observations, space=observation),
            observation_space=observation,
            infos=[{}] * (length + 1),
            actions=InfiniteLookbackBuffer(decisions["action"], space=action),
            action_space=action,
            rewards=InfiniteLookbackBuffer(chain.rewards.astype(np.float32)),
            terminated=chain.following is None,
            extra_model_outputs={
                Columns.ACTION_LOGP: InfiniteLookbackBuffer(decisions["log_prob"]),
                Columns.ACTION_DIST_INPUTS: InfiniteLookbackBuffer(decisions["logits"]),
            },
            len_lookback_buffer=0,
        )
