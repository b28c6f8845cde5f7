"""Set-up of Paris ("Setup", P40 to P42): stacks, tokens, bonus track, keys and money."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.random_stream import DEAL, random_below
from rfop_env.games.paris import board, state
from rfop_env.games.paris.components import Components
from rfop_env.games.paris.state import State

# The order of the rules' options.
OPTION_PLAYERS, OPTION_TOKENS, OPTION_TRACK, OPTION_BUILDINGS, OPTION_SCREENS, OPTION_MEMORY = range(6)


@rule
def set_up(s: State, c: Components, options: Any) -> None:
    """Set up a game in an empty record."""
    # Options.
    s.players = options[OPTION_PLAYERS] + board.PLAYER_COUNTS[0]
    s.random_tokens = options[OPTION_TOKENS]
    s.random_track = options[OPTION_TRACK]
    s.free_buildings = options[OPTION_BUILDINGS]
    s.open_screens = options[OPTION_SCREENS]
    s.perfect_memory = options[OPTION_MEMORY]

    # The board, then the players.
    s.start_player = random_below(s, DEAL, int(s.players))
    set_up_piles(s)
    set_up_tokens(s)
    set_up_track(s, c)
    set_up_tiles(s, c)
    for player in range(s.players):
        set_up_player(s, c, player)


@rule
def set_up_piles(s: State) -> None:
    """Shuffle all 36 building tiles into three stacks; the base game removes the lowest of each (P40)."""
    s.pile_floor = 1 - s.free_buildings
    for tile in range(board.SPACES):
        s.pile[tile // board.STACK_HEIGHT, tile % board.STACK_HEIGHT] = tile
    for i in range(board.SPACES - 1, 0, -1):
        swap_tiles(s, i, random_below(s, DEAL, i + 1))
    for k in range(board.STACKS):
        s.pile_size[k] = board.STACK_HEIGHT


@rule
def swap_tiles(s: State, i: int, j: int) -> None:
    """Exchange two tiles of the stacks by their places, counted through all stacks."""
    tile = int(s.pile[i // board.STACK_HEIGHT, i % board.STACK_HEIGHT])
    s.pile[i // board.STACK_HEIGHT, i % board.STACK_HEIGHT] = s.pile[j // board.STACK_HEIGHT, j % board.STACK_HEIGHT]
    s.pile[j // board.STACK_HEIGHT, j % board.STACK_HEIGHT] = tile


@rule
def set_up_tokens(s: State) -> None:
    """Put a token beside every building space: by value, or shuffled except for the gold of the 8s."""
    for space in range(board.SPACES):
        index = board.value_index(space)
        # 1, 2, 3: bronze, silver, gold prestige; 4, 5, 8: wood, marble, gold resource
        good = board.BRONZE + index if index < board.FOUR else board.WOOD + index - board.FOUR
        s.token[space] = good + 1

    if s.random_tokens == 1:
        for i in range(board.SPACES - board.TOKENS_EACH - 1, 0, -1):
            a = small_space(i)
            b = small_space(random_below(s, DEAL, i + 1))
            s.token[a], s.token[b] = int(s.token[b]), int(s.token[a])


@rule
def small_space(i: int) -> int:
    """The i-th space of a value below 8."""
    return i // board.EIGHT * board.VALUE_COUNT + i % board.EIGHT


@rule
def set_up_track(s: State, c: Components) -> None:
    """Put each bonus tile on its number, or shuffled within its zone; copies lie on their twins (P41)."""
    for n in range(1, board.BONUS_TILES + 1):
        s.bonus_space[n] = n
        s.bonus_left[n] = s.players - 1 if c.copied[n] == 1 else 1
        if s.random_track == 1:
            twin = nth_of_zone(c, c.zone[n], random_below(s, DEAL, zone_rank(c, n)))
            s.bonus_space[n], s.bonus_space[twin] = int(s.bonus_space[twin]), int(s.bonus_space[n])


@rule
def zone_rank(c: Components, number: int) -> int:
    """The number of bonus tiles of a number's zone up to this number."""
    rank = 0
    for n in range(1, number + 1):
        rank += int(c.zone[n] == c.zone[number])
    return rank


@rule
def nth_of_zone(c: Components, zone: int, i: int) -> int:
    """The i-th bonus tile of a zone, from 0."""
    for n in range(1, board.BONUS_TILES + 1):
        if c.zone[n] == zone:
            if i == 0:
                return n
            i -= 1
    return 0


@rule
def set_up_tiles(s: State, c: Components) -> None:
    """Put landmarks, VP tiles and End Game tiles into their supplies."""
    for i in range(board.LANDMARKS):
        s.landmark_district[i] = state.NOWHERE
    for i in range(board.VP_TILES):
        s.vp_tile_district[i] = state.NOWHERE
    for kind in range(board.END_KINDS):
        s.end_left[kind] = c.end_tiles[kind]


@rule
def set_up_player(s: State, c: Components, player: int) -> None:
    """Give a player keys and money."""
    s.keys_in_hand[player] = c.keys_in_hand[s.players]
    s.keys_aside[player] = c.keys_aside
    s.francs[player] = c.start_francs
