"""The component record of Revolution: the numbers that the rules read, filled from `components/*.toml`."""

from __future__ import annotations

import numpy as np

from rfop_env.games.revolution.board import COUNTERS, SIDES

HIGHEST_VALUE = 9  # that a counter can have
MOST_MARKERS = 11  # of 21 spaces that can be marked: with more a game might have no winner

COMPONENTS = np.dtype(
    [
        ("value", np.int32, (COUNTERS,)),  # influence of a counter, the same for both sides
        ("by_value", np.int32, (COUNTERS,)),  # the counters from the highest value to the lowest
        ("markers", np.int32, (SIDES,)),
    ],
    align=True,
)
