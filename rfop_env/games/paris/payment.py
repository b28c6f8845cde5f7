"""Paying resources for a destination and prestige on a landmark, with tokens or tiles (P16, P24, P45).

A tile for two goods (19, 21) that pays one leaves its other half on the table (frame argument E): it pays a later unit
of the same payment, or is sold at the best price when the payment ends. A move that only a sold half can pay for sells
it first, and lays the half that pays on the table (P45).
"""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_C, FRAME_E, note, pop
from rfop_env.core.rule import rule, small_rule
from rfop_env.games.paris.actions import BONUS, DONE, END_TILE, GIVE
from rfop_env.games.paris.board import (
    BRONZE, FIRST_LANDMARK, FIRST_RESOURCE_TILE, GOLD, MARBLE, RESOURCES, SECTIONS, TWO_RESOURCES, WOOD,
)  # fmt: skip
from rfop_env.games.paris.journal import (
    BY_BONUS_TILE, BY_END_TILE, NOTE_FRANCS, NOTE_PAID, NOTE_SECTION,
)  # fmt: skip
from rfop_env.games.paris.stock import (
    any_tile_for, best_price, certain_goods, has_bonus, has_end_tile, own_tile_for, return_token, spend_bonus,
    spend_end_tile, two_tile_for, wild_goods,
)  # fmt: skip


@rule
def shortage(s: Any, player: int, wood: int, marble: int, gold: int) -> int:
    """How many of these resources tiles for any resource must stand for."""
    short = 0
    for good, need in ((WOOD, wood), (MARBLE, marble), (GOLD, gold)):
        if need > 0:
            short += max(0, need - certain_goods(s, player, good))
    return short


@rule
def payable(s: Any, player: int, wood: int, marble: int, gold: int, half: int) -> bool:
    """Whether a player can pay these resources, given a half of tile 21 on the table."""
    short = shortage(s, player, wood, marble, gold)
    return short == 0 or short <= half + wild_goods(s, player, WOOD)


@rule
def mark_ways(s: Any, player: int, good: int, wild: bool, half: int, mask: Any) -> None:
    """Set the ways to pay one good; those that could stand for another as well only if `wild`."""
    mask[GIVE + good] = s.goods[player, good] > 0
    mask[END_TILE + good] = has_end_tile(s, player, good)
    if own_tile_for(s, player, good):
        mask[BONUS + FIRST_RESOURCE_TILE + good] = True
    if wild:
        one, two = any_tile_for(good), two_tile_for(good)
        mask[BONUS + one] = has_bonus(s, player, one)
        mask[BONUS + two] = half == 1 or has_bonus(s, player, two)


@rule
def can_pay(s: Any, player: int, good: int, half: int) -> bool:
    """Whether a player can pay one good in any way."""
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
    else:
        number = action - BONUS
        if number != two_tile_for(good):
            spend_bonus(s, player, number)
        elif frame[FRAME_E] == 1:
            frame[FRAME_E] = 0
        else:
            spend_bonus(s, player, number)
            frame[FRAME_E] = 1
        note(s, NOTE_PAID, player, good, BY_BONUS_TILE)


@rule
def end_payment(s: Any, c: Any, frame: Any, good: int) -> None:
    """Close a payment; a half of tile 19 or 21 that is left is sold (P24)."""
    player, half = int(s.active), frame[FRAME_E] == 1
    pop(s)
    if half:
        s.francs[player] += best_price(c, good)
        note(s, NOTE_FRANCS, player, best_price(c, good), 0)


# -- a sold half that pays for the move (P45) -------------------------------------------------------------------------


@small_rule
def half_price(s: Any, c: Any, player: int) -> int:
    """What one half of tile 21 sells for; 0 without the tile."""
    return best_price(c, GOLD) if has_bonus(s, player, TWO_RESOURCES) else 0


@rule
def payable_by_half(s: Any, player: int, wood: int, marble: int, gold: int) -> bool:
    """Whether a player with tile 21 can pay these resources with one half of it, of which there are any to pay."""
    wild = wild_goods(s, player, WOOD) - 1
    return wood + marble + gold > 0 and shortage(s, player, wood, marble, gold) <= wild


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
        if frame[FRAME_A + good] > 0:
            return good
    return RESOURCES


@rule
def mark_payment(s: Any, frame: Any, mask: Any) -> None:
    """The ways to pay the next resource that leave the others payable."""
    player, good, half = int(s.active), resource_asked(frame), int(frame[FRAME_E])
    wood, marble, gold = int(frame[FRAME_A]), int(frame[FRAME_B]), int(frame[FRAME_C])
    missing = int(frame[FRAME_A + good]) > certain_goods(s, player, good)
    spare = shortage(s, player, wood, marble, gold) < half + wild_goods(s, player, WOOD)
    mark_ways(s, player, good, missing or spare, half, mask)


@rule
def answer_payment(s: Any, frame: Any, action: int) -> None:
    """Pay one resource."""
    good = resource_asked(frame)
    frame[FRAME_A + good] -= 1
    pay(s, frame, int(s.active), good, action)


# -- prestige --------------------------------------------------------------------------------------------------------


@rule
def section_good(c: Any, frame: Any) -> int:
    """The prestige that the section asked about wants; -1: there is no such section."""
    return int(c.section_good[frame[FRAME_A], frame[FRAME_B]]) - 1


@rule
def next_section(s: Any, c: Any, frame: Any) -> bool:
    """Go to the next section that can be paid; False when there is none (P16)."""
    while frame[FRAME_B] < SECTIONS:
        good = section_good(c, frame)
        if good >= BRONZE and can_pay(s, int(s.active), good, int(frame[FRAME_E])):
            return True
        frame[FRAME_B] += 1
    return False


@rule
def mark_section(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """The ways to pay a section, or to leave it."""
    mask[DONE] = True
    mark_ways(s, int(s.active), section_good(c, frame), True, int(frame[FRAME_E]), mask)


@rule
def answer_section(s: Any, c: Any, frame: Any, action: int) -> None:
    """Fill a section for its VP, or leave it; then the next one."""
    if action != DONE:
        player = int(s.active)
        landmark, vp = int(frame[FRAME_A]), int(c.section_vp[frame[FRAME_A], frame[FRAME_B]])
        pay(s, frame, player, section_good(c, frame), action)
        s.vp[player] += vp
        note(s, NOTE_SECTION, player, FIRST_LANDMARK + landmark, vp)
    frame[FRAME_B] += 1
