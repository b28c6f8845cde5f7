"""The profiles of the two PPO trainers."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from rfop_training.learning.phases import (
    BACKWARD,
    BOOKKEEPING,
    EVALUATION,
    FINISHED,
    FORWARD,
    MINIBATCHES,
    OPTIMISER,
    SAVING,
    Phases,
)
from rfop_training.learning.profile import Profile, timed
from rfop_training.ppo import maskable, self_play
from rfop_training.ppo.arguments import MaskableArguments, SelfPlayArguments
from rfop_training.ppo.collector import CHAINS, ENVIRONMENT, OBSERVATIONS, POLICY
from rfop_training.ppo.learner import ADVANTAGES


def profile_self_play(args: SelfPlayArguments, seconds: float) -> Profile:
    """Train for so many seconds in a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        run = self_play.train_run(replace(args, run=Path(folder) / "run", minutes=seconds / 60, quiet=True))
    return Profile.of(run.trainer.steps, run.trainer.workers.phases)


def profile_maskable(args: MaskableArguments, seconds: float) -> Profile:
    """Train for so many seconds in a temporary folder, the parts of sb3-contrib timed from outside."""
    phases = Phases()
    models = []

    def watch(model: Any, env: Any, callback: Any) -> None:
        models.append(model)
        policy, buffer = model.policy, model.rollout_buffer
        for owner, name, phase in (
            (env, "step_wait", ENVIRONMENT),
            (env, "env_method", OBSERVATIONS),
            (policy, "forward", POLICY),
            (policy, "predict_values", POLICY),
            (buffer, "add", CHAINS),
            (buffer, "compute_returns_and_advantage", ADVANTAGES),
            (buffer, "_get_samples", MINIBATCHES),
            (policy, "evaluate_actions", FORWARD),
            (torch.Tensor, "backward", BACKWARD),
            (policy.optimizer, "step", OPTIMISER),
            (callback, "add_curve_point", EVALUATION),
            (callback, "save", SAVING),
        ):
            setattr(owner, name, timed(phases, phase, getattr(owner, name)))
        phases.begin(BOOKKEEPING)

    backward = torch.Tensor.backward
    try:
        with tempfile.TemporaryDirectory() as folder:
            maskable.train(replace(args, run=Path(folder) / "run", minutes=seconds / 60, quiet=True), watch=watch)
    finally:
        torch.Tensor.backward = backward  # type: ignore[method-assign]
    phases.begin(FINISHED)
    return Profile.of(int(models[0].num_timesteps), [phases])
