"""The state record of Revolution: every field with its meaning and range. All of it is public."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.games.revolution.board import MOST_NEIGHBOURS, PIECES, SIDES, SPACES

# What is asked (field `question`): a placement is two decisions, the piece and its space.
ASK_BUILDING, ASK_SITE, ASK_COUNTER, ASK_SPACE, ASK_NOTHING = range(5)
QUESTION_NAMES = ("building", "site", "counter", "space")

# Why a game ended (field `end_reason`); a winner who meets several conditions at once is told by the first.
RUNNING, FLAG_CAPTURED, THREE_BUILDINGS, ALL_MARKERS, DRAW = range(5)
END_REASONS = (
    "running",
    "flag captured",
    "three buildings",
    "flag and all markers",
    "draw: both sides met a condition",
)

STATE = np.dtype(
    [
        *HEADER,
        ("question", np.int32),  # ASK_...; ASK_NOTHING once the game has ended
        ("held", np.int32),  # the piece chosen and not yet placed, NO_PIECE
        ("placed", np.int32),  # pieces on the board, 0 to 25
        ("winner", np.int32),  # side, NOBODY while the game runs and in a draw
        ("left", np.int32, (SIDES,)),  # markers not placed, 0 to 11
        ("at", np.int8, (PIECES,)),  # the space of each piece, NOWHERE while unplayed
        ("on", np.int8, (SPACES,)),  # the piece on each space, NO_PIECE
        ("controls", np.int8, (SIDES, SPACES)),  # 1: the side controls this space for certain
        ("marked", np.int8, (SIDES, SPACES)),  # 1: a marker of the side lies here
        # follow from the above, kept up to date instead of counted anew
        ("influence", np.int32, (SIDES, SPACES)),  # sum of a side's numbers on a space and next to it
        ("empties", np.int32, (SPACES,)),  # empty spaces next to each space, 0 to 4
        ("reach", np.int32, (SIDES, MOST_NEIGHBOURS + 1)),  # by k: sum of the k highest unplayed numbers of a side
    ],
    align=True,
)
