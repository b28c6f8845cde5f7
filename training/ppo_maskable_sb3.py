"""Train sb3-contrib's MaskablePPO in any environment, with logs, checkpoints and resume.

    python -m training.ppo_maskable_sb3 --minutes 10 --run runs/mine
    python -m training.ppo_maskable_sb3 --run runs/mine --resume --minutes 10
    python -m training.ppo_maskable_sb3 --minutes 5 --env Revolution-v0 --opponent scripted --run runs/revolution

In a game of several seats the learner has one, drawn for every game, and an opponent inside the environment the others.
A run's folder holds `model.safetensors` (the newest model, which NumPy plays alone), `checkpoints/`, `checkpoint.pt`
(what going on needs: the learner's and the optimiser's tensors), `run.json` (arguments, versions), `progress.csv`,
`curve.csv` (wins on fixed deals while training) and TensorBoard events. Ctrl-C keeps the last model, and a run that was
killed goes on from its last checkpoint. Nothing is pickled. One process at a time has the folder.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat, filter_excluded_keys
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from agents.card import game_card
from agents.catalogue import load
from agents.network import MODEL, NetworkAgent, write_network
from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from rfop_env.core.files import telling_what_fails
from rfop_env.core.game import Game
from rfop_env.interfaces.sb3_vec_env import GameVecEnv
from rfop_env.registry import get_game
from training import run_folder
from training.evaluate import Row
from training.network import load_optimiser
from training.records import append_rows
from training.run_folder import (
    MANY,
    MOST_SEEDS,
    MOST_THREADS,
    NOT_NEGATIVE,
    POSITIVE,
    PROGRESS,
    SHARE,
    WIDE,
    Budget,
    Range,
    curve_rows,
    options_of,
    setting,
)
from training.sb3_export import weights_of

MODULE = "training.ppo_maskable_sb3"
PACKAGES = ("gymnasium", "numba", "numpy", "sb3_contrib", "stable_baselines3", "torch")
ENDLESS = 10**12  # steps, when only the clock ends a run


@dataclass
class Arguments:
    """All settings of a run; every field is a command-line option, and says its range."""

    run: Path = setting(Path("runs/ppo"), "folder of the run")
    env: str = setting("RedFlagOverParisSolo-v0", "environment id")
    option: str = setting("", "options of the game: side=commune, or players=3,screens=open")
    opponent: str = setting("", "who has the other seats: random, scripted, ...; empty: the game's last")
    seat: str = setting("random", "the learner's seat in a game of several")
    components: str = setting("", "component file; empty: the shipped set")
    minutes: float = setting(0.0, "stop after so many minutes; 0: only --steps ends the run", NOT_NEGATIVE)
    steps: int = setting(0, "stop after so many decisions; 0: only --minutes ends the run", Range(0, ENDLESS))
    seed: int = setting(1, "of networks, games and action sampling", Range(0, MOST_SEEDS))
    resume: bool = setting(False, "go on from the run's checkpoint")
    reward: str = setting("", "reward kind; empty: the dense one, or else that of points")
    envs: int = setting(256, "games side by side", Range(1, MANY))
    rollout: int = setting(64, "decisions of each game between two updates", Range(1, MANY))
    batch: int = setting(2048, "decisions in a gradient step", Range(2))
    epochs: int = setting(3, "passes over the decisions of an update", Range(1))
    learning_rate: float = setting(1e-3, "at the start; falls to a tenth over the budget", NOT_NEGATIVE)
    gamma: float = setting(1.0, "discount; games are short and end by themselves", SHARE)
    gae_lambda: float = setting(0.95, "of the advantage estimate", SHARE)
    clip: float = setting(0.2, "clipping range of the policy ratio", POSITIVE)
    entropy: float = setting(0.02, "weight of the policy's entropy in the loss", NOT_NEGATIVE)
    width: int = setting(256, "units of each hidden layer", Range(1, WIDE))
    evaluate_every: float = setting(30.0, "seconds between two points of the learning curve", NOT_NEGATIVE)
    evaluate_deals: int = setting(200, "deals a side for each point of the learning curve", Range(1, MANY))
    checkpoint_every: float = setting(120.0, "seconds between two checkpoints", NOT_NEGATIVE)
    threads: int = setting(1, "threads of torch and of the environment", Range(1, MOST_THREADS))
    quiet: bool = setting(False, "no progress bar")


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


class ProgressFile(KVWriter):
    """What SB3 logs, as rows of progress.csv; a run that goes on goes on with the file, where SB3's own begins anew."""

    def __init__(self, run: Path):
        self.path = run / PROGRESS

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Append a row."""
        append_rows(self.path, [filter_excluded_keys(key_values, key_excluded, "csv")])

    def close(self) -> None:
        """Nothing is open between two rows."""


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

    def _on_rollout_start(self) -> None:
        self.require_finite()

    def require_finite(self) -> None:
        """Raise `RfopError` if a gradient step has spoilt the weights."""
        if not all(bool(parameter.isfinite().all()) for parameter in self.model.policy.parameters()):
            raise self.spoilt()

    def spoilt(self) -> RfopError:
        """What is said of weights that are no finite numbers, or give none."""
        return RfopError(
            f"the network no longer gives finite numbers after {self.num_timesteps:,} steps: lower --learning-rate; "
            "the last checkpoint is of before"
        )

    def _on_step(self) -> bool:
        return self.budget.update(self.num_timesteps) < 1.0

    def _on_rollout_end(self) -> None:
        if self.budget.seconds() >= self.next_curve:
            self.add_curve_point()
            self.next_curve = self.budget.seconds() + self.told.evaluate_every
        if self.budget.seconds() >= self.next_checkpoint:
            self.save(f"checkpoints/step_{self.num_timesteps}.safetensors")
            self.next_checkpoint = self.budget.seconds() + self.told.checkpoint_every
        if self.bar is not None:
            self.bar.n = round(100 * self.budget.spent)
            self.bar.refresh()

    def add_curve_point(self) -> None:
        """Play the fixed deals with the model as it is, and append a line for each side, if they are not there."""
        if run_folder.has_point(self.told.run, self.num_timesteps):
            return
        agent = NetworkAgent.of_weights(weights_of(self.model.policy.state_dict()), "training")
        rows = rows_of(self.told, self.game, self.components, agent)
        run_folder.add_to_curve(self.told.run, rows, self.budget.seconds(), self.num_timesteps, self.told.seed)
        for row in rows:
            self.logger.record(f"evaluation/win_rate_{row.side}", row.win_rate)
        if self.bar is not None:
            wins = " ".join(f"{row.side} {row.win_rate:.0%}" for row in rows)
            self.bar.set_postfix_str(f"{wins} {self.num_timesteps:,} steps")

    def save(self, *also: str) -> None:
        """Write the checkpoint, then the network as an agent, there and where else is said."""
        self.require_finite()
        told, model, seconds = self.told, self.model, self.budget.seconds()
        fits, steps = game_card(self.game, self.components), int(model.num_timesteps)
        state = {"parameters": model.get_parameters(), "steps": steps, "updates": int(model._n_updates)}
        run_folder.write_checkpoint(told.run, MODULE, shape_of(told), fits, seconds, state)
        trained = {
            "option": told.option,
            "opponent": opponent_of(told, self.game),
            "rewards": rewards_of(told, self.game),
            "steps": steps,
            "seed": told.seed,
            "minutes": round(seconds / 60, 2),
        }
        card = run_folder.describe(MODULE, told, self.game, self.components, PACKAGES) | fits | trained
        for name in (MODEL, *also):
            write_network(told.run / name, weights_of(model.policy.state_dict()), card)

    def _on_training_end(self) -> None:
        self.add_curve_point()
        if self.bar is not None:
            self.bar.close()


def opponent_of(told: Arguments, game: Game) -> str | None:
    """Who has the other seats; None in a game of one, where nobody can be asked for (`RfopError`)."""
    if game.spec.players == 1:
        if told.opponent:
            raise RfopError(f"--opponent: {game.id} has one seat, so nobody else plays; leave it out")
        return None
    return told.opponent or game.opponents[-1].name


def reward_of(told: Arguments, game: Game) -> str:
    """The reward to learn from: a beginner loses every game to a scripted player, but not by as many points."""
    dense = [reward.name for reward in game.rewards if reward.dense]
    return told.reward or [*dense, game.points][0]


def rewards_of(told: Arguments, game: Game) -> dict[str, float]:
    """Which reward kind the values tell the rest of; none where that is paid at the end alone, all at once."""
    name = reward_of(told, game)
    return {name: 1.0} if game.reward(name)[1].dense else {}


def rows_of(told: Arguments, game: Game, components: Any, agent: NetworkAgent) -> list[Row]:
    """How the model does as it is, on the deals of the learning curve."""
    opponent = opponent_of(told, game)
    return curve_rows(
        game, agent, load(opponent, game, components) if opponent else None, told.evaluate_deals,
        options=options_of(told.option, game), components=components, threads=told.threads,
    )  # fmt: skip


def shape_of(told: Arguments) -> dict[str, str]:
    """The settings that a run keeps when it goes on: without them its checkpoint does not fit."""
    return {name: str(getattr(told, name)) for name in ("env", "option", "width")}


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


def restore(model: Any, env: GameVecEnv, state: dict[str, Any], seed: int) -> None:
    """Give a fresh model the state of a checkpoint, and games and chances that it has not seen."""
    steps, updates = int(state["steps"]), int(state["updates"])
    policy, optimiser = (state["parameters"][name] for name in ("policy", "policy.optimizer"))
    model.policy.load_state_dict(policy)
    load_optimiser(model.policy.optimizer, optimiser)
    if min(steps, updates) < 0:
        raise RfopError(f"steps {steps}, updates {updates}")
    model.num_timesteps, model._n_updates = steps, updates
    env.seed(seed + steps)
    torch.manual_seed(seed + steps)


def train(told: Arguments) -> Path:
    """Run the training; returns the path of the final model. Raises `RfopError` for settings that cannot work."""
    run_folder.check_settings(told)
    run_folder.check_budget(told.minutes, told.steps)
    if told.envs * told.rollout % told.batch == 1 or told.envs * told.rollout == 1:
        raise RfopError("--batch: the last gradient step of a pass would have one decision; choose another number")
    torch.set_num_threads(told.threads)
    game = get_game(told.env)
    game = game.under(options_of(told.option, game))
    components = game.load_components(told.components or None)
    with run_folder.held(told.run, told.resume):
        return train_in_folder(told, game, components)


def train_in_folder(told: Arguments, game: Game, components: Any) -> Path:
    """The training, in a run's folder that no other process has."""
    state, seconds = None, 0.0
    if told.resume:
        state, seconds = run_folder.read_checkpoint(told.run, MODULE, shape_of(told), game, components)
    env = GameVecEnv(
        game, told.envs, told.seed, components=components, reward=reward_of(told, game), threads=told.threads,
        opponent=opponent_of(told, game), seat=told.seat, **options_of(told.option, game),
    )  # fmt: skip
    env.reset()  # compiles, before the clock starts
    budget = Budget(told.minutes, told.steps, seconds)
    model = build(told, env, budget)
    if state is not None:
        with run_folder.trusting_nothing(told.run / run_folder.CHECKPOINT):
            restore(model, env, state, told.seed)

    card = run_folder.describe(MODULE, told, game, components, PACKAGES)
    if told.resume:
        run_folder.go_on(told.run, card, model.num_timesteps, "time/total_timesteps")
    else:
        run_folder.begin(told.run, card)

    progress, path = Progress(told, game, components, budget), told.run / MODEL
    with telling_what_fails(told.run):
        model.set_logger(Logger(str(told.run), [ProgressFile(told.run), TensorBoardOutputFormat(str(told.run))]))
        try:
            left = (told.steps or ENDLESS) - model.num_timesteps
            model.learn(left, progress, reset_num_timesteps=not told.resume)
        except KeyboardInterrupt:
            progress.save()
            raise KeyboardInterrupt(
                f"stopped at {model.num_timesteps:,} steps; the model is {path}; go on with --resume"
            ) from None
        except ValueError as error:
            if "Expected parameter logits" in str(error):  # how torch says that they are NaN
                raise progress.spoilt() from error
            raise
        finally:
            model.logger.close()
        progress.save()
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
