"""The board as networks see it: its 25 spaces, and the eight ways to turn and mirror it."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.game import Board, Symmetry
from rfop_env.games.revolution.actions import ACTIONS, SPACE
from rfop_env.games.revolution.board import REACHES, SPACES, WIDTH
from rfop_env.games.revolution.observation import LAYOUT, PLANES

_TURNS = {
    "as it is": (0, False),
    "quarter turn": (1, False),
    "half turn": (2, False),
    "three-quarter turn": (3, False),
    "mirrored left to right": (0, True),
    "mirrored, quarter turn": (1, True),
    "mirrored, half turn": (2, True),
    "mirrored, three-quarter turn": (3, True),
}


@cache
def board() -> Board:
    """The spaces, each described by an entry of every plane; those that share a side are neighbours (V3)."""
    first = np.array([LAYOUT.start(plane.name) for plane in PLANES])
    spaces = np.arange(SPACES)
    return Board(first + spaces[:, None], SPACE + spaces, (REACHES - np.eye(SPACES, dtype=REACHES.dtype)) > 0)


@cache
def symmetries() -> tuple[Symmetry, ...]:
    """The board as it is, turned, and mirrored: the rules know no direction (rulings, section 3)."""
    return tuple(_symmetry(name, *turn) for name, turn in _TURNS.items())


def _symmetry(name: str, quarters: int, mirrored: bool) -> Symmetry:
    square = np.arange(SPACES).reshape(WIDTH, WIDTH)
    turned = np.rot90(np.fliplr(square) if mirrored else square, -quarters)
    spaces = turned.ravel()  # the space that comes to lie on each
    observation = np.arange(LAYOUT.size)
    actions = np.arange(ACTIONS.size)
    for plane in PLANES:
        _turn(observation, LAYOUT.start(plane.name), spaces)
    _turn(actions, SPACE, spaces)
    return Symmetry(name, observation, actions)


def _turn(permutation: NDArray[np.intp], start: int, spaces: NDArray[np.intp]) -> None:
    permutation[start : start + SPACES] = start + spaces
