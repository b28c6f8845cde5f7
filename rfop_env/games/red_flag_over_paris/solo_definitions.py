"""Terms of the Solo Opponent's tables: available cubes, room, isolated cubes, key spaces (R21 to R23)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.games.red_flag_over_paris.board import (
    ALL_SPACES, DIMENSIONS, FINAL_CRISIS, PIVOTAL_SPACES, SPACES, bit, bit_if, controlled, controlled_spaces,
    count_bits, dimension_spaces, enemy_of, has, holds_all, pieces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import ASK_OPERATION
from rfop_env.games.red_flag_over_paris.operations import sure_spaces
from rfop_env.games.red_flag_over_paris.pieces import supply
from rfop_env.games.red_flag_over_paris.state import NOBODY, NO_CARD, ROUNDS
from rfop_env.games.red_flag_over_paris.targets import full_spaces


@rule
def available(s: Any, side: int) -> int:
    """The number of cubes that the bot can place: pool and crisis track (R21).

    The Final Crisis zone counts only late, once either side has breached its own.
    """
    late = s.round_number >= ROUNDS and s.first_final_breach != NOBODY
    return supply(s, side) - (0 if late else int(s.track[side, FINAL_CRISIS]))


@rule
def room(s: Any, side: int, spaces: int) -> int:
    """The spaces of a set with Room: the bot has at most one cube more afterwards, in a pivotal space two (R22)."""
    found = 0
    for x in range(SPACES):
        found |= bit_if(cube_lead(s, side, x) <= int(has(PIVOTAL_SPACES, x)), x)
    return spaces & found & ~full_spaces(s, side)


@rule
def isolated(s: Any, c: Any, side: int) -> int:
    """The spaces where a side's cubes are isolated: it controls no adjacent one; some never are (R23)."""
    own = controlled(s, side)
    found = 0
    for x in range(SPACES):
        found |= bit_if(int(c.adjacent[x]) & own == 0, x)
    return found & ~int(c.never_isolated[side])


@rule
def key_spaces(s: Any, c: Any, side: int) -> int:
    """The pivotal spaces, and the target of the bot's own objective."""
    objective = int(s.objective[side])
    return PIVOTAL_SPACES if objective == NO_CARD else PIVOTAL_SPACES | bit(int(c.target[objective]))


@small_rule
def lead(s: Any, side: int, space: int) -> int:
    """A side's pieces in a space less its enemy's."""
    return pieces(s, side, space) - pieces(s, enemy_of(side), space)


@small_rule
def cube_lead(s: Any, side: int, space: int) -> int:
    """A side's cubes in a space less its enemy's."""
    return int(s.cubes[side, space]) - int(s.cubes[enemy_of(side), space])


@rule
def adds_control(s: Any, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` gives the side control that it lacks."""
    found = 0
    for x in range(SPACES):
        found |= bit_if(-gain < lead(s, side, x) <= 0, x)
    return found


@rule
def breaks_control(s: Any, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` ends the enemy's control."""
    found = 0
    for x in range(SPACES):
        found |= bit_if(-gain <= lead(s, side, x) < 0, x)
    return found


@rule
def completes_dimension(s: Any, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` gives the side control of the whole dimension."""
    lacking = ~controlled_spaces(s, side)
    last = 0  # the one space of its dimension that the side does not control
    for d in range(DIMENSIONS):
        missing = lacking & dimension_spaces(d)
        last |= missing if count_bits(missing) == 1 else 0
    return last & adds_control(s, side, gain) if last != 0 else 0  # mostly there is none, and nothing to count


@rule
def breaks_dimension(s: Any, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` ends the enemy's control of the whole dimension."""
    theirs = controlled_spaces(s, enemy_of(side))
    whole = 0
    for d in range(DIMENSIONS):
        whole |= dimension_spaces(d) if holds_all(theirs, dimension_spaces(d)) else 0
    return whole & breaks_control(s, side, gain) if whole != 0 else 0  # as above


@rule
def certain(s: Any, c: Any, side: int) -> int:
    """The spaces of a removal without a draw; all of them where an event or a bonus action removes."""
    attempted = s.stack[s.depth - 1, FRAME_KIND] == ASK_OPERATION
    return sure_spaces(s, c, side) if attempted else ALL_SPACES
