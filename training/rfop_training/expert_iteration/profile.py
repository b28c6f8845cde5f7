"""The profile of expert iteration: the phases of a short run, and its labels a second."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rfop_training.expert_iteration.arguments import ExpertArguments
from rfop_training.expert_iteration.run import train_run
from rfop_training.expert_iteration.trainer import ExpertTrainer
from rfop_training.learning.profile import Profile


def profile_expert(args: ExpertArguments, seconds: float) -> tuple[Profile, int]:
    """Train for so many seconds in a temporary folder; returns the profile and the number of labels."""
    with tempfile.TemporaryDirectory() as folder:
        run = train_run(replace(args, run=Path(folder) / "run", minutes=seconds / 60, quiet=True))
    trainer = run.trainer
    assert isinstance(trainer, ExpertTrainer)
    return Profile.of(trainer.steps, trainer.workers.phases), trainer.labels


def profile_table(args: ExpertArguments, seconds: float) -> str:
    """The phases, decisions and labels of so many seconds of training, as text."""
    profile, labels = profile_expert(args, seconds)
    return f"{profile.table()}\n{labels:,} labels: {labels / profile.processor:,.0f} a second of processor time"
