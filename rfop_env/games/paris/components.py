"""The component record of Paris: the tables that the rules read, filled from `components/*.toml`."""

from __future__ import annotations

import numpy as np

from rfop_env.core.record import Fields, Grid, Vector, number
from rfop_env.games.paris import board

NUMBERS = board.BONUS_TILES + 1  # rows of a table by bonus tile number; row 0 is unused
BY_PLAYERS = board.SEATS + 1  # rows of a table by number of players; 2, 3 and 4 are used
FEES = 3  # the values 1, 2 and 3 offer a bonus tile


class Components(Fields):
    """The tables of a component set."""

    # board
    bank: Vector = number(np.int32, board.DISTRICTS)  # Francs that a bank pays
    building_type: Vector = number(np.int32, board.SPACES)  # CAFE to RESIDENCE, by building tile
    # to pay on arrival: by building tile (the 8s), landmarks
    resources: Grid = number(np.int32, board.TILES, board.RESOURCES)
    eight_vp: int = number(np.int32)  # VP for moving to a value-8 building
    bonus_fee: Vector = number(np.int32, FEES)  # Francs for a bonus tile on a building of value 1, 2, 3

    # landmarks, in order of value
    landmark_value: Vector = number(np.int32, board.LANDMARKS)
    # prestige asked for + 1 (4 bronze, 5, 6); 0: no section
    section_good: Grid = number(np.int32, board.LANDMARKS, board.SECTIONS)
    section_vp: Grid = number(np.int32, board.LANDMARKS, board.SECTIONS)

    # VP tiles
    vp_tile: Grid = number(np.int32, board.VP_TILES, board.PLACINGS)  # for the first, the second, the third

    # bonus tiles, by number
    zone: Vector = number(np.int32, NUMBERS)  # 0 A, 1 B, 2 C: where the variant of the track may put it
    copied: Vector = number(np.int32, NUMBERS)  # 1: players - 1 copies; 0: one
    bonus_francs: Vector = number(np.int32, NUMBERS)  # Francs that it gives: 1, 5, 7, 12, 22
    bonus_price: Vector = number(np.int32, NUMBERS)  # Francs that it costs: 13, 14
    bonus_vp: Vector = number(np.int32, NUMBERS)  # VP: 7; for each key counted: 6, 11, 15, 18, 26, 28, 29; a Franc: 27
    bonus_vp_by_players: Grid = number(np.int32, NUMBERS, BY_PLAYERS)  # VP for each tile or pair counted: 20, 23, 24
    types_vp: Vector = number(np.int32, board.TYPES + 1)  # VP of tile 30 for so many types of buildings
    steps_back: int = number(np.int32)  # how far tile 25 reaches

    # End Game tiles, by kind
    end_tiles: Vector = number(np.int32, board.END_KINDS)  # how many there are
    end_francs: Vector = number(np.int32, board.END_KINDS)
    end_vp: Vector = number(np.int32, board.END_KINDS)

    # prices and stock
    sell_price: Vector = number(np.int32, board.GOODS)
    buy_price: Vector = number(np.int32, board.RESOURCES)
    start_francs: int = number(np.int32)
    keys_in_hand: Vector = number(np.int32, BY_PLAYERS)
    keys_aside: int = number(np.int32)


COMPONENTS = Components.dtype()
