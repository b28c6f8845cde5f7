"""Bonus tiles: taking one from the track, and using it (P17 to P30)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.paris import actions, board, frames, journal, state, stock
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

PAIR = 2

# -- taking ----------------------------------------------------------------------------------------------------------


@small_rule
def can_take(s: State, player: int, number: int) -> bool:
    """True if a tile of this number lies on the track, and the player owns none, used or not (P20)."""
    # `&` does not branch, as `and` does: loops over all numbers are faster so, in `can_take_ahead` as well.
    return (s.bonus_left[number] > 0) & (s.bonus[player, number] == state.NOT_OWNED)


@small_rule
def is_ahead(s: State, player: int, number: int) -> bool:
    """True if a number lies ahead of a player's meeple."""
    return s.bonus_space[number] > s.meeple[player]


@rule
def is_behind(s: State, player: int, number: int) -> bool:
    """True for a number behind the meeple of which a tile is left, owned or not (tile 25, P22)."""
    return s.bonus_space[number] < s.meeple[player] and s.bonus_left[number] > 0


@rule
def steps_back(s: State, player: int, number: int) -> int:
    """The number of spaces with tiles that the meeple goes back to reach a number, that one included."""
    steps = 1
    for n in range(1, board.BONUS_TILES + 1):
        steps += int(is_behind(s, player, n) and s.bonus_space[n] > s.bonus_space[number])
    return steps


@small_rule
def can_take_ahead(s: State, player: int, number: int) -> bool:
    """True for a tile ahead whose number the player does not own (P17)."""
    return can_take(s, player, number) & is_ahead(s, player, number)


@rule
def can_take_behind(s: State, c: Components, player: int, number: int) -> bool:
    """True up to five spaces with tiles back, for a number that the player does not own (P22)."""
    if not can_take(s, player, number) or not is_behind(s, player, number):
        return False
    return steps_back(s, player, number) <= c.steps_back


@rule
def can_take_by(s: State, c: Components, player: int, number: int, kind: int) -> bool:
    """True if the offer of tile 17 (any space, P21), tile 25 (behind) or a building (ahead) has a number."""
    if kind == frames.ASK_ANY_BONUS:
        return can_take(s, player, number)
    if kind == frames.ASK_BACK:
        return can_take_behind(s, c, player, number)
    return can_take_ahead(s, player, number)


@rule
def any_to_take(s: State, c: Components, player: int, kind: int) -> bool:
    """True if an offer of this kind has any tile."""
    for n in range(1, board.BONUS_TILES + 1):
        if can_take_by(s, c, player, n, kind):
            return True
    return False


@rule
def mark_takeable(s: State, c: Components, kind: int, player: int, mask: Any) -> None:
    """Set the tiles of an offer."""
    for n in range(1, board.BONUS_TILES + 1):
        if can_take_by(s, c, player, n, kind):
            mask[actions.BONUS + n] = True


@rule
def take_bonus(s: State, player: int, number: int, kind: int) -> None:
    """Put a tile behind the screen; but for tile 17 the meeple goes to its space."""
    s.bonus_left[number] -= 1
    s.bonus[player, number] = state.UNUSED
    if kind != frames.ASK_ANY_BONUS:
        s.meeple[player] = s.bonus_space[number]
    note(s, journal.NOTE_BONUS, player, number, 0)


# -- what a tile is worth --------------------------------------------------------------------------------------------


@rule
def keys_on(s: State, player: int, places: Any) -> int:
    """The number of a player's keys on a range of places, each counted (P28)."""
    n = 0
    for place in places:
        n += int(s.keys[player, place])
    return n


@small_rule
def keys_on_landmarks(s: State, player: int) -> int:
    """The number of a player's keys on landmarks."""
    return keys_on(s, player, board.landmark_places())


@rule
def count_types(s: State, c: Components, player: int) -> int:
    """Count the types of buildings and landmarks that a player's keys stand on (P29)."""
    types = board.bit(board.LANDMARK_TYPE) if keys_on_landmarks(s, player) > 0 else 0
    for space in range(board.SPACES):
        if s.keys[player, space] > 0:
            types |= board.bit(c.building_type[int(s.tile_at[space]) - 1])
    n = 0
    for kind in range(board.LANDMARK_TYPE + 1):
        n += int(board.has(types, kind))
    return n


@rule
def count_other_unused(s: State, player: int, number: int) -> int:
    """Count a player's unused bonus tiles except one number (P25)."""
    n = 0
    for tile in range(1, board.BONUS_TILES + 1):
        n += int(tile != number and s.bonus[player, tile] == state.UNUSED)
    return n


@rule
def scoring_vp(s: State, c: Components, player: int, number: int) -> int:
    """VP that a tile gives when it is used now, for what is on the board (6, 11, 15, 18, 20, 26, 28, 29, 30)."""
    if number == board.EACH_TYPE:
        return c.types_vp[count_types(s, c, player)]
    if number == board.EACH_UNUSED:
        return c.bonus_vp_by_players[number, s.players] * count_other_unused(s, player, number)
    if number == board.EACH_LANDMARK:
        return c.bonus_vp[number] * keys_on_landmarks(s, player)
    for index in range(board.VALUE_COUNT):
        if number == board.VALUE_TILES[index]:
            return c.bonus_vp[number] * keys_on(s, player, range(index, board.SPACES, board.VALUE_COUNT))
    return 0 if number == board.MONEY_AT_END else c.bonus_vp[number]


# -- using -----------------------------------------------------------------------------------------------------------


@rule
def can_use(s: State, c: Components, player: int, number: int) -> bool:
    """True if using an unused tile as a free action does anything; 9, 16 and 27 are not used in this way."""
    if number == board.BESIDE_OWN or number == board.BESIDE_OTHERS or number == board.MONEY_AT_END:
        return False
    if number == board.KEY_FOR_TWO or number == board.KEY_FOR_ONE:
        return s.keys_aside[player] > 0 and s.francs[player] >= c.bonus_price[number]  # P30
    if number == board.ANY_TILE:
        return any_to_take(s, c, player, frames.ASK_ANY_BONUS)
    if number == board.TILE_BEHIND:
        return any_to_take(s, c, player, frames.ASK_BACK)
    if number == board.PRESTIGE_PAIRS or number == board.RESOURCE_PAIRS:
        return has_pair(s, player, number)
    if c.bonus_francs[number] > 0 or stock.bonus_sale(c, number) > 0:
        return True
    return scoring_vp(s, c, player, number) > 0


@rule
def mark_usable(s: State, c: Components, player: int, mask: Any) -> None:
    """Set the bonus tiles that a player can use or sell as a free action."""
    for n in range(1, board.BONUS_TILES + 1):
        if s.bonus[player, n] == state.UNUSED and can_use(s, c, player, n):
            mask[actions.BONUS + n] = True


@rule
def use_bonus(s: State, c: Components, player: int, number: int) -> None:
    """Use a tile, or sell one that stands for goods."""
    stock.spend_bonus(s, player, number)
    if number == board.KEY_FOR_TWO or number == board.KEY_FOR_ONE:
        take_extra_key(s, player, c.bonus_price[number])
    elif number == board.ANY_TILE:
        push(s, frames.ASK_ANY_BONUS, player)
    elif number == board.TILE_BEHIND:
        push(s, frames.ASK_BACK, player)
    elif number == board.PRESTIGE_PAIRS or number == board.RESOURCE_PAIRS:
        push(s, frames.ASK_PAIRS, player, number)
    else:
        gain(s, player, c.bonus_francs[number] + stock.bonus_sale(c, number), scoring_vp(s, c, player, number))


@rule
def take_extra_key(s: State, player: int, price: int) -> None:
    """Bring one of the keys set aside into play, by tile 13 or 14 (P30)."""
    s.francs[player] -= price
    s.keys_aside[player] -= 1
    s.keys_in_hand[player] += 1
    note(s, journal.NOTE_KEY, player, 0, 0)


@rule
def gain(s: State, player: int, francs: int, vp: int) -> None:
    """Give a player Francs and VP, with a note for each that comes in."""
    s.francs[player] += francs
    s.vp[player] += vp
    if francs > 0:
        note(s, journal.NOTE_FRANCS, player, min(journal.JOURNAL_LIMIT, francs), 0)
    if vp > 0:
        note(s, journal.NOTE_VP, player, min(journal.JOURNAL_LIMIT, vp), 0)


@rule
def answer_take(s: State, kind: int, action: int) -> None:
    """Take the tile that tile 17 or tile 25 gives."""
    pop(s)
    take_bonus(s, s.active, action - actions.BONUS, kind)


# -- pairs of tokens -------------------------------------------------------------------------------------------------


@small_rule
def first_of_pairs(number: int) -> int:
    """The first of the three goods that tile 23 or 24 takes in pairs."""
    return board.BRONZE if number == board.PRESTIGE_PAIRS else board.WOOD


@rule
def has_pair(s: State, player: int, number: int) -> bool:
    """True if a player has a pair of identical tokens for tile 23 or 24; tiles do not count (P23)."""
    first = first_of_pairs(number)
    for good in range(first, first + board.RESOURCES):
        if s.goods[player, good] >= PAIR:
            return True
    return False


@rule
def mark_pairs(s: State, frame: Vector, mask: Any) -> None:
    """Set the goods of which a pair can be returned; stopping is possible after the first pair."""
    first = first_of_pairs(frame[frames.ask_pairs.tile])
    for good in range(first, first + board.RESOURCES):
        mask[actions.GIVE + good] = s.goods[s.active, good] >= PAIR
    mask[actions.DONE] = frame[frames.ask_pairs.pairs] > 0


@rule
def answer_pair(s: State, c: Components, frame: Vector, action: int) -> None:
    """Return a pair to the supply for VP, or stop."""
    if action == actions.DONE:
        pop(s)
        return

    player = s.active
    number = frame[frames.ask_pairs.tile]
    good = action - actions.GIVE
    for _ in range(PAIR):
        stock.return_token(s, player, good)
        note(s, journal.NOTE_PAID, player, good, 0)
    gain(s, player, 0, c.bonus_vp_by_players[number, s.players])
    frame[frames.ask_pairs.pairs] += 1
    if not has_pair(s, player, number):
        pop(s)
