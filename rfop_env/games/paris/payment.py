"""Paying resources for a destination and prestige on a landmark, with tokens or tiles (P16, P24, P45).

A tile for two goods (19, 21) that pays one leaves its other half on the table (`HALF_TILE`): it pays a later unit
of the same payment, or is sold at the best price when the payment ends. A move that only a sold half can pay for sells
it first, and lays the half that pays on the table (P45).
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, pop
from rfop_env.games.paris.actions import BONUS, DONE, END_TILE, GIVE
from rfop_env.games.paris.board import (
    BRONZE, DISTRICTS, EIGHT, FIRST_LANDMARK, FIRST_RESOURCE_TILE, GOLD, LANDMARKS, MARBLE, RESOURCES, SECTIONS, SPACES,
    TWO_RESOURCES, WOOD, space_of, value_index,
)  # fmt: skip
from rfop_env.games.paris.frames import GOLD_LEFT, HALF_TILE, MARBLE_LEFT, NEXT_SECTION, PRESTIGE_LANDMARK, WOOD_LEFT
from rfop_env.games.paris.journal import BY_BONUS_TILE, BY_END_TILE, NOTE_FRANCS, NOTE_PAID, NOTE_SECTION
from rfop_env.games.paris.stock import (
    any_tile_for, best_price, certain_goods, certain_stock, has_bonus, has_end_tile, own_tile_for, return_token,
    spend_bonus, spend_end_tile, two_tile_for, wild_goods,
)  # fmt: skip


@small_rule
def costs_resources(to: int) -> bool:
    """True for buildings of value 8 and landmarks, which are paid for with resources (P16)."""
    return to >= SPACES or value_index(to) == EIGHT


@small_rule
def tile_on(s: Any, place: int) -> int:
    """The tile whose resources are paid at a place: the landmark, or the building tile lying there; -1 without one."""
    return int(s.tile_at[place]) - 1 if place < SPACES else place


@small_rule
def shortage(stock: Any, wood: int, marble: int, gold: int) -> int:
    """The number of these resources for which tiles for any resource are needed, beyond a stock (`certain_stock`)."""
    return max(0, wood - stock[WOOD]) + max(0, marble - stock[MARBLE]) + max(0, gold - stock[GOLD])


@rule
def payable_tiles(s: Any, c: Any, player: int) -> tuple[int, int]:
    """The set of 8s and landmarks whose resources a player can pay, and the set of those payable by half (P45).

    With half of tile 21 sold, the other half is left to pay with, and there must be something for it to pay.
    """
    stock = certain_stock(s, player)
    wild = wild_goods(s, player, WOOD)
    payable, by_half = 0, 0
    for i in range(DISTRICTS + LANDMARKS):
        place = space_of(i, EIGHT) if i < DISTRICTS else FIRST_LANDMARK + i - DISTRICTS
        tile = tile_on(s, place)
        if tile >= 0:
            wood = int(c.resources[tile, WOOD])
            marble = int(c.resources[tile, MARBLE])
            gold = int(c.resources[tile, GOLD])
            short = shortage(stock, wood, marble, gold)
            payable |= int(short <= wild) << place
            by_half |= int(short < wild and wood + marble + gold > 0) << place
    return payable, by_half


@rule
def mark_ways(s: Any, player: int, good: int, wild: bool, half: int, mask: Any) -> None:
    """Set the ways to pay one good; those that could stand for another as well only if `wild`."""
    mask[GIVE + good] = s.goods[player, good] > 0
    mask[END_TILE + good] = has_end_tile(s, player, good)
    if own_tile_for(s, player, good):
        mask[BONUS + FIRST_RESOURCE_TILE + good] = True
    if wild:
        one = any_tile_for(good)
        two = two_tile_for(good)
        mask[BONUS + one] = has_bonus(s, player, one)
        mask[BONUS + two] = half == 1 or has_bonus(s, player, two)


@rule
def can_pay(s: Any, player: int, good: int, half: int) -> bool:
    """True if a player can pay one good in any way."""
    return half == 1 or certain_goods(s, player, good) > 0 or wild_goods(s, player, good) > 0


@rule
def pay(s: Any, frame: Any, player: int, good: int, action: int) -> None:
    """Pay one good in the way chosen; tokens go to the supply (P8)."""
    if action == GIVE + good:
        return_token(s, player, good)
        note(s, NOTE_PAID, player, good, 0)
    elif action == END_TILE + good:
        spend_end_tile(s, player, good)
        note(s, NOTE_PAID, player, good, BY_END_TILE)

    # A tile for two goods leaves a half, or is the half that was left.
    else:
        number = action - BONUS
        if number != two_tile_for(good):
            spend_bonus(s, player, number)
        elif frame[HALF_TILE] == 1:
            frame[HALF_TILE] = 0
        else:
            spend_bonus(s, player, number)
            frame[HALF_TILE] = 1
        note(s, NOTE_PAID, player, good, BY_BONUS_TILE)


@rule
def end_payment(s: Any, c: Any, frame: Any, good: int) -> None:
    """Close a payment; a half of tile 19 or 21 that is left is sold (P24)."""
    player = int(s.active)
    half = frame[HALF_TILE] == 1
    pop(s)
    if half:
        s.francs[player] += best_price(c, good)
        note(s, NOTE_FRANCS, player, best_price(c, good), 0)


# -- a sold half that pays for the move (P45) -------------------------------------------------------------------------


@small_rule
def half_price(s: Any, c: Any, player: int) -> int:
    """The price of one half of tile 21; 0 without the tile."""
    return best_price(c, GOLD) if has_bonus(s, player, TWO_RESOURCES) else 0


@rule
def sell_half(s: Any, c: Any, player: int) -> None:
    """Sell one half of tile 21."""
    francs = half_price(s, c, player)
    spend_bonus(s, player, TWO_RESOURCES)
    s.francs[player] += francs
    note(s, NOTE_FRANCS, player, francs, 0)


# -- resources -------------------------------------------------------------------------------------------------------


@rule
def resource_asked(frame: Any) -> int:
    """The next resource to pay, RESOURCES when all is paid."""
    for good in range(RESOURCES):
        if frame[WOOD_LEFT + good] > 0:
            return good
    return RESOURCES


@rule
def mark_payment(s: Any, frame: Any, mask: Any) -> None:
    """Set the ways to pay the next resource that leave the others payable."""
    player = int(s.active)
    good = resource_asked(frame)
    half = int(frame[HALF_TILE])

    # A tile for any resource may pay where there is nothing else, or more such tiles than the others need.
    wood = int(frame[WOOD_LEFT])
    marble = int(frame[MARBLE_LEFT])
    gold = int(frame[GOLD_LEFT])
    missing = int(frame[WOOD_LEFT + good]) > certain_goods(s, player, good)
    spare = shortage(certain_stock(s, player), wood, marble, gold) < half + wild_goods(s, player, WOOD)
    mark_ways(s, player, good, missing or spare, half, mask)


@rule
def answer_payment(s: Any, frame: Any, action: int) -> None:
    """Pay one resource."""
    good = resource_asked(frame)
    frame[WOOD_LEFT + good] -= 1
    pay(s, frame, int(s.active), good, action)


# -- prestige --------------------------------------------------------------------------------------------------------


@rule
def section_good(c: Any, frame: Any) -> int:
    """The prestige that the section asked about wants; -1: there is no such section."""
    return int(c.section_good[frame[PRESTIGE_LANDMARK], frame[NEXT_SECTION]]) - 1


@rule
def next_section(s: Any, c: Any, frame: Any) -> bool:
    """Go to the next section that can be paid; returns false when there is none (P16)."""
    while frame[NEXT_SECTION] < SECTIONS:
        good = section_good(c, frame)
        if good >= BRONZE and can_pay(s, int(s.active), good, int(frame[HALF_TILE])):
            return True
        frame[NEXT_SECTION] += 1
    return False


@rule
def mark_section(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """Set the ways to pay a section, and to leave it."""
    mask[DONE] = True
    mark_ways(s, int(s.active), section_good(c, frame), True, int(frame[HALF_TILE]), mask)


@rule
def answer_section(s: Any, c: Any, frame: Any, action: int) -> None:
    """Fill a section for its VP, or leave it; then the next one."""
    if action != DONE:
        player = int(s.active)
        landmark = int(frame[PRESTIGE_LANDMARK])
        vp = int(c.section_vp[landmark, frame[NEXT_SECTION]])
        pay(s, frame, player, section_good(c, frame), action)
        s.vp[player] += vp
        note(s, NOTE_SECTION, player, FIRST_LANDMARK + landmark, vp)
    frame[NEXT_SECTION] += 1
