"""Toy games under ids of their own, and a trainer in them as a process that a test can kill.

python tests/training/toy_runs.py train ppo --env ToyTurns-v0 --steps 1000 --run runs/x
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from rfop_agents.network import MODEL, read_network
from rfop_env.cli.main import main as rfop
from rfop_env.registry import temporarily
from rfop_training.evaluation.games import curve_deals
from rfop_training.run import RunFolder
from toy_games import toy

GAMES = ("toy_runs:turns", "toy_runs:dice")  # ToyTurns-v0, ToyDice-v0
SMALL = {
    "steps": 2048,
    "num_envs": 32,
    "num_steps": 16,
    "minibatch_size": 256,
    "update_epochs": 1,
    "width": 16,
    "evaluate_deals": 4,
}


def turns():
    return toy("turns")


def dice():
    return toy("dice")


@contextmanager
def toys():
    """The toy games have ids during the block."""
    with ExitStack() as stack:
        for game in GAMES:
            stack.enter_context(temporarily(game))
        yield


def check_resume(folder, monkeypatch, trainer, update, train):
    """A run that Ctrl-C stops after an update, and that is resumed, has the weights and curve of an uninterrupted one.

    `train(run, resume=False)` trains in a folder, with points of the curve before and after that update, and returns
    the path of the model.
    """
    uninterrupted = train(folder / "whole")

    def interrupted(self, *args):
        metrics = original(self, *args)
        if self.updates == update:
            stopped_at.append(self.steps)
            os.kill(os.getpid(), signal.SIGINT)
        return metrics

    original, stopped_at = trainer.update, []
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "update", interrupted)
        with pytest.raises(KeyboardInterrupt, match="--resume"):
            train(folder / "parts")
    half, _ = read_network(folder / "parts" / MODEL)
    parts = train(folder / "parts", resume=True)
    first, second = read_network(uninterrupted)[0], read_network(parts)[0]
    assert all((first[name] == second[name]).all() for name in first)
    assert not all((first[name] == half[name]).all() for name in first)

    # Each point has the same result on the same deals, which are nobody else's.
    points, resumed = (curve_points(folder / name) for name in ("whole", "parts"))
    steps = sorted({row.steps for row in points})
    assert resumed == points and steps[1] <= stopped_at[0] < steps[-2], (steps, stopped_at)
    ranges = {row.steps: curve_deals(row.seed, row.steps, row.games) for row in points}
    assert all(row.first_deal == ranges[row.steps].start for row in points)
    assert len(set().union(*ranges.values())) == sum(map(len, ranges.values()))


def curve_points(run):
    """The rows of a run's curve, without the time."""
    return [replace(row, seconds=0.0, processor_seconds=0.0) for row in RunFolder(run).curve_rows()]


if __name__ == "__main__":
    with toys():
        sys.exit(rfop(sys.argv[1:]))
