"""Keys: putting one on a bank or the Arc, where others may move, and what happens on arrival (P9 to P16, P31, P45)."""

from __future__ import annotations

from typing import Any, NamedTuple

from rfop_env.compiler import rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.paris import actions, board, frames, journal, payment, state, stock
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

KEYS_FOR_A_VP_TILE = 4
ALL_TILES = sum(1 << place for place in range(board.TILES))  # as a set
# The set of the first space of each district.
FIRST_SPACES = sum(1 << space for space in range(0, board.SPACES, board.VALUE_COUNT))

# -- a key from behind the screen ------------------------------------------------------------------------------------


@rule
def can_put(s: State, player: int, place: int) -> bool:
    """True if a player has a key to put, and none at this bank, or the Arc, so far (P43)."""
    return s.keys_in_hand[player] > 0 and s.keys[player, place] == 0


@rule
def put_key(s: State, c: Components, player: int, place: int) -> None:
    """Put a key on a bank, which pays, or on the Arc."""
    francs = c.bank[place - board.FIRST_BANK] if place < board.ARC else 0
    s.keys_in_hand[player] -= 1
    s.keys[player, place] += 1
    s.francs[player] += francs
    note(s, journal.NOTE_PUT, player, place, francs)


# -- moving a key ----------------------------------------------------------------------------------------------------


@rule
def tiles_with_keys(s: State, player: int) -> int:
    """The set of tiles on which a player has a key."""
    places = 0
    for place in range(board.TILES):
        places |= int(s.keys[player, place] > 0) << place
    return places


@rule
def free_tiles(s: State, player: int) -> int:
    """The set of tiles where no key bars a player's: with tile 9 own ones do not, with tile 16 others' do not (P47)."""
    barred = 0
    if s.bonus[player, board.BESIDE_OWN] != state.UNUSED:
        barred |= tiles_with_keys(s, player)
    if s.bonus[player, board.BESIDE_OTHERS] != state.UNUSED:
        for rival in range(s.players):
            if rival != player:
                barred |= tiles_with_keys(s, rival)
    return ALL_TILES & ~barred


@rule
def others_at(s: State, player: int, place: int) -> bool:
    """True if a key of another player stands at a place."""
    for rival in range(s.players):
        if rival != player and s.keys[rival, place] > 0:
            return True
    return False


@rule
def highest_landmark(s: State, c: Components, district: int) -> int:
    """The value of a district's highest landmark, 0 without one."""
    highest = 0
    for i in range(board.LANDMARKS):
        if s.landmark_district[i] == district:
            highest = max(highest, c.landmark_value[i])
    return highest


@rule
def landmark_fits(s: State, c: Components, place: int, district: int) -> bool:
    """True if a landmark from the supply beats every landmark in the district that it would enter (P14)."""
    return c.landmark_value[place - board.FIRST_LANDMARK] > highest_landmark(s, c, district)


@rule
def landmark_within_reach(s: State, c: Components, origin: int, landmark: int) -> bool:
    """True if a key at an origin gets to a landmark: in its district, from the Arc in any (P14, P15)."""
    here = board.place_district(s, origin)
    there = board.place_district(s, landmark)
    if there != state.NOWHERE:
        return origin == board.ARC or there == here
    if origin != board.ARC:
        return landmark_fits(s, c, landmark, here)
    for district in range(board.DISTRICTS):
        if landmark_fits(s, c, landmark, district):
            return True
    return False


class Means(NamedTuple):
    """What pays for a player's moves, and the tiles open to them; computed once a decision, for all keys."""

    francs: int
    half_price: int  # of a half of tile 21, which can be sold for a move; 0 without the tile (P45)
    open: int  # the set of tiles on the board, and landmarks, that are free and whose resources can be paid
    open_by_half: int  # those of them whose resources a half of tile 21 can pay, with the other half sold


@rule
def player_means(s: State, c: Components, player: int) -> Means:
    """The means of a player now."""
    payable, by_half = payment.payable_tiles(s, c, player)
    free = free_tiles(s, player)

    # All buildings but the 8s cost Francs alone; tiles that a key has left are free (P13).
    cheap = 0
    for space in range(board.SPACES):
        cheap |= int(s.tile_at[space] > 0 and not payment.costs_resources(space)) << space
    return Means(s.francs[player], payment.half_price(s, c, player), free & (cheap | payable), free & by_half)


@rule
def destinations(s: State, c: Components, origin: int, means: Means) -> int:
    """The set of tiles to which a key can move from an origin, in its district, or from the Arc in any (P13).

    They are strictly higher, tiles 9 and 16 or not (P12); only Francs are reduced to the difference (P11).
    """
    lowest = board.place_value(c, origin)
    francs = lowest + means.francs
    with_half = francs + means.half_price

    # Buildings. The product repeats a district's set of indices, six bits, from the first space of each district on.
    districts = FIRST_SPACES
    if origin != board.ARC:
        districts = board.bit(board.building_space(board.place_district(s, origin), board.ONE))
    tiles = means.open & districts * (board.indices_up_to(francs) & ~board.indices_up_to(lowest))
    if means.open_by_half > 0:  # P45; where Francs are enough, these are in `open` as well
        tiles |= means.open_by_half & districts * (board.indices_up_to(with_half) & ~board.indices_up_to(lowest))

    # Landmarks, of which most often none can be paid.
    if means.open < board.bit(board.FIRST_LANDMARK):
        return tiles
    for place in board.landmark_places():
        value = board.place_value(c, place)
        payable = board.has(means.open, place) and value <= francs
        payable_by_half = board.has(means.open_by_half, place) and value <= with_half
        if value > lowest and (payable or payable_by_half):
            tiles |= int(landmark_within_reach(s, c, origin, place)) << place
    return tiles


@rule
def mark_destinations(s: State, c: Components, frame: Vector, player: int, mask: Any) -> None:
    """Set the tiles to which a key can move."""
    tiles = destinations(s, c, frame[frames.ask_destination.origin], player_means(s, c, player))
    for to in range(board.TILES):
        mask[actions.KEY + to] = board.has(tiles, to)


@rule
def mark_keys(s: State, c: Components, player: int, mask: Any) -> bool:
    """Set the keys that can be put or moved; returns whether there is any."""
    movable = False
    for place in range(board.FIRST_BANK, board.PLACES):
        if can_put(s, player, place):
            mask[actions.PUT + place - board.FIRST_BANK] = True
            movable = True

    # Every move costs a Franc or more.
    if s.francs[player] == 0 and payment.half_price(s, c, player) == 0:
        return movable
    means = player_means(s, c, player)
    for place in range(board.PLACES):
        if s.keys[player, place] > 0 and destinations(s, c, place, means) > 0:
            mask[actions.KEY + place] = True
            movable = True
    return movable


@rule
def answer_destination(s: State, c: Components, frame: Vector, action: int) -> None:
    """Choose the destination; a landmark from the supply goes to the key's district, from the Arc to any that fits."""
    origin = frame[frames.ask_destination.origin]
    to = action - actions.KEY
    pop(s)
    if to < board.SPACES or board.place_district(s, to) != state.NOWHERE:
        move_key(s, c, origin, to)
    elif origin == board.ARC:
        push(s, frames.ASK_LANDMARK_DISTRICT, s.active, 0, to)
    else:
        s.landmark_district[to - board.FIRST_LANDMARK] = board.place_district(s, origin)
        move_key(s, c, origin, to)


@rule
def mark_landmark_districts(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Set the districts that a landmark from the supply may enter (P14)."""
    landmark = frame[frames.ask_landmark_district.landmark]
    for district in range(board.DISTRICTS):
        mask[actions.DISTRICT + district] = landmark_fits(s, c, landmark, district)


@rule
def answer_landmark_district(s: State, c: Components, frame: Vector, action: int) -> None:
    """Place the landmark, and move the key from the Arc on to it."""
    landmark = frame[frames.ask_landmark_district.landmark]
    pop(s)
    s.landmark_district[landmark - board.FIRST_LANDMARK] = action - actions.DISTRICT
    move_key(s, c, board.ARC, landmark)


@rule
def move_key(s: State, c: Components, origin: int, to: int) -> None:
    """Move the key, pay Francs, spend tiles 9 and 16 if needed; resources and rewards follow."""
    player = s.active
    rise = board.place_value(c, to) - board.place_value(c, origin)

    # Tiles that let the key stand beside others, and Francs (P45: with half of tile 21 sold, if they fall short).
    if s.keys[player, to] > 0:
        stock.spend_bonus(s, player, board.BESIDE_OWN)
    if others_at(s, player, to):
        stock.spend_bonus(s, player, board.BESIDE_OTHERS)
    half = rise > s.francs[player]
    if half:
        payment.sell_half(s, c, player)
    s.francs[player] -= rise

    # The key, then the rewards once the resources are paid.
    s.keys[player, origin] -= 1
    s.keys[player, to] += 1
    note(s, journal.NOTE_MOVED, player, origin, to)
    push(s, frames.DO_ARRIVE, player, to, int(origin >= board.FIRST_BANK))
    if payment.costs_resources(to):
        tile = payment.tile_on(s, to)
        wood = c.resources[tile, board.WOOD]
        marble = c.resources[tile, board.MARBLE]
        gold = c.resources[tile, board.GOLD]
        push(s, frames.ASK_PAYMENT, player, wood, marble, gold, to, int(half))


# -- arrival ---------------------------------------------------------------------------------------------------------


@rule
def arrive(s: State, c: Components, frame: Vector) -> None:
    """Give the rewards of a building or landmark, then the VP tile if four keys are in the district (P33)."""
    to = frame[frames.do_arrive.place]
    entered = frame[frames.do_arrive.entered] == 1
    player = s.active
    pop(s)
    # P31: a key never leaves its district.
    if entered and count_keys(s, board.place_district(s, to)) == KEYS_FOR_A_VP_TILE:
        push(s, frames.ASK_VP_TILE, player)
    if to >= board.SPACES:
        push(s, frames.ASK_PRESTIGE, player, to - board.FIRST_LANDMARK)
        return

    take_token(s, player, to)
    index = board.value_index(to)
    if index <= board.THREE:  # P10: for every arrival
        push(s, frames.ASK_BONUS, player, c.bonus_fee[index])
    elif index == board.EIGHT:
        s.vp[player] += c.eight_vp
        note(s, journal.NOTE_VP, player, c.eight_vp, 0)


@rule
def take_token(s: State, player: int, space: int) -> None:
    """Take the token beside a building, if nobody has arrived before (P9)."""
    if s.token[space] > 0:
        good = int(s.token[space]) - 1
        s.token[space] = 0
        s.goods[player, good] += 1
        note(s, journal.NOTE_GOT, player, good, 0)


@rule
def count_keys(s: State, district: int) -> int:
    """The number of keys on a district's buildings and landmarks, of all colours (P31)."""
    n = 0
    for player in range(s.players):
        for index in range(board.VALUE_COUNT):
            n += int(s.keys[player, board.building_space(district, index)])
        for i in range(board.LANDMARKS):
            if s.landmark_district[i] == district:
                n += int(s.keys[player, board.FIRST_LANDMARK + i])
    return n
