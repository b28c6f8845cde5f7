"""Puts the toy games of the other tests within reach, by their ids."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from rfop_env.registry import Entry, temporarily

TOYS = (
    Entry("LiarsRace-v0", "Liar's Race", "toy_game:two_player", "2", "aec", ("length",)),
    Entry("LiarsRaceSolo-v0", "Liar's Race, solo", "toy_game:solo", "1", "gymnasium", ("length", "bot")),
)


@pytest.fixture(autouse=True)
def toys():
    """The toy games have ids for the length of a test."""
    with temporarily(TOYS[0]), temporarily(TOYS[1]):
        yield TOYS
