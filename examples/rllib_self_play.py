"""Self-play with RLlib's PPO: one policy plays all seats, on this machine or a Ray cluster, and NumPy plays its model.

    python examples/rllib_self_play.py --env Revolution-v0 --updates 20 --model runs/rllib.safetensors
    python examples/rllib_self_play.py --ray 10.0.0.1:6379 --runners 32 --num-envs 1024 --updates 500

Ray needs an environment of its own: docs/train.md. `rfop evaluate MODEL scripted` plays the model file.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from rfop_agents.network import game_metadata, write_network
from rfop_env.interfaces.rllib.module import MaskedModule
from rfop_env.interfaces.rllib.runner import BatchRunner
from rfop_env.registry import get_game

POLICY = "default_policy"
METRICS = ("policy_loss", "vf_loss", "entropy", "vf_explained_var")


def make_config(args: argparse.Namespace) -> PPOConfig:
    """RLlib's settings: our runner plays many games at once, and the module gives illegal actions probability 0."""
    reward = args.reward or get_game(args.env).points
    networks = {"fcnet_hiddens": [256, 256], "fcnet_activation": "relu", "vf_share_layers": True}
    return (
        PPOConfig()
        .environment(args.env, env_config={"reward": reward})  # the id and arguments of rfop_env.make_batch
        .env_runners(
            env_runner_cls=BatchRunner,
            num_env_runners=args.runners,
            num_envs_per_env_runner=args.num_envs // max(1, args.runners),
            rollout_fragment_length=args.num_steps,
            sample_timeout_s=1800.0,
        )
        .training(
            lr=args.learning_rate,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.02,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
            train_batch_size_per_learner=args.num_envs * args.num_steps,
            minibatch_size=args.minibatch_size,
            num_epochs=1,
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config=networks))
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=args.seed, log_level="ERROR")
    )


def train(args: argparse.Namespace) -> list[dict[str, float]]:
    """Train, and write the model file; returns the metrics of every update."""
    algorithm = make_config(args).build_algo()
    if args.resume:
        algorithm.restore_from_path(args.resume.resolve())
    rows = []
    try:
        for update in range(args.updates):
            results = algorithm.train()
            row = {name: float(results["learners"][POLICY][name]) for name in METRICS}
            row["steps"] = float(results["env_runners"]["num_env_steps_sampled_lifetime"])
            rows.append(row)
            print(f"update {update + 1}: " + ", ".join(f"{name} {value:.4g}" for name, value in row.items()))
        if args.checkpoint:
            algorithm.save_to_path(args.checkpoint.resolve())
        weights = algorithm.learner_group.get_weights()[POLICY]
    finally:
        algorithm.stop()

    game = get_game(args.env)
    metadata = game_metadata(game, game.load_components(None)) | {"steps": int(rows[-1]["steps"]), "seed": args.seed}
    write_network(args.model, model_arrays(weights), metadata)
    return rows


def model_arrays(weights: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The weights of a `MaskedModule` with shared layers under the names of a model file."""
    array = {name: np.asarray(tensor) for name, tensor in weights.items()}
    encoder = "encoder.encoder.net.mlp."
    layers = sorted(
        (name for name in array if name.startswith(encoder) and name.endswith(".weight")),
        key=lambda name: int(name.removeprefix(encoder).split(".")[0]),
    )
    arrays = {"scale": array["scale"].copy()}
    for number, name in enumerate(layers):
        arrays[f"layers.{number}.weight"] = array[name].copy()
        arrays[f"layers.{number}.bias"] = array[name.removesuffix("weight") + "bias"].copy()
    for head, module in (("policy", "pi"), ("value", "vf")):
        for part in ("weight", "bias"):
            arrays[f"{head}.{part}"] = array[f"{module}.net.mlp.0.{part}"].copy()
    return arrays


def parse_arguments(words: list[str] | None = None) -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--env", default="Revolution-v0", help="environment id")
    parser.add_argument("--reward", default="", help="reward kind (default: that of the game's points)")
    parser.add_argument("--ray", default="", metavar="HOST:PORT", help="address of a cluster (default: this machine)")
    parser.add_argument("--runners", type=int, default=1, help="processes that play, one CPU each; 0: this one plays")
    parser.add_argument("--num-envs", type=int, default=256, help="parallel games of all runners together")
    parser.add_argument("--num-steps", type=int, default=64, help="steps of each game per rollout")
    parser.add_argument("--minibatch-size", type=int, default=2048, help="decisions per gradient step")
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path, default=Path("rllib.safetensors"), help="the model file to write")
    parser.add_argument("--checkpoint", type=Path, help="folder for RLlib's own checkpoint")
    parser.add_argument("--resume", type=Path, metavar="FOLDER", help="continue from RLlib's own checkpoint")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Connect to Ray, train, and leave it; returns the exit status."""
    args = parse_arguments(words)
    ray.init(address=args.ray or "local", log_to_driver=False, include_dashboard=None if args.ray else False)
    try:
        train(args)
    finally:
        ray.shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
