"""Train sb3-contrib's MaskablePPO in any environment, with logs, checkpoints and resume.

    python -m training.ppo_maskable_sb3 --minutes 10 --run runs/mine
    python -m training.ppo_maskable_sb3 --run runs/mine --resume --minutes 10
    python -m training.ppo_maskable_sb3 --minutes 5 --env Revolution-v0 --opponent scripted --run runs/revolution

In a game of several seats the learner has one, drawn for every game, and an opponent inside the environment the others.
A run's folder holds `model.zip` (the newest model), `checkpoints/`, `run.json` (arguments, versions), `progress.csv`,
`curve.csv` (wins on fixed deals while training) and TensorBoard events. Ctrl-C keeps the last model.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from agents.catalogue import load
from agents.policy import PolicyAgent, check_card, game_card, write_card
from rfop_env.command_line import command
from rfop_env.core.game import Game
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.registry import get_game
from training import run_folder
from training.evaluate import Row
from training.run_folder import Budget, curve_rows, options_of

MODULE = "training.ppo_maskable_sb3"
MODEL = "model.zip"
PACKAGES = ("gymnasium", "numba", "numpy", "sb3_contrib", "stable_baselines3", "torch")
ENDLESS = 10**12  # steps, when only the clock ends a run


@dataclass
class Arguments:
    """All settings of a run; every field is a command-line option."""

    run: Path = field(default=Path("runs/ppo"), metadata={"help": "folder of the run"})
    env: str = field(default="RedFlagOverParisSolo-v0", metadata={"help": "environment id"})
    option: str = field(default="", metadata={"help": "options of the game: side=commune, or players=3,screens=open"})
    opponent: str = field(
        default="", metadata={"help": "who has the other seats: random, scripted, ...; empty: the game's last"}
    )
    seat: str = field(default="random", metadata={"help": "the learner's seat in a game of several"})
    components: str = field(default="", metadata={"help": "component file; empty: the shipped set"})
    minutes: float = field(default=0.0, metadata={"help": "stop after so many minutes; 0: only --steps ends the run"})
    steps: int = field(default=0, metadata={"help": "stop after so many decisions; 0: only --minutes ends the run"})
    seed: int = field(default=1, metadata={"help": "of networks, games and action sampling"})
    resume: bool = field(default=False, metadata={"help": "go on from the run's newest model"})
    reward: str = field(default="", metadata={"help": "reward kind; empty: the dense one, or else that of points"})
    envs: int = field(default=256, metadata={"help": "games side by side"})
    rollout: int = field(default=64, metadata={"help": "decisions of each game between two updates"})
    batch: int = field(default=2048, metadata={"help": "decisions in a gradient step"})
    epochs: int = field(default=3, metadata={"help": "passes over the decisions of an update"})
    learning_rate: float = field(default=1e-3, metadata={"help": "at the start; falls to a tenth over the budget"})
    gamma: float = field(default=1.0, metadata={"help": "discount; games are short and end by themselves"})
    gae_lambda: float = field(default=0.95, metadata={"help": "of the advantage estimate"})
    clip: float = field(default=0.2, metadata={"help": "clipping range of the policy ratio"})
    entropy: float = field(default=0.02, metadata={"help": "weight of the policy's entropy in the loss"})
    width: int = field(default=256, metadata={"help": "units of each hidden layer"})
    evaluate_every: float = field(default=30.0, metadata={"help": "seconds between two points of the learning curve"})
    evaluate_deals: int = field(default=200, metadata={"help": "deals a side for each point of the learning curve"})
    checkpoint_every: float = field(default=120.0, metadata={"help": "seconds between two checkpoints"})
    threads: int = field(default=1, metadata={"help": "threads of torch and of the environment"})
    quiet: bool = field(default=False, metadata={"help": "no progress bar"})


class ScaledFeatures(BaseFeaturesExtractor):
    """The int8 observation scaled to about [-1, 1] and the first layer, shared by policy and value."""

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


class Progress(BaseCallback):
    """Ends the run with its budget; draws the bar; writes checkpoints and the learning curve."""

    def __init__(self, told: Arguments, game: Game, components: Any, budget: Budget):
        super().__init__()
        self.told, self.game, self.components, self.budget = told, game, components, budget
        self.next_curve = self.next_checkpoint = 0.0
        self.bar: Any = None

    def _on_training_start(self) -> None:
        self.next_checkpoint = self.budget.seconds() + self.told.checkpoint_every
        if not self.told.quiet:
            from tqdm import tqdm

            self.bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining} {postfix}")

    def _on_step(self) -> bool:
        return self.budget.update(self.num_timesteps) < 1.0

    def _on_rollout_end(self) -> None:
        if self.budget.seconds() >= self.next_curve:
            self.add_curve_point()
            self.next_curve = self.budget.seconds() + self.told.evaluate_every
        if self.budget.seconds() >= self.next_checkpoint:
            name = f"step_{self.num_timesteps}.zip"
            save(self.model, self.told, self.game, self.components, self.told.run / "checkpoints" / name)
            save(self.model, self.told, self.game, self.components, self.told.run / MODEL)
            self.next_checkpoint = self.budget.seconds() + self.told.checkpoint_every
        if self.bar is not None:
            self.bar.n = round(100 * self.budget.spent)
            self.bar.refresh()

    def add_curve_point(self) -> None:
        """Play the fixed deals with the model as it is, and append a line for each side."""
        rows = rows_of(self.told, self.game, self.components, PolicyAgent.of_model(self.model, "training"))
        run_folder.add_to_curve(self.told.run, rows, self.budget.seconds(), self.num_timesteps, self.told.seed)
        for row in rows:
            self.logger.record(f"evaluation/win_rate_{row.side}", row.win_rate)
        if self.bar is not None:
            wins = " ".join(f"{row.side} {row.win_rate:.0%}" for row in rows)
            self.bar.set_postfix_str(f"{wins} {self.num_timesteps:,} steps")

    def _on_training_end(self) -> None:
        self.add_curve_point()
        if self.bar is not None:
            self.bar.close()


def opponent_of(told: Arguments, game: Game) -> str | None:
    """Who has the other seats; None in a game of one."""
    if game.spec.players == 1:
        return None
    return told.opponent or game.opponents[-1].name


def reward_of(told: Arguments, game: Game) -> str:
    """The reward to learn from: a beginner loses every game to a scripted player, but not by as many points."""
    dense = [reward.name for reward in game.rewards if reward.dense]
    return told.reward or [*dense, game.points][0]


def rows_of(told: Arguments, game: Game, components: Any, agent: PolicyAgent) -> list[Row]:
    """How the model does as it is, on the deals of the learning curve."""
    opponent = opponent_of(told, game)
    return curve_rows(
        game, agent, load(opponent, game, components) if opponent else None, told.evaluate_deals,
        options=options_of(told.option, game), components=components, threads=told.threads,
    )  # fmt: skip


def save(model: Any, told: Arguments, game: Game, components: Any, path: Path) -> None:
    """Write a model with its card, so that a stop in the middle leaves the old file whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.zip")
    model.save(part)
    card = game_card(game, components) | {"steps": int(model.num_timesteps), "seed": told.seed}
    trained = {"option": told.option, "opponent": opponent_of(told, game), "reward": reward_of(told, game)}
    write_card(part, card | trained | {"width": told.width})
    part.replace(path)


def build(told: Arguments, env: GameVecEnv, budget: Budget) -> Any:
    """A fresh MaskablePPO, its learning rate tied to the budget."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda _: told.learning_rate * (1.0 - 0.9 * budget.spent),
        n_steps=told.rollout,
        batch_size=told.batch,
        n_epochs=told.epochs,
        gamma=told.gamma,
        gae_lambda=told.gae_lambda,
        clip_range=told.clip,
        ent_coef=told.entropy,
        policy_kwargs={
            "net_arch": {"pi": [told.width], "vf": [told.width]},
            "activation_fn": torch.nn.ReLU,
            "features_extractor_class": ScaledFeatures,
            "features_extractor_kwargs": {"width": told.width},
        },
        seed=told.seed,
        device="cpu",
    )


def resume(told: Arguments, env: GameVecEnv, game: Game, components: Any, budget: Budget) -> Any:
    """The run's newest model, with this call's settings and games that it has not seen."""
    path = told.run / MODEL
    check_card(path, game, components)
    changed = {"learning_rate": lambda _: told.learning_rate * (1.0 - 0.9 * budget.spent), "ent_coef": told.entropy}
    model = MaskablePPO.load(path, env=env, device="cpu", custom_objects=changed)
    env.seed(told.seed + model.num_timesteps)
    return model


def train(told: Arguments) -> Path:
    """Run the training; returns the path of the final model. Raises `RfopError` for settings that cannot work."""
    run_folder.check_budget(told.minutes, told.steps)
    run_folder.check_folder(told.run / MODEL, told.resume)
    torch.set_num_threads(told.threads)
    game = get_game(told.env)
    game = game.under(options_of(told.option, game))
    components = game.load_components(told.components or None)
    env = GameVecEnv(
        game, told.envs, told.seed, components=components, reward=reward_of(told, game), threads=told.threads,
        opponent=opponent_of(told, game), seat=told.seat, **options_of(told.option, game),
    )  # fmt: skip
    env.reset()  # compiles, before the clock starts
    budget = Budget(told.minutes, told.steps, run_folder.last_seconds(told.run))
    model = resume(told, env, game, components, budget) if told.resume else build(told, env, budget)
    run_folder.write_card(told.run, run_folder.describe(MODULE, told, game, components, PACKAGES))
    model.set_logger(configure(str(told.run), ["csv", "tensorboard"]))
    path = told.run / MODEL
    try:
        limit = told.steps or ENDLESS
        callback = Progress(told, game, components, budget)
        model.learn(limit - (model.num_timesteps if told.resume else 0), callback, reset_num_timesteps=not told.resume)
    except KeyboardInterrupt:
        save(model, told, game, components, path)
        print(f"\nstopped at {model.num_timesteps:,} steps; the model is {path}; go on with --resume", file=sys.stderr)
        raise
    finally:
        model.logger.close()
    save(model, told, game, components, path)
    return path


def parse(arguments: list[str] | None = None) -> Arguments:
    """Command-line options to settings."""
    return run_folder.parse_settings(Arguments, MODULE, (__doc__ or "").split("\n\n")[0], arguments)


@command()
def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    path = train(parse(arguments))
    print(f"model: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
