"""Cubes, discs, VP and momentum markers ("Crisis Track & Cube Pools", "Player Momentum Tracks"; R5 to R7, R10, R12)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, push
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, DISCS, ESCALATION, FINAL_CRISIS, MOMENTUM_LIMIT, NO_DISC, POLITICAL, STARTING, VERSAILLES, VP_LIMIT, ZONES,
    bit, bit_if, dimension_spaces, disc_of, enemy_of, has, has_disc, military_spaces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import UP_TO
from rfop_env.games.red_flag_over_paris.frames import ASK_PLACE, PLACE_GIFT
from rfop_env.games.red_flag_over_paris.journal import (
    NOTE_BREACH, NOTE_DISC, NOTE_DISC_LOST, NOTE_MOMENTUM, NOTE_MOVED, NOTE_PLACED, NOTE_RETURNED, NOTE_VP,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.state import NOBODY


@rule
def supply(s: Any, side: int) -> int:
    """The number of cubes that a side can place: its pool and its crisis track (R5)."""
    total = int(s.pool[side])
    for zone in range(ZONES):
        total += int(s.track[side, zone])
    return total


@rule
def to_pool(s: Any, c: Any, side: int) -> bool:
    """Put a cube into its pool; a Commune cube without a place there leaves play. Returns whether it stayed."""
    if side == COMMUNE and s.pool[side] >= c.pool_places[s.momentum[COMMUNE]]:
        s.out_of_play[side] += 1
        return False

    s.pool[side] += 1
    return True


@rule
def take_from_supply(s: Any, side: int) -> None:
    """Take a cube: pool first, then the crisis track from the middle outward (R5). There must be one."""
    if s.pool[side] > 0:
        s.pool[side] -= 1
        return

    zone = STARTING
    while s.track[side, zone] == 0:
        zone += 1
    s.track[side, zone] -= 1
    if zone == FINAL_CRISIS and s.first_final_breach == NOBODY:
        s.first_final_breach = side


@rule
def breached_zones(s: Any, c: Any, side: int) -> int:
    """The zones (bits), but for Starting, from which a side has taken cubes."""
    zones = 0
    for zone in range(ESCALATION, ZONES):
        zones |= bit_if(s.track[side, zone] < c.track[side, zone], zone)
    return zones


@rule
def settle_breaches(s: Any, c: Any, side: int) -> None:
    """Pay for zones breached since the last time: bonus cubes, and the price of the Final Crisis zone (R6)."""
    breached = breached_zones(s, c, side) & ~int(s.settled[side])
    if breached == 0:
        return

    for zone in range(ESCALATION, ZONES):
        if not has(breached, zone):
            continue
        s.settled[side] |= bit(zone)
        cubes = int(s.bonus[side, zone])
        s.bonus[side, zone] = 0

        # The first side to breach its Final Crisis zone pays a VP; the second gets no cubes.
        if zone == FINAL_CRISIS and s.first_final_breach != side:
            s.out_of_play[side] += cubes
            cubes = 0
        elif zone == FINAL_CRISIS:
            gain_vp(s, enemy_of(side), POLITICAL)

        note(s, NOTE_BREACH, side, zone, cubes)
        for _ in range(cubes):
            to_pool(s, c, side)


@rule
def settle_all(s: Any, c: Any, first: int) -> None:
    """Settle both sides' breaches, the acting side's first (R6)."""
    settle_breaches(s, c, first)
    settle_breaches(s, c, enemy_of(first))


@rule
def gain_vp(s: Any, side: int, sphere: int) -> None:
    """Move a VP marker by 1 in a side's favour; a gain beyond 5 is lost (R12)."""
    gain = 1 if side == COMMUNE else -1
    s.vp[sphere] = max(-VP_LIMIT, min(VP_LIMIT, int(s.vp[sphere]) + gain))
    s.vp_endless[sphere] += gain
    note(s, NOTE_VP, sphere, int(s.vp[sphere]), 0)


@small_rule
def own_vp(s: Any, side: int, sphere: int) -> int:
    """VP as a side sees them."""
    return int(s.vp[sphere]) if side == COMMUNE else -int(s.vp[sphere])


@rule
def place_cube(s: Any, c: Any, side: int, space: int, out_of_play: bool) -> None:
    """Place a cube of a side; with `out_of_play` from the cubes removed from play if there are any (card 23)."""
    if out_of_play and s.out_of_play[side] > 0:
        s.out_of_play[side] -= 1
    else:
        take_from_supply(s, side)
    s.cubes[side, space] += 1
    note(s, NOTE_PLACED, side, space, 0)
    if s.bot_turn == 1 and side == s.bot:
        settle_breaches(s, c, side)  # R20: a breach during the bot's turn pays at once


@rule
def return_cube(s: Any, c: Any, owner: int, space: int) -> None:
    """Take a cube off the map into its owner's pool."""
    s.cubes[owner, space] -= 1
    stayed = to_pool(s, c, owner)
    note(s, NOTE_RETURNED, owner, space, int(not stayed))


@rule
def move_cube(s: Any, side: int, source: int, destination: int) -> None:
    """Move a cube of a side on the map."""
    s.cubes[side, source] -= 1
    s.cubes[side, destination] += 1
    note(s, NOTE_MOVED, side, source, destination)


@rule
def discs_on_map(s: Any, side: int) -> int:
    """The number of Fortifications or Barricades that a side has in play."""
    n = 0
    for x in military_spaces():
        n += int(has_disc(s, side, x))
    return n


@rule
def place_disc(s: Any, side: int, space: int) -> None:
    """Put a disc of a side into a space without one."""
    s.disc[space] = disc_of(side)
    note(s, NOTE_DISC, side, space, 0)


@rule
def remove_disc(s: Any, owner: int, space: int) -> None:
    """Take a disc off the map; it can be placed again."""
    s.disc[space] = NO_DISC
    note(s, NOTE_DISC_LOST, owner, space, 0)


@small_rule
def all_discs_placed(s: Any, side: int) -> bool:
    """True if both discs of a side are on the map, so that a disc event moves one (R10)."""
    return discs_on_map(s, side) >= DISCS


@rule
def change_momentum(s: Any, c: Any, side: int, step: int) -> None:
    """Advance (+1) or lower (-1) a momentum track, with all that follows at once (R7)."""
    value = int(s.momentum[side]) + step
    if value < 0 or value > MOMENTUM_LIMIT:
        return

    s.momentum[side] = value
    note(s, NOTE_MOMENTUM, side, value, 0)

    # A fall closes places of the Commune's pool; a rise frees cubes for Versailles.
    if side == COMMUNE and s.pool[side] > c.pool_places[value]:
        s.out_of_play[side] += s.pool[side] - c.pool_places[value]
        s.pool[side] = c.pool_places[value]
    if step > 0 and side == VERSAILLES:
        s.pool[side] += s.collaboration[value]
        s.collaboration[value] = 0

    # At 2 and 3 the enemy may place a cube.
    if step > 0 and value >= 2:
        spaces = dimension_spaces(int(c.gift_dimension[side]))
        push(s, ASK_PLACE, enemy_of(side), 1, spaces, UP_TO, 0, PLACE_GIFT)
