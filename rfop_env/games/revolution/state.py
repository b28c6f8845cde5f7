"""The state record of Revolution: every field with its meaning and range. All of it is public."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.core.record import Field, RecordLayout
from rfop_env.games.revolution.board import (
    COUNTERS, MOST_NEIGHBOURS, NOBODY, NOT_IN_PLAY, NO_PIECE, NO_SPACE, PIECES, SIDES, SPACES,
)  # fmt: skip
from rfop_env.games.revolution.components import MOST_MARKERS

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

HIGHEST_SUM = 9 * COUNTERS  # of the numbers of a side's counters

RECORD = RecordLayout(
    [
        *HEADER,
        Field("question", np.int32, ASK_BUILDING, ASK_NOTHING),  # ASK_...; ASK_NOTHING once the game has ended
        Field("held", np.int32, 0, NO_PIECE),  # the piece chosen and not yet placed, NO_PIECE
        Field("placed", np.int32, 0, PIECES),  # pieces on the board
        Field("winner", np.int32, NOBODY, SIDES - 1),  # side, NOBODY while the game runs and in a draw
        Field("left", np.int32, 0, MOST_MARKERS, (SIDES,)),  # markers not placed
        Field("at", np.int8, 0, NOT_IN_PLAY, (PIECES,)),  # the space of each piece, NOWHERE while unplayed, NOT_IN_PLAY
        Field("on", np.int8, 0, NO_SPACE, (SPACES,)),  # the piece on each space, NO_PIECE, NO_SPACE
        Field("controls", np.int8, 0, 1, (SIDES, SPACES)),  # 1: the side controls this space for certain
        Field("marked", np.int8, 0, 1, (SIDES, SPACES)),  # 1: a marker of the side lies here
        # follow from the above, kept up to date instead of counted anew
        Field("influence", np.int32, 0, HIGHEST_SUM, (SIDES, SPACES)),  # a side's numbers on a space and next to it
        Field("empties", np.int32, 0, MOST_NEIGHBOURS, (SPACES,)),  # empty spaces next to each space
        Field("reach", np.int32, 0, HIGHEST_SUM, (SIDES, MOST_NEIGHBOURS + 1)),  # sum of a side's k highest unplayed
    ]
)
STATE = RECORD.dtype
