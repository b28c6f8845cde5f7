"""Cubes, discs, VP and momentum markers, and the spaces where an effect on them can apply (R5 to R7, R9, R10, R12).

Sets of spaces are built without branches (`bit_if`): which spaces hold what is nothing that a processor could predict.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, push
from rfop_env.games.red_flag_over_paris import board, components, control, frames, journal, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def supply(s: State, side: int) -> int:
    """The number of cubes that a side can place: its pool and its crisis track (R5)."""
    total = s.pool[side]
    for zone in range(board.ZONES):
        total += s.track[side, zone]
    return total


@rule
def to_pool(s: State, c: Components, side: int) -> bool:
    """Put a cube into its pool; a Commune cube without a place there leaves play. Returns whether it stayed."""
    if side == board.COMMUNE and s.pool[side] >= c.pool_places[s.momentum[board.COMMUNE]]:
        s.out_of_play[side] += 1
        return False

    s.pool[side] += 1
    return True


@rule
def take_from_supply(s: State, side: int) -> None:
    """Take a cube: pool first, then the crisis track from the middle outward (R5). There must be one."""
    if s.pool[side] > 0:
        s.pool[side] -= 1
        return

    zone = board.STARTING
    while s.track[side, zone] == 0:
        zone += 1
    s.track[side, zone] -= 1
    if zone == board.FINAL_CRISIS and s.first_final_breach == state.NOBODY:
        s.first_final_breach = side


@rule
def breached_zones(s: State, c: Components, side: int) -> int:
    """The zones (bits), but for Starting, from which a side has taken cubes."""
    zones = 0
    for zone in range(board.ESCALATION, board.ZONES):
        zones |= board.bit_if(s.track[side, zone] < c.track[side, zone], zone)
    return zones


@rule
def settle_breaches(s: State, c: Components, side: int) -> None:
    """Pay for zones breached since the last time: bonus cubes, and the price of the Final Crisis zone (R6)."""
    breached = breached_zones(s, c, side) & ~s.settled[side]
    if breached == 0:
        return

    for zone in range(board.ESCALATION, board.ZONES):
        if not board.has(breached, zone):
            continue
        s.settled[side] |= board.bit(zone)
        cubes = s.bonus[side, zone]
        s.bonus[side, zone] = 0

        # The first side to breach its Final Crisis zone pays a VP; the second gets no cubes.
        if zone == board.FINAL_CRISIS and s.first_final_breach != side:
            s.out_of_play[side] += cubes
            cubes = 0
        elif zone == board.FINAL_CRISIS:
            gain_vp(s, board.enemy(side), board.POLITICAL)

        note(s, journal.NOTE_BREACH, side, zone, cubes)
        for _ in range(cubes):
            to_pool(s, c, side)


@rule
def settle_all(s: State, c: Components, first: int) -> None:
    """Settle both sides' breaches, the acting side's first (R6)."""
    settle_breaches(s, c, first)
    settle_breaches(s, c, board.enemy(first))


@rule
def gain_vp(s: State, side: int, sphere: int) -> None:
    """Move a VP marker by 1 in a side's favour; a gain beyond 5 is lost (R12)."""
    gain = 1 if side == board.COMMUNE else -1
    s.vp[sphere] = max(-board.VP_LIMIT, min(board.VP_LIMIT, s.vp[sphere] + gain))
    s.vp_endless[sphere] += gain
    note(s, journal.NOTE_VP, sphere, s.vp[sphere], 0)


@small_rule
def own_vp(s: State, side: int, sphere: int) -> int:
    """VP as a side sees them."""
    return s.vp[sphere] if side == board.COMMUNE else -s.vp[sphere]


@rule
def place_cube(s: State, c: Components, side: int, space: int, out_of_play: bool) -> None:
    """Place a cube of a side; with `out_of_play` from the cubes removed from play if there are any (card 23)."""
    if out_of_play and s.out_of_play[side] > 0:
        s.out_of_play[side] -= 1
    else:
        take_from_supply(s, side)
    s.cubes[side, space] += 1
    note(s, journal.NOTE_PLACED, side, space, 0)
    if s.bot_turn == 1 and side == s.bot:
        settle_breaches(s, c, side)  # R20: a breach during the bot's turn pays at once


@rule
def return_cube(s: State, c: Components, owner: int, space: int) -> None:
    """Take a cube off the map into its owner's pool."""
    s.cubes[owner, space] -= 1
    stayed = to_pool(s, c, owner)
    note(s, journal.NOTE_RETURNED, owner, space, int(not stayed))


@rule
def move_cube(s: State, side: int, source: int, destination: int) -> None:
    """Move a cube of a side on the map."""
    s.cubes[side, source] -= 1
    s.cubes[side, destination] += 1
    note(s, journal.NOTE_MOVED, side, source, destination)


@rule
def discs_on_map(s: State, side: int) -> int:
    """The number of Fortifications or Barricades that a side has in play."""
    n = 0
    for x in board.military_spaces():
        n += int(control.has_disc(s, side, x))
    return n


@rule
def place_disc(s: State, side: int, space: int) -> None:
    """Put a disc of a side into a space without one."""
    s.disc[space] = board.disc_value(side)
    note(s, journal.NOTE_DISC, side, space, 0)


@rule
def remove_disc(s: State, owner: int, space: int) -> None:
    """Take a disc off the map; it can be placed again."""
    s.disc[space] = board.NO_DISC
    note(s, journal.NOTE_DISC_LOST, owner, space, 0)


@small_rule
def all_discs_placed(s: State, side: int) -> bool:
    """True if both discs of a side are on the map, so that a disc event moves one (R10)."""
    return discs_on_map(s, side) >= board.DISCS


@rule
def change_momentum(s: State, c: Components, side: int, step: int) -> None:
    """Advance (+1) or lower (-1) a momentum track, with all that follows at once (R7)."""
    value = s.momentum[side] + step
    if value < 0 or value > board.MOMENTUM_LIMIT:
        return

    s.momentum[side] = value
    note(s, journal.NOTE_MOMENTUM, side, value, 0)

    # A fall closes places of the Commune's pool; a rise frees cubes for Versailles.
    if side == board.COMMUNE and s.pool[side] > c.pool_places[value]:
        s.out_of_play[side] += s.pool[side] - c.pool_places[value]
        s.pool[side] = c.pool_places[value]
    if step > 0 and side == board.VERSAILLES:
        s.pool[side] += s.collaboration[value]
        s.collaboration[value] = 0

    # At 2 and 3 the enemy may place a cube.
    if step > 0 and value >= 2:
        spaces = board.dimension_spaces(c.gift_dimension[side])
        push(s, frames.ASK_PLACE, board.enemy(side), 1, spaces, components.UP_TO, 0, frames.PLACE_GIFT)


# -- where an effect can apply -------------------------------------------------------------------------------------


@small_rule
def allow(mask: Any, first: int, spaces: int) -> None:
    """Allow the actions of a set of spaces, `first` + space; of a military set, `first` may lie before the actions."""
    for x in range(board.SPACES):
        mask[first + x] |= board.has(spaces, x)


@rule
def place_targets(s: State, side: int, spaces: int, out_of_play: int) -> int:
    """The spaces where an event can place a cube: below the limit of 4, and only with a cube in stock (R5, R9).

    `out_of_play`: 1 if a cube removed from play can be placed as well.
    """
    if supply(s, side) == 0 and (out_of_play == 0 or s.out_of_play[side] == 0):
        return 0
    return spaces & ~full_spaces(s, side)


@rule
def full_spaces(s: State, side: int) -> int:
    """The spaces that hold 4 cubes of a side."""
    spaces = 0
    for x in range(board.SPACES):
        spaces |= board.bit_if(s.cubes[side, x] >= board.CUBE_LIMIT, x)
    return spaces


@rule
def cube_spaces(s: State, side: int, spaces: int) -> int:
    """The spaces of a set that hold a side's cubes."""
    occupied = 0
    for x in range(board.SPACES):
        occupied |= board.bit_if(s.cubes[side, x] > 0, x)
    return spaces & occupied


@rule
def replace_targets(s: State, side: int, spaces: int) -> int:
    """The spaces where a side can replace an enemy cube with one of its own."""
    if supply(s, side) == 0:
        return 0
    return cube_spaces(s, board.enemy(side), spaces) & ~full_spaces(s, side)


@rule
def disc_targets(s: State, spaces: int) -> int:
    """The military spaces of a set without a disc of either side (R10)."""
    free = 0
    for x in board.military_spaces():
        free |= board.bit_if(s.disc[x] == board.NO_DISC, x)
    return spaces & free


@rule
def disc_spaces(s: State, side: int) -> int:
    """The spaces of a side's discs."""
    spaces = 0
    for x in board.military_spaces():
        spaces |= board.bit_if(control.has_disc(s, side, x), x)
    return spaces


@rule
def move_destinations(s: State, side: int, source: int, spaces: int) -> int:
    """The spaces of a set where a cube from `source` can go."""
    return spaces & ~full_spaces(s, side) & ~board.bit(source)


@rule
def move_sources(s: State, side: int, spaces: int, destinations: int) -> int:
    """The spaces of a set whose cubes can move to another space of `destinations`."""
    sources = cube_spaces(s, side, spaces)
    free = destinations & ~full_spaces(s, side)
    if board.count_bits(free) == 1:
        sources &= ~free  # the only place to go is where these cubes are
    return sources if free != 0 else 0
