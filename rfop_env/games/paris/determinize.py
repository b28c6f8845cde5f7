"""Determinization of Paris: building tiles, End Game tiles and, where it is not known, what others hold (P39).

While another player is on turn, that player's question depends on what that player holds and finds: this, and the End
Game tiles, are then left as they are.
"""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import NOBODY
from rfop_env.core.random_stream import DETERMINIZE, random_below
from rfop_env.games.paris import board, observation, setup, state
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

MOST_FRANCS = 20  # hidden money is drawn from 0 to this, each amount with the same probability


@rule
def determinize(s: State, c: Components, seat: int) -> None:
    """Deal everything that the seat cannot see anew, from stream DETERMINIZE; for NOBODY the building tiles alone."""
    if s.over == 1:
        return
    determinize_piles(s)
    if seat == NOBODY:
        return
    if s.active == seat:
        determinize_early_end_tiles(s, seat, observation.tiles_at_search(s, seat))
        determinize_late_end_tiles(s, seat, observation.tiles_at_search(s, seat))
    if not observation.screens_are_public(s):
        determinize_screens(s, seat)


# -- building tiles --------------------------------------------------------------------------------------------------


@small_rule
def tile_in(s: State, i: int) -> int:
    """The tile at a place of the stacks, counted through all; NO_TILE above a top."""
    return int(s.pile[i // board.STACK_HEIGHT, i % board.STACK_HEIGHT])


@small_rule
def is_top(s: State, i: int) -> bool:
    """True if a place of the stacks is a top whose district is seen."""
    k = i // board.STACK_HEIGHT
    return i % board.STACK_HEIGHT == s.pile_size[k] - 1 and s.pile_size[k] > s.pile_floor


@small_rule
def is_hidden(s: State, i: int) -> bool:
    """True if the tile at a place of the stacks is hidden, its district too."""
    return tile_in(s, i) >= 0 and not is_top(s, i)


@small_rule
def may_be_top(s: State, i: int, top: int) -> bool:
    """True if a tile may lie on a top: of its district, and not on a top of an earlier stack, which is settled."""
    unsettled = tile_in(s, i) >= 0 and not (is_top(s, i) and i < top)
    return unsettled and tile_in(s, i) // board.VALUE_COUNT == tile_in(s, top) // board.VALUE_COUNT


@rule
def determinize_piles(s: State) -> None:
    """Shuffle the tiles not drawn, those removed included; the districts of the tops stay."""
    sort_piles(s)
    for k in range(board.STACKS):
        if s.pile_size[k] > s.pile_floor:
            determinize_top(s, k)
    n = 0
    for i in range(board.SPACES):
        if is_hidden(s, i):
            setup.swap_tiles(s, i, nth_below(s, random_below(s, DETERMINIZE, n + 1)))
            n += 1


@rule
def sort_piles(s: State) -> None:
    """Put the tiles that `determinize_piles` shuffles in order: the result must not depend on where they lay."""
    for i in range(board.SPACES):
        if is_top(s, i):
            lowest = i
            for j in range(board.SPACES):
                if may_be_top(s, j, i) and tile_in(s, j) < tile_in(s, lowest):
                    lowest = j
            setup.swap_tiles(s, i, lowest)

    tiles = 0
    for i in range(board.SPACES):
        if is_hidden(s, i):
            tiles |= 1 << tile_in(s, i)
    for i in range(board.SPACES):
        if is_hidden(s, i):
            tile = 0
            while (tiles >> tile) & 1 == 0:
                tile += 1
            tiles ^= 1 << tile
            s.pile[i // board.STACK_HEIGHT, i % board.STACK_HEIGHT] = tile


@rule
def determinize_top(s: State, k: int) -> None:
    """Exchange a top with any hidden tile of its district, except the tops of earlier stacks, which are settled."""
    top = k * board.STACK_HEIGHT + s.pile_size[k] - 1
    choice = top
    n = 0
    for i in range(board.SPACES):
        if may_be_top(s, i, top):
            n += 1
            if random_below(s, DETERMINIZE, n) == 0:
                choice = i
    setup.swap_tiles(s, top, choice)


@rule
def nth_below(s: State, n: int) -> int:
    """The n-th place of the stacks (from 0) whose tile is hidden whole."""
    for i in range(board.SPACES):
        if is_hidden(s, i):
            if n == 0:
                return i
            n -= 1
    return 0


# -- End Game tiles --------------------------------------------------------------------------------------------------


@small_rule
def is_hidden_end_tile(s: State, seat: int, i: int) -> bool:
    """True if the i-th End Game tile taken lies unused behind another screen."""
    return s.end_owner[i] != seat and s.end_used[i] == 0


@rule
def determinize_early_end_tiles(s: State, seat: int, search: int) -> None:
    """Shuffle the tiles that others took before the seat's last search: which they are is known, not who has which.

    With a perfect memory, those taken between two of the seat's searches are shuffled among themselves.
    """
    first = 0
    for i in range(search):
        if s.perfect_memory == 1 and s.end_owner[i] == seat:
            shuffle_end_tiles(s, seat, first, i)
            first = i + 1
    shuffle_end_tiles(s, seat, first, search)


@rule
def shuffle_end_tiles(s: State, seat: int, first: int, end: int) -> None:
    """Sort, then shuffle the hidden ones among the tiles taken from `first` on and before `end`."""
    for i in range(first, end):
        if is_hidden_end_tile(s, seat, i):
            for j in range(first, i):
                if is_hidden_end_tile(s, seat, j) and s.end_kind[j] > s.end_kind[i]:
                    swap_end_tiles(s, i, j)

    for i in range(first, end):
        if is_hidden_end_tile(s, seat, i):
            choice = i
            n = 0
            for j in range(first, i + 1):
                if is_hidden_end_tile(s, seat, j):
                    n += 1
                    if random_below(s, DETERMINIZE, n) == 0:
                        choice = j
            swap_end_tiles(s, i, choice)


@small_rule
def swap_end_tiles(s: State, i: int, j: int) -> None:
    """Exchange two End Game tiles taken."""
    s.end_kind[i], s.end_kind[j] = int(s.end_kind[j]), int(s.end_kind[i])


@rule
def determinize_late_end_tiles(s: State, seat: int, search: int) -> None:
    """Deal the tiles that others took since then anew, from these and those left."""
    for i in range(search, s.end_taken):
        if is_hidden_end_tile(s, seat, i):
            s.end_left[int(s.end_kind[i]) - 1] += 1
    for i in range(search, s.end_taken):
        if is_hidden_end_tile(s, seat, i):
            kind = random_end_tile(s)
            s.end_left[kind] -= 1
            s.end_kind[i] = kind + 1


@rule
def random_end_tile(s: State) -> int:
    """The kind of one of the End Game tiles left, each with the same probability."""
    choice = 0
    n = 0
    for kind in range(board.END_KINDS):
        for _ in range(s.end_left[kind]):
            n += 1
            if random_below(s, DETERMINIZE, n) == 0:
                choice = kind
    return choice


# -- screens ---------------------------------------------------------------------------------------------------------


@small_rule
def is_closed(s: State, seat: int, player: int) -> bool:
    """True for a player whose screen is determinized for a seat."""
    return player != seat and player != s.active


@rule
def determinize_screens(s: State, seat: int) -> None:
    """Draw money up to MOST_FRANCS, deal tokens anew, since their sum is known, and exchange bonus tiles."""
    for player in range(s.players):
        if is_closed(s, seat, player):
            s.francs[player] = random_below(s, DETERMINIZE, MOST_FRANCS + 1)
    exchange_all_bonus(s, seat, False)
    exchange_all_bonus(s, seat, True)
    for good in range(board.GOODS):
        determinize_good(s, seat, good)


@rule
def determinize_good(s: State, seat: int, good: int) -> None:
    """Deal the hidden tokens of a good among the closed screens."""
    tokens = 0
    for player in range(s.players):
        if is_closed(s, seat, player):
            tokens += s.goods[player, good]
            s.goods[player, good] = 0
    for _ in range(tokens):
        s.goods[random_screen(s, seat), good] += 1


@rule
def random_screen(s: State, seat: int) -> int:
    """A player whose screen is closed, each with the same probability."""
    choice = 0
    n = 0
    for player in range(s.players):
        if is_closed(s, seat, player):
            n += 1
            if random_below(s, DETERMINIZE, n) == 0:
                choice = player
    return choice


@small_rule
def is_exchangeable(s: State, a: int, b: int, number: int) -> bool:
    """True if one of two players holds an unused tile of a number, and the other owns none, used or not (P20)."""
    unused = s.bonus[a, number] == state.UNUSED or s.bonus[b, number] == state.UNUSED
    return unused and (s.bonus[a, number] == state.NOT_OWNED or s.bonus[b, number] == state.NOT_OWNED)


@rule
def exchange_all_bonus(s: State, seat: int, by_chance: bool) -> None:
    """Exchange unused bonus tiles between every two closed screens."""
    for player in range(s.players):
        for rival in range(player):
            if is_closed(s, seat, player) and is_closed(s, seat, rival):
                exchange_bonus(s, rival, player, by_chance)


@rule
def exchange_bonus(s: State, a: int, b: int, by_chance: bool) -> None:
    """Deal anew the tiles that two players could exchange; each keeps as many as before.

    Without `by_chance` the lowest numbers go to the first player: this comes first, so that the draw by chance does not
    depend on who had which.
    """
    tiles = 0
    of_a = 0
    for n in range(1, board.BONUS_TILES + 1):
        if is_exchangeable(s, a, b, n):
            tiles += 1
            of_a += int(s.bonus[a, n] == state.UNUSED)

    for n in range(1, board.BONUS_TILES + 1):
        if is_exchangeable(s, a, b, n):
            to_a = random_below(s, DETERMINIZE, tiles) < of_a if by_chance else of_a > 0
            tiles -= 1
            of_a -= int(to_a)
            s.bonus[a, n] = state.UNUSED if to_a else state.NOT_OWNED
            s.bonus[b, n] = state.NOT_OWNED if to_a else state.UNUSED
