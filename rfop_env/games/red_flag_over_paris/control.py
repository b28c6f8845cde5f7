"""What a side holds on the map: pieces, control and presence ("Presence and Control")."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.games.red_flag_over_paris import board
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@small_rule
def has_disc(s: State, side: int, space: int) -> bool:
    """True if a side's Fortification or Barricade stands in a space."""
    return s.disc[space] == board.disc_value(side)


@small_rule
def pieces(s: State, side: int, space: int) -> int:
    """Cubes and disc of a side in a space ("Pieces")."""
    return s.cubes[side, space] + int(has_disc(s, side, space))


@small_rule
def controls(s: State, side: int, space: int) -> bool:
    """Control of a space that holds pieces: more of them than the enemy."""
    return pieces(s, side, space) > pieces(s, board.enemy(side), space)


@rule
def controlled_spaces(s: State, side: int) -> int:
    """The spaces that a side controls."""
    spaces = 0
    for x in range(board.SPACES):
        spaces |= board.bit_if(controls(s, side, x), x)
    return spaces


@rule
def controlled(s: State, side: int) -> int:
    """The spaces that a side controls, with Versailles HQ and, at Prussian Collaboration 3, the Occupied Territory."""
    spaces = controlled_spaces(s, side)
    if side == board.VERSAILLES:
        spaces |= board.bit(board.VERSAILLES_HQ)
        if s.momentum[board.VERSAILLES] >= board.MOMENTUM_LIMIT:
            spaces |= board.bit(board.OCCUPIED_TERRITORY)
    return spaces


@rule
def presence(s: State, c: Components, side: int) -> int:
    """The spaces where a side is present: it has pieces there, or always is ("Presence and Control")."""
    return c.always_present[side] | spaces_with_pieces(s, side)


@rule
def spaces_with_pieces(s: State, side: int) -> int:
    """The spaces that hold pieces of a side."""
    spaces = 0
    for x in range(board.SPACES):
        spaces |= board.bit_if(pieces(s, side, x) > 0, x)
    return spaces


@rule
def controls_dimension(s: State, side: int, dimension: int) -> bool:
    """Control of all three spaces of a Crisis Dimension."""
    return board.holds_all(controlled_spaces(s, side), board.dimension_spaces(dimension))


@rule
def neighbours(c: Components, space: int, own: int) -> int:
    """The number of the controlled spaces `own` whose arrows lead to a space."""
    return board.count_bits(c.adjacent[space] & own)
