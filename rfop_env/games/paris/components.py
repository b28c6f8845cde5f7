"""The component record of Paris: the tables that the rules read, filled from `components/*.toml`."""

from __future__ import annotations

import numpy as np

from rfop_env.games.paris import board

NUMBERS = board.BONUS_TILES + 1  # rows of a table by bonus tile number; row 0 is unused
BY_PLAYERS = board.SEATS + 1  # rows of a table by number of players; 2, 3 and 4 are used
FEES = 3  # the values 1, 2 and 3 offer a bonus tile

COMPONENTS = np.dtype(
    [
        # board
        ("bank", np.int32, (board.DISTRICTS,)),  # Francs that a bank pays
        ("building_type", np.int32, (board.SPACES,)),  # CAFE to RESIDENCE, by building tile
        # to pay on arrival: by building tile (the 8s), landmarks
        ("resources", np.int32, (board.TILES, board.RESOURCES)),
        ("eight_vp", np.int32),  # VP for moving to a value-8 building
        ("bonus_fee", np.int32, (FEES,)),  # Francs for a bonus tile on a building of value 1, 2, 3
        # landmarks, in order of value
        ("landmark_value", np.int32, (board.LANDMARKS,)),
        # prestige asked for + 1 (4 bronze, 5, 6); 0: no section
        ("section_good", np.int32, (board.LANDMARKS, board.SECTIONS)),
        ("section_vp", np.int32, (board.LANDMARKS, board.SECTIONS)),
        # VP tiles
        ("vp_tile", np.int32, (board.VP_TILES, board.PLACINGS)),  # for the first, the second, the third
        # bonus tiles, by number
        ("zone", np.int32, (NUMBERS,)),  # 0 A, 1 B, 2 C: where the variant of the track may put it
        ("copied", np.int32, (NUMBERS,)),  # 1: players - 1 copies; 0: one
        ("bonus_francs", np.int32, (NUMBERS,)),  # Francs that it gives: 1, 5, 7, 12, 22
        ("bonus_price", np.int32, (NUMBERS,)),  # Francs that it costs: 13, 14
        ("bonus_vp", np.int32, (NUMBERS,)),  # VP: 7; for each key counted: 6, 11, 15, 18, 26, 28, 29; a Franc: 27
        ("bonus_vp_by_players", np.int32, (NUMBERS, BY_PLAYERS)),  # VP for each tile or pair counted: 20, 23, 24
        ("types_vp", np.int32, (board.TYPES + 1,)),  # VP of tile 30 for so many types of buildings
        ("steps_back", np.int32),  # how far tile 25 reaches
        # End Game tiles, by kind
        ("end_tiles", np.int32, (board.END_KINDS,)),  # how many there are
        ("end_francs", np.int32, (board.END_KINDS,)),
        ("end_vp", np.int32, (board.END_KINDS,)),
        # prices and stock
        ("sell_price", np.int32, (board.GOODS,)),
        ("buy_price", np.int32, (board.RESOURCES,)),
        ("start_francs", np.int32),
        ("keys_in_hand", np.int32, (BY_PLAYERS,)),
        ("keys_aside", np.int32),
    ],
    align=True,
)
