"""The component record of Revolution: the numbers that the rules read, filled from `components/*.toml`."""

from __future__ import annotations

import numpy as np

from rfop_env.games.revolution.board import COUNTERS, PIECES, SIDES, SPACES

HIGHEST_VALUE = 9  # that a counter can have
MOST_MARKERS = 11  # of 21 spaces that can be marked: with more a game might have no winner

COMPONENTS = np.dtype(
    [
        ("value", np.int32, (COUNTERS,)),  # influence of a counter, the same for both sides
        ("by_value", np.int32, (COUNTERS,)),  # the counters from the highest value to the lowest
        ("markers", np.int32, (SIDES,)),
        # what is in play: everything, or the spaces and pieces of a smaller board
        ("spaces", np.int32),  # their number, and that of the pieces
        ("buildings", np.int32),  # their number
        ("space_in_play", np.int8, (SPACES,)),  # 1: this space is
        ("piece_in_play", np.int8, (PIECES,)),  # 1: this piece is
    ],
    align=True,
)
