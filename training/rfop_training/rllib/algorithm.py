"""RLlib's PPO, set up for an environment of this package."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.interfaces.rllib.module import MaskedModule
from rfop_env.interfaces.rllib.runner import BatchRunner
from rfop_training.learning.arguments import game_options
from rfop_training.ppo.maskable import players_of, reward_of
from rfop_training.rllib.arguments import VECTOR, RllibArguments, opponent_of

POLICY = "default_policy"
OPTIMISER = "default_policy_default_optimizer"
METRICS = {  # of RLlib's results, by the names they have in progress.csv
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "entropy": "entropy",
    "approx_kl": "approx_kl",
    "clipfrac": "clipfrac",
    "explained_variance": "vf_explained_var",
}
SAMPLE_SECONDS = 1800.0  # for a rollout; what takes longer is lost
PROBE_SECONDS = 30.0  # for a runner to say that it lives


class MeasuredLearner(PPOTorchLearner):  # type: ignore[misc]  # untyped base
    """RLlib's learner, which also tells how far the policy has moved from that of the rollout."""

    def compute_loss_for_module(
        self, *, module_id: Any, config: Any, batch: dict[str, Any], fwd_out: dict[str, Any]
    ) -> torch.Tensor:
        """The loss of a minibatch."""
        loss: torch.Tensor = super().compute_loss_for_module(
            module_id=module_id, config=config, batch=batch, fwd_out=fwd_out
        )
        with torch.no_grad():
            kind = self.module[module_id].unwrapped().get_train_action_dist_cls()
            now = kind.from_logits(fwd_out[Columns.ACTION_DIST_INPUTS]).logp(batch[Columns.ACTIONS])
            log_ratio = (now - batch[Columns.ACTION_LOGP])[batch.get(Columns.LOSS_MASK, slice(None))]
            change = log_ratio.exp() - 1.0
            metrics = {
                "approx_kl": (change - log_ratio).mean(),
                "clipfrac": (change.abs() > config.clip_param).float().mean(),
            }
        self.metrics.log_dict(metrics, key=module_id, window=1)
        return loss


def config_of(args: RllibArguments, game: Game, components: Any) -> PPOConfig:
    """RLlib's settings for these arguments."""
    environment: dict[str, Any] = {
        # The set of a file goes along, since the file may lie on this machine alone. Every node has the shipped set:
        # without it the settings are small, and Ray keeps them beside a runner for its restart.
        "components": components if args.components else None,
        "reward": reward_of(args, game),
        "threads": args.threads,
        **game_options(args.option, game),
    }
    if opponent := opponent_of(args, game):
        environment |= {"opponent": players_of(args, opponent, game, components), "seat": args.seat}
    networks = {"fcnet_hiddens": [args.width] * args.layers, "fcnet_activation": "relu", "vf_share_layers": False}
    config = PPOConfig().environment(args.env, env_config=environment).env_runners(env_runner_cls=BatchRunner)
    if args.sampling == VECTOR:
        config.environment(f"rfop_env:rfop/{args.env}")
        config.env_runners(env_runner_cls=SingleAgentEnvRunner, gym_env_vectorize_mode="vector_entry_point")
    return (
        config.env_runners(
            num_env_runners=args.runners,
            num_envs_per_env_runner=args.envs_per_runner,
            rollout_fragment_length=args.num_steps,
            num_cpus_per_env_runner=args.threads,
            sample_timeout_s=SAMPLE_SECONDS,
        )
        .training(
            lr=args.learning_rate,
            gamma=args.gamma,
            lambda_=args.gae_lambda,
            clip_param=args.clip_coef,
            entropy_coeff=args.ent_coef,
            vf_loss_coeff=args.vf_coef,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=args.max_grad_norm,
            train_batch_size_per_learner=args.num_envs * args.num_steps,
            learner_class=MeasuredLearner,
            minibatch_size=args.minibatch_size,
            num_epochs=args.update_epochs,
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config=networks))
        .fault_tolerance(
            restart_failed_env_runners=True,
            env_runner_health_probe_timeout_s=PROBE_SECONDS,
            env_runner_restore_timeout_s=args.restore_seconds,
        )
        .debugging(seed=args.seed, log_level="ERROR")
    )


class Learning:
    """RLlib's algorithm as the run sees it: an update, the learning rate, weights, state."""

    def __init__(self, args: RllibArguments, game: Game, components: Any):
        for name in ("ray", "ray.rllib", "ray.tune"):
            logging.getLogger(name).setLevel(logging.ERROR)
        self.algorithm = config_of(args, game, components).build_algo()
        self.updates = 0
        self.restarts = 0  # of runners that had died
        self._before = 0  # decisions before this process

    def stop(self) -> None:
        """End the runners."""
        self.algorithm.stop()

    @property
    def steps(self) -> int:
        """Decisions of the policy so far."""
        key = ("env_runners", "num_env_steps_sampled_lifetime")
        return self._before + int(self.algorithm.metrics.peek(key, default=0))

    def update(self, learning_rate: float) -> dict[str, float]:
        """Play a rollout and learn from it; returns metrics, none if every runner is lost."""
        self.algorithm.learner_group.foreach_learner(_SetLearningRate(learning_rate))
        before = self.steps
        results = self.algorithm.train()
        self.restarts = int(results.get("fault_tolerance", {}).get("num_remote_worker_restarts", 0))
        if self.steps == before:
            return {}

        self.updates += 1
        learned, timers = results["learners"][POLICY], results["timers"]
        metrics = {name: float(learned[theirs]) for name, theirs in METRICS.items()} | {"learning_rate": learning_rate}
        played = results["env_runners"]
        if "episode_return_mean" in played:
            metrics["episode_return"] = float(played["episode_return_mean"])
            metrics["episode_length"] = float(played["episode_len_mean"])
        metrics["sampling_seconds"] = float(timers["env_runner_sampling_timer"])
        metrics["learning_seconds"] = float(timers["learner_update_timer"])
        return metrics | {"restarts": float(self.restarts)}

    def parameters(self) -> dict[str, np.ndarray]:
        """The weights of the learner's networks, by RLlib's names."""
        weights: dict[str, np.ndarray] = self.algorithm.learner_group.get_weights()[POLICY]
        return weights

    def state(self) -> dict[str, Any]:
        """Everything needed to continue with other games: tensors and plain values."""
        learner = self.algorithm.learner_group.get_state()["learner"]
        return {
            "parameters": {name: torch.from_numpy(np.array(w)) for name, w in learner["rl_module"][POLICY].items()},
            "optimiser": _as_tensors(learner["optimizer"][OPTIMISER]["state"]),
            "steps": self.steps,
            "updates": self.updates,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`. Raises `RfopError`, and nearly anything else, where it does not fit."""
        steps, updates = int(state["steps"]), int(state["updates"])
        if min(steps, updates) < 0:
            raise RfopError(f"steps {steps}, updates {updates}")
        parameters = {name: tensor.numpy() for name, tensor in state["parameters"].items()}
        _require_shapes(parameters, self.parameters())
        optimiser = dict(state["optimiser"])
        _require_moments(optimiser["state"], self.algorithm.learner_group.get_weights()[POLICY])

        group = self.algorithm.learner_group
        group.set_state(
            {
                "learner": {
                    "rl_module": {POLICY: parameters},
                    "optimizer": {OPTIMISER: {"module_id": POLICY, "state": optimiser}},
                }
            }
        )
        self.algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group, inference_only=True)
        self._before, self.updates = steps, updates


class _SetLearningRate:
    """Sets the learning rate of a learner, wherever that is."""

    def __init__(self, learning_rate: float):
        self.learning_rate = learning_rate

    def __call__(self, learner: Any) -> None:
        optimiser = learner.get_optimizer(module_id=POLICY)
        learner._optimizer_lr_schedules.pop(optimiser, None)  # RLlib would set its own again after the update
        learner._set_optimizer_lr(optimiser, self.learning_rate)


def _as_tensors(value: Any) -> Any:
    """A nested state with copies of its arrays and tensors as tensors, and plain numbers."""
    if isinstance(value, Mapping):
        return {key: _as_tensors(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_tensors(one) for one in value]
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().clone()
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    return value.item() if isinstance(value, np.generic) else value


def _require_shapes(given: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Raise `RfopError` where weights have other names or shapes."""
    shapes, expected = ({name: np.shape(w) for name, w in one.items()} for one in (given, own))
    if shapes != expected:
        wrong = sorted(name for name in shapes.keys() | expected.keys() if shapes.get(name) != expected.get(name))
        raise RfopError(f"the networks have other layers than these ({', '.join(wrong)})")


def _require_moments(moments: Mapping[Any, Mapping[str, Any]], own: Mapping[str, Any]) -> None:
    """Raise `RfopError` where the optimiser's state has another shape than every parameter of these networks."""
    shapes = {np.shape(w) for w in own.values()} | {()}
    for number, of_one in moments.items():
        wrong = [name for name, value in of_one.items() if tuple(np.shape(value)) not in shapes]
        if wrong:
            raise RfopError(f"{wrong[0]} of the optimiser's parameter {number}: {list(np.shape(of_one[wrong[0]]))}")
