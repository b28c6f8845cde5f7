"""How a search is set up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game

ROLLOUTS = ("scripted", "random")
RANGES: dict[str, tuple[float, float]] = {  # of the settings, both ends included
    "simulations": (2, 1_000_000),
    "seconds": (0, 86_400),
    "exploration": (0, 1_000),
    "caution": (0, 1_000),
    "trust": (0, 1),
    "points": (0, 1),
    "play_on": (0, 1),
    "nodes": (2, 1_000_000),
}
COUNTS = ("simulations", "nodes")


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search; `settings_of` a game are the defaults. Raises `RfopError`."""

    simulations: int = 400  # for each decision
    seconds: float | None = None  # for each decision, on one thread, instead of a number of simulations
    # How much a rarely tried action is favoured, in half ranges of the returns; None: 2, with a network 1.
    exploration: float | None = None
    caution: float = 0.0  # how much worse than its node an untried action is taken to be, in half ranges
    rollouts: str = "scripted"  # who plays on from the end of the tree: the game's scripted player, or "random"
    trust: float = 0.5  # the share of the prior that is what the scripted player would do, or a network's policy
    points: float | None = None  # the weight of the game's points against its outcome; None: 0.5, or a network's own
    play_on: float = 0.0  # with a network: the share of a leaf's value that is from playing on to the end
    nodes: int = 20_000  # the largest tree in a search by seconds: then it goes on counting, but stops growing

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value is not None:
                _require_number(name, value, least, most)
        if self.trust == 1:
            raise RfopError("trust: below 1, found 1: the other actions would never be tried")
        if self.seconds == 0:
            raise RfopError("seconds: above 0, found 0")
        if self.rollouts not in ROLLOUTS:
            raise RfopError(f"rollouts: one of {', '.join(ROLLOUTS)}, found {self.rollouts!r}")

    def favour(self, with_network: bool) -> float:
        """The weight of exploration: a network's prior is worth following, one that knows little is soon left."""
        return self.exploration if self.exploration is not None else 1.0 if with_network else 2.0

    def weights(self, game: Game, learned: Mapping[str, float] | None = None) -> dict[str, float]:
        """The reward kinds that make up a simulation's return, by weight.

        `learned`: those that a network's value is made of; of one that does not tell, the first kind is assumed.
        """
        first = game.rewards[0].name
        if learned is not None and self.points is None:
            return dict(learned) or {first: 1.0}
        share = 0.5 if self.points is None else self.points
        return {first: 1.0} if first == game.points else {first: 1.0 - share, game.points: share}


def _require_number(name: str, value: object, least: float, most: float) -> None:
    """Raise `RfopError` for what is no number of a setting's range, or no whole one where a count is asked for."""
    kinds = (int, np.integer) if name in COUNTS else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise RfopError(f"{name}: a {'whole ' if name in COUNTS else ''}number, found {value!r}")
    if not least <= value <= most:  # NaN lies nowhere
        raise RfopError(f"{name}: from {least:,} to {most:,}, found {value}")


PLAIN = SearchSettings(rollouts="random", trust=0.0)  # knows nothing but the rules

# Levée en Masse is noisy and its scripted player good: a search that strays from it easily plays worse than it.
# The scripted player of Revolution tells more about a position at its end than a network does.
_OWN = {"levee_en_masse": SearchSettings(trust=0.9, caution=0.3), "revolution": SearchSettings(play_on=0.5)}


def settings_of(game: Game) -> SearchSettings:
    """The settings that suit a game."""
    return _OWN.get(game.folder.name, SearchSettings())
