"""The component record of Revolution: the numbers that the rules read, filled from `components/*.toml`."""

from __future__ import annotations

import numpy as np

from rfop_env.core.record import Fields, Vector, number
from rfop_env.games.revolution import board

HIGHEST_VALUE = 9  # that a counter can have
MOST_MARKERS = 11  # of 21 spaces that can be marked: with more a game might have no winner


class Components(Fields):
    """The numbers of a component set."""

    value: Vector = number(np.int32, board.COUNTERS)  # influence of a counter, the same for both sides
    by_value: Vector = number(np.int32, board.COUNTERS)  # the counters from the highest value to the lowest
    markers: Vector = number(np.int32, board.SIDES)

    # what is in play: everything, or the spaces and pieces of a smaller board
    spaces: int = number(np.int32)  # their number, and that of the pieces
    buildings: int = number(np.int32)  # their number
    space_in_play: Vector = number(np.int8, board.SPACES)  # 1: this space is
    piece_in_play: Vector = number(np.int8, board.PIECES)  # 1: this piece is


COMPONENTS = Components.dtype()
