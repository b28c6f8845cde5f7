"""Bonus tiles: taking one from the track, and using it (P17 to P30)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.games.paris.actions import BONUS, DONE, GIVE
from rfop_env.games.paris.board import (
    ANY_TILE, BESIDE_OTHERS, BESIDE_OWN, BONUS_TILES, BRONZE, EACH_LANDMARK, EACH_TYPE, EACH_UNUSED, KEY_FOR_ONE,
    KEY_FOR_TWO, LANDMARK_TYPE, MONEY_AT_END, PRESTIGE_PAIRS, RESOURCES, RESOURCE_PAIRS, SPACES, TILE_BEHIND,
    VALUE_COUNT, VALUE_TILES, WOOD, bit, has, landmark_places,
)  # fmt: skip
from rfop_env.games.paris.frames import ASK_ANY_BONUS, ASK_BACK, ASK_PAIRS, FEE, PAIRS_RETURNED, PAIRS_TILE
from rfop_env.games.paris.journal import JOURNAL_LIMIT, NOTE_BONUS, NOTE_FRANCS, NOTE_KEY, NOTE_PAID, NOTE_VP
from rfop_env.games.paris.state import NOT_OWNED, UNUSED
from rfop_env.games.paris.stock import bonus_sale, return_token, spend_bonus

PAIR = 2

# -- taking ----------------------------------------------------------------------------------------------------------


@small_rule
def can_take(s: Any, player: int, number: int) -> bool:
    """True if a tile of this number lies on the track, and the player owns none, used or not (P20)."""
    # `&` does not branch, as `and` does: loops over all numbers are faster so, in `can_take_ahead` as well.
    return (s.bonus_left[number] > 0) & (s.bonus[player, number] == NOT_OWNED)


@small_rule
def is_ahead(s: Any, player: int, number: int) -> bool:
    """True if a number lies ahead of a player's meeple."""
    return s.bonus_space[number] > s.meeple[player]


@rule
def is_behind(s: Any, player: int, number: int) -> bool:
    """True for a number behind the meeple of which a tile is left, owned or not (tile 25, P22)."""
    return s.bonus_space[number] < s.meeple[player] and s.bonus_left[number] > 0


@rule
def steps_back(s: Any, player: int, number: int) -> int:
    """The number of spaces with tiles that the meeple goes back to reach a number, that one included."""
    steps = 1
    for n in range(1, BONUS_TILES + 1):
        steps += int(is_behind(s, player, n) and s.bonus_space[n] > s.bonus_space[number])
    return steps


@small_rule
def can_take_ahead(s: Any, player: int, number: int) -> bool:
    """True for a tile ahead whose number the player does not own (P17)."""
    return can_take(s, player, number) & is_ahead(s, player, number)


@rule
def can_take_behind(s: Any, c: Any, player: int, number: int) -> bool:
    """True up to five spaces with tiles back, for a number that the player does not own (P22)."""
    if not can_take(s, player, number) or not is_behind(s, player, number):
        return False
    return steps_back(s, player, number) <= c.steps_back


@rule
def can_take_by(s: Any, c: Any, player: int, number: int, way: int) -> bool:
    """True if tile 17 (any space, P21), tile 25 (behind) or a building (ahead) lets a player take a number."""
    if way == ANY_TILE:
        return can_take(s, player, number)
    if way == TILE_BEHIND:
        return can_take_behind(s, c, player, number)
    return can_take_ahead(s, player, number)


AHEAD = 0  # neither ANY_TILE nor TILE_BEHIND: the offer of a building


@rule
def any_to_take(s: Any, c: Any, player: int, way: int) -> bool:
    """True if there is any tile to take in this way."""
    for n in range(1, BONUS_TILES + 1):
        if can_take_by(s, c, player, n, way):
            return True
    return False


@rule
def mark_takeable(s: Any, c: Any, player: int, way: int, mask: Any) -> None:
    """Set the tiles that can be taken in this way."""
    for n in range(1, BONUS_TILES + 1):
        if can_take_by(s, c, player, n, way):
            mask[BONUS + n] = True


@rule
def take_bonus(s: Any, player: int, number: int, way: int) -> None:
    """Put a tile behind the screen; but for tile 17 the meeple goes to its space."""
    s.bonus_left[number] -= 1
    s.bonus[player, number] = UNUSED
    if way != ANY_TILE:
        s.meeple[player] = s.bonus_space[number]
    note(s, NOTE_BONUS, player, number, 0)


@rule
def answer_bonus_offer(s: Any, frame: Any, action: int) -> None:
    """Take the tile of a building's offer, for its fee, or decline."""
    fee = int(frame[FEE])
    player = int(s.active)
    pop(s)
    if action != DONE:
        s.francs[player] -= fee
        take_bonus(s, player, action - BONUS, AHEAD)


# -- what a tile is worth --------------------------------------------------------------------------------------------


@rule
def keys_on_value(s: Any, player: int, index: int) -> int:
    """The number of a player's keys on buildings of one value, each counted (P28)."""
    n = 0
    for space in range(index, SPACES, VALUE_COUNT):
        n += int(s.keys[player, space])
    return n


@rule
def keys_on_landmarks(s: Any, player: int) -> int:
    """The number of a player's keys on landmarks, each counted (P28)."""
    n = 0
    for place in landmark_places():
        n += int(s.keys[player, place])
    return n


@rule
def types_held(s: Any, c: Any, player: int) -> int:
    """The number of different types of buildings and landmarks that a player's keys stand on (P29)."""
    types = bit(LANDMARK_TYPE) if keys_on_landmarks(s, player) > 0 else 0
    for space in range(SPACES):
        if s.keys[player, space] > 0:
            types |= bit(int(c.building_type[int(s.tile_at[space]) - 1]))
    n = 0
    for kind in range(LANDMARK_TYPE + 1):
        n += int(has(types, kind))
    return n


@rule
def others_unused(s: Any, player: int, number: int) -> int:
    """The number of a player's unused bonus tiles but for one number (P25)."""
    n = 0
    for other in range(1, BONUS_TILES + 1):
        n += int(other != number and s.bonus[player, other] == UNUSED)
    return n


@rule
def scoring_vp(s: Any, c: Any, player: int, number: int) -> int:
    """VP that a tile gives when it is used now, for what is on the board (6, 11, 15, 18, 20, 26, 28, 29, 30)."""
    if number == EACH_TYPE:
        return int(c.types_vp[types_held(s, c, player)])
    if number == EACH_UNUSED:
        return int(c.bonus_vp_by_players[number, s.players]) * others_unused(s, player, number)
    if number == EACH_LANDMARK:
        return int(c.bonus_vp[number]) * keys_on_landmarks(s, player)
    for index in range(VALUE_COUNT):
        if number == VALUE_TILES[index]:
            return int(c.bonus_vp[number]) * keys_on_value(s, player, index)
    return 0 if number == MONEY_AT_END else int(c.bonus_vp[number])


# -- using -----------------------------------------------------------------------------------------------------------


@rule
def can_use(s: Any, c: Any, player: int, number: int) -> bool:
    """True if using an unused tile as a free action does anything; 9, 16 and 27 are not used in this way."""
    if number == BESIDE_OWN or number == BESIDE_OTHERS or number == MONEY_AT_END:
        return False
    if number == KEY_FOR_TWO or number == KEY_FOR_ONE:
        return s.keys_aside[player] > 0 and s.francs[player] >= c.bonus_price[number]  # P30
    if number == ANY_TILE or number == TILE_BEHIND:
        return any_to_take(s, c, player, number)
    if number == PRESTIGE_PAIRS or number == RESOURCE_PAIRS:
        return has_pair(s, player, number)
    if c.bonus_francs[number] > 0 or bonus_sale(c, number) > 0:
        return True
    return scoring_vp(s, c, player, number) > 0


@rule
def mark_usable(s: Any, c: Any, player: int, mask: Any) -> None:
    """Set the bonus tiles that a player can use or sell as a free action."""
    for n in range(1, BONUS_TILES + 1):
        if s.bonus[player, n] == UNUSED and can_use(s, c, player, n):
            mask[BONUS + n] = True


@rule
def use_bonus(s: Any, c: Any, player: int, number: int) -> None:
    """Use a tile, or sell one that stands for goods."""
    spend_bonus(s, player, number)
    if number == KEY_FOR_TWO or number == KEY_FOR_ONE:
        take_extra_key(s, player, int(c.bonus_price[number]))
    elif number == ANY_TILE:
        push(s, ASK_ANY_BONUS, player)
    elif number == TILE_BEHIND:
        push(s, ASK_BACK, player)
    elif number == PRESTIGE_PAIRS or number == RESOURCE_PAIRS:
        push(s, ASK_PAIRS, player, number)
    else:
        gain(s, player, int(c.bonus_francs[number]) + bonus_sale(c, number), scoring_vp(s, c, player, number))


@rule
def take_extra_key(s: Any, player: int, price: int) -> None:
    """Bring one of the keys set aside into play, by tile 13 or 14 (P30)."""
    s.francs[player] -= price
    s.keys_aside[player] -= 1
    s.keys_in_hand[player] += 1
    note(s, NOTE_KEY, player, 0, 0)


@rule
def gain(s: Any, player: int, francs: int, vp: int) -> None:
    """Give a player Francs and VP, with a note for each that comes in."""
    s.francs[player] += francs
    s.vp[player] += vp
    if francs > 0:
        note(s, NOTE_FRANCS, player, min(JOURNAL_LIMIT, francs), 0)
    if vp > 0:
        note(s, NOTE_VP, player, min(JOURNAL_LIMIT, vp), 0)


@rule
def answer_take(s: Any, action: int, way: int) -> None:
    """Take the tile that tile 17 or tile 25 gives."""
    pop(s)
    take_bonus(s, int(s.active), action - BONUS, way)


# -- pairs of tokens -------------------------------------------------------------------------------------------------


@small_rule
def first_of_pairs(number: int) -> int:
    """The first of the three goods that tile 23 or 24 takes in pairs."""
    return BRONZE if number == PRESTIGE_PAIRS else WOOD


@rule
def has_pair(s: Any, player: int, number: int) -> bool:
    """True if a player has a pair of identical tokens for tile 23 or 24; tiles do not count (P23)."""
    first = first_of_pairs(number)
    for good in range(first, first + RESOURCES):
        if s.goods[player, good] >= PAIR:
            return True
    return False


@rule
def mark_pairs(s: Any, frame: Any, mask: Any) -> None:
    """Set the goods of which a pair can be returned; stopping is possible after the first pair."""
    first = first_of_pairs(int(frame[PAIRS_TILE]))
    for good in range(first, first + RESOURCES):
        mask[GIVE + good] = s.goods[s.active, good] >= PAIR
    mask[DONE] = frame[PAIRS_RETURNED] > 0


@rule
def answer_pair(s: Any, c: Any, frame: Any, action: int) -> None:
    """Return a pair to the supply for VP, or stop."""
    if action == DONE:
        pop(s)
        return

    player = int(s.active)
    number = int(frame[PAIRS_TILE])
    good = action - GIVE
    for _ in range(PAIR):
        return_token(s, player, good)
        note(s, NOTE_PAID, player, good, 0)
    gain(s, player, 0, int(c.bonus_vp_by_players[number, s.players]))
    frame[PAIRS_RETURNED] += 1
    if not has_pair(s, player, number):
        pop(s)
