"""Keys: putting one on a bank or the Arc, where others may move, and what happens on arrival (P9 to P16, P31, P45)."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import note, pop, push
from rfop_env.core.rule import rule, small_rule
from rfop_env.games.paris.actions import DISTRICT, KEY, PUT
from rfop_env.games.paris.board import (
    ARC, BESIDE_OTHERS, BESIDE_OWN, DISTRICTS, EIGHT, FIRST_BANK, FIRST_LANDMARK, GOLD, LANDMARKS, MARBLE, PLACES,
    SPACES, THREE, TILES, VALUE_COUNT, WOOD, district_of, place_value, space_of, value_index,
)  # fmt: skip
from rfop_env.games.paris.frames import (
    ASK_BONUS, ASK_LANDMARK_DISTRICT, ASK_PAYMENT, ASK_PRESTIGE, ASK_VP_TILE, DESTINATION, DO_ARRIVE, ENTERED,
    LANDMARK_PLACE, ORIGIN,
)  # fmt: skip
from rfop_env.games.paris.journal import NOTE_GOT, NOTE_MOVED, NOTE_PUT, NOTE_VP
from rfop_env.games.paris.payment import half_price, payable, payable_by_half, sell_half
from rfop_env.games.paris.state import NOWHERE, UNUSED
from rfop_env.games.paris.stock import spend_bonus

KEYS_FOR_A_VP_TILE = 4

# -- a key from behind the screen ------------------------------------------------------------------------------------


@rule
def can_put(s: Any, player: int, place: int) -> bool:
    """True if a player has a key to put, and none at this bank, or the Arc, so far (P43)."""
    return s.keys_in_hand[player] > 0 and s.keys[player, place] == 0


@rule
def put_key(s: Any, c: Any, player: int, place: int) -> None:
    """Put a key on a bank, which pays, or on the Arc."""
    francs = int(c.bank[place - FIRST_BANK]) if place < ARC else 0
    s.keys_in_hand[player] -= 1
    s.keys[player, place] += 1
    s.francs[player] += francs
    note(s, NOTE_PUT, player, place, francs)


# -- moving a key ----------------------------------------------------------------------------------------------------


@rule
def is_free(s: Any, player: int, place: int) -> bool:
    """True if no key stands there, or the player has the tiles to stand beside them: 9 the own ones, 16 others'."""
    if s.keys[player, place] > 0 and s.bonus[player, BESIDE_OWN] != UNUSED:
        return False
    return s.bonus[player, BESIDE_OTHERS] == UNUSED or not others_at(s, player, place)


@rule
def others_at(s: Any, player: int, place: int) -> bool:
    """True if a key of another player stands at a place."""
    for other in range(s.players):
        if other != player and s.keys[other, place] > 0:
            return True
    return False


@rule
def highest_landmark(s: Any, c: Any, district: int) -> int:
    """The value of a district's highest landmark, 0 without one."""
    highest = 0
    for i in range(LANDMARKS):
        if s.landmark_district[i] == district:
            highest = max(highest, int(c.landmark_value[i]))
    return highest


@rule
def landmark_fits(s: Any, c: Any, place: int, district: int) -> bool:
    """True if a landmark from the supply beats every landmark in the district that it would enter (P14)."""
    return int(c.landmark_value[place - FIRST_LANDMARK]) > highest_landmark(s, c, district)


@rule
def within_reach(s: Any, c: Any, origin: int, to: int) -> bool:
    """True if a key at an origin gets to a tile: in its district, from the Arc in any (P13 to P15)."""
    here = district_of(s, origin)
    there = district_of(s, to)
    if to < SPACES:
        return s.tile_at[to] > 0 and (origin == ARC or there == here)

    # Landmarks in play, then those in the supply.
    if there != NOWHERE:
        return origin == ARC or there == here
    if origin != ARC:
        return landmark_fits(s, c, to, here)
    for district in range(DISTRICTS):
        if landmark_fits(s, c, to, district):
            return True
    return False


@small_rule
def tile_on(s: Any, place: int) -> int:
    """The tile whose resources are paid at a place: the landmark, or the building tile lying there."""
    return int(s.tile_at[place]) - 1 if place < SPACES else place


@small_rule
def costs_resources(to: int) -> bool:
    """True for buildings of value 8 and landmarks, which are paid for with resources (P16)."""
    return to >= SPACES or value_index(to) == EIGHT


@rule
def can_move(s: Any, c: Any, player: int, origin: int, to: int) -> bool:
    """True if a player can move a key from an origin to a tile, and pay for it."""
    # Strictly higher, tiles 9 and 16 or not (P12); only Francs are reduced to the difference (P11).
    rise = place_value(c, to) - place_value(c, origin)
    missing = rise - int(s.francs[player])
    if rise <= 0 or missing > half_price(s, c, player):
        return False
    if not within_reach(s, c, origin, to) or not is_free(s, player, to):
        return False

    # Buildings of 8 and landmarks cost resources.
    if not costs_resources(to):
        return missing <= 0
    tile = tile_on(s, to)
    wood = int(c.resources[tile, WOOD])
    marble = int(c.resources[tile, MARBLE])
    gold = int(c.resources[tile, GOLD])
    if missing > 0:  # P45
        return payable_by_half(s, player, wood, marble, gold)
    return payable(s, player, wood, marble, gold, 0)


@rule
def mark_destinations(s: Any, c: Any, player: int, origin: int, mask: Any) -> None:
    """Set the tiles to which a key can move."""
    first, end = destination_spaces(s, origin)
    for to in range(first, end):
        mask[KEY + to] = can_move(s, c, player, origin, to)
    for to in range(FIRST_LANDMARK, TILES):
        mask[KEY + to] = can_move(s, c, player, origin, to)


@rule
def destination_spaces(s: Any, origin: int) -> tuple[int, int]:
    """The first building space that a key might get to, and the one after the last."""
    if origin == ARC:
        return 0, SPACES
    first = space_of(district_of(s, origin), 0)
    return first, first + VALUE_COUNT


@rule
def has_destination(s: Any, c: Any, player: int, origin: int) -> bool:
    """True if a key can move anywhere."""
    first, end = destination_spaces(s, origin)
    for to in range(first, end):
        if can_move(s, c, player, origin, to):
            return True
    for to in range(FIRST_LANDMARK, TILES):
        if can_move(s, c, player, origin, to):
            return True
    return False


@rule
def mark_keys(s: Any, c: Any, player: int, mask: Any) -> bool:
    """Set the keys that can be put or moved; returns whether there is any."""
    found = False
    for place in range(FIRST_BANK, PLACES):
        if can_put(s, player, place):
            mask[PUT + place - FIRST_BANK] = True
            found = True
    for place in range(PLACES):
        if s.keys[player, place] > 0 and has_destination(s, c, player, place):
            mask[KEY + place] = True
            found = True
    return found


@rule
def answer_destination(s: Any, c: Any, frame: Any, action: int) -> None:
    """Choose the destination; a landmark from the supply goes to the key's district, from the Arc to any that fits."""
    origin = int(frame[ORIGIN])
    to = action - KEY
    pop(s)
    if to < SPACES or district_of(s, to) != NOWHERE:
        move_key(s, c, origin, to)
    elif origin == ARC:
        push(s, ASK_LANDMARK_DISTRICT, s.active, 0, to)
    else:
        s.landmark_district[to - FIRST_LANDMARK] = district_of(s, origin)
        move_key(s, c, origin, to)


@rule
def mark_landmark_districts(s: Any, c: Any, landmark: int, mask: Any) -> None:
    """Set the districts that a landmark from the supply may enter (P14)."""
    for district in range(DISTRICTS):
        mask[DISTRICT + district] = landmark_fits(s, c, landmark, district)


@rule
def answer_landmark_district(s: Any, c: Any, frame: Any, action: int) -> None:
    """Place the landmark, and move the key from the Arc on to it."""
    landmark = int(frame[LANDMARK_PLACE])
    pop(s)
    s.landmark_district[landmark - FIRST_LANDMARK] = action - DISTRICT
    move_key(s, c, ARC, landmark)


@rule
def move_key(s: Any, c: Any, origin: int, to: int) -> None:
    """Move the key, pay Francs, spend tiles 9 and 16 if needed; resources and rewards follow."""
    player = int(s.active)
    rise = place_value(c, to) - place_value(c, origin)

    # Tiles that let the key stand beside others, and Francs (P45: with half of tile 21 sold, if they fall short).
    if s.keys[player, to] > 0:
        spend_bonus(s, player, BESIDE_OWN)
    if others_at(s, player, to):
        spend_bonus(s, player, BESIDE_OTHERS)
    half = rise > s.francs[player]
    if half:
        sell_half(s, c, player)
    s.francs[player] -= rise

    # The key, then the rewards once the resources are paid.
    s.keys[player, origin] -= 1
    s.keys[player, to] += 1
    note(s, NOTE_MOVED, player, origin, to)
    push(s, DO_ARRIVE, player, to, int(origin >= FIRST_BANK))
    if costs_resources(to):
        tile = tile_on(s, to)
        wood = int(c.resources[tile, WOOD])
        marble = int(c.resources[tile, MARBLE])
        gold = int(c.resources[tile, GOLD])
        push(s, ASK_PAYMENT, player, wood, marble, gold, to, int(half))


# -- arrival ---------------------------------------------------------------------------------------------------------


@rule
def arrive(s: Any, c: Any, frame: Any) -> None:
    """Give the rewards of a building or landmark, then the VP tile if four keys are in the district (P33)."""
    to = int(frame[DESTINATION])
    entered = frame[ENTERED] == 1
    player = int(s.active)
    pop(s)
    if entered and keys_in(s, district_of(s, to)) == KEYS_FOR_A_VP_TILE:  # a key never leaves its district (P31)
        push(s, ASK_VP_TILE, player)
    if to >= SPACES:
        push(s, ASK_PRESTIGE, player, to - FIRST_LANDMARK)
        return

    take_token(s, player, to)
    index = value_index(to)
    if index <= THREE:  # P10: for every arrival
        push(s, ASK_BONUS, player, int(c.bonus_fee[index]))
    elif index == EIGHT:
        s.vp[player] += c.eight_vp
        note(s, NOTE_VP, player, int(c.eight_vp), 0)


@rule
def take_token(s: Any, player: int, space: int) -> None:
    """Take the token beside a building, if nobody has arrived before (P9)."""
    if s.token[space] > 0:
        good = int(s.token[space]) - 1
        s.token[space] = 0
        s.goods[player, good] += 1
        note(s, NOTE_GOT, player, good, 0)


@rule
def keys_in(s: Any, district: int) -> int:
    """The number of keys on a district's buildings and landmarks, of all colours (P31)."""
    n = 0
    for player in range(s.players):
        for index in range(VALUE_COUNT):
            n += int(s.keys[player, space_of(district, index)])
        for i in range(LANDMARKS):
            if s.landmark_district[i] == district:
                n += int(s.keys[player, FIRST_LANDMARK + i])
    return n
