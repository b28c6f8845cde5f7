"""The Solo Opponent's operations: place or remove, point by point ("Placing and Removing Cubes"; R24)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.red_flag_over_paris.actions import DONE, PLACE_IN, REMOVE_FROM, STORM
from rfop_env.games.red_flag_over_paris.board import (
    FORTS, PUBLIC_OPINION, VERSAILLES, bit, dimension_spaces, enemy_of,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import (
    AID_ROWS, CHOOSE_HOME_DIMENSION, CHOOSE_NO_CUBES, CHOOSE_NO_ROOM, CHOOSE_PLACE, CHOOSE_TAKES_KEY_SPACE,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import POINTS_LEFT
from rfop_env.games.red_flag_over_paris.journal import NOTE_CHOICE
from rfop_env.games.red_flag_over_paris.operations import (
    acting_spaces, operation_removals, placement_reach, placement_spaces, removal_spaces, storm_spaces, strength,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.solo_definitions import (
    available, breaks_control, breaks_dimension, certain, completes_dimension, key_spaces, room,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.solo_selection import AID_CHOOSE, FOR_PLACEMENT, select_place, select_remove
from rfop_env.games.red_flag_over_paris.targets import cubes_of


@rule
def row_says_remove(s: Any, c: Any, side: int, row: int, removals: int, placements: int) -> bool:
    """True if a row of the table "place or remove" holds."""
    if row == CHOOSE_NO_CUBES:
        return available(s, side) == 0
    if row == CHOOSE_NO_ROOM:
        return placements == 0
    if row == CHOOSE_HOME_DIMENSION:
        home = FORTS if side == VERSAILLES else PUBLIC_OPINION
        return cubes_of(s, enemy_of(side), dimension_spaces(home)) != 0

    # The other rows ask for a space whose removal would do something.
    if row == CHOOSE_TAKES_KEY_SPACE:
        taken = removals & key_spaces(s, c, side) & breaks_control(s, side, 1)
        return taken != 0 and taken & certain(s, c, side) != 0
    return removals & (completes_dimension(s, side, 1) | breaks_dimension(s, side, 1)) != 0


@rule
def wants_removal(s: Any, c: Any, side: int, removals: int, placements: int) -> bool:
    """True if the table "place or remove", read from the top, says to remove (R24)."""
    if removals == 0:
        return False

    for k in range(AID_ROWS):
        row = int(c.choose_table[side, k])
        if row == 0 or row == CHOOSE_PLACE:
            note(s, NOTE_CHOICE, AID_CHOOSE, k + 1, 0)
            return False
        if row_says_remove(s, c, side, row, removals, placements):
            note(s, NOTE_CHOICE, AID_CHOOSE, k + 1, 1)
            return True
    return False


@rule
def bot_placements(s: Any, c: Any, side: int, frame: Any) -> int:
    """The spaces where the bot may place with its points: legal ones with Room, while cubes are available."""
    if available(s, side) == 0:
        return 0
    return room(s, side, placement_spaces(s, side, placement_reach(s, c, frame), int(frame[POINTS_LEFT])))


@rule
def advise_operation(s: Any, c: Any, side: int, frame: Any) -> int:
    """Spend the next point: remove while the table says so, then place ("Placing and Removing Cubes")."""
    removals = operation_removals(s, frame)
    placements = bot_placements(s, c, side, frame)

    # A removal, with an extra point where the strength is lowest.
    if wants_removal(s, c, side, removals, placements):
        space = select_remove(s, c, side, removals)
        stormed = storm_spaces(s, c, side, bit(space), int(frame[POINTS_LEFT]))
        if stormed != 0 and strength(s, c, side, space) == 1:
            return STORM + space
        return REMOVE_FROM + space

    if placements != 0:
        return PLACE_IN + select_place(s, c, side, placements, FOR_PLACEMENT)
    return DONE


@rule
def operations_have_effect(s: Any, c: Any, side: int, spaces: int, points: int) -> bool:
    """True if the bot could remove or place anything with that many points."""
    spaces &= acting_spaces(s, c, side)
    if removal_spaces(s, side, spaces, points) != 0:
        return True
    return available(s, side) > 0 and room(s, side, placement_spaces(s, side, spaces, points)) != 0
