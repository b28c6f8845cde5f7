"""A run of expert iteration."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from training.common.cluster import connected
from training.expert_iteration.arguments import ExpertArguments
from training.expert_iteration.trainer import ExpertTrainer
from training.learning import run
from training.learning.arguments import check_budget
from training.learning.options import check_arguments

MODULE = "training.expert_iteration"


def train(args: ExpertArguments) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args).folder.model


def train_run(args: ExpertArguments) -> run.TrainingRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    if not args.ray:
        return run.train_run(args, MODULE, ExpertTrainer)

    # Refuse wrong arguments before Ray starts.
    check_arguments(args)
    check_budget(args)
    with connected(args.ray, cpus=args.threads) as ray:
        return run.train_run(args, MODULE, partial(ExpertTrainer, ray=ray))
