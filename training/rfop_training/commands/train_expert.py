"""Train one network for all seats of any game by expert iteration, with logs, checkpoints and exact resume.

    rfop train expert --env Revolution-v0 --minutes 10 --run runs/expert
    rfop train expert --env Revolution-v0 --minutes 10 --run runs/expert --resume
    rfop train expert --env RedFlagOverParisSolo-v0 --init-from red-flag/solo-5 --minutes 30

A search that the network guides labels positions with improved policies; the network learns them, and the returns of
the games. `expert_iteration` has the trainer, docs/training.md explains it. The folder of a run is that of
`rfop train ppo`.
"""

from __future__ import annotations

import argparse

from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.run import train_run
from rfop_training.learning.options import add_fields, arguments_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_fields(parser, ExpertArguments)


def run(args: argparse.Namespace) -> int:
    """Train; returns the exit status."""
    run = train_run(arguments_of(ExpertArguments, args))
    print(f"model: {run.folder.model}")
    print(run.speed())
    return 0
