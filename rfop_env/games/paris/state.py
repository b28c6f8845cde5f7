"""The state record of Paris: every field with its meaning, its range and who may see it."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import Header
from rfop_env.core.record import Grid, RecordLayout, Vector, field
from rfop_env.games.paris import board, frames

NOWHERE = board.DISTRICTS  # the district of a landmark or VP tile that still lies in the supply
NO_TILE = -1

# A bonus tile from the side of a player (field `bonus`).
NOT_OWNED, UNUSED, USED = range(3)

# Why a game ended (field `end_reason`).
RUNNING, PLAYED_OUT = range(2)
END_REASONS = ("running", "last round played")

MOST_KEYS = 20  # of a player
MOST_POINTS = 10_000  # VP or Francs of a player, turns of a game


class State(Header):
    """A position of Paris."""

    # options; public
    # seats from there on are empty everywhere
    players: int = field(np.int32, board.PLAYER_COUNTS[0], board.SEATS, option=True)
    random_tokens: int = field(np.int32, 0, 1, option=True)  # 1: variant of the tokens
    random_track: int = field(np.int32, 0, 1, option=True)  # 1: variant of the bonus track
    free_buildings: int = field(np.int32, 0, 1, option=True)  # 1: variant of the buildings
    open_screens: int = field(np.int32, 0, 1, option=True)  # 1: money, goods and unused bonus tiles are public
    perfect_memory: int = field(np.int32, 0, 1, option=True)  # 1: all public play is remembered

    # course of the game; public
    start_player: int = field(np.int32, 0, board.SEATS - 1)
    active: int = field(np.int32, 0, board.SEATS - 1)  # whose turn it is
    turns: int = field(np.int32, 0, MOST_POINTS)  # turns begun, this one included
    rounds_left: int = field(np.int32, 0, 2)  # 0: no end in sight; 2: this round and one more; 1: this is the last
    # resources sold in this turn: not bought back in it
    sold: Vector = field(np.int32, 0, board.TOKENS_EACH, (board.RESOURCES,))
    # bought in this turn and still held: not sold in it
    bought: Vector = field(np.int32, 0, board.TOKENS_EACH, (board.RESOURCES,))

    # building tiles
    # bottom first; hidden but for the top
    pile: Grid = field(np.int8, NO_TILE, board.SPACES - 1, (board.STACKS, board.STACK_HEIGHT))
    # tiles in each, a removed one included; public
    pile_size: Vector = field(np.int32, 0, board.STACK_HEIGHT, (board.STACKS,))
    pile_floor: int = field(np.int32, 0, 1)  # 1: the lowest of each is one of the three removed; 0: all are played
    drawn: Vector = field(np.int8, 0, 1, (board.SPACES,))  # 1: this tile has been drawn; public
    tile_at: Vector = field(np.int8, 0, board.SPACES, (board.SPACES,))  # building tile in a space + 1, 0 none; public

    # tokens and tiles on the board; public
    token: Vector = field(np.int8, 0, board.GOODS, (board.SPACES,))  # good beside a space + 1, 0 none
    # tokens paid or sold; resources can be bought
    supply: Vector = field(np.int32, 0, board.TOKENS_EACH, (board.GOODS,))
    # where each stands, NOWHERE: in the supply
    landmark_district: Vector = field(np.int8, 0, NOWHERE, (board.LANDMARKS,))
    vp_tile_district: Vector = field(np.int8, 0, NOWHERE, (board.VP_TILES,))  # where each lies, NOWHERE: in the supply
    # space of the track where a number lies, from 1
    bonus_space: Vector = field(np.int8, 0, board.TRACK, (board.BONUS_TILES + 1,))
    # tiles of a number left on the track
    bonus_left: Vector = field(np.int8, 0, board.SEATS - 1, (board.BONUS_TILES + 1,))

    # players; row by seat
    keys: Grid = field(np.int8, 0, MOST_KEYS, (board.SEATS, board.PLACES))  # keys at each place; public
    # behind the screen; public since it can be counted
    keys_in_hand: Vector = field(np.int32, 0, MOST_KEYS, (board.SEATS,))
    keys_aside: Vector = field(np.int32, 0, MOST_KEYS, (board.SEATS,))  # of those set aside at the start; public
    meeple: Vector = field(np.int32, 0, board.TRACK, (board.SEATS,))  # space on the bonus track, 0 at the start; public
    vp: Vector = field(np.int32, 0, MOST_POINTS, (board.SEATS,))  # public

    # hidden, but what a perfect memory of public play knows: every change of the next three is public
    francs: Vector = field(np.int32, 0, MOST_POINTS, (board.SEATS,))
    goods: Grid = field(np.int32, 0, board.TOKENS_EACH, (board.SEATS, board.GOODS))  # tokens behind the screen
    bonus: Grid = field(np.int8, NOT_OWNED, USED, (board.SEATS, board.BONUS_TILES + 1))  # UNUSED is hidden, USED public

    # End Game tiles
    # not taken, by kind; hidden but for their number
    end_left: Vector = field(np.int32, 0, board.END_TILES, (board.END_KINDS,))
    end_taken: int = field(np.int32, 0, board.END_TILES)  # how many have been taken; public
    # in the order of taking: kind + 1; hidden until used
    end_kind: Vector = field(np.int8, 0, board.END_KINDS, (board.END_TILES,))
    end_owner: Vector = field(np.int8, 0, board.SEATS - 1, (board.END_TILES,))  # who took it; public
    end_used: Vector = field(np.int8, 0, 1, (board.END_TILES,))  # 1: used or sold, and seen by all

    # end of the game; public
    # at the end: how many players placed above this one
    better: Vector = field(np.int32, 0, board.SEATS - 1, (board.SEATS,))
    padding: int = field(np.int32, 0, 0)


RECORD = RecordLayout(State.fields(), frames.FRAMES)
STATE = RECORD.dtype
assert board.TRACK == board.BONUS_TILES
