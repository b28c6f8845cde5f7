"""The commands `rfop train NAME`: a class for each trainer."""

from __future__ import annotations

import argparse
from typing import Any, ClassVar

from rfop_training import run_arguments
from rfop_training.training import load_algorithm


class Train:
    """The base of the commands."""

    algorithm: ClassVar[str]

    @classmethod
    def add_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Add an option for each argument of the trainer."""
        run_arguments.add_fields(parser, load_algorithm(cls.algorithm)[1])

    @classmethod
    def run(cls, args: argparse.Namespace) -> int:
        """Train; returns the exit status."""
        module, kind = load_algorithm(cls.algorithm)
        return cls.train(module, run_arguments.parsed_arguments(kind, args))

    @classmethod
    def train(cls, module: Any, arguments: Any) -> int:
        """Train one run, and print its model and its speed."""
        run = module.train_run(arguments)
        print(f"model: {run.folder.model}")
        print(run.speed())
        return 0


class PPO(Train):
    """Train one network for all seats of any game by self-play PPO, with logs, checkpoints and exact resume.

        rfop train ppo --env Revolution-v0 --minutes 10 --run runs/revolution
        rfop train ppo --env Revolution-v0 --minutes 10 --run runs/revolution --resume
        rfop train ppo --env LeveeEnMasse-v0 --steps 5000000 --run runs/levee --seed 1 --seeds 5

    Each seat has its own chain of decisions, and advantages run along it: docs/train.md explains it.

    The folder of a run holds `model.safetensors` (the newest model), `checkpoints/`, `checkpoint.pt` (everything needed
    to resume), `config.toml` (arguments, for `--config`), `run.json` (arguments, versions), `progress.csv` (metrics),
    `curve.csv` (wins on fixed evaluation seeds), TensorBoard events and, with `--evaluate-replays N`, games of each of
    its points in `replays/` (for `rfop replay`). Ctrl-C or SIGTERM saves and stops; `--resume` continues from the last
    checkpoint, also after a kill. One process at a time has the folder.
    """

    algorithm = "ppo"

    @classmethod
    def train(cls, module: Any, arguments: Any) -> int:
        """Train a run of each seed, and print the models."""
        for path in module.train_seeds(arguments):
            print(f"model: {path}")
        return 0


class Expert(Train):
    """Train one network for all seats of any game by expert iteration, with logs, checkpoints and exact resume.

        rfop train expert --env Revolution-v0 --minutes 10 --run runs/expert
        rfop train expert --env Revolution-v0 --minutes 10 --run runs/expert --resume
        rfop train expert --env RedFlagOverParisSolo-v1 --init-from red-flag/solo-12 --minutes 30

    A search that the network guides labels positions with improved policies; the network learns them, and the returns
    of the games. The folder of a run is that of `rfop train ppo`.
    """

    algorithm = "expert"


class Maskable(Train):
    """Train sb3-contrib's MaskablePPO in any environment, with logs, checkpoints and resume.

        rfop train maskable --minutes 10 --run runs/mine
        rfop train maskable --run runs/mine --resume --minutes 10
        rfop train maskable --minutes 5 --env Revolution-v0 --opponent scripted --run runs/revolution

    In a game of several seats the learner has one seat, drawn for every game, and an opponent inside the environment
    has the others. The folder of a run is that of `rfop train ppo`; a resumed run has new games.
    """

    algorithm = "maskable"
