"""A run of sb3-contrib's MaskablePPO: one seat learns against an opponent inside the environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from rfop_agents.metadata import game_metadata
from rfop_env.agent_names import parse_opponents
from rfop_env.core.batch_arguments import reward_weights
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.opponents import OpponentArgument
from rfop_training.evaluation.rows import NO_OPPONENT
from rfop_training.learning.arguments import ENDLESS, check_budget, game_of, game_options
from rfop_training.learning.budget import Budget, CurveTimer, Timer
from rfop_training.learning.log import Callback, RunLog
from rfop_training.learning.networks import load_optimiser, not_finite, require_finite
from rfop_training.learning.opponents import agent_of
from rfop_training.learning.options import check_arguments, fixed_values
from rfop_training.learning.run_folder import RunFolder, run_metadata
from rfop_training.ppo.arguments import MaskableArguments
from rfop_training.ppo.sb3_export import weights_of

TRAINER = "maskable"
PACKAGES = ("gymnasium", "numba", "numpy", "sb3_contrib", "stable_baselines3", "torch")


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


METRICS = {  # of SB3's log, by the names they have in progress.csv
    "policy_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "approx_kl": "train/approx_kl",
    "clipfrac": "train/clip_fraction",
    "explained_variance": "train/explained_variance",
    "learning_rate": "train/learning_rate",
    "loss": "train/loss",
}


class StoppedByCallback(Exception):
    """The user's callback ends the run after an update."""


class RunCallback(BaseCallback):
    """Ends the run with its budget, keeps its log, writes checkpoints."""

    def __init__(
        self,
        args: MaskableArguments,
        game: Game,
        components: Any,
        folder: RunFolder,
        budget: Budget,
        callback: Callback | None = None,
    ):
        super().__init__()
        self.args = args
        self.game = game
        self.components = components
        self.folder = folder
        self.budget = budget
        name = curve_opponent_of(opponent_of(args, game), game)
        opponent = None if name == NO_OPPONENT else agent_of(args, name, game, components)
        self.log = RunLog(folder, args, game, components, opponent, budget, callback)
        self.curve_timer: CurveTimer  # made when training starts: a resumed model then has its decisions
        self.checkpoint_timer = Timer(budget, args.checkpoint_every)
        self.logged = 0  # passes over rollouts that the log has
        self.begun = 0, 0.0  # decisions and seconds when the rollout began, without what is no training

    def _on_training_start(self) -> None:
        args = self.args
        self.curve_timer = CurveTimer(self.budget, args.evaluate_every, args.evaluate_steps, self.num_timesteps)
        self.checkpoint_timer.restart()
        self.logged = self.model._n_updates

    def _on_rollout_start(self) -> None:
        self.add_update()
        if self.log.ended:
            raise StoppedByCallback
        self.begun = self.num_timesteps, self.budget.seconds()

    def require_finite(self) -> None:
        """Raise `RfopError` if a gradient step has made weights infinite or NaN."""
        require_finite(self.num_timesteps, *self.model.policy.parameters())

    def _on_step(self) -> bool:
        return self.budget.update(self.num_timesteps) < 1.0

    def _on_rollout_end(self) -> None:
        before = self.budget.seconds()
        if self.curve_timer.due(self.num_timesteps):
            self.add_curve_point()
            self.curve_timer.restart(self.num_timesteps)
        if self.checkpoint_timer.due():
            self.save(self.num_timesteps)
            self.checkpoint_timer.restart()
        steps, seconds = self.begun
        self.begun = steps, seconds + self.budget.seconds() - before

    def add_update(self) -> None:
        """Write the metrics of the update that has just ended, if one has."""
        self.require_finite()
        passes = self.model._n_updates
        if passes == self.logged:
            return
        self.logged = passes
        steps, seconds = self.begun
        speed = (self.num_timesteps - steps) / (self.budget.seconds() - seconds)
        values = self.logger.name_to_value
        metrics = {name: float(values[theirs]) for name, theirs in METRICS.items()}
        metrics["entropy"] = -float(values["train/entropy_loss"])
        if episodes := self.model.ep_info_buffer:
            metrics["episode_return"] = float(np.mean([episode["r"] for episode in episodes]))
            metrics["episode_length"] = float(np.mean([episode["l"] for episode in episodes]))
        self.log.add_update(passes // self.args.update_epochs, self.num_timesteps, speed, metrics)

    def add_curve_point(self) -> None:
        """Evaluate the model, and append a line for each side to the learning curve, unless it has this point."""
        self.log.add_point(weights_of(self.model.policy.state_dict()), self.num_timesteps)

    def save(self, step: int | None = None) -> None:
        """Write the checkpoint, then the model; with `step` also a copy of the model that is kept."""
        self.require_finite()
        args, model, spent = self.args, self.model, self.budget.time_spent()
        environment, steps = game_metadata(self.game, self.components), int(model.num_timesteps)
        curve_opponent = curve_opponent_of(opponent_of(args, self.game), self.game)
        state = {"parameters": model.get_parameters(), "steps": steps, "updates": int(model._n_updates)}
        self.folder.write_checkpoint(TRAINER, fixed_values(args), environment, spent, state)

        training = {
            "option": args.option,
            "opponent": opponent_of(args, self.game),
            "rewards": predicted_rewards(args, self.game),
            "steps": steps,
            "seed": args.seed,
            "minutes": round(spent.wall / 60, 2),
        }
        metadata = run_metadata(TRAINER, args, self.game, self.components, curve_opponent, PACKAGES)
        metadata |= environment | training
        self.folder.write_models(weights_of(model.policy.state_dict()), metadata, step)

    def _on_training_end(self) -> None:
        self.add_update()
        self.add_curve_point()


def opponent_of(args: MaskableArguments, game: Game) -> str | None:
    """The opponent in the other seats; None in a game of one seat, where `--opponent` raises `RfopError`."""
    if game.spec.players == 1:
        if args.opponent:
            raise RfopError(f"--opponent: {game.id} has one seat, so nobody else plays; leave it out")
        return None
    return args.opponent or game.opponents[-1].name


def curve_opponent_of(opponent: str | None, game: Game) -> str:
    """Whom the learning curve is played against: the opponent in training; of several, the game's last scripted player.

    "-" in a game of one seat. `opponent` None: the learner has all seats.
    """
    if game.spec.players == 1:
        return NO_OPPONENT
    names = list(parse_opponents(opponent)) if opponent else []
    return names[0] if len(names) == 1 else game.opponents[-1].name


def players_of(args: MaskableArguments, opponent: str | None, game: Game, components: Any) -> OpponentArgument:
    """The players in the other seats, with their shares of the games: agents are loaded."""
    shares = parse_opponents(opponent, "--opponent") if opponent else {}
    inside = {player.name for player in game.opponents}
    if shares.keys() <= inside:
        return opponent
    return {name if name in inside else agent_of(args, name, game, components): s for name, s in shares.items()}


def reward_of(args: MaskableArguments, game: Game) -> str:
    """The rewards to learn from: a beginner loses every game to a scripted player, but not by as many points."""
    dense = [reward.name for reward in game.rewards if reward.dense]
    return args.reward or [*dense, game.points][0]


def predicted_rewards(args: MaskableArguments, game: Game) -> dict[str, float]:
    """The reward kinds whose remainder the values predict; none where the reward is paid at the end alone."""
    weights = reward_weights(game, reward_of(args, game))
    return {name: weight for name, weight in weights.items() if game.reward(name)[1].dense}


def make_model(args: MaskableArguments, env: GameVecEnv, budget: Budget) -> Any:
    """A fresh MaskablePPO, its learning rate tied to the budget."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda _: args.learning_rate * (1.0 - 0.9 * budget.spent),
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


def restore(model: Any, env: GameVecEnv, state: dict[str, Any], seed: int) -> None:
    """Load the state of a checkpoint into a fresh model, and seed games and sampling anew."""
    steps, updates = int(state["steps"]), int(state["updates"])
    policy, optimiser = (state["parameters"][name] for name in ("policy", "policy.optimizer"))
    model.policy.load_state_dict(policy)
    load_optimiser(model.policy.optimizer, optimiser)
    if min(steps, updates) < 0:
        raise RfopError(f"steps {steps}, updates {updates}")

    model.num_timesteps = steps
    model._n_updates = updates
    env.seed(seed + steps)
    torch.manual_seed(seed + steps)


Watch = Callable[[Any, GameVecEnv, RunCallback], None]  # what looks on: it is given model, environment and callback


def train(args: MaskableArguments, callback: Callback | None = None, watch: Watch | None = None) -> Path:
    """Train a model; returns its path. Raises `RfopError` for arguments that cannot work.

    `callback` is told the metrics of every update and the points of the learning curve. `watch` is called before the
    first decision.
    """
    check_arguments(args)
    check_budget(args)
    decisions = args.num_envs * args.num_steps
    if decisions % args.minibatch_size == 1 or decisions == 1:
        raise RfopError(
            "--minibatch-size: the last gradient step of a pass would have one decision; choose another number"
        )
    torch.set_num_threads(args.threads)

    game, components = game_of(args)
    folder = RunFolder(args.run)
    with folder.hold(args.resume):
        _train_in(folder, args, game, components, callback, watch)
    return folder.model


def _train_in(
    folder: RunFolder,
    args: MaskableArguments,
    game: Game,
    components: Any,
    callback: Callback | None,
    watch: Watch | None,
) -> None:
    """Train in a folder that no other process has."""
    # Read the checkpoint before anything is compiled.
    state, before = None, None
    if args.resume:
        state, before = folder.read_checkpoint(TRAINER, args, game, components)

    # Compile before the clock starts.
    env = GameVecEnv(
        game, args.num_envs, args.seed, components=components, reward=reward_of(args, game), threads=args.threads,
        opponent=players_of(args, opponent_of(args, game), game, components), seat=args.seat,
        **game_options(args.option, game),
    )  # fmt: skip
    env.reset()
    budget = Budget(args.minutes, args.steps, before)
    model = make_model(args, env, budget)
    if state is not None:
        with folder.checking_checkpoint():
            restore(model, env, state, args.seed)

    # Write the metadata.
    metadata = run_metadata(TRAINER, args, game, components, curve_opponent_of(opponent_of(args, game), game), PACKAGES)
    if args.resume:
        folder.resume(metadata, model.num_timesteps)
    else:
        folder.start(metadata)

    # Train.
    run_callback = RunCallback(args, game, components, folder, budget, callback)
    log = run_callback.log
    if watch is not None:
        watch(model, env, run_callback)
    model.set_logger(Logger(str(folder.path), []))  # it keeps the metrics of the update
    try:
        log.begin(model.num_timesteps)
        remaining = (args.steps or ENDLESS) - model.num_timesteps
        model.learn(remaining, run_callback, reset_num_timesteps=not args.resume)
    except StoppedByCallback:
        run_callback.save()
        if log.error is not None:
            raise log.error from None
        run_callback.add_curve_point()
    except KeyboardInterrupt:
        run_callback.save()
        raise KeyboardInterrupt(
            f"stopped at {model.num_timesteps:,} steps; the model is {folder.model}; continue with --resume"
        ) from None
    except ValueError as error:
        if "Expected parameter logits" in str(error):  # the error of torch where they are NaN
            raise not_finite(run_callback.num_timesteps) from error
        raise
    finally:
        log.close()
    run_callback.save()
    if log.error is not None:
        raise log.error
