"""The Solo Opponent's pivotal bonus actions: Spread, Turncoat, De-escalate ("Pivotal Space Bonus Actions"; R24)."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, frames
from rfop_env.games.red_flag_over_paris import pieces, solo_selection
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

ANY_SOURCE = -1


# -- Spread ----------------------------------------------------------------------------------------------------------


@rule
def after_moves(s: State, side: int, space: int, f1: int, t1: int, f2: int, t2: int) -> int:
    """A side's lead in a space after one or two moves (no second move: f2 = t2)."""
    change = int(space == t1) - int(space == f1) + int(space == t2) - int(space == f2)
    return solo_selection.lead(s, side, space) + change


@rule
def spread_gain(s: State, side: int, dimension: int, f1: int, t1: int, f2: int, t2: int) -> int:
    """The number of spaces whose control the moves add; -1 if any is lost or a move is impossible."""
    # Can the cubes move?
    if s.cubes[side, f1] == 0 or s.cubes[side, t1] >= board.CUBE_LIMIT:
        return -1
    if f2 != t2:
        source_cubes = s.cubes[side, f2] - int(f2 == f1) + int(f2 == t1)
        destination_cubes = s.cubes[side, t2] + int(t2 == t1) - int(t2 == f1)
        if source_cubes <= 0 or destination_cubes >= board.CUBE_LIMIT:
            return -1

    # Control before and after.
    gained = 0
    for x in board.spaces_in(dimension):
        old_lead = solo_selection.lead(s, side, x)
        new_lead = after_moves(s, side, x, f1, t1, f2, t2)
        if old_lead > 0 and new_lead <= 0:
            return -1
        gained += int(old_lead <= 0 and new_lead > 0)
    return gained


@rule
def plan_exists(s: State, side: int, dimension: int, f1: int, t1: int, moves: int, want: int) -> bool:
    """True if moving from f1 to t1 first, with `moves` moves in all, adds control of `want` spaces."""
    if s.cubes[side, f1] == 0 or s.cubes[side, t1] >= board.CUBE_LIMIT:
        return False  # whatever follows
    if moves == 1:
        return spread_gain(s, side, dimension, f1, t1, 0, 0) >= want
    for f2 in board.spaces_in(dimension):
        for t2 in board.spaces_in(dimension):
            if f2 != t2 and spread_gain(s, side, dimension, f1, t1, f2, t2) >= want:
                return True
    return False


@rule
def spread_moves(s: State, side: int, dimension: int, source: int, moves: int, want: int) -> int:
    """The destinations of first moves that fit a plan: from `source`, or from any source with ANY_SOURCE."""
    destinations = 0
    for f in board.spaces_in(dimension):
        for t in board.spaces_in(dimension):
            if f != t and (source == ANY_SOURCE or source == f) and plan_exists(s, side, dimension, f, t, moves, want):
                destinations |= board.bit(t)
    return destinations


@rule
def spread_possible(s: State, side: int, dimension: int, moves: int, want: int) -> int:
    """The fewest moves, at most `moves`, with which a Spread adds control of `want` spaces; 0 if it cannot."""
    # A move adds control of one space at most, and shifts the balance of a space by one.
    if board.count_bits(board.dimension_spaces(dimension) & solo_selection.adds_control(s, side, moves)) < want:
        return 0
    for n in range(want, moves + 1):
        if spread_moves(s, side, dimension, ANY_SOURCE, n, want) != 0:
            return n
    return 0


@rule
def advise_move(s: State, c: Components, side: int, frame: Vector, targets: int) -> int:
    """Spread: follow a plan; other moves: by the Place table, from any source."""
    # The second half of a Spread: the destination was selected with the source.
    if frame[frames.ask_move.bot_destination] > 0:
        destination = frame[frames.ask_move.bot_destination] - 1
        frame[frames.ask_move.bot_destination] = 0
        return actions.PLACE_IN + destination

    # A move by an event.
    dimension = spread_dimension(frame)
    if dimension < 0:
        if frame[frames.ask_move.source] > 0:
            return actions.PLACE_IN + solo_selection.select_place(s, c, side, targets, solo_selection.FOR_PLACEMENT)
        return actions.TAKE_FROM + solo_selection.random_space(s, targets)
    return advise_spread(s, c, side, frame, dimension)


@rule
def spread_dimension(frame: Vector) -> int:
    """The Crisis Dimension within which all of a move stays, as that of a Spread does; -1 for other moves."""
    for d in range(board.DIMENSIONS):
        if frame[frames.effect.spaces] == board.dimension_spaces(d) and frame[
            frames.ask_move.destinations
        ] == board.dimension_spaces(d):
            return d
    return -1


@rule
def advise_spread(s: State, c: Components, side: int, frame: Vector, dimension: int) -> int:
    """Choose the cube to move by a plan that adds control of two spaces, else of one."""
    moves_left = frame[frames.effect.count]
    for want in (2, 1):
        moves = spread_possible(s, side, dimension, moves_left, want)
        if moves == 0:
            continue

        # The destination is selected before the source, and only once.
        firsts = spread_moves(s, side, dimension, ANY_SOURCE, moves, want)
        destination = solo_selection.select_place(s, c, side, firsts, solo_selection.FOR_PLACEMENT)
        frame[frames.ask_move.bot_destination] = destination + 1

        sources = 0
        for f in board.spaces_in(dimension):
            if f != destination and board.has(spread_moves(s, side, dimension, f, moves, want), destination):
                sources |= board.bit(f)
        return actions.TAKE_FROM + solo_selection.random_space(s, sources)
    return actions.DONE


# -- Turncoat --------------------------------------------------------------------------------------------------------


@rule
def turncoat_adds(s: State, side: int, dimension: int) -> int:
    """The spaces where a Turncoat adds the bot's control."""
    return bot_replacements(s, side, dimension) & solo_selection.adds_control(s, side, solo_selection.FOR_REPLACEMENT)


@rule
def turncoat_breaks(s: State, side: int, dimension: int) -> int:
    """The spaces where a Turncoat ends the player's control."""
    return bot_replacements(s, side, dimension) & solo_selection.breaks_control(s, side, solo_selection.FOR_REPLACEMENT)


@rule
def bot_replacements(s: State, side: int, dimension: int) -> int:
    """The spaces where the bot could carry out a Turncoat."""
    if solo_selection.available(s, side) == 0:
        return 0
    return pieces.replace_targets(s, side, board.dimension_spaces(dimension))


@rule
def turncoat_targets(s: State, side: int, targets: int) -> int:
    """The spaces for which the Turncoat was chosen."""
    for x in range(board.SPACES):
        if board.has(targets, x):
            adds = turncoat_adds(s, side, board.dimension(x))
            return adds if adds != 0 else turncoat_breaks(s, side, board.dimension(x))
    return targets


# -- the choice, and De-escalate -------------------------------------------------------------------------------------


@rule
def surplus_spaces(s: State, side: int, dimension: int) -> int:
    """The spaces with at least 2 more bot cubes than player cubes, in a pivotal space 3 more (De-escalate)."""
    spaces = 0
    for x in board.spaces_in(dimension):
        spaces |= board.bit_if(solo_selection.cube_lead(s, side, x) >= 2 + int(board.has(board.PIVOTAL_SPACES, x)), x)
    return spaces


@rule
def advise_bonus(s: State, side: int, frame: Vector) -> int:
    """Choose the first bonus action of the list that applies ("Pivotal Space Bonus Actions", solo)."""
    dimension = frame[frames.ask_bonus.dimension]
    if spread_possible(s, side, dimension, 2, 2) != 0:
        return actions.SPREAD
    if turncoat_adds(s, side, dimension) != 0:
        return actions.TURNCOAT
    if spread_possible(s, side, dimension, 2, 1) != 0:
        return actions.SPREAD
    if surplus_spaces(s, side, dimension) != 0:
        return actions.DE_ESCALATE
    if turncoat_breaks(s, side, dimension) != 0:
        return actions.TURNCOAT
    return actions.DONE


@rule
def advise_de_escalate(s: State, c: Components, side: int, frame: Vector) -> int:
    """Remove a surplus bot cube by the die, then a player cube to add control, else where the player leads least."""
    dimension = frame[frames.ask_bonus.dimension]
    if frame[frames.ask_de_escalate.removals] == 0:
        surplus = surplus_spaces(s, side, dimension)
        return actions.TAKE_FROM + solo_selection.random_space(s, surplus) if surplus != 0 else actions.DONE
    enemy = pieces.cube_spaces(s, board.enemy(side), board.dimension_spaces(dimension))
    if enemy == 0:
        return actions.DONE

    # Where one player cube less adds control.
    adding = enemy & solo_selection.adds_control(s, side, 1)
    if adding != 0:
        return actions.REMOVE_FROM + solo_selection.select_remove(s, c, side, adding)

    # Where it makes both sides' cubes equal.
    level = 0
    for x in range(board.SPACES):
        level |= board.bit_if(solo_selection.cube_lead(s, side, x) == -1, x)
    level &= enemy
    if level == 0:
        level = solo_selection.best_ranked(s, c, side, components.SELECT_FEWEST_CUBES, enemy)
    return actions.REMOVE_FROM + solo_selection.select_remove(s, c, side, level)
