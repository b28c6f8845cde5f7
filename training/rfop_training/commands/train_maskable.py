"""Train sb3-contrib's MaskablePPO in any environment, with logs, checkpoints and resume.

    rfop train maskable --minutes 10 --run runs/mine
    rfop train maskable --run runs/mine --resume --minutes 10
    rfop train maskable --minutes 5 --env Revolution-v0 --opponent scripted --run runs/revolution

In a game of several seats the learner has one seat, drawn for every game, and an opponent inside the environment has
the others.

The folder of a run holds `model.safetensors` (the newest model, which NumPy plays alone), `checkpoints/`,
`checkpoint.pt` (everything needed to resume), `config.toml` (arguments, for `--config`), `run.json` (arguments,
versions), `progress.csv` (metrics), `curve.csv` (wins on fixed evaluation seeds) and TensorBoard events. Ctrl-C or
SIGTERM saves and stops; `--resume` continues from the last checkpoint, also after a kill. No file is a pickle. One
process at a time has the folder.
"""

from __future__ import annotations

import argparse

from rfop_training.learning.options import add_fields, arguments_of
from rfop_training.ppo.arguments import MaskableArguments
from rfop_training.ppo.maskable import train


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_fields(parser, MaskableArguments)


def run(args: argparse.Namespace) -> int:
    """Train; returns the exit status."""
    print(f"model: {train(arguments_of(MaskableArguments, args))}")
    return 0
