"""A run of expert iteration."""

from __future__ import annotations

from pathlib import Path

from training.expert_iteration.arguments import ExpertArguments
from training.expert_iteration.trainer import ExpertTrainer
from training.ppo import run

MODULE = "training.expert_iteration"


def train(args: ExpertArguments) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args).folder.model


def train_run(args: ExpertArguments) -> run.TrainingRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    return run.train_run(args, MODULE, ExpertTrainer)
