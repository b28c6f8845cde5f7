"""Where the parts of the picture of Paris lie, in its own units."""

from __future__ import annotations

from rfop_env.games.paris import board

WIDTH, HEIGHT = 1240, 1156
MARGIN, GAP = 20, 10
COLUMN = (WIDTH - 2 * MARGIN - 2 * GAP) / 3

# Rows: top and height.
NORTH, CENTRE, SOUTH = (54, 226), (290, 122), (422, 226)
SUPPLY_ROW, TRACK_ROW, PLAYER_ROW = (658, 124), (792, 186), (988, 158)

# Where the districts lie on the map of Paris: column and row.
DISTRICT_AT = {
    board.BATIGNOLLES: (0, NORTH),
    board.MONTMARTRE: (1, NORTH),
    board.LA_VILLETTE: (2, NORTH),
    board.CHAILLOT: (0, SOUTH),
    board.SAINT_GERMAIN: (1, SOUTH),
    board.BELLEVILLE: (2, SOUTH),
}

BAND = 26  # height of the coloured head of a panel
TILE_HEIGHT = 94  # of banks and landmarks
LANDMARK_WIDTH, LANDMARK_STEP = 90, 95

DISTRICT_DEEP = ("#6d5a45", "#4a6878", "#8a5a34", "#77506a", "#4c6e50", "#55588c")
DISTRICT_PALE = ("#efe6da", "#e0e9ee", "#f5e6d6", "#f0e2ea", "#e1ecdf", "#e4e4f1")
