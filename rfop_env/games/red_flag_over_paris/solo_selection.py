"""Space selection by the Solo Opponent: its terms (R21 to R23), and tables whose rows eliminate spaces (R24 to R26)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND, note
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.red_flag_over_paris import board, components, control, frames, journal, operations, pieces, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

AID_CHOOSE, AID_PLACE, AID_REMOVE = 1, 2, 3  # the tables of the Aid, as the journal numbers them
LOWEST_RANK = -99
FOR_PLACEMENT, FOR_REPLACEMENT = 1, 2  # how far the balance of a space shifts


# -- terms -------------------------------------------------------------------------------------------------------------


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
    own = control.controlled(s, side)
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
    return control.pieces(s, side, space) - control.pieces(s, board.enemy(side), space)


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
    lacking = ~control.controlled_spaces(s, side)
    last = 0  # the one space of its dimension that the side does not control
    for d in range(board.DIMENSIONS):
        missing = lacking & board.dimension_spaces(d)
        last |= missing if board.count_bits(missing) == 1 else 0
    return last & adds_control(s, side, gain) if last != 0 else 0  # mostly there is none, and nothing to count


@rule
def breaks_dimension(s: State, side: int, gain: int) -> int:
    """The spaces where shifting the balance by `gain` ends the enemy's control of the whole dimension."""
    controlled = control.controlled_spaces(s, board.enemy(side))
    dimensions = 0
    for d in range(board.DIMENSIONS):
        dimensions |= board.dimension_spaces(d) if board.holds_all(controlled, board.dimension_spaces(d)) else 0
    return dimensions & breaks_control(s, side, gain) if dimensions != 0 else 0  # as above


@rule
def certain(s: State, c: Components, side: int) -> int:
    """The spaces of a removal without a draw; all of them where an event or a bonus action removes."""
    attempted = s.stack[s.depth - 1, FRAME_KIND] == frames.ASK_OPERATION
    return operations.sure_spaces(s, c, side) if attempted else board.ALL_SPACES


# -- tables ------------------------------------------------------------------------------------------------------------


@rule
def meeting(s: State, c: Components, side: int, row: int, gain: int) -> int:
    """The spaces that meet the condition of a row of the Space Selection tables."""
    # Rows of both tables, or for placing.
    if row == components.SELECT_ROOM:
        return room(s, side, board.ALL_SPACES)
    if row == components.SELECT_COMPLETES_DIMENSION:
        return completes_dimension(s, side, gain)
    if row == components.SELECT_ADDS_KEY_CONTROL:
        return key_spaces(s, c, side) & adds_control(s, side, gain)
    if row == components.SELECT_BREAKS_CONTROL:
        return breaks_control(s, side, gain)
    if row == components.SELECT_ADDS_CONTROL:
        return adds_control(s, side, gain)
    if row == components.SELECT_OWN_SPHERE:
        return board.sphere_spaces(board.home_sphere(side))
    if row == components.SELECT_NOT_ISOLATED:
        return ~isolated(s, c, side)

    # Rows for removing.
    if row == components.SELECT_CERTAIN:
        return certain(s, c, side)
    if row == components.SELECT_BREAKS_DIMENSION:
        return breaks_dimension(s, side, gain)
    if row == components.SELECT_BREAKS_KEY_CONTROL:
        return key_spaces(s, c, side) & breaks_control(s, side, gain)
    if row == components.SELECT_ISOLATED:
        return isolated(s, c, board.enemy(side))
    return 0


@rule
def rank(s: State, c: Components, side: int, row: int, space: int) -> int:
    """The rank of a space in a row that compares spaces; the highest stays."""
    if row == components.SELECT_FEWEST_CUBES:
        return -s.cubes[board.enemy(side), space]
    if row == components.SELECT_CERTAIN:
        return operations.strength(s, c, side, space)
    if row == components.SELECT_STRONGEST_DIMENSION:
        return board.count_bits(control.controlled_spaces(s, side) & board.dimension_spaces(board.dimension(space)))
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
