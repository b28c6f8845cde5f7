"""Train one network for all seats of any game by self-play PPO, with logs, checkpoints and exact resume.

    rfop train ppo --env Revolution-v0 --minutes 10 --run runs/revolution
    rfop train ppo --env Revolution-v0 --minutes 10 --run runs/revolution --resume
    rfop train ppo --env LeveeEnMasse-v0 --steps 5000000 --run runs/levee --seed 1 --seeds 5

Each seat has its own chain of decisions, and advantages run along it. `rfop_training/ppo` holds the trainer,
docs/training.md explains it.

The folder of a run holds `model.safetensors` (the newest model), `checkpoints/`, `checkpoint.pt` (everything needed to
resume), `config.toml` (arguments, for `--config`), `run.json` (arguments, versions), `progress.csv` (metrics),
`curve.csv` (wins on fixed evaluation seeds), TensorBoard events and, with `--evaluate-replays N`, games of each of its
points in `replays/` (for `rfop replay`). Ctrl-C or SIGTERM saves and stops; `--resume` continues from the last
checkpoint, also after a kill. One process at a time has the folder.
"""

from __future__ import annotations

import argparse

from rfop_training.learning.options import add_fields, arguments_of
from rfop_training.ppo.arguments import SelfPlayArguments
from rfop_training.ppo.self_play import train_seeds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_fields(parser, SelfPlayArguments)


def run(args: argparse.Namespace) -> int:
    """Train; returns the exit status."""
    for path in train_seeds(arguments_of(SelfPlayArguments, args)):
        print(f"model: {path}")
    return 0
