"""Make a model file of this package from a .zip of Stable-Baselines3, without running anything in it.

    rfop export runs/old/model.zip

Earlier versions of `rfop train maskable` wrote such files. The command reads their weights and metadata, and
writes `model.safetensors` beside the file. The other members of a .zip are pickles, which can run any code: they are
not read, and no other part of this package opens a .zip.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_training.ppo.sb3_export import export


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("zip", type=Path, help="the .zip of the old trainer")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    print(f"model: {export(args.zip)}")
    return 0
