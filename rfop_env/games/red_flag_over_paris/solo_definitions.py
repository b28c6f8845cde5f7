"""Terms of the Solo Opponent's tables: available cubes, room, isolated cubes, key spaces (R21 to R23)."""

from __future__ import annotations


from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.games.red_flag_over_paris import board, frames, operations, pieces, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def available(s: State, side: int) -> int:
    """The number of cubes that the bot can place: pool and crisis track (R21).

    The Final Crisis zone counts only late, once either side has breached its own.
    """
    late = s.round_number >= state.ROUNDS and s.first_final_breach != state.NOBODY
    return pieces.supply(s, side) - (0 if late else s.track[side, board.FINAL_CRISIS])


@rule
def room(s: State, side: int, spaces: int) -> int:
    """The spaces of a set with Room: the bot has at most one cube more afterwards, in a pivotal space two (R22)."""
    roomy = 0
    for x in range(board.SPACES):
        roomy |= board.bit_if(cube_lead(s, side, x) <= int(board.has(board.PIVOTAL_SPACES, x)), x)
    return spaces & roomy & ~pieces.full_spaces(s, side)


@rule
def isolated(s: State, c: Components, side: int) -> int:
    """The spaces where a side's cubes are isolated: it controls no adjacent one; some never are (R23)."""
    own = board.controlled(s, side)
    cut_off = 0
    for x in range(board.SPACES):
        cut_off |= board.bit_if(c.adjacent[x] & own == 0, x)
    return cut_off & ~c.never_isolated[side]


@rule
def key_spaces(s: State, c: Components, side: int) -> int:
    """The pivotal spaces, and the target of the bot's own objective."""
    objective = s.objective[side]
    return board.PIVOTAL_SPACES if objective == state.NO_CARD else board.PIVOTAL_SPACES | board.bit(c.target[objective])


@small_rule
def lead(s: State, side: int, space: int) -> int:
    """A side's pieces in a space less its enemy's."""
    return board.pieces(s, side, space) - board.pieces(s, board.enemy(side), space)


@small_rule
def cube_lead(s: State, side: int, space: int) -> int:
    """A side's cubes in a space less its enemy's."""
    return s.cubes[side, space] - s.cubes[board.enemy(side), space]


@rule
def adds_control(s: State, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` gives the side control that it lacks."""
    spaces = 0
    for x in range(board.SPACES):
        spaces |= board.bit_if(-gain < lead(s, side, x) <= 0, x)
    return spaces


@rule
def breaks_control(s: State, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` ends the enemy's control."""
    spaces = 0
    for x in range(board.SPACES):
        spaces |= board.bit_if(-gain <= lead(s, side, x) < 0, x)
    return spaces


@rule
def completes_dimension(s: State, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` gives the side control of the whole dimension."""
    lacking = ~board.controlled_spaces(s, side)
    last = 0  # the one space of its dimension that the side does not control
    for d in range(board.DIMENSIONS):
        missing = lacking & board.dimension_spaces(d)
        last |= missing if board.count_bits(missing) == 1 else 0
    return last & adds_control(s, side, gain) if last != 0 else 0  # mostly there is none, and nothing to count


@rule
def breaks_dimension(s: State, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` ends the enemy's control of the whole dimension."""
    controlled = board.controlled_spaces(s, board.enemy(side))
    dimensions = 0
    for d in range(board.DIMENSIONS):
        dimensions |= board.dimension_spaces(d) if board.holds_all(controlled, board.dimension_spaces(d)) else 0
    return dimensions & breaks_control(s, side, gain) if dimensions != 0 else 0  # as above


@rule
def certain(s: State, c: Components, side: int) -> int:
    """The spaces of a removal without a draw; all of them where an event or a bonus action removes."""
    attempted = s.stack[s.depth - 1, FRAME_KIND] == frames.ASK_OPERATION
    return operations.sure_spaces(s, c, side) if attempted else board.ALL_SPACES
