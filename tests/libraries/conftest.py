"""Puts the toy games of the other tests within reach, by their ids."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from rfop_env.registry import temporarily

TOYS = ("toy_game:two_player", "toy_game:solo")


@pytest.fixture(autouse=True)
def toys():
    """The toy games have ids for the length of a test."""
    with temporarily(TOYS[0]) as two, temporarily(TOYS[1]) as solo:
        yield two, solo
