"""The state record of Paris: every field with its meaning, its range and who may see it."""

from __future__ import annotations

import numpy as np

from rfop_env.core.decisions import HEADER
from rfop_env.games.paris.board import (
    BONUS_TILES, DISTRICTS, END_KINDS, END_TILES, GOODS, LANDMARKS, PLACES, SEATS, SPACES, STACK_HEIGHT, STACKS, TRACK,
    VP_TILES,
)  # fmt: skip

NOWHERE = DISTRICTS  # the district of a landmark or VP tile that still lies in the supply
NO_TILE = -1

# A bonus tile from the side of a player (field `bonus`).
NOT_OWNED, UNUSED, USED = range(3)

# Why a game ended (field `end_reason`).
RUNNING, PLAYED_OUT = range(2)
END_REASONS = ("running", "last round played")

STATE = np.dtype(
    [
        *HEADER,
        # options; public
        ("players", np.int32),  # 2 to 4; seats from there on are empty in every field
        ("random_tokens", np.int32),  # 1: variant of the tokens
        ("random_track", np.int32),  # 1: variant of the bonus track
        ("free_buildings", np.int32),  # 1: variant of the buildings
        ("open_screens", np.int32),  # 1: everybody sees everybody's money, goods and unused bonus tiles
        # course of the game; public
        ("start_player", np.int32),
        ("active", np.int32),  # whose turn it is
        ("turns", np.int32),  # turns begun, this one included
        ("rounds_left", np.int32),  # 0: the end is not in sight; 2: this round and one more; 1: this is the last
        ("sold", np.int32),  # resources (bits) sold in this turn ...
        ("bought", np.int32),  # ... and bought: the same kind is not traded both ways in one turn
        # building tiles
        ("pile", np.int8, (STACKS, STACK_HEIGHT)),  # the stacks, bottom first; hidden but for the top's district
        ("pile_size", np.int32, (STACKS,)),  # tiles in each, a removed one included; public
        ("pile_floor", np.int32),  # 1: the lowest tile of each is one of the three removed; 0: all are played
        ("drawn", np.int8, (SPACES,)),  # 1: this tile has been drawn; public
        ("tile_at", np.int8, (SPACES,)),  # building tile in a space + 1, 0 none; public
        # tokens and tiles on the board; public
        ("token", np.int8, (SPACES,)),  # good beside a space + 1, 0 none
        ("supply", np.int32, (GOODS,)),  # tokens that players have paid or sold; resources can be bought
        ("landmark_district", np.int8, (LANDMARKS,)),  # where each stands, NOWHERE: in the supply
        ("vp_tile_district", np.int8, (VP_TILES,)),  # where each lies, NOWHERE: in the supply
        ("bonus_space", np.int8, (BONUS_TILES + 1,)),  # space of the track where a number lies, 1 to 30
        ("bonus_left", np.int8, (BONUS_TILES + 1,)),  # tiles of a number left on the track
        # players; row by seat
        ("keys", np.int8, (SEATS, PLACES)),  # keys at each place; public
        ("keys_in_hand", np.int32, (SEATS,)),  # behind the screen; public since it can be counted
        ("keys_aside", np.int32, (SEATS,)),  # of the two set aside at the start; public
        ("meeple", np.int32, (SEATS,)),  # space on the bonus track, 0 at the start; public
        ("vp", np.int32, (SEATS,)),  # public
        ("francs", np.int32, (SEATS,)),  # hidden
        ("goods", np.int32, (SEATS, GOODS)),  # tokens behind the screen; hidden
        ("bonus", np.int8, (SEATS, BONUS_TILES + 1)),  # NOT_OWNED, UNUSED (hidden), USED (public)
        # End Game tiles
        ("end_left", np.int32, (END_KINDS,)),  # tiles of each kind not taken; hidden but for their number
        ("end_taken", np.int32),  # how many have been taken; public
        ("end_kind", np.int8, (END_TILES,)),  # in the order of taking: the kind + 1; hidden until used
        ("end_owner", np.int8, (END_TILES,)),  # who took it; public
        ("end_used", np.int8, (END_TILES,)),  # 1: used or sold, and seen by all
        # end of the game; public
        ("better", np.int32, (SEATS,)),  # at the end: how many players placed above this one
        ("padding", np.int32),
    ],
    align=True,
)
assert TRACK == BONUS_TILES
