"""The eight ways to turn and mirror the board, as permutations of observation and actions."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.game import Symmetry
from rfop_env.games.revolution.actions import ACTIONS, SPACE
from rfop_env.games.revolution.board import SPACES, WIDTH
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
def symmetries() -> tuple[Symmetry, ...]:
    """The board as it is, turned, and mirrored: the rules know no direction (rulings, section 3)."""
    return tuple(_symmetry(name, *turn) for name, turn in _TURNS.items())


def _symmetry(name: str, quarters: int, mirrored: bool) -> Symmetry:
    board = np.arange(SPACES).reshape(WIDTH, WIDTH)
    spaces = np.rot90(np.fliplr(board) if mirrored else board, -quarters).ravel()  # the space that comes to lie on each
    observation = np.arange(LAYOUT.size)
    actions = np.arange(ACTIONS.size)
    for plane in PLANES:
        _turn(observation, LAYOUT.start(plane.name), spaces)
    _turn(actions, SPACE, spaces)
    return Symmetry(name, observation, actions)


def _turn(permutation: NDArray[np.intp], start: int, spaces: NDArray[np.intp]) -> None:
    permutation[start : start + SPACES] = start + spaces
