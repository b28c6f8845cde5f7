"""The recorded games of `docs/replays`, one for each environment, and the pictures that are taken from them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from rfop_env.replays import Replay
from rfop_env.replays.replay import SUFFIX

REPLAYS = Path(__file__).parents[1] / "replays"

# The decisions after which the picture of an environment is taken: a moment with much on the table.
MOMENTS = {
    "RedFlagOverParis-v0": 50,
    "RedFlagOverParisSolo-v0": 30,
    "LeveeEnMasse-v0": 60,
    "Paris-v0": 60,
    "Revolution-v0": 30,
}


def position(name: str) -> str:
    """The picture of an environment: its recorded game at its moment, as the seat that decides sees it."""
    replay = Replay.read(REPLAYS / f"{name}{SUFFIX}")
    *_, batch = islice(replay.play(), MOMENTS[name])
    return batch.draw_svg(0)
