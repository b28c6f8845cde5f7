"""The state record of Paris: every field with its meaning, its range and who may see it."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.core.record import Field, RecordLayout
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

RECORD = RecordLayout(
    [
        *HEADER,
        # options; public
        # seats from there on are empty everywhere
        Field("players", np.int32, board.PLAYER_COUNTS[0], board.SEATS, option=True),
        Field("random_tokens", np.int32, 0, 1, option=True),  # 1: variant of the tokens
        Field("random_track", np.int32, 0, 1, option=True),  # 1: variant of the bonus track
        Field("free_buildings", np.int32, 0, 1, option=True),  # 1: variant of the buildings
        Field("open_screens", np.int32, 0, 1, option=True),  # 1: money, goods and unused bonus tiles are public
        Field("perfect_memory", np.int32, 0, 1, option=True),  # 1: all public play is remembered
        # course of the game; public
        Field("start_player", np.int32, 0, board.SEATS - 1),
        Field("active", np.int32, 0, board.SEATS - 1),  # whose turn it is
        Field("turns", np.int32, 0, MOST_POINTS),  # turns begun, this one included
        Field("rounds_left", np.int32, 0, 2),  # 0: no end in sight; 2: this round and one more; 1: this is the last
        # resources sold in this turn: not bought back in it
        Field("sold", np.int32, 0, board.TOKENS_EACH, (board.RESOURCES,)),
        # bought in this turn and still held: not sold in it
        Field("bought", np.int32, 0, board.TOKENS_EACH, (board.RESOURCES,)),
        # building tiles
        # bottom first; hidden but for the top
        Field("pile", np.int8, NO_TILE, board.SPACES - 1, (board.STACKS, board.STACK_HEIGHT)),
        # tiles in each, a removed one included; public
        Field("pile_size", np.int32, 0, board.STACK_HEIGHT, (board.STACKS,)),
        Field("pile_floor", np.int32, 0, 1),  # 1: the lowest of each is one of the three removed; 0: all are played
        Field("drawn", np.int8, 0, 1, (board.SPACES,)),  # 1: this tile has been drawn; public
        Field("tile_at", np.int8, 0, board.SPACES, (board.SPACES,)),  # building tile in a space + 1, 0 none; public
        # tokens and tiles on the board; public
        Field("token", np.int8, 0, board.GOODS, (board.SPACES,)),  # good beside a space + 1, 0 none
        Field("supply", np.int32, 0, board.TOKENS_EACH, (board.GOODS,)),  # tokens paid or sold; resources can be bought
        # where each stands, NOWHERE: in the supply
        Field("landmark_district", np.int8, 0, NOWHERE, (board.LANDMARKS,)),
        Field("vp_tile_district", np.int8, 0, NOWHERE, (board.VP_TILES,)),  # where each lies, NOWHERE: in the supply
        # space of the track where a number lies, from 1
        Field("bonus_space", np.int8, 0, board.TRACK, (board.BONUS_TILES + 1,)),
        # tiles of a number left on the track
        Field("bonus_left", np.int8, 0, board.SEATS - 1, (board.BONUS_TILES + 1,)),
        # players; row by seat
        Field("keys", np.int8, 0, MOST_KEYS, (board.SEATS, board.PLACES)),  # keys at each place; public
        # behind the screen; public since it can be counted
        Field("keys_in_hand", np.int32, 0, MOST_KEYS, (board.SEATS,)),
        Field("keys_aside", np.int32, 0, MOST_KEYS, (board.SEATS,)),  # of those set aside at the start; public
        Field("meeple", np.int32, 0, board.TRACK, (board.SEATS,)),  # space on the bonus track, 0 at the start; public
        Field("vp", np.int32, 0, MOST_POINTS, (board.SEATS,)),  # public
        # hidden, but what a perfect memory of public play knows: every change of the next three is public
        Field("francs", np.int32, 0, MOST_POINTS, (board.SEATS,)),
        Field("goods", np.int32, 0, board.TOKENS_EACH, (board.SEATS, board.GOODS)),  # tokens behind the screen
        Field("bonus", np.int8, NOT_OWNED, USED, (board.SEATS, board.BONUS_TILES + 1)),  # UNUSED is hidden, USED public
        # End Game tiles
        # not taken, by kind; hidden but for their number
        Field("end_left", np.int32, 0, board.END_TILES, (board.END_KINDS,)),
        Field("end_taken", np.int32, 0, board.END_TILES),  # how many have been taken; public
        # in the order of taking: kind + 1; hidden until used
        Field("end_kind", np.int8, 0, board.END_KINDS, (board.END_TILES,)),
        Field("end_owner", np.int8, 0, board.SEATS - 1, (board.END_TILES,)),  # who took it; public
        Field("end_used", np.int8, 0, 1, (board.END_TILES,)),  # 1: used or sold, and seen by all
        # end of the game; public
        # at the end: how many players placed above this one
        Field("better", np.int32, 0, board.SEATS - 1, (board.SEATS,)),
        Field("padding", np.int32, 0, 0),
    ],
    frames.FRAMES,
)
STATE = RECORD.dtype
assert board.TRACK == board.BONUS_TILES
