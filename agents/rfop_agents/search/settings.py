"""The settings of a search, and those that suit each game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game

ROLLOUTS = ("scripted", "random")
PUCT, GUMBEL = ROOTS = ("puct", "gumbel")
RANGES: dict[str, tuple[float, float]] = {  # of the settings, both ends included
    "simulations": (2, 1_000_000),
    "seconds": (0, 86_400),
    "c_puct": (0, 1_000),
    "fpu_reduction": (0, 1_000),
    "prior_weight": (0, 1),
    "points": (0, 1),
    "rollout_mix": (0, 1),
    "nodes": (2, 1_000_000),
    "considered": (2, 1_000),
    "q_scale": (0, 1_000),
    "root_noise": (0, 1_000),
    "leaves": (1, 64),
    "virtual_loss": (0, 1_000),
}
OPTIONAL = ("seconds", "c_puct", "points")  # None leaves them open
COUNTS = ("simulations", "nodes", "considered", "leaves")


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search; `search_settings(game)` gives the defaults. Raises `RfopError`."""

    simulations: int = 400  # for each decision
    seconds: float | None = None  # for each decision, on one thread, instead of a number of simulations
    # PUCT's weight of exploration, in units of the value scale (half the range of the returns so far); None: 2, with a
    # network 1.
    c_puct: float | None = None
    fpu_reduction: float = 0.0  # first-play urgency: how much worse than its node an untried action counts, same units
    rollouts: str = "scripted"  # who plays on from the end of the tree: the game's scripted player, or "random"
    prior_weight: float = 0.5  # the share of the prior that is the scripted player's action, or a network's policy
    points: float | None = None  # the weight of the game's points against its outcome; None: 0.5, or a network's own
    rollout_mix: float = 0.0  # with a network: the share of a leaf's value that comes from a rollout to the end
    nodes: int = 20_000  # the largest tree in a search by seconds: then it goes on counting, but stops growing
    # How the root selects: "puct" as every other node, or "gumbel", sequential halving (`search/gumbel.py`).
    root: str = PUCT
    considered: int = 8  # with "gumbel": so many actions of the root are considered at most
    q_scale: float = 0.5  # with "gumbel": how much values count against logits, as the paper's 1 for values in [0, 1]
    root_noise: float = 0.0  # with "gumbel": the factor of the noise; 0 for the best play, 1 for play that explores
    leaves: int = 1  # with a network: up to so many leaves of a tree are judged together
    # With several leaves: how much worse than the mean of its action a descent counts while its leaf waits, in units of
    # the value scale.
    virtual_loss: float = 0.5

    def __post_init__(self) -> None:
        for name, between in RANGES.items():
            value = getattr(self, name)
            if value is not None or name not in OPTIONAL:
                require_number(name, value, between, integer=name in COUNTS)
        if self.prior_weight == 1:
            raise RfopError("prior_weight: below 1, found 1: the other actions would never be tried")
        if self.seconds == 0:
            raise RfopError("seconds: above 0, found 0")
        if self.rollouts not in ROLLOUTS:
            raise RfopError(f"rollouts: one of {', '.join(ROLLOUTS)}, found {self.rollouts!r}")
        if self.root not in ROOTS:
            raise RfopError(f"root: one of {', '.join(ROOTS)}, found {self.root!r}")
        if self.root == GUMBEL and self.seconds is not None:
            raise RfopError("root: gumbel shares out a number of simulations: give simulations instead of seconds")
        if self.root == GUMBEL and self.leaves > 1:
            raise RfopError(f"leaves: 1 with root gumbel, which compares actions one by one, found {self.leaves}")

    def c_puct_for(self, with_network: bool) -> float:
        """`c_puct`, or its default: lower with a network, whose prior is worth following for longer."""
        default = 1.0 if with_network else 2.0
        return default if self.c_puct is None else self.c_puct

    def weights(self, game: Game, learned: Mapping[str, float] | None = None) -> dict[str, float]:
        """The reward kinds that make up a simulation's return, by weight.

        `learned`: those that a network's value is made of; empty: not known, and the first kind is assumed.
        """
        first = game.rewards[0].name
        if learned is not None and self.points is None:
            return dict(learned) or {first: 1.0}
        share = 0.5 if self.points is None else self.points
        return {first: 1.0} if first == game.points else {first: 1.0 - share, game.points: share}


def require_number(name: str, value: object, between: tuple[float, float], *, integer: bool) -> None:
    """Raise `RfopError` unless `value` is a number of the range `between`, both ends included."""
    low, high = between
    kinds = (int, np.integer) if integer else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise RfopError(f"{name}: a {'whole ' if integer else ''}number, found {value!r}")
    if not low <= value <= high:  # also refuses NaN
        raise RfopError(f"{name}: from {low:,} to {high:,}, found {value}")


PLAIN = SearchSettings(rollouts="random", prior_weight=0.0)  # the rules alone, no scripted player

# Levée en Masse has much chance and a good scripted player: a search that leaves its advice easily plays worse than it.
# In Revolution, a rollout of the scripted player judges a leaf better than a network alone.
_OWN = {
    "levee_en_masse": SearchSettings(prior_weight=0.9, fpu_reduction=0.3),
    "revolution": SearchSettings(rollout_mix=0.5),
}


def search_settings(game: Game) -> SearchSettings:
    """The settings that suit a game."""
    return _OWN.get(game.rules_name, SearchSettings())
