"""The spaces where an effect can apply: limits of cubes and discs, and what stands there (R5, R9, R10).

Sets of spaces are built without branches (`bit_if`): which spaces hold what is nothing that a processor could predict,
and a wrong guess costs it more than the spaces that are looked at for nothing.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.games.red_flag_over_paris.board import (
    CUBE_LIMIT, NO_DISC, SPACES, bit, bit_if, count_bits, enemy_of, has, has_disc, military_spaces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import supply


@small_rule
def allow(mask: Any, first: int, spaces: int) -> None:
    """Allow the actions of a set of spaces, `first` + space; of a military set, `first` may lie before the actions."""
    for x in range(SPACES):
        mask[first + x] |= has(spaces, x)


@rule
def place_targets(s: Any, side: int, spaces: int, out_of_play: int) -> int:
    """The spaces where an event can place a cube: below the limit of 4, and only with a cube in stock (R5, R9).

    `out_of_play`: 1 if a cube removed from play can be placed as well.
    """
    if supply(s, side) == 0 and (out_of_play == 0 or s.out_of_play[side] == 0):
        return 0
    return spaces & ~full_spaces(s, side)


@rule
def full_spaces(s: Any, side: int) -> int:
    """The spaces that hold 4 cubes of a side."""
    found = 0
    for x in range(SPACES):
        found |= bit_if(s.cubes[side, x] >= CUBE_LIMIT, x)
    return found


@rule
def cubes_of(s: Any, side: int, spaces: int) -> int:
    """The spaces of a set that hold a side's cubes."""
    found = 0
    for x in range(SPACES):
        found |= bit_if(s.cubes[side, x] > 0, x)
    return spaces & found


@rule
def replace_targets(s: Any, side: int, spaces: int) -> int:
    """The spaces where a side can replace an enemy cube with one of its own."""
    if supply(s, side) == 0:
        return 0
    return cubes_of(s, enemy_of(side), spaces) & ~full_spaces(s, side)


@rule
def disc_targets(s: Any, spaces: int) -> int:
    """The military spaces of a set without a disc of either side (R10)."""
    found = 0
    for x in military_spaces():
        found |= bit_if(s.disc[x] == NO_DISC, x)
    return spaces & found


@rule
def discs_of(s: Any, side: int) -> int:
    """The spaces of a side's discs."""
    found = 0
    for x in military_spaces():
        found |= bit_if(has_disc(s, side, x), x)
    return found


@rule
def move_destinations(s: Any, side: int, source: int, spaces: int) -> int:
    """The spaces of a set where a cube from `source` can go."""
    return spaces & ~full_spaces(s, side) & ~bit(source)


@rule
def move_sources(s: Any, side: int, spaces: int, destinations: int) -> int:
    """The spaces of a set whose cubes can move to another space of `destinations`."""
    sources = cubes_of(s, side, spaces)
    free = destinations & ~full_spaces(s, side)
    if count_bits(free) == 1:
        sources &= ~free  # the only place to go is where these cubes are
    return sources if free != 0 else 0
