"""Building tiles: drawing one from a stack, and where it goes (P1, P40)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.paris import actions, board, frames, journal, state
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State


@rule
def mark_stacks(s: State, mask: Any) -> None:
    """Set the stacks that still have a tile to draw; the player chooses (P1)."""
    for k in range(board.STACKS):
        mask[actions.DRAW + k] = s.pile_size[k] > s.pile_floor


@rule
def draw_tile(s: State, c: Components, action: int) -> None:
    """Draw the top tile of a stack, and put it on its space; in the variant, ask for a district."""
    k = action - actions.DRAW
    pop(s)
    s.pile_size[k] -= 1
    tile = int(s.pile[k, s.pile_size[k]])
    s.pile[k, s.pile_size[k]] = state.NO_TILE
    s.drawn[tile] = 1

    if s.free_buildings == 0:
        place_tile(s, tile, tile)
    elif fits_anywhere(s, c, tile):
        push(s, frames.ASK_PLACEMENT, s.active, tile)
    else:
        note(s, journal.NOTE_DRAWN, s.active, tile, 0)


@rule
def place_tile(s: State, tile: int, space: int) -> None:
    """Put a building tile on a space."""
    s.tile_at[space] = tile + 1
    note(s, journal.NOTE_DRAWN, s.active, tile, space + 1)


@rule
def fits(s: State, c: Components, tile: int, district: int) -> bool:
    """True if the value's space is empty and the district has no building of the tile's type (variant, P40)."""
    if s.tile_at[board.building_space(district, board.value_index(tile))] > 0:
        return False
    for space in board.spaces_in(district):
        there = int(s.tile_at[space]) - 1
        if there >= 0 and c.building_type[there] == c.building_type[tile]:
            return False
    return True


@rule
def fits_anywhere(s: State, c: Components, tile: int) -> bool:
    """True if the tile can be played at all; otherwise it is discarded (variant, P40)."""
    for district in range(board.DISTRICTS):
        if fits(s, c, tile, district):
            return True
    return False


@rule
def mark_placements(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Set the districts where the tile fits."""
    tile = frame[frames.ask_placement.tile]
    for district in range(board.DISTRICTS):
        mask[actions.DISTRICT + district] = fits(s, c, tile, district)


@rule
def answer_placement(s: State, frame: Vector, action: int) -> None:
    """Put the tile into the district chosen."""
    tile = frame[frames.ask_placement.tile]
    pop(s)
    place_tile(s, tile, board.building_space(action - actions.DISTRICT, board.value_index(tile)))
