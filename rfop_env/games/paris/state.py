"""The state record of Paris: every field with its meaning, its range and who may see it."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.core.record import Field, RecordLayout
from rfop_env.games.paris.board import (
    BONUS_TILES, DISTRICTS, END_KINDS, END_TILES, GOODS, LANDMARKS, PLACES, PLAYER_COUNTS, RESOURCES, SEATS, SPACES,
    STACK_HEIGHT, STACKS, TOKENS_EACH, TRACK, VP_TILES,
)  # fmt: skip
from rfop_env.games.paris.frames import FRAMES

NOWHERE = DISTRICTS  # the district of a landmark or VP tile that still lies in the supply
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
        Field("players", np.int32, PLAYER_COUNTS[0], SEATS, option=True),  # seats from there on are empty everywhere
        Field("random_tokens", np.int32, 0, 1, option=True),  # 1: variant of the tokens
        Field("random_track", np.int32, 0, 1, option=True),  # 1: variant of the bonus track
        Field("free_buildings", np.int32, 0, 1, option=True),  # 1: variant of the buildings
        Field("open_screens", np.int32, 0, 1, option=True),  # 1: money, goods and unused bonus tiles are public
        Field("perfect_memory", np.int32, 0, 1, option=True),  # 1: all public play is remembered
        # course of the game; public
        Field("start_player", np.int32, 0, SEATS - 1),
        Field("active", np.int32, 0, SEATS - 1),  # whose turn it is
        Field("turns", np.int32, 0, MOST_POINTS),  # turns begun, this one included
        Field("rounds_left", np.int32, 0, 2),  # 0: no end in sight; 2: this round and one more; 1: this is the last
        Field("sold", np.int32, 0, TOKENS_EACH, (RESOURCES,)),  # resources sold in this turn: not bought back in it
        Field("bought", np.int32, 0, TOKENS_EACH, (RESOURCES,)),  # bought in this turn and still held: not sold in it
        # building tiles
        Field("pile", np.int8, NO_TILE, SPACES - 1, (STACKS, STACK_HEIGHT)),  # bottom first; hidden but for the top
        Field("pile_size", np.int32, 0, STACK_HEIGHT, (STACKS,)),  # tiles in each, a removed one included; public
        Field("pile_floor", np.int32, 0, 1),  # 1: the lowest of each is one of the three removed; 0: all are played
        Field("drawn", np.int8, 0, 1, (SPACES,)),  # 1: this tile has been drawn; public
        Field("tile_at", np.int8, 0, SPACES, (SPACES,)),  # building tile in a space + 1, 0 none; public
        # tokens and tiles on the board; public
        Field("token", np.int8, 0, GOODS, (SPACES,)),  # good beside a space + 1, 0 none
        Field("supply", np.int32, 0, TOKENS_EACH, (GOODS,)),  # tokens paid or sold; resources can be bought
        Field("landmark_district", np.int8, 0, NOWHERE, (LANDMARKS,)),  # where each stands, NOWHERE: in the supply
        Field("vp_tile_district", np.int8, 0, NOWHERE, (VP_TILES,)),  # where each lies, NOWHERE: in the supply
        Field("bonus_space", np.int8, 0, TRACK, (BONUS_TILES + 1,)),  # space of the track where a number lies, from 1
        Field("bonus_left", np.int8, 0, SEATS - 1, (BONUS_TILES + 1,)),  # tiles of a number left on the track
        # players; row by seat
        Field("keys", np.int8, 0, MOST_KEYS, (SEATS, PLACES)),  # keys at each place; public
        Field("keys_in_hand", np.int32, 0, MOST_KEYS, (SEATS,)),  # behind the screen; public since it can be counted
        Field("keys_aside", np.int32, 0, MOST_KEYS, (SEATS,)),  # of those set aside at the start; public
        Field("meeple", np.int32, 0, TRACK, (SEATS,)),  # space on the bonus track, 0 at the start; public
        Field("vp", np.int32, 0, MOST_POINTS, (SEATS,)),  # public
        # hidden, but what a perfect memory of public play knows: every change of the next three is public
        Field("francs", np.int32, 0, MOST_POINTS, (SEATS,)),
        Field("goods", np.int32, 0, TOKENS_EACH, (SEATS, GOODS)),  # tokens behind the screen
        Field("bonus", np.int8, NOT_OWNED, USED, (SEATS, BONUS_TILES + 1)),  # UNUSED is hidden, USED public
        # End Game tiles
        Field("end_left", np.int32, 0, END_TILES, (END_KINDS,)),  # not taken, by kind; hidden but for their number
        Field("end_taken", np.int32, 0, END_TILES),  # how many have been taken; public
        Field("end_kind", np.int8, 0, END_KINDS, (END_TILES,)),  # in the order of taking: kind + 1; hidden until used
        Field("end_owner", np.int8, 0, SEATS - 1, (END_TILES,)),  # who took it; public
        Field("end_used", np.int8, 0, 1, (END_TILES,)),  # 1: used or sold, and seen by all
        # end of the game; public
        Field("better", np.int32, 0, SEATS - 1, (SEATS,)),  # at the end: how many players placed above this one
        Field("padding", np.int32, 0, 0),
    ],
    FRAMES,
)
STATE = RECORD.dtype
assert TRACK == BONUS_TILES
