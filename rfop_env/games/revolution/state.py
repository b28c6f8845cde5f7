"""The state record of Revolution: every field with its meaning and range. All of it is public."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import Header
from rfop_env.core.record import Grid, RecordLayout, Vector, field
from rfop_env.games.revolution import board, components

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

HIGHEST_SUM = 9 * board.COUNTERS  # of the numbers of a side's counters


class State(Header):
    """A position of Revolution."""

    question: int = field(np.int32, ASK_BUILDING, ASK_NOTHING)  # ASK_...; ASK_NOTHING once the game has ended
    held: int = field(np.int32, 0, board.NO_PIECE)  # the piece chosen and not yet placed, NO_PIECE
    placed: int = field(np.int32, 0, board.PIECES)  # pieces on the board
    winner: int = field(np.int32, board.NOBODY, board.SIDES - 1)  # side, NOBODY while the game runs and in a draw
    left: Vector = field(np.int32, 0, components.MOST_MARKERS, (board.SIDES,))  # markers not placed
    at: Vector = field(np.int8, 0, board.NOT_IN_PLAY, (board.PIECES,))  # space of each piece, NOWHERE, NOT_IN_PLAY
    on: Vector = field(np.int8, 0, board.NO_SPACE, (board.SPACES,))  # piece on each space, NO_PIECE, NO_SPACE
    controls: Grid = field(np.int8, 0, 1, (board.SIDES, board.SPACES))  # 1: the side controls it for certain
    marked: Grid = field(np.int8, 0, 1, (board.SIDES, board.SPACES))  # 1: a marker of the side lies here

    # follow from the above, kept up to date instead of counted anew
    # a side's numbers on a space and next to it
    influence: Grid = field(np.int32, 0, HIGHEST_SUM, (board.SIDES, board.SPACES))
    # empty spaces next to each space
    empties: Vector = field(np.int32, 0, board.MOST_NEIGHBOURS, (board.SPACES,))
    # sum of a side's k highest unplayed numbers
    reach: Grid = field(np.int32, 0, HIGHEST_SUM, (board.SIDES, board.MOST_NEIGHBOURS + 1))


RECORD = RecordLayout(State.fields())
STATE = RECORD.dtype
