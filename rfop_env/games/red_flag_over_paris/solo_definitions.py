"""Terms of the Solo Opponent's tables: available cubes, room, isolated cubes, key spaces (R21 to R23)."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_KIND
from rfop_env.core.rule import rule, small_rule
from rfop_env.games.red_flag_over_paris.board import (
    CUBE_LIMIT, FINAL_CRISIS, PIVOTAL_SPACES, POLITICAL, SPACES, bit, controlled, controls, controls_dimension,
    dimension_of, enemy_of, has, pieces, spaces_in, sphere_of,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import ASK_OPERATION
from rfop_env.games.red_flag_over_paris.operations import SURE_STRENGTH, strength
from rfop_env.games.red_flag_over_paris.pieces import supply
from rfop_env.games.red_flag_over_paris.state import NOBODY, NO_CARD, ROUNDS


@rule
def available(s: Any, side: int) -> int:
    """The number of cubes that the bot can place: pool and crisis track (R21).

    The Final Crisis zone counts only late, once either side has breached its own.
    """
    late = s.round_number >= ROUNDS and s.first_final_breach != NOBODY
    return supply(s, side) - (0 if late else int(s.track[side, FINAL_CRISIS]))


@rule
def has_room(s: Any, side: int, space: int) -> bool:
    """True where the bot has at most one cube more than the player afterwards, in a pivotal space two (R22)."""
    more_allowed = int(has(PIVOTAL_SPACES, space))
    return s.cubes[side, space] < CUBE_LIMIT and cube_lead(s, side, space) <= more_allowed


@rule
def room(s: Any, side: int, spaces: int) -> int:
    """The spaces of a set with Room."""
    found = 0
    for x in range(SPACES):
        if has(spaces, x) and has_room(s, side, x):
            found |= bit(x)
    return found


@rule
def isolated(s: Any, c: Any, side: int, space: int) -> bool:
    """True if no space adjacent to this one is controlled by the side; some spaces are never isolated (R23)."""
    return not has(int(c.never_isolated[side]), space) and int(c.adjacent[space]) & controlled(s, side) == 0


@small_rule
def key_space(s: Any, c: Any, side: int, space: int) -> bool:
    """True for a pivotal space, and for the target of the bot's own objective."""
    objective = int(s.objective[side])
    return has(PIVOTAL_SPACES, space) or (objective != NO_CARD and c.target[objective] == space)


@small_rule
def lead(s: Any, side: int, space: int) -> int:
    """A side's pieces in a space less its enemy's."""
    return pieces(s, side, space) - pieces(s, enemy_of(side), space)


@small_rule
def cube_lead(s: Any, side: int, space: int) -> int:
    """A side's cubes in a space less its enemy's."""
    return int(s.cubes[side, space]) - int(s.cubes[enemy_of(side), space])


@small_rule
def adds_control(s: Any, side: int, space: int, gain: int) -> bool:
    """True if shifting the balance by `gain` gives the side control that it lacks."""
    return lead(s, side, space) <= 0 and lead(s, side, space) + gain > 0


@small_rule
def breaks_control(s: Any, side: int, space: int, gain: int) -> bool:
    """True if shifting the balance by `gain` ends the enemy's control."""
    return lead(s, side, space) < 0 and lead(s, side, space) + gain >= 0


@rule
def completes_dimension(s: Any, side: int, space: int, gain: int) -> bool:
    """True if shifting the balance by `gain` gives the side control of the whole dimension."""
    if not adds_control(s, side, space, gain):
        return False
    for x in spaces_in(dimension_of(space)):
        if x != space and not controls(s, side, x):
            return False
    return True


@rule
def breaks_dimension(s: Any, side: int, space: int, gain: int) -> bool:
    """True if shifting the balance by `gain` ends the enemy's control of the whole dimension."""
    return controls_dimension(s, enemy_of(side), dimension_of(space)) and breaks_control(s, side, space, gain)


@rule
def certain(s: Any, c: Any, side: int, space: int) -> bool:
    """True for a removal without a draw: political, strong enough, or no attempt but an event or bonus action."""
    attempted = s.stack[s.depth - 1, FRAME_KIND] == ASK_OPERATION
    return not attempted or sphere_of(space) == POLITICAL or strength(s, c, side, space) >= SURE_STRENGTH
