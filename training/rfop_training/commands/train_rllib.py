"""Train RLlib's PPO in any environment, on this machine or on a Ray cluster, with logs, checkpoints and resume.

    rfop train rllib --minutes 10 --run runs/mine
    rfop train rllib --env RedFlagOverParis-v0 --minutes 60 --ray 10.0.0.1:6379 --runners 32 --run runs/far
    rfop train rllib --env RedFlagOverParis-v0 --minutes 60 --ray auto --runners 32 --run runs/far --resume

In a game of several seats one policy plays all of them, or one against `--opponent`. It needs Ray, in an environment of
its own: docs/ray.md says how, and when one machine is better.

The folder of a run holds `model.safetensors` (the newest model, which NumPy plays alone), `checkpoints/`,
`checkpoint.pt` (everything needed to resume), `config.toml` (arguments, for `--config`), `run.json` (arguments,
versions), `progress.csv` (metrics), `curve.csv` (wins on fixed evaluation seeds) and TensorBoard events. Ctrl-C or
SIGTERM saves and stops; `--resume` continues from the last checkpoint, also after a kill. No file is a pickle. One
process at a time has the folder.
"""

from __future__ import annotations

import argparse

from rfop_training.learning.options import add_fields, arguments_of
from rfop_training.rllib.arguments import RllibArguments
from rfop_training.rllib.run import train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_fields(parser, RllibArguments)


def run(args: argparse.Namespace) -> int:
    """Train; returns the exit status."""
    print(f"model: {train(arguments_of(RllibArguments, args))}")
    return 0
