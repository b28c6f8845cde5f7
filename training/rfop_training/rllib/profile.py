"""The profile of a run of RLlib's PPO: what the environment, the networks and RLlib itself take."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from rfop_training.learning.phases import (
    BACKWARD,
    BOOKKEEPING,
    EVALUATION,
    FINISHED,
    FORWARD,
    OPTIMISER,
    SAVING,
    Phases,
)
from rfop_training.learning.profile import Profile, timed
from rfop_training.ppo.collector import ENVIRONMENT, POLICY
from rfop_training.rllib.arguments import RllibArguments
from rfop_training.rllib.run import RllibRun, train

SAMPLING = "RLlib: sampling"
LEARNING = "RLlib: batches, losses"
WEIGHTS = "RLlib: weights to runners"
ALGORITHM = "RLlib: algorithm"


def profile_rllib(args: RllibArguments, seconds: float) -> Profile:
    """Train for so many seconds in a temporary folder, no other runner, RLlib's parts timed from outside."""
    phases, runs = Phases(), []

    def watch(run: RllibRun) -> None:
        runs.append(run)
        algorithm = run.learning.algorithm
        runner, learner = algorithm.env_runner_group.local_env_runner, algorithm.learner_group._learner
        for owner, name, phase in (
            (algorithm, "train", ALGORITHM),
            (algorithm.env_runner_group, "sync_weights", WEIGHTS),
            (runner, "sample", SAMPLING),
            (runner.env.unwrapped.batch, "step", ENVIRONMENT),
            (runner.module, "forward_inference", POLICY),
            (runner.module, "forward_exploration", POLICY),
            (learner, "update", LEARNING),
            (learner.module, "forward_train", FORWARD),
            (learner, "compute_gradients", BACKWARD),
            (learner, "apply_gradients", OPTIMISER),
            (run, "add_curve_point", EVALUATION),
            (run, "save", SAVING),
        ):
            setattr(owner, name, timed(phases, phase, getattr(owner, name)))
        phases.begin(BOOKKEEPING)

    with tempfile.TemporaryDirectory() as folder:
        train(replace(args, run=Path(folder) / "run", minutes=seconds / 60, runners=0, quiet=True), watch=watch)
    phases.begin(FINISHED)
    return Profile.of(int(runs[0].learning.steps), [phases])
