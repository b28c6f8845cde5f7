"""Tokens and tiles behind a player's screen: bonus tiles and End Game tiles that stand for goods."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.games.paris import board, journal, state
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State


@small_rule
def has_bonus(s: State, player: int, number: int) -> bool:
    """True if a player owns a bonus tile that is not used."""
    return s.bonus[player, number] == state.UNUSED


@rule
def spend_bonus(s: State, player: int, number: int) -> None:
    """Discard a bonus tile face up; it still counts as owned (P20)."""
    s.bonus[player, number] = state.USED
    note(s, journal.NOTE_USED, player, number, 0)


@rule
def return_token(s: State, player: int, good: int) -> None:
    """Put a token from behind the screen into the supply; of equal ones, one bought in this turn goes first (P46)."""
    s.goods[player, good] -= 1
    s.supply[good] += 1
    if good < board.RESOURCES and s.bought[good] > 0:
        s.bought[good] -= 1


@rule
def find_end_tile(s: State, player: int, kind: int) -> int:
    """The first unused End Game tile of a kind that a player holds, in the order of taking; -1 without one."""
    for i in range(s.end_taken):
        if s.end_owner[i] == player and s.end_used[i] == 0 and s.end_kind[i] == kind + 1:
            return i
    return -1


@rule
def count_end_tiles(s: State, player: int, kind: int) -> int:
    """The number of unused End Game tiles of a kind that a player holds."""
    n = 0
    for i in range(s.end_taken):
        n += int(s.end_owner[i] == player and s.end_used[i] == 0 and s.end_kind[i] == kind + 1)
    return n


@rule
def spend_end_tile(s: State, player: int, kind: int) -> None:
    """Discard an End Game tile face up."""
    s.end_used[find_end_tile(s, player, kind)] = 1
    note(s, journal.NOTE_END_TILE, player, kind, 0)


# -- bonus tiles as goods --------------------------------------------------------------------------------------------


@small_rule
def any_tile_for(good: int) -> int:
    """The bonus tile that stands for any one good of a good's sort: 10 or 8."""
    return board.ANY_RESOURCE if good < board.RESOURCES else board.ANY_PRESTIGE


@small_rule
def two_tile_for(good: int) -> int:
    """The bonus tile that stands for any two goods of a good's sort: 21 or 19."""
    return board.TWO_RESOURCES if good < board.RESOURCES else board.TWO_PRESTIGE


@small_rule
def own_tile_for(s: State, player: int, good: int) -> bool:
    """True if a player has the bonus tile that stands for just this resource: 2, 3, 4."""
    return good < board.RESOURCES and has_bonus(s, player, board.FIRST_RESOURCE_TILE + good % board.RESOURCES)


@rule
def wild_goods(s: State, player: int, good: int) -> int:
    """The number of goods of a good's sort that a player's tiles for any one or two can stand for."""
    return int(has_bonus(s, player, any_tile_for(good))) + 2 * int(has_bonus(s, player, two_tile_for(good)))


@rule
def certain_goods(s: State, player: int, good: int) -> int:
    """The number of tokens of a good, and of tiles that stand for it alone."""
    tiles = int(own_tile_for(s, player, good)) + count_end_tiles(s, player, good)
    return s.goods[player, good] + tiles


@rule
def certain_stock(s: State, player: int) -> tuple[int, int, int]:
    """The numbers of certain wood, marble and gold, one for each resource."""
    return (
        certain_goods(s, player, board.WOOD),
        certain_goods(s, player, board.MARBLE),
        certain_goods(s, player, board.GOLD),
    )


@rule
def best_price(c: Components, good: int) -> int:
    """The price of the dearest good of a good's sort (P24)."""
    first, best = (board.WOOD, 0) if good < board.RESOURCES else (board.BRONZE, 0)
    for candidate in range(first, first + board.RESOURCES):
        best = max(best, c.sell_price[candidate])
    return best


@rule
def bonus_sale(c: Components, number: int) -> int:
    """The price of a bonus tile that stands for goods, at the best price; 0 for all others."""
    if number >= board.FIRST_RESOURCE_TILE and number < board.FIRST_RESOURCE_TILE + board.RESOURCES:
        return c.sell_price[number - board.FIRST_RESOURCE_TILE]
    if number == board.ANY_RESOURCE or number == board.TWO_RESOURCES:
        return best_price(c, board.GOLD) * (1 + int(number == board.TWO_RESOURCES))
    if number == board.ANY_PRESTIGE or number == board.TWO_PRESTIGE:
        return best_price(c, board.GOLD_PRESTIGE) * (1 + int(number == board.TWO_PRESTIGE))
    return 0


@small_rule
def end_tile_sale(c: Components, kind: int) -> int:
    """The price of an End Game tile that stands for a good; 0 for all others."""
    return c.sell_price[kind] if kind < board.GOODS else 0
