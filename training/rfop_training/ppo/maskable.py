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
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat, filter_excluded_keys
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from rfop_agents.metadata import game_metadata
from rfop_env.agent_names import parse_opponents
from rfop_env.core.batch_arguments import reward_weights
from rfop_env.core.errors import RfopError
from rfop_env.core.files import telling_what_fails
from rfop_env.core.game import Game
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.opponents import OpponentArgument
from rfop_training.evaluation.rows import NO_OPPONENT
from rfop_training.learning.arguments import ENDLESS, check_budget, game_of, game_options
from rfop_training.learning.bar import ProgressBar
from rfop_training.learning.budget import Budget, CurveTimer, Timer
from rfop_training.learning.curve import wins_in_words
from rfop_training.learning.curve_points import add_point
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


class ProgressFile(KVWriter):
    """Writes the log of SB3 as rows of progress.csv; a resumed run appends to the file, which SB3's own overwrites."""

    def __init__(self, folder: RunFolder):
        self.folder = folder

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Append a row."""
        self.folder.add_progress(filter_excluded_keys(key_values, key_excluded, "csv"))

    def close(self) -> None:
        """Do nothing: no file is open between two rows."""


class RunCallback(BaseCallback):
    """Ends the run with its budget, moves the bar, writes checkpoints and the learning curve."""

    def __init__(self, args: MaskableArguments, game: Game, components: Any, folder: RunFolder, budget: Budget):
        super().__init__()
        self.args = args
        self.game = game
        self.components = components
        self.folder = folder
        self.budget = budget
        self.curve_timer: CurveTimer  # made when training starts: a resumed model then has its decisions
        self.checkpoint_timer = Timer(budget, args.checkpoint_every)
        self.bar = ProgressBar(args.quiet)

    def _on_training_start(self) -> None:
        args = self.args
        self.curve_timer = CurveTimer(self.budget, args.evaluate_every, args.evaluate_steps, self.num_timesteps)
        self.checkpoint_timer.restart()

    def _on_rollout_start(self) -> None:
        self.require_finite()

    def require_finite(self) -> None:
        """Raise `RfopError` if a gradient step has made weights infinite or NaN."""
        require_finite(self.num_timesteps, *self.model.policy.parameters())

    def _on_step(self) -> bool:
        return self.budget.update(self.num_timesteps) < 1.0

    def _on_rollout_end(self) -> None:
        if self.curve_timer.due(self.num_timesteps):
            self.add_curve_point()
            self.curve_timer.restart(self.num_timesteps)
        if self.checkpoint_timer.due():
            self.save(self.num_timesteps)
            self.checkpoint_timer.restart()
        self.bar.update(self.budget.spent)

    def add_curve_point(self) -> None:
        """Evaluate the model, and append a line for each side to the learning curve, unless it has this point."""
        name, steps = curve_opponent_of(opponent_of(self.args, self.game), self.game), self.num_timesteps
        opponent = None if name == NO_OPPONENT else agent_of(self.args, name, self.game, self.components)
        weights = weights_of(self.model.policy.state_dict())
        rows = add_point(self.folder, self.args, self.game, self.components, weights, opponent, self.budget, steps)
        for row in rows:
            self.logger.record(f"evaluation/win_rate_{row.side}", row.win_rate)
        if rows:
            self.bar.write(wins_in_words(rows, steps))

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
        self.add_curve_point()
        self.bar.close()


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


def train(args: MaskableArguments, watch: Watch | None = None) -> Path:
    """Train a model; returns its path. Raises `RfopError` for arguments that cannot work.

    `watch` is called before the first decision.
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
        _train_in(folder, args, game, components, watch)
    return folder.model


def _train_in(folder: RunFolder, args: MaskableArguments, game: Game, components: Any, watch: Watch | None) -> None:
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
        folder.resume(metadata, model.num_timesteps, "time/total_timesteps")
    else:
        folder.start(metadata)

    # Train.
    callback = RunCallback(args, game, components, folder, budget)
    if watch is not None:
        watch(model, env, callback)
    with telling_what_fails(folder.path):
        writers = [ProgressFile(folder), TensorBoardOutputFormat(str(folder.path))]
        model.set_logger(Logger(str(folder.path), writers))
        try:
            remaining = (args.steps or ENDLESS) - model.num_timesteps
            model.learn(remaining, callback, reset_num_timesteps=not args.resume)
        except KeyboardInterrupt:
            callback.save()
            raise KeyboardInterrupt(
                f"stopped at {model.num_timesteps:,} steps; the model is {folder.model}; continue with --resume"
            ) from None
        except ValueError as error:
            if "Expected parameter logits" in str(error):  # the error of torch where they are NaN
                raise not_finite(callback.num_timesteps) from error
            raise
        finally:
            model.logger.close()
        callback.save()
