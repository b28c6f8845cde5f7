"""The Solo Opponent's Space Selection tables: rows that eliminate spaces, then the die (R24 to R26)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.red_flag_over_paris import board, components, journal, operations, solo_definitions
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

AID_CHOOSE, AID_PLACE, AID_REMOVE = 1, 2, 3  # the tables of the Aid, as the journal numbers them
LOWEST_RANK = -99
FOR_PLACEMENT, FOR_REPLACEMENT = 1, 2  # how far the balance of a space shifts


@rule
def meeting(s: State, c: Components, side: int, row: int, gain: int) -> int:
    """The spaces that meet the condition of a row of the Space Selection tables."""
    # Rows of both tables, or for placing.
    if row == components.SELECT_ROOM:
        return solo_definitions.room(s, side, board.ALL_SPACES)
    if row == components.SELECT_COMPLETES_DIMENSION:
        return solo_definitions.completes_dimension(s, side, gain)
    if row == components.SELECT_ADDS_KEY_CONTROL:
        return solo_definitions.key_spaces(s, c, side) & solo_definitions.adds_control(s, side, gain)
    if row == components.SELECT_BREAKS_CONTROL:
        return solo_definitions.breaks_control(s, side, gain)
    if row == components.SELECT_ADDS_CONTROL:
        return solo_definitions.adds_control(s, side, gain)
    if row == components.SELECT_OWN_SPHERE:
        return board.sphere_spaces(board.home_sphere(side))
    if row == components.SELECT_NOT_ISOLATED:
        return ~solo_definitions.isolated(s, c, side)

    # Rows for removing.
    if row == components.SELECT_CERTAIN:
        return solo_definitions.certain(s, c, side)
    if row == components.SELECT_BREAKS_DIMENSION:
        return solo_definitions.breaks_dimension(s, side, gain)
    if row == components.SELECT_BREAKS_KEY_CONTROL:
        return solo_definitions.key_spaces(s, c, side) & solo_definitions.breaks_control(s, side, gain)
    if row == components.SELECT_ISOLATED:
        return solo_definitions.isolated(s, c, board.enemy(side))
    return 0


@rule
def rank(s: State, c: Components, side: int, row: int, space: int) -> int:
    """The rank of a space in a row that compares spaces; the highest stays."""
    if row == components.SELECT_FEWEST_CUBES:
        return -s.cubes[board.enemy(side), space]
    if row == components.SELECT_CERTAIN:
        return operations.strength(s, c, side, space)
    if row == components.SELECT_STRONGEST_DIMENSION:
        return board.count_bits(board.controlled_spaces(s, side) & board.dimension_spaces(board.dimension(space)))
    return 0


@rule
def best_ranked(s: State, c: Components, side: int, row: int, spaces: int) -> int:
    """The spaces of a set with the highest rank."""
    best = LOWEST_RANK
    highest = 0
    for x in range(board.SPACES):
        if board.has(spaces, x):
            value = rank(s, c, side, row, x)
            if value > best:
                best = value
                highest = 0
            if value == best:
                highest |= board.bit(x)
    return highest


@rule
def eliminate(s: State, c: Components, side: int, row: int, spaces: int, gain: int) -> int:
    """The spaces that a row leaves; all of them if it would leave none."""
    if row == components.SELECT_FEWEST_CUBES or row == components.SELECT_STRONGEST_DIMENSION:
        return best_ranked(s, c, side, row, spaces)

    remaining = spaces & meeting(s, c, side, row, gain)
    if remaining == 0 and row == components.SELECT_CERTAIN:
        return best_ranked(s, c, side, row, spaces)
    return remaining if remaining != 0 else spaces


@rule
def random_space(s: State, spaces: int) -> int:
    """A space of a set, chosen by the die (stream BOT)."""
    n = board.count_bits(spaces)
    k = random_below(s, BOT, n) if n > 1 else 0
    for x in range(board.SPACES):
        if board.has(spaces, x):
            if k == 0:
                return x
            k -= 1
    return 0


@rule
def select(s: State, c: Components, side: int, table: Any, aid: int, spaces: int, gain: int) -> int:
    """Select a space: eliminate row by row until one is left, then the die ("Selecting Spaces")."""
    row = 0
    while row < components.AID_ROWS - 1 and table[row] != 0 and board.count_bits(spaces) > 1:
        spaces = eliminate(s, c, side, table[row], spaces, gain)
        row += 1
    space = random_space(s, spaces)
    note(s, journal.NOTE_CHOICE, aid, row, space)
    return space


@rule
def select_place(s: State, c: Components, side: int, spaces: int, gain: int) -> int:
    """Select a space by the table "where to place or replace"; gain 1 for a placement, 2 for a replacement."""
    return select(s, c, side, c.place_table[side], AID_PLACE, spaces, gain)


@rule
def select_remove(s: State, c: Components, side: int, spaces: int) -> int:
    """Select a space by the table "where to remove"."""
    return select(s, c, side, c.remove_table[side], AID_REMOVE, spaces, 1)
