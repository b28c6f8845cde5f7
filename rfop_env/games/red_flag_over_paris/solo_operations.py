"""The Solo Opponent's operations: place or remove, point by point ("Placing and Removing Cubes"; R24, R30)."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, note
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, frames, journal
from rfop_env.games.red_flag_over_paris import operations, pieces, solo_selection
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def row_says_remove(s: State, c: Components, side: int, row: int, removals: int, placements: int) -> bool:
    """True if a row of the table "place or remove" holds."""
    if row == components.CHOOSE_NO_CUBES:
        return solo_selection.available(s, side) == 0
    if row == components.CHOOSE_NO_ROOM:
        return solo_selection.room(s, side, placements) == 0
    if row == components.CHOOSE_HOME_DIMENSION:
        home = board.FORTS if side == board.VERSAILLES else board.PUBLIC_OPINION
        return pieces.cube_spaces(s, board.enemy(side), board.dimension_spaces(home)) != 0

    # The other rows ask for a space whose removal would do something.
    if row == components.CHOOSE_TAKES_KEY_SPACE:
        key_removals = removals & solo_selection.key_spaces(s, c, side) & solo_selection.breaks_control(s, side, 1)
        return key_removals != 0 and key_removals & solo_selection.certain(s, c, side) != 0
    decisive = solo_selection.completes_dimension(s, side, 1) | solo_selection.breaks_dimension(s, side, 1)
    return removals & decisive != 0


@rule
def wants_removal(s: State, c: Components, side: int, removals: int, placements: int) -> bool:
    """True if the table "place or remove", read from the top, says to remove (R24)."""
    if removals == 0:
        return False

    for k in range(components.AID_ROWS):
        row = c.choose_table[side, k]
        if row == 0 or row == components.CHOOSE_PLACE:
            note(s, journal.NOTE_CHOICE, solo_selection.AID_CHOOSE, k + 1, 0)
            return False
        if row_says_remove(s, c, side, row, removals, placements):
            note(s, journal.NOTE_CHOICE, solo_selection.AID_CHOOSE, k + 1, 1)
            return True
    return False


@rule
def within_event(s: State) -> bool:
    """True if the operations on top of the stack are part of an event."""
    for k in range(s.depth - 1):
        if s.stack[k, FRAME_KIND] == frames.DO_EVENT:
            return True
    return False


@rule
def bot_placements(s: State, c: Components, side: int, frame: Vector) -> int:
    """The spaces where the bot may place with its points: legal ones, while cubes are available.

    Room limits the points that an event grants; for others it is but a row of the Place table (R30).
    """
    if solo_selection.available(s, side) == 0:
        return 0
    reach = operations.placement_reach(s, c, frame)
    spaces = operations.placement_spaces(s, side, reach, frame[frames.ask_operation.points])
    return solo_selection.room(s, side, spaces) if within_event(s) else spaces


@rule
def advise_operation(s: State, c: Components, side: int, frame: Vector) -> int:
    """Spend the next point: remove while the table says so, then place ("Placing and Removing Cubes")."""
    removals = operations.operation_removals(s, frame)
    placements = bot_placements(s, c, side, frame)

    # A removal, with an extra point where the strength is lowest.
    if wants_removal(s, c, side, removals, placements):
        space = solo_selection.select_remove(s, c, side, removals)
        stormed = operations.storm_spaces(s, c, side, board.bit(space), frame[frames.ask_operation.points])
        if stormed != 0 and operations.strength(s, c, side, space) == 1:
            return actions.STORM + space
        return actions.REMOVE_FROM + space

    if placements != 0:
        return actions.PLACE_IN + solo_selection.select_place(s, c, side, placements, solo_selection.FOR_PLACEMENT)
    return actions.DONE


@rule
def operations_have_effect(s: State, c: Components, side: int, spaces: int, points: int) -> bool:
    """True if the bot could remove or place anything with that many points of an event."""
    spaces &= operations.acting_spaces(s, c, side)
    if operations.removal_spaces(s, side, spaces, points) != 0:
        return True
    if solo_selection.available(s, side) == 0:
        return False
    return solo_selection.room(s, side, operations.placement_spaces(s, side, spaces, points)) != 0
