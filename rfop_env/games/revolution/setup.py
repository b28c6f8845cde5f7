"""Set-up of Revolution (V1): an empty board, and all pieces and markers with their sides."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.games.revolution.board import (
    DEGREE, NEIGHBOURS, NOBODY, NOT_IN_PLAY, NOWHERE, NO_PIECE, NO_SPACE, PIECES, ROYALISTS, SIDES, SPACES,
)  # fmt: skip
from rfop_env.games.revolution.control import measure_reach
from rfop_env.games.revolution.state import ASK_BUILDING


@rule
def set_up(s: Any, c: Any) -> None:
    """Set up a game in an empty record: the Royalists choose the first building."""
    # The course of the game.
    s.winner = NOBODY
    s.player = ROYALISTS
    s.question = ASK_BUILDING
    s.held = NO_PIECE

    # The board.
    for piece in range(PIECES):
        s.at[piece] = NOWHERE if c.piece_in_play[piece] == 1 else NOT_IN_PLAY
    for x in range(SPACES):
        s.on[x] = NO_PIECE if c.space_in_play[x] == 1 else NO_SPACE
        for i in range(DEGREE[x]):
            if c.space_in_play[x] == 1:
                s.empties[x] += c.space_in_play[NEIGHBOURS[x, i]]

    # The sides.
    for side in range(SIDES):
        s.left[side] = c.markers[side]
        measure_reach(s, c, side)
