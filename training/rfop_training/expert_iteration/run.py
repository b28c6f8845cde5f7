"""A run of expert iteration."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from rfop_training.common.cluster import connected
from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.trainer import ExpertTrainer
from rfop_training.learning import run
from rfop_training.learning.arguments import check_budget
from rfop_training.learning.log import Callback
from rfop_training.learning.options import check_arguments

TRAINER = "expert"


def train(args: ExpertArguments, callback: Callback | None = None) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args, callback).folder.model


def train_run(args: ExpertArguments, callback: Callback | None = None) -> run.TrainingRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    if not args.ray:
        return run.train_run(args, TRAINER, ExpertTrainer, callback)

    # Refuse wrong arguments before Ray starts.
    check_arguments(args)
    check_budget(args)
    with connected(args.ray, cpus=args.threads) as ray:
        return run.train_run(args, TRAINER, partial(ExpertTrainer, ray=ray), callback)
