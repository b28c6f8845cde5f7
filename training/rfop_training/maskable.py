"""MaskablePPO of sb3-contrib with the runs of this package: one seat learns, an opponent inside the environment plays.

The policy's layers are those of a model file, so that NumPy plays it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from rfop_env.agent_names import parse_opponents
from rfop_env.core.batch_arguments import reward_weights
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_training import run
from rfop_training.run_arguments import (
    MANY,
    NOT_NEGATIVE,
    POSITIVE,
    SHARE,
    Range,
    RunArguments,
    argument,
    check_arguments,
    game_options,
)

METRICS = {  # of SB3's log, by the names they have in progress.csv
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "approx_kl": "train/approx_kl",
    "clipfrac": "train/clip_fraction",
    "explained_variance": "train/explained_variance",
    "loss": "train/loss",
}


@dataclass
class MaskableArguments(RunArguments):
    """The arguments of `rfop train maskable`."""

    env: str = argument("RedFlagOverParisSolo-v1", "environment id", fixed=str)
    opponent: str = argument(
        "",
        "who has the other seats: any agent by name, or several by shares of the games, as in "
        "scripted=0.5,runs/mine=0.5; empty: the game's last scripted player",
    )
    seat: str = argument("random", "the learner's seat in a game of several seats")
    num_envs: int = argument(256, "parallel games", Range(1, MANY), fixed=str)
    num_steps: int = argument(64, "steps of each game per rollout", Range(1, MANY))
    minibatch_size: int = argument(2048, "decisions per gradient step", Range(2))
    update_epochs: int = argument(3, "passes over the decisions of a rollout", Range(1))
    gamma: float = argument(1.0, "discount", SHARE)
    gae_lambda: float = argument(0.95, "lambda of generalised advantage estimation", SHARE)
    clip_coef: float = argument(0.2, "clipping range of the policy ratio", POSITIVE)
    ent_coef: float = argument(0.02, "weight of the entropy in the loss", NOT_NEGATIVE)
    evaluate_every: float = argument(30.0, "seconds between two points of the learning curve", NOT_NEGATIVE)
    evaluate_deals: int = argument(200, "deals per side for each point of the learning curve", Range(1, MANY))


class ScaledFeatures(BaseFeaturesExtractor):
    """The int8 observation scaled to about [-1, 1], and the first layer, shared by policy and value."""

    def __init__(self, observation_space: gymnasium.spaces.Box, width: int = 256):
        super().__init__(observation_space, width)
        reach = np.maximum(np.abs(observation_space.low), np.abs(observation_space.high)).astype(np.float32)
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.as_tensor(1.0 / np.maximum(reach, 1.0)))
        self.first = torch.nn.Linear(int(observation_space.shape[0]), width)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Features [N, width] of observations [N, D]."""
        features: torch.Tensor = torch.relu(self.first(observation * self.scale))
        return features


class MaskableTrainer(run.Trainer):
    """SB3's model and its vector environment. A resumed run has new games and new random numbers."""

    name = "maskable"
    packages = ("gymnasium", "numba", "numpy", "sb3_contrib", "stable_baselines3", "torch")

    def __init__(self, args: MaskableArguments, game: Game, components: Any):
        torch.set_num_threads(args.threads)
        self.args: MaskableArguments = args
        self.game = game
        self.components = components
        self.updates = 0
        self.opponents = self._parse_opponents()
        dense = [reward.name for reward in game.rewards if reward.dense]
        self.reward = args.reward or [*dense, game.points][0]

        inside = {player.name for player in game.opponents}
        opponent = {
            name if name in inside else args.load_agent(name, game, components): share
            for name, share in self.opponents.items()
        }
        self.env = GameVecEnv(
            game,
            args.num_envs,
            args.seed,
            components=components,
            reward=self.reward,
            threads=args.threads,
            opponent=opponent or None,
            seat=args.seat,
            **game_options(args.option, game),
        )

        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            learning_rate=lambda _: self.learning_rate,
            n_steps=args.num_steps,
            batch_size=args.minibatch_size,
            n_epochs=args.update_epochs,
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
            clip_range=args.clip_coef,
            ent_coef=args.ent_coef,
            policy_kwargs={
                "net_arch": {"pi": [args.width], "vf": [args.width]},
                "activation_fn": torch.nn.ReLU,
                "features_extractor_class": ScaledFeatures,
                "features_extractor_kwargs": {"width": args.width},
            },
            seed=args.seed,
            device="cpu",
        )
        self.model.set_logger(Logger(None, []))  # it has the metrics of the update
        _, self.callback = self.model._setup_learn(0)

    learning_rate = 0.0  # of the present update

    def _parse_opponents(self) -> dict[str, float]:
        """The opponents in training and their shares; none in a game of one seat. Raises `RfopError`."""
        args, game = self.args, self.game
        if game.spec.players == 1:
            if args.opponent:
                raise RfopError(f"--opponent: {game.id} has one seat, so nobody else plays; leave it out")
            return {}
        return parse_opponents(args.opponent or game.opponents[-1].name, "--opponent")

    @property
    def steps(self) -> int:  # type: ignore[override]
        """Decisions of the learner so far."""
        return int(self.model.num_timesteps)

    def update(self, progress: float, learning_rate: float) -> dict[str, float]:
        """Play a rollout, and learn from it; returns metrics."""
        model, self.learning_rate = self.model, learning_rate
        try:
            model.collect_rollouts(self.env, self.callback, model.rollout_buffer, self.args.num_steps)
            model.train()
        except ValueError as error:
            if "Expected parameter logits" not in str(error):  # the error of torch where they are NaN
                raise
            run.require_finite(self.steps, torch.tensor(torch.nan))
        run.require_finite(self.steps, *model.policy.parameters())

        self.updates += 1
        values = model.logger.name_to_value
        metrics = {name: float(values[key]) for name, key in METRICS.items()}
        metrics["entropy"] = -float(values["train/entropy_loss"])
        if episodes := model.ep_info_buffer:
            metrics["episode_return"] = float(np.mean([episode["r"] for episode in episodes]))
            metrics["episode_length"] = float(np.mean([episode["l"] for episode in episodes]))
        return metrics

    def to_arrays(self) -> dict[str, Any]:
        """The policy's weights under the names of a model file."""
        return policy_arrays(self.model.policy.state_dict())

    def curve_opponent(self) -> str:
        """The opponent in training; of several, the game's last scripted player; "" in a game of one seat."""
        if self.game.spec.players == 1:
            return ""
        return next(iter(self.opponents)) if len(self.opponents) == 1 else self.game.opponents[-1].name

    def predicted_rewards(self) -> Mapping[str, float]:
        """The reward kinds whose remainder the values predict; none where the reward is paid at the end alone."""
        weights = reward_weights(self.game, self.reward)
        return {name: weight for name, weight in weights.items() if self.game.reward(name)[1].dense}

    def state(self) -> dict[str, Any]:
        """Weights, moments and counts."""
        return {"parameters": self.model.get_parameters(), "steps": self.steps, "updates": self.updates}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue with the weights of a `state`, and with new games. Raises an error for what does not fit."""
        steps, updates = int(state["steps"]), int(state["updates"])
        if min(steps, updates) < 0:
            raise RfopError(f"steps {steps}, updates {updates}")
        self.model.policy.load_state_dict(state["parameters"]["policy"])
        run.load_optimiser(self.model.policy.optimizer, state["parameters"]["policy.optimizer"])
        self.model.num_timesteps, self.updates = steps, updates
        self.env.seed(self.args.seed + steps)
        self.model._last_obs = self.env.reset()
        torch.manual_seed(self.args.seed + steps)


def policy_arrays(state: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """The `state_dict` of a policy as the weights of a model file: its two branches are the halves of one layer."""
    array = {name: tensor.detach().cpu().numpy() for name, tensor in state.items()}
    policy, value = (f"mlp_extractor.{kind}_net.0" for kind in ("policy", "value"))
    policy_head, value_head = array["action_net.weight"], array["value_net.weight"]
    return {
        "scale": array["features_extractor.scale"].copy(),
        "layers.0.weight": array["features_extractor.first.weight"].copy(),
        "layers.0.bias": array["features_extractor.first.bias"].copy(),
        "layers.1.weight": np.concatenate([array[f"{policy}.weight"], array[f"{value}.weight"]]),
        "layers.1.bias": np.concatenate([array[f"{policy}.bias"], array[f"{value}.bias"]]),
        "policy.weight": np.concatenate([policy_head, np.zeros_like(policy_head)], axis=1),
        "policy.bias": array["action_net.bias"].copy(),
        "value.weight": np.concatenate([np.zeros_like(value_head), value_head], axis=1),
        "value.bias": array["value_net.bias"].copy(),
    }


def train(args: MaskableArguments, callback: run.Callback | None = None) -> Path:
    """Train a model; returns its path. Raises `RfopError` for arguments that cannot work."""
    return train_run(args, callback).folder.model


def train_run(args: MaskableArguments, callback: run.Callback | None = None) -> run.Run:
    """Train a model; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    check_arguments(args)
    decisions = args.num_envs * args.num_steps
    if decisions % args.minibatch_size == 1 or decisions == 1:
        raise RfopError(
            "--minibatch-size: the last gradient step of a pass would have one decision; choose another number"
        )
    return run.train_run(MaskableTrainer, args, callback)
