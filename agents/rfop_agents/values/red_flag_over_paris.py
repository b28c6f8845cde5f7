"""A short value of Red Flag Over Paris: decisive VP, dimensions, keys, spaces, cubes on the map, stock."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, DIMENSIONS, MILITARY, PIVOTAL_SPACES, POLITICAL, SPACES, controls, controls_dimension, has, pieces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.observation import seat_side
from rfop_env.games.red_flag_over_paris.pieces import supply
from rfop_env.games.red_flag_over_paris.state import NO_CARD

WON, VP, DIMENSION, OBJECTIVE, PIVOTAL, SPACE, PIECE, STOCK = 10_000, 60, 25, 20, 10, 8, 2, 1


@rule
def value(s: Any, c: Any, seat: int) -> int:
    """How good a position is for a seat: what it has less what the enemy has."""
    side = seat_side(s, seat)
    if s.over == 1:
        return WON if s.winner == side else -WON
    lead = int(s.vp[POLITICAL]) + int(s.vp[MILITARY])
    total = VP * (lead if side == COMMUNE else -lead)
    return total + own_value(s, c, side) - own_value(s, c, 1 - side)


@rule
def own_value(s: Any, c: Any, side: int) -> int:
    """What a side holds on the map; the target of an objective counts for the side alone that knows it."""
    total = STOCK * supply(s, side)
    for d in range(DIMENSIONS):
        total += DIMENSION * int(controls_dimension(s, side, d))
    for x in range(SPACES):
        total += PIECE * pieces(s, side, x)
        if controls(s, side, x):
            total += SPACE + PIVOTAL * int(has(PIVOTAL_SPACES, x))
    if s.objective[side] != NO_CARD and controls(s, side, int(c.target[s.objective[side]])):
        total += OBJECTIVE
    return total
