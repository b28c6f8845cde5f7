"""Free actions of a turn: selling, buying, using tiles (P6 to P8); the search for an End Game tile (P38)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note, pop
from rfop_env.games.paris import actions, board, bonus_tiles, journal, stock
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

LAST_ROUNDS = 2  # the round of the last End Game tile, and one more (P4)

# -- free actions ----------------------------------------------------------------------------------------------------


@rule
def can_sell(s: State, player: int, good: int) -> bool:
    """True if a token of a good can be sold: any that the player holds, except those bought in this turn (P46).

    Tokens of a kind are alike, so numbers are compared: of a resource, more are held than were bought in this turn.
    """
    reserved = s.bought[good] if good < board.RESOURCES else 0
    return s.goods[player, good] > reserved


@rule
def can_buy(s: State, c: Components, player: int, good: int) -> bool:
    """True if a resource of the supply can be bought; as many as were sold in this turn stay there (P8, P46)."""
    return s.supply[good] > s.sold[good] and s.francs[player] >= c.buy_price[good]


@rule
def mark_free_actions(s: State, c: Components, player: int, mask: Any) -> None:
    """Set the free actions, which a player may take at any time of the turn."""
    for good in range(board.GOODS):
        mask[actions.GIVE + good] = can_sell(s, player, good)
    for good in range(board.RESOURCES):
        mask[actions.BUY + good] = can_buy(s, c, player, good)
    for i in range(s.end_taken):
        if s.end_owner[i] == player and s.end_used[i] == 0:
            mask[actions.END_TILE + s.end_kind[i] - 1] = True
    bonus_tiles.mark_usable(s, c, player, mask)


@rule
def answer_free_action(s: State, c: Components, action: int) -> bool:
    """Carry out a free action; returns false if the action is none."""
    player = s.active
    if action >= actions.GIVE and action < actions.GIVE + board.GOODS:
        sell(s, c, player, action - actions.GIVE)
    elif action >= actions.BUY and action < actions.BUY + board.RESOURCES:
        buy(s, c, player, action - actions.BUY)
    elif action >= actions.END_TILE and action < actions.END_TILE + board.END_KINDS:
        use_end_tile(s, c, player, action - actions.END_TILE)
    elif action > actions.BONUS and action <= actions.BONUS + board.BONUS_TILES:
        bonus_tiles.use_bonus(s, c, player, action - actions.BONUS)
    else:
        return False
    return True


@rule
def sell(s: State, c: Components, player: int, good: int) -> None:
    """Sell a token to the supply."""
    s.goods[player, good] -= 1
    s.supply[good] += 1
    s.francs[player] += c.sell_price[good]
    if good < board.RESOURCES:
        s.sold[good] += 1
    note(s, journal.NOTE_SOLD, player, good, 0)


@rule
def buy(s: State, c: Components, player: int, good: int) -> None:
    """Buy a resource from the supply."""
    s.goods[player, good] += 1
    s.supply[good] -= 1
    s.francs[player] -= c.buy_price[good]
    s.bought[good] += 1
    note(s, journal.NOTE_BOUGHT, player, good, 0)


@rule
def use_end_tile(s: State, c: Components, player: int, kind: int) -> None:
    """Use an End Game tile for its Francs or VP, or sell the good that it stands for."""
    stock.spend_end_tile(s, player, kind)
    bonus_tiles.gain(s, player, c.end_francs[kind] + stock.end_tile_sale(c, kind), c.end_vp[kind])


# -- End Game tiles --------------------------------------------------------------------------------------------------


@rule
def can_search(s: State) -> bool:
    """True if End Game tiles are taken: the building tiles are drawn, and there is one left (P3)."""
    return buildings_left(s) == 0 and s.end_taken < board.END_TILES


@rule
def buildings_left(s: State) -> int:
    """The number of building tiles that can still be drawn."""
    n = 0
    for k in range(board.STACKS):
        n += s.pile_size[k] - s.pile_floor
    return n


@rule
def mark_end_tiles(s: State, mask: Any) -> None:
    """Set the kinds that are left to take (P38)."""
    for kind in range(board.END_KINDS):
        mask[actions.END_TILE + kind] = s.end_left[kind] > 0


@rule
def answer_search(s: State, action: int) -> None:
    """Take an End Game tile in secret; the last one brings the end in sight (P4)."""
    player = s.active
    kind = action - actions.END_TILE
    i = s.end_taken
    pop(s)
    s.end_left[kind] -= 1
    s.end_kind[i] = kind + 1
    s.end_owner[i] = player
    s.end_taken += 1

    note(s, journal.NOTE_SEARCHED, player, 0, 0)
    if s.end_taken == board.END_TILES:
        s.rounds_left = LAST_ROUNDS
        note(s, journal.NOTE_LAST_TILE, player, 0, 0)
