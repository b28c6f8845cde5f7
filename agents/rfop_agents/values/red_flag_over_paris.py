"""A short value of Red Flag Over Paris: decisive VP, dimensions, keys, spaces, cubes on the map, stock."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.games.red_flag_over_paris import board
from rfop_env.games.red_flag_over_paris import observation
from rfop_env.games.red_flag_over_paris.pieces import supply
from rfop_env.games.red_flag_over_paris import state

WON, VP, DIMENSION, OBJECTIVE, PIVOTAL, SPACE, PIECE, STOCK = 10_000, 60, 25, 20, 10, 8, 2, 1


@rule
def value(s: Any, c: Any, seat: int) -> int:
    """How good a position is for a seat: what it has less what the enemy has."""
    side = observation.seat_side(s, seat)
    if s.over == 1:
        return WON if s.winner == side else -WON
    lead = int(s.vp[board.POLITICAL]) + int(s.vp[board.MILITARY])
    total = VP * (lead if side == board.COMMUNE else -lead)
    return total + own_value(s, c, side) - own_value(s, c, 1 - side)


@rule
def own_value(s: Any, c: Any, side: int) -> int:
    """What a side holds on the map; the target of an objective counts for the side alone that knows it."""
    total = STOCK * supply(s, side)
    for d in range(board.DIMENSIONS):
        total += DIMENSION * int(board.controls_dimension(s, side, d))
    for x in range(board.SPACES):
        total += PIECE * board.pieces(s, side, x)
        if board.controls(s, side, x):
            total += SPACE + PIVOTAL * int(board.has(board.PIVOTAL_SPACES, x))
    if s.objective[side] != state.NO_CARD and board.controls(s, side, int(c.target[s.objective[side]])):
        total += OBJECTIVE
    return total
