"""The board as networks see it: its 25 spaces, and the eight ways to turn and mirror it."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.game import Symmetry, UniformBoard
from rfop_env.games.revolution import actions, board, observation

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
def board_layout() -> UniformBoard:
    """The spaces, each described by an entry of every plane; those that share a side are neighbours (V3)."""
    first = np.array([observation.LAYOUT.start(plane.name) for plane in observation.PLANES])
    spaces = np.arange(board.SPACES)
    return UniformBoard(
        first + spaces[:, None],
        actions.SPACE + spaces,
        (board.REACHES - np.eye(board.SPACES, dtype=board.REACHES.dtype)) > 0,
    )


@cache
def symmetries() -> tuple[Symmetry, ...]:
    """The board as it is, turned, and mirrored: the rules know no direction (rulings, section 3)."""
    return tuple(_symmetry(name, *turn) for name, turn in _TURNS.items())


def _symmetry(name: str, quarters: int, mirrored: bool) -> Symmetry:
    square = np.arange(board.SPACES).reshape(board.WIDTH, board.WIDTH)
    turned = np.rot90(np.fliplr(square) if mirrored else square, -quarters)
    spaces = turned.ravel()  # the space that comes to lie on each
    entries = np.arange(observation.LAYOUT.size)
    ids = np.arange(actions.ACTIONS.size)
    for plane in observation.PLANES:
        _turn(entries, observation.LAYOUT.start(plane.name), spaces)
    _turn(ids, actions.SPACE, spaces)
    return Symmetry(name, entries, ids)


def _turn(permutation: NDArray[np.intp], start: int, spaces: NDArray[np.intp]) -> None:
    permutation[start : start + board.SPACES] = start + spaces
