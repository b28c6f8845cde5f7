"""Set-up of Revolution (V1): an empty board, and all pieces and markers with their sides."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.games.revolution import board, control, state
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State


@rule
def set_up(s: State, c: Components) -> None:
    """Set up a game in an empty record: the Royalists choose the first building."""
    # The course of the game.
    s.winner = board.NOBODY
    s.player = board.ROYALISTS
    s.question = state.ASK_BUILDING
    s.held = board.NO_PIECE

    # The board.
    for piece in range(board.PIECES):
        s.at[piece] = board.NOWHERE if c.piece_in_play[piece] == 1 else board.NOT_IN_PLAY
    for x in range(board.SPACES):
        s.on[x] = board.NO_PIECE if c.space_in_play[x] == 1 else board.NO_SPACE
        for i in range(board.DEGREE[x]):
            if c.space_in_play[x] == 1:
                s.empties[x] += c.space_in_play[board.NEIGHBOURS[x, i]]

    # The sides.
    for side in range(board.SIDES):
        s.left[side] = c.markers[side]
        control.measure_reach(s, c, side)
