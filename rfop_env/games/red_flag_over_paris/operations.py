"""Operations Points: where a side may act, military strength, removal attempts, placement ("Operations"; R1 to R5)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, cards, control, frames, journal, pieces, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

SURE_STRENGTH = 3  # an attempt of this strength needs no draw


@rule
def acting_spaces(s: State, c: Components, side: int) -> int:
    """The spaces where a side is present, or adjacent to a space it controls."""
    own = control.controlled(s, side)
    spaces = control.presence(s, c, side)
    for x in range(board.SPACES):
        spaces |= board.bit_if(c.adjacent[x] & own != 0, x)
    return spaces


@rule
def strength(s: State, c: Components, side: int, space: int) -> int:
    """Military strength in a space without the extra point: presence, control, adjacent controlled spaces (R3)."""
    return strength_by(c, control.presence(s, c, side), control.controlled(s, side), space)


@small_rule
def strength_by(c: Components, there: int, own: int, space: int) -> int:
    """Strength in a space of a side that is present in the spaces `there` and controls the spaces `own`."""
    return int(board.has(there, space)) + int(board.has(own, space)) + control.neighbours(c, space, own)


@rule
def sure_spaces(s: State, c: Components, side: int) -> int:
    """The spaces where a removal needs no draw: all political ones, military ones by strength (R3)."""
    there = control.presence(s, c, side)
    own = control.controlled(s, side)
    spaces = board.POLITICAL_SPACES
    for x in board.military_spaces():
        spaces |= board.bit_if(strength_by(c, there, own, x) >= SURE_STRENGTH, x)
    return spaces


@small_rule
def cost(s: State, side: int, space: int) -> int:
    """The points for an attempt or a placement: 2 where an enemy disc stands, else 1 (R4, R5)."""
    return 2 if control.has_disc(s, board.enemy(side), space) else 1


@rule
def affordable_spaces(s: State, side: int, points: int) -> int:
    """The spaces where an attempt or a placement costs at most that many points (R4, R5)."""
    spaces = 0
    for x in range(board.SPACES):
        spaces |= board.bit_if(cost(s, side, x) <= points, x)
    return spaces


@rule
def removal_spaces(s: State, side: int, spaces: int, points: int) -> int:
    """The spaces of a set where a side can remove with that many points: a cube, or a disc that no cube covers (R4)."""
    return spaces & control.spaces_with_pieces(s, board.enemy(side)) & affordable_spaces(s, side, points)


@rule
def placement_spaces(s: State, side: int, spaces: int, points: int) -> int:
    """The spaces of a set where a side can place with that many points; the stock is not checked."""
    return spaces & ~pieces.full_spaces(s, side) & affordable_spaces(s, side, points)


@rule
def begin_operations(s: State, c: Components, side: int, points: int, spaces: int) -> None:
    """Open operations with `points` within a set of spaces; where to remove is fixed now (R1)."""
    push(s, frames.ASK_OPERATION, side, points, spaces, acting_spaces(s, c, side))


@rule
def operation_removals(s: State, frame: Vector) -> int:
    """The spaces where the pending operations may remove now: none once placing has begun (R2)."""
    if frame[frames.ask_operation.placing] == 1:
        return 0
    spaces = frame[frames.ask_operation.spaces] & frame[frames.ask_operation.removal_reach]
    return removal_spaces(s, frame[FRAME_SIDE], spaces, frame[frames.ask_operation.points])


@rule
def operation_placements(s: State, c: Components, frame: Vector) -> int:
    """The spaces where the pending operations may place now, while there is a cube to place."""
    side = frame[FRAME_SIDE]
    if pieces.supply(s, side) == 0:
        return 0
    return placement_spaces(s, side, placement_reach(s, c, frame), frame[frames.ask_operation.points])


@rule
def placement_reach(s: State, c: Components, frame: Vector) -> int:
    """The spaces that the pending operations reach for a placement; fixed by the first one (R1)."""
    spaces = frame[frames.ask_operation.spaces]
    if frame[frames.ask_operation.placing] == 1:
        return spaces & frame[frames.ask_operation.placement_reach]
    return spaces & acting_spaces(s, c, frame[FRAME_SIDE])


@rule
def storm_spaces(s: State, c: Components, side: int, spaces: int, points: int) -> int:
    """The spaces of a set where an extra point can be paid: military, strength below 3, and enough points (R4)."""
    spaces &= board.MILITARY_SPACES & affordable_spaces(s, side, points - 1)
    return spaces & ~sure_spaces(s, c, side) if spaces != 0 else 0


@rule
def legal_operations(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Allow all ways to spend the next point, and to stop (R2)."""
    side = frame[FRAME_SIDE]
    points = frame[frames.ask_operation.points]
    removals = operation_removals(s, frame)
    pieces.allow(mask, actions.REMOVE_FROM, removals)
    pieces.allow(mask, actions.STORM, storm_spaces(s, c, side, removals, points))
    pieces.allow(mask, actions.PLACE_IN, operation_placements(s, c, frame))
    mask[actions.DONE] = True


@rule
def answer_operation(s: State, c: Components, frame: Vector, action: int) -> None:
    """Carry out one removal attempt or one placement, or stop."""
    side = frame[FRAME_SIDE]
    if action == actions.DONE:
        pop(s)
        return

    # A placement; the first one fixes where the others may be.
    if action < actions.REMOVE_FROM:
        space = action - actions.PLACE_IN
        if frame[frames.ask_operation.placing] == 0:
            frame[frames.ask_operation.placement_reach] = acting_spaces(s, c, side)
            frame[frames.ask_operation.placing] = 1
        frame[frames.ask_operation.points] -= cost(s, side, space)
        pieces.place_cube(s, c, side, space, False)

    # An attempt to remove, with or without an extra point.
    else:
        extra = int(action >= actions.STORM + board.FIRST_MILITARY_SPACE)
        space = action - actions.STORM if extra else action - actions.REMOVE_FROM
        frame[frames.ask_operation.points] -= cost(s, side, space) + extra
        attempt_removal(s, c, side, space, extra)

    frame[frames.ask_operation.spaces] &= board.sphere_spaces(board.sphere(space))  # R2: one sphere
    if frame[frames.ask_operation.points] <= 0:
        pop(s)


@rule
def attempt_removal(s: State, c: Components, side: int, space: int, extra: int) -> None:
    """Remove an enemy piece: at once in political spaces, by strength or a draw in military ones (R3)."""
    enemy = board.enemy(side)
    if board.sphere(space) == board.MILITARY:
        power = strength(s, c, side, space) + extra
        note(s, journal.NOTE_ATTEMPT, side, space, power)
        if power < SURE_STRENGTH and not draw_succeeds(s, c, power):
            return

    if s.cubes[enemy, space] > 0:
        pieces.return_cube(s, c, enemy, space)
    else:
        pieces.remove_disc(s, enemy, space)


@rule
def draw_succeeds(s: State, c: Components, power: int) -> bool:
    """Draw a strategy card: success if the strength is at least its points; no card left is a failure (R3)."""
    card = cards.draw_card(s)
    if card == state.NO_CARD:
        return False

    cards.put_away(s, card, state.NOBODY)
    success = power >= c.points[card]
    note(s, journal.NOTE_DRAWN, card, int(success), 0)
    return success
