"""The profile of expert iteration: the phases of a short run, and its labels a second."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from training.expert_iteration.arguments import ExpertArguments
from training.expert_iteration.run import train_run
from training.expert_iteration.trainer import ExpertTrainer
from training.learning.profile import Profile


def profile_table(args: ExpertArguments, seconds: float) -> str:
    """Train for so many seconds in a temporary folder; returns the phases, decisions and labels as text."""
    with tempfile.TemporaryDirectory() as folder:
        run = train_run(replace(args, run=Path(folder) / "run", minutes=seconds / 60, quiet=True))
    trainer = run.trainer
    assert isinstance(trainer, ExpertTrainer)
    profile = Profile.of(trainer.steps, trainer.workers.phases)
    rate = trainer.labels / profile.processor
    return f"{profile.table()}\n{trainer.labels:,} labels: {rate:,.0f} a second of processor time"
