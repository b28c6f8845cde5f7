"""Determinization of Paris: building tiles, and the End Game tiles that others took (P38, P48).

Francs, tokens and bonus tiles change hands in the open, so an attentive player knows who holds which: they stay, also
where the observation does not show them (P39). While another player is on turn, that player's question depends on the
End Game tiles held and left: they stay then, too.
"""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import NOBODY
from rfop_env.core.random_stream import DETERMINIZE, random_below
from rfop_env.games.paris import board, observation, setup
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State


@rule
def determinize(s: State, c: Components, seat: int) -> None:
    """Deal anew what the seat cannot know, from stream DETERMINIZE; for NOBODY the building tiles alone."""
    if s.over == 1:
        return
    determinize_piles(s)
    if seat != NOBODY and s.active == seat:
        determinize_end_tiles(s, seat)


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
def determinize_end_tiles(s: State, seat: int) -> None:
    """Deal others' unused End Game tiles anew; what each search of the seat showed is kept (P38).

    Tiles that others took between two of these searches are shuffled among themselves.
    """
    search = observation.tiles_at_search(s, seat)
    first = 0
    for i in range(search):
        if s.end_owner[i] == seat:
            shuffle_end_tiles(s, seat, first, i)
            first = i + 1
    shuffle_end_tiles(s, seat, first, search)
    deal_late_end_tiles(s, seat, search)


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
def deal_late_end_tiles(s: State, seat: int, search: int) -> None:
    """Deal the tiles that others took since the seat's last search anew, from these and those left."""
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
