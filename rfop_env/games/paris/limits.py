"""Limits of games: the most decisions that a component set allows.

The argument is money. A key only climbs, and each step up costs Francs; a resource that is bought and sold again loses
some. So all moves and all trade together cost no more than the Francs that come into the game, and everything else is
done with a tile, a key or a token of which there are so many.
"""

from __future__ import annotations

import math
from typing import Any

from rfop_env.games.paris import board, trade

KEY_MOVE = 3  # which key, where to, the end of the turn
BUILDING_MOVE = KEY_MOVE + 1  # a bonus tile
PURCHASE = 2  # to buy a resource, and to give it away again
SEARCH_TURN, PUT_TURN = 3, 2  # with the end of the turn
# The number of goods that a bonus tile stands for.
GOODS_OF = {
    **dict.fromkeys(range(board.FIRST_RESOURCE_TILE, board.FIRST_RESOURCE_TILE + board.RESOURCES), 1),
    **{board.ANY_RESOURCE: 1, board.ANY_PRESTIGE: 1, board.TWO_RESOURCES: 2, board.TWO_PRESTIGE: 2},
}


def most_decisions(c: Any, players: int) -> int:
    """The most decisions of a game of so many players with a component record, forced ones included."""
    keys = players * (int(c.keys_in_hand[players]) + int(c.keys_aside))
    money = francs(c, players)
    losing = min(int(c.buy_price[g]) - int(c.sell_price[g]) for g in range(board.RESOURCES))

    # What a Franc buys at best.
    landmark_moves = [(KEY_MOVE + _sections(c, i), _climb(c, i)) for i in range(board.LANDMARKS)]
    by_move = max(BUILDING_MOVE, *(decisions / climb for decisions, climb in landmark_moves))  # for each Franc
    by_trade = PURCHASE / losing

    # All that can be paid for, and the rest.
    climbed = keys * (board.VALUE_COUNT * BUILDING_MOVE + sum(decisions for decisions, _ in landmark_moves))
    paid_for = min(max(by_move, by_trade) * money, climbed + by_trade * money)
    return math.ceil(paid_for) + _without_money(c, players, keys)


def francs(c: Any, players: int) -> int:
    """The most Francs that come to all players: what they begin with, banks, tiles, and each token sold once."""
    keys = int(c.keys_in_hand[players]) + int(c.keys_aside)
    prices = [int(price) for price in c.sell_price]
    banks = sum(sorted((int(pay) for pay in c.bank), reverse=True)[:keys])  # a player has one key at each at most
    bonus_tiles = sum(
        _copies(c, n, players) * (int(c.bonus_francs[n]) + GOODS_OF.get(n, 0) * max(prices))
        for n in range(1, board.BONUS_TILES + 1)
    )
    end_tiles = board.END_TILES * max(*prices, *(int(pay) for pay in c.end_francs))
    return players * (int(c.start_francs) + banks) + board.TOKENS_EACH * sum(prices) + bonus_tiles + end_tiles


def _copies(c: Any, number: int, players: int) -> int:
    """The number of bonus tiles of a number."""
    return players - 1 if c.copied[number] else 1


def _sections(c: Any, landmark: int) -> int:
    """The prestige sections of a landmark, each of which is asked about."""
    return sum(int(good > 0) for good in c.section_good[landmark])


def _climb(c: Any, landmark: int) -> int:
    """The least that a key pays for a move to a landmark: from the next lower building or landmark."""
    value = int(c.landmark_value[landmark])
    places = (0, *board.VALUES, *(int(v) for v in c.landmark_value))
    return value - max(lower for lower in places if lower < value)


def _without_money(c: Any, players: int, keys: int) -> int:
    """The most decisions that cost no Franc."""
    draws = 2 * board.SPACES  # which stack; in the variant, which district
    passes = board.SPACES + trade.LAST_ROUNDS * players  # before the last building is drawn, after the last search
    searches = board.END_TILES * SEARCH_TURN
    # a VP tile and its district; the district of a landmark from the Arc
    placements = 2 * board.DISTRICTS + board.LANDMARKS
    tokens = board.GOODS * board.TOKENS_EACH  # each is given away once before it has to be bought
    # use it; what for
    tiles = board.END_TILES + 2 * sum(_copies(c, n, players) for n in range(1, board.BONUS_TILES + 1))
    return draws + keys * PUT_TURN + passes + searches + placements + tokens + tiles
