"""A short value of Red Flag Over Paris: decisive VP, dimensions, keys, spaces, cubes on the map, stock."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.games.red_flag_over_paris import board, control, pieces, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.observation import seat_side

WON, VP, DIMENSION, OBJECTIVE, PIVOTAL, SPACE, PIECE, STOCK = 10_000, 60, 25, 20, 10, 8, 2, 1


@rule
def value(s: state.State, c: Components, seat: int) -> int:
    """The value of a position for a seat: its own side less the enemy."""
    side = seat_side(s, seat)
    if s.over == 1:
        return WON if s.winner == side else -WON
    lead = int(s.vp[board.POLITICAL]) + int(s.vp[board.MILITARY])
    total = VP * (lead if side == board.COMMUNE else -lead)
    return total + own_value(s, c, side) - own_value(s, c, 1 - side)


@rule
def own_value(s: state.State, c: Components, side: int) -> int:
    """What a side holds on the map; the target of an objective counts for the side alone that knows it."""
    total = STOCK * pieces.supply(s, side)
    for d in range(board.DIMENSIONS):
        total += DIMENSION * int(control.controls_dimension(s, side, d))
    for x in range(board.SPACES):
        total += PIECE * control.pieces(s, side, x)
        if control.controls(s, side, x):
            total += SPACE + PIVOTAL * int(board.has(board.PIVOTAL_SPACES, x))
    if s.objective[side] != state.NO_CARD and control.controls(s, side, int(c.target[s.objective[side]])):
        total += OBJECTIVE
    return total
