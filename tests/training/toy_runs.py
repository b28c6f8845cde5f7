"""Toy games under ids of their own, and a trainer in them as a process that a test can kill.

python tests/training/toy_runs.py train ppo --env ToyTurns-v0 --steps 1000 --run runs/x
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager

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


if __name__ == "__main__":
    with toys():
        sys.exit(rfop(sys.argv[1:]))
