"""Paying resources for a destination and prestige on a landmark, with tokens or tiles (P16, P24, P45).

A tile for two goods (19, 21) that pays one leaves its other half on the table (`half`): it pays a later unit
of the same payment, or is sold at the best price when the payment ends. A move that only a sold half can pay for sells
it first, and lays the half that pays on the table (P45).
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note, pop
from rfop_env.core.record import Vector
from rfop_env.games.paris import actions, board, frames, journal, stock
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State


@small_rule
def costs_resources(to: int) -> bool:
    """True for buildings of value 8 and landmarks, which are paid for with resources (P16)."""
    return to >= board.SPACES or board.value_index(to) == board.EIGHT


@small_rule
def tile_on(s: State, place: int) -> int:
    """The tile whose resources are paid at a place: the landmark, or the building tile lying there; -1 without one."""
    return int(s.tile_at[place]) - 1 if place < board.SPACES else place


@small_rule
def shortage(goods: tuple[int, int, int], wood: int, marble: int, gold: int) -> int:
    """The number of these resources for which tiles for any resource are needed, beyond goods (`certain_stock`)."""
    return max(0, wood - goods[board.WOOD]) + max(0, marble - goods[board.MARBLE]) + max(0, gold - goods[board.GOLD])


@rule
def payable_tiles(s: State, c: Components, player: int) -> tuple[int, int]:
    """The set of 8s and landmarks whose resources a player can pay, and the set of those payable by half (P45).

    With half of tile 21 sold, the other half is left to pay with, and there must be something for it to pay.
    """
    goods = stock.certain_stock(s, player)
    wild = stock.wild_goods(s, player, board.WOOD)
    payable, by_half = 0, 0
    for i in range(board.DISTRICTS + board.LANDMARKS):
        place = board.FIRST_LANDMARK + i - board.DISTRICTS
        if i < board.DISTRICTS:
            place = board.building_space(i, board.EIGHT)
        tile = tile_on(s, place)
        if tile >= 0:
            wood = c.resources[tile, board.WOOD]
            marble = c.resources[tile, board.MARBLE]
            gold = c.resources[tile, board.GOLD]
            short = shortage(goods, wood, marble, gold)
            payable |= int(short <= wild) << place
            by_half |= int(short < wild and wood + marble + gold > 0) << place
    return payable, by_half


@rule
def mark_ways(s: State, player: int, good: int, wild: bool, half: int, mask: Any) -> None:
    """Set the ways to pay one good; those that could stand for another as well only if `wild`."""
    mask[actions.GIVE + good] = s.goods[player, good] > 0
    mask[actions.END_TILE + good] = stock.count_end_tiles(s, player, good) > 0
    if stock.own_tile_for(s, player, good):
        mask[actions.BONUS + board.FIRST_RESOURCE_TILE + good] = True
    if wild:
        single = stock.any_tile_for(good)
        double = stock.two_tile_for(good)
        mask[actions.BONUS + single] = stock.has_bonus(s, player, single)
        mask[actions.BONUS + double] = half == 1 or stock.has_bonus(s, player, double)


@rule
def can_pay(s: State, player: int, good: int, half: int) -> bool:
    """True if a player can pay one good in any way."""
    return half == 1 or stock.certain_goods(s, player, good) > 0 or stock.wild_goods(s, player, good) > 0


@rule
def pay(s: State, frame: Vector, player: int, good: int, action: int) -> None:
    """Pay one good in the way chosen; tokens go to the supply (P8)."""
    if action == actions.GIVE + good:
        stock.return_token(s, player, good)
        note(s, journal.NOTE_PAID, player, good, 0)
    elif action == actions.END_TILE + good:
        stock.spend_end_tile(s, player, good)
        note(s, journal.NOTE_PAID, player, good, journal.BY_END_TILE)

    # A tile for two goods leaves a half, or is the half that was left.
    else:
        number = action - actions.BONUS
        if number != stock.two_tile_for(good):
            stock.spend_bonus(s, player, number)
        elif frame[frames.ask_payment.half] == 1:
            frame[frames.ask_payment.half] = 0
        else:
            stock.spend_bonus(s, player, number)
            frame[frames.ask_payment.half] = 1
        note(s, journal.NOTE_PAID, player, good, journal.BY_BONUS_TILE)


@rule
def end_payment(s: State, c: Components, frame: Vector, good: int) -> None:
    """Close a payment; a half of tile 19 or 21 that is left is sold (P24)."""
    player = s.active
    half = frame[frames.ask_payment.half] == 1
    pop(s)
    if half:
        s.francs[player] += stock.best_price(c, good)
        note(s, journal.NOTE_FRANCS, player, stock.best_price(c, good), 0)


# -- a sold half that pays for the move (P45) -------------------------------------------------------------------------


@small_rule
def half_price(s: State, c: Components, player: int) -> int:
    """The price of one half of tile 21; 0 without the tile."""
    return stock.best_price(c, board.GOLD) if stock.has_bonus(s, player, board.TWO_RESOURCES) else 0


@rule
def sell_half(s: State, c: Components, player: int) -> None:
    """Sell one half of tile 21."""
    francs = half_price(s, c, player)
    stock.spend_bonus(s, player, board.TWO_RESOURCES)
    s.francs[player] += francs
    note(s, journal.NOTE_FRANCS, player, francs, 0)


# -- resources -------------------------------------------------------------------------------------------------------


@rule
def next_resource(frame: Vector) -> int:
    """The next resource to pay, RESOURCES when all is paid."""
    for good in range(board.RESOURCES):
        if frame[frames.ask_payment.wood + good] > 0:
            return good
    return board.RESOURCES


@rule
def mark_payment(s: State, frame: Vector, mask: Any) -> None:
    """Set the ways to pay the next resource that leave the others payable."""
    player = s.active
    good = next_resource(frame)
    half = frame[frames.ask_payment.half]

    # A tile for any resource may pay where there is nothing else, or more such tiles than the others need.
    wood = frame[frames.ask_payment.wood]
    marble = frame[frames.ask_payment.marble]
    gold = frame[frames.ask_payment.gold]
    missing = frame[frames.ask_payment.wood + good] > stock.certain_goods(s, player, good)
    wild = half + stock.wild_goods(s, player, board.WOOD)
    spare = shortage(stock.certain_stock(s, player), wood, marble, gold) < wild
    mark_ways(s, player, good, missing or spare, half, mask)


@rule
def answer_payment(s: State, frame: Vector, action: int) -> None:
    """Pay one resource."""
    good = next_resource(frame)
    frame[frames.ask_payment.wood + good] -= 1
    pay(s, frame, s.active, good, action)


# -- prestige --------------------------------------------------------------------------------------------------------


@rule
def section_good(c: Components, frame: Vector) -> int:
    """The prestige that the section asked about wants; -1: there is no such section."""
    return c.section_good[frame[frames.ask_prestige.landmark], frame[frames.ask_prestige.section]] - 1


@rule
def next_section(s: State, c: Components, frame: Vector) -> bool:
    """Go to the next section that can be paid; returns false when there is none (P16)."""
    while frame[frames.ask_prestige.section] < board.SECTIONS:
        good = section_good(c, frame)
        if good >= board.BRONZE and can_pay(s, s.active, good, frame[frames.ask_payment.half]):
            return True
        frame[frames.ask_prestige.section] += 1
    return False


@rule
def mark_section(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Set the ways to pay a section, and to leave it."""
    mask[actions.DONE] = True
    mark_ways(s, s.active, section_good(c, frame), True, frame[frames.ask_payment.half], mask)


@rule
def answer_section(s: State, c: Components, frame: Vector, action: int) -> None:
    """Fill a section for its VP, or leave it; then the next one."""
    if action != actions.DONE:
        player = s.active
        landmark = frame[frames.ask_prestige.landmark]
        vp = c.section_vp[landmark, frame[frames.ask_prestige.section]]
        pay(s, frame, player, section_good(c, frame), action)
        s.vp[player] += vp
        note(s, journal.NOTE_SECTION, player, board.FIRST_LANDMARK + landmark, vp)
    frame[frames.ask_prestige.section] += 1
