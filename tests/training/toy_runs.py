"""Toy games under ids of their own, and a trainer in them as a process that a test can kill.

python tests/training/toy_runs.py train ppo --env ToyTurns-v0 --steps 1000 --run runs/x
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack, contextmanager

import pytest

from rfop_agents.network import MODEL, read_network
from rfop_env.cli.main import main as rfop
from rfop_env.registry import temporarily
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
    """A run that Ctrl-C stops after an update, and that is resumed, ends with the weights of an uninterrupted one.

    `train(run, resume=False)` trains in a folder and returns the path of the model.
    """
    uninterrupted = train(folder / "whole")

    def interrupted(self, *args):
        metrics = original(self, *args)
        if self.updates == update:
            os.kill(os.getpid(), signal.SIGINT)
        return metrics

    original = trainer.update
    with monkeypatch.context() as patch:
        patch.setattr(trainer, "update", interrupted)
        with pytest.raises(KeyboardInterrupt, match="--resume"):
            train(folder / "parts")
    half, _ = read_network(folder / "parts" / MODEL)
    parts = train(folder / "parts", resume=True)
    first, second = read_network(uninterrupted)[0], read_network(parts)[0]
    assert all((first[name] == second[name]).all() for name in first)
    assert not all((first[name] == half[name]).all() for name in first)


if __name__ == "__main__":
    with toys():
        sys.exit(rfop(sys.argv[1:]))
