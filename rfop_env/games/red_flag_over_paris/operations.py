"""Operations Points: where a side may act, military strength, removal attempts, placement ("Operations"; R1 to R5)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.games.red_flag_over_paris.actions import DONE, PLACE_IN, REMOVE_FROM, STORM
from rfop_env.games.red_flag_over_paris.board import (
    FIRST_MILITARY_SPACE, MILITARY, MILITARY_SPACES, POLITICAL_SPACES, SPACES, bit_if, controlled, enemy_of, has,
    has_disc, military_spaces, neighbours, presence, spaces_with_pieces, sphere_of, sphere_spaces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.cards import draw_card, put_away
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_OPERATION, OPERATION_SPACES, PLACEMENT_REACH, PLACING_BEGUN, POINTS_LEFT, REMOVAL_REACH,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_ATTEMPT, NOTE_DRAWN
from rfop_env.games.red_flag_over_paris.pieces import place_cube, remove_disc, return_cube, supply
from rfop_env.games.red_flag_over_paris.state import NOBODY, NO_CARD
from rfop_env.games.red_flag_over_paris.targets import allow, full_spaces

SURE_STRENGTH = 3  # an attempt of this strength needs no draw


@rule
def acting_spaces(s: Any, c: Any, side: int) -> int:
    """The spaces where a side is present, or adjacent to a space it controls."""
    own = controlled(s, side)
    spaces = presence(s, c, side)
    for x in range(SPACES):
        spaces |= bit_if(int(c.adjacent[x]) & own != 0, x)
    return spaces


@rule
def strength(s: Any, c: Any, side: int, space: int) -> int:
    """Military strength in a space without the extra point: presence, control, adjacent controlled spaces (R3)."""
    return strength_by(c, presence(s, c, side), controlled(s, side), space)


@small_rule
def strength_by(c: Any, there: int, own: int, space: int) -> int:
    """Strength in a space of a side that is present in the spaces `there` and controls the spaces `own`."""
    return int(has(there, space)) + int(has(own, space)) + neighbours(c, space, own)


@rule
def sure_spaces(s: Any, c: Any, side: int) -> int:
    """The spaces where a removal needs no draw: all political ones, military ones by strength (R3)."""
    there = presence(s, c, side)
    own = controlled(s, side)
    found = POLITICAL_SPACES
    for x in military_spaces():
        found |= bit_if(strength_by(c, there, own, x) >= SURE_STRENGTH, x)
    return found


@small_rule
def cost(s: Any, side: int, space: int) -> int:
    """The points for an attempt or a placement: 2 where an enemy disc stands, else 1 (R4, R5)."""
    return 2 if has_disc(s, enemy_of(side), space) else 1


@rule
def affordable_spaces(s: Any, side: int, points: int) -> int:
    """The spaces where an attempt or a placement costs at most that many points (R4, R5)."""
    found = 0
    for x in range(SPACES):
        found |= bit_if(cost(s, side, x) <= points, x)
    return found


@rule
def removal_spaces(s: Any, side: int, spaces: int, points: int) -> int:
    """The spaces of a set where a side can remove with that many points: a cube, or a disc that no cube covers (R4)."""
    return spaces & spaces_with_pieces(s, enemy_of(side)) & affordable_spaces(s, side, points)


@rule
def placement_spaces(s: Any, side: int, spaces: int, points: int) -> int:
    """The spaces of a set where a side can place with that many points; the stock is not asked."""
    return spaces & ~full_spaces(s, side) & affordable_spaces(s, side, points)


@rule
def begin_operations(s: Any, c: Any, side: int, points: int, spaces: int) -> None:
    """Open operations with `points` within a set of spaces; where to remove is fixed now (R1)."""
    push(s, ASK_OPERATION, side, points, spaces, acting_spaces(s, c, side))


@rule
def operation_removals(s: Any, frame: Any) -> int:
    """The spaces where the pending operations may remove now: none once placing has begun (R2)."""
    if frame[PLACING_BEGUN] == 1:
        return 0
    spaces = int(frame[OPERATION_SPACES]) & int(frame[REMOVAL_REACH])
    return removal_spaces(s, int(frame[FRAME_SIDE]), spaces, int(frame[POINTS_LEFT]))


@rule
def operation_placements(s: Any, c: Any, frame: Any) -> int:
    """The spaces where the pending operations may place now, while there is a cube to place."""
    side = int(frame[FRAME_SIDE])
    if supply(s, side) == 0:
        return 0
    return placement_spaces(s, side, placement_reach(s, c, frame), int(frame[POINTS_LEFT]))


@rule
def placement_reach(s: Any, c: Any, frame: Any) -> int:
    """The spaces that the pending operations reach for a placement; fixed by the first one (R1)."""
    reach = int(frame[PLACEMENT_REACH]) if frame[PLACING_BEGUN] == 1 else acting_spaces(s, c, int(frame[FRAME_SIDE]))
    return int(frame[OPERATION_SPACES]) & reach


@rule
def storm_spaces(s: Any, c: Any, side: int, spaces: int, points: int) -> int:
    """The spaces of a set where an extra point can be paid: military, strength below 3, and enough points (R4)."""
    spaces &= MILITARY_SPACES & affordable_spaces(s, side, points - 1)
    return spaces & ~sure_spaces(s, c, side) if spaces != 0 else 0


@rule
def legal_operations(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """Allow all ways to spend the next point, and to stop (R2)."""
    side = int(frame[FRAME_SIDE])
    points = int(frame[POINTS_LEFT])
    removals = operation_removals(s, frame)
    allow(mask, REMOVE_FROM, removals)
    allow(mask, STORM, storm_spaces(s, c, side, removals, points))
    allow(mask, PLACE_IN, operation_placements(s, c, frame))
    mask[DONE] = True


@rule
def answer_operation(s: Any, c: Any, frame: Any, action: int) -> None:
    """Carry out one removal attempt or one placement, or stop."""
    side = int(frame[FRAME_SIDE])
    if action == DONE:
        pop(s)
        return

    # A placement; the first one fixes where the others may be.
    if action < REMOVE_FROM:
        space = action - PLACE_IN
        if frame[PLACING_BEGUN] == 0:
            frame[PLACEMENT_REACH] = acting_spaces(s, c, side)
            frame[PLACING_BEGUN] = 1
        frame[POINTS_LEFT] -= cost(s, side, space)
        place_cube(s, c, side, space, False)

    # An attempt to remove, with or without an extra point.
    else:
        extra = int(action >= STORM + FIRST_MILITARY_SPACE)
        space = action - STORM if extra else action - REMOVE_FROM
        frame[POINTS_LEFT] -= cost(s, side, space) + extra
        attempt_removal(s, c, side, space, extra)

    frame[OPERATION_SPACES] &= sphere_spaces(sphere_of(space))  # R2: one sphere
    if frame[POINTS_LEFT] <= 0:
        pop(s)


@rule
def attempt_removal(s: Any, c: Any, side: int, space: int, extra: int) -> None:
    """Remove an enemy piece: at once in political spaces, by strength or a draw in military ones (R3)."""
    enemy = enemy_of(side)
    if sphere_of(space) == MILITARY:
        power = strength(s, c, side, space) + extra
        note(s, NOTE_ATTEMPT, side, space, power)
        if power < SURE_STRENGTH and not draw_succeeds(s, c, power):
            return

    if s.cubes[enemy, space] > 0:
        return_cube(s, c, enemy, space)
    else:
        remove_disc(s, enemy, space)


@rule
def draw_succeeds(s: Any, c: Any, power: int) -> bool:
    """Draw a strategy card: success if the strength is at least its points; no card left is a failure (R3)."""
    card = draw_card(s)
    if card == NO_CARD:
        return False

    put_away(s, card, NOBODY)
    success = power >= c.points[card]
    note(s, NOTE_DRAWN, card, int(success), 0)
    return success
