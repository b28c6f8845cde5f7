"""The component record of Levée en Masse: the tables that the rules read, filled from `components/*.toml`.

Names are for people and stay outside: the loaded set gives `space_name(track, box)` and `card_name(number)`.
"""

from __future__ import annotations

import numpy as np

from rfop_env.games.levee_en_masse.board import ARMIES, BOXES, TRACKS

# Headline cards are numbered as printed: 1 to 60, those of the expansion among them. Row 0 of every table is unused.
HEADLINES = 60
CARDS = HEADLINES + 1

# Columns of a Headline card; 0 wherever the card says nothing. The first and the last card of a colour are those with
# its lowest and highest number among the cards in play (rules 3.0): no column says so.
HEAD_COLOUR = 0  # BLUE, WHITE, RED; NO_COLOUR: there is no such card
HEAD_EXPANSION = 1  # 1: of the Expansion Kit
HEAD_ACTIONS = 2
HEAD_MONARCHY, HEAD_DESPOTISM, HEAD_REPUBLIC = 3, 4, 5  # boxes up or down
HEAD_REACTION = 6  # 1: Reaction instead of these (rules 5.2)
HEAD_JOURNEE = 7  # 1: Disorder comes to Paris
HEAD_MILITARY, HEAD_POLITICAL, HEAD_NAVAL, HEAD_LIBERATION, HEAD_ORDER = 8, 9, 10, 11, 12  # DRMs to Actions
HEAD_ARMY, HEAD_ARMY_DRM = 13, 14  # a DRM to Military Actions against one army (its number + 1)
HEAD_MARKERS = 15  # Liberation markers from aside to the Holding Box
HEAD_NAPOLEON = 16  # 1: Napoleon to the Holding Box
HEAD_COLUMNS = 17

# Columns of what a card orders one army; carried out from left to right.
ORDER_REMOVE = 0  # 1: leaves the map
ORDER_ENTER = 1  # a box from 1 to 5 it enters at if it is off the map; British Support is placed there wherever it was
ORDER_LIFT = 2  # 1: Prussian only, its rotation is lifted (before it moves)
ORDER_MOVE = 3  # boxes towards Paris; below 0: away from it
ORDER_ROTATE = 4  # 1: Prussian only, is rotated (after it moved)
ORDER_COLUMNS = 5

COMPONENTS = np.dtype(
    [
        ("round_space", np.int32, (TRACKS, BOXES)),  # 1: outside France, can be liberated
        ("square_space", np.int32, (TRACKS, BOXES)),  # 1: in France; neither: start hexagons and Paris
        ("penalty", np.int32, (TRACKS, BOXES)),  # points lost for each army there: 3 red border, 1 orange border
        ("space_value", np.int32, (TRACKS, BOXES)),  # points of a Liberation marker there
        ("battle_value", np.int32, (ARMIES,)),
        ("navy_value", np.int32),
        ("liberation_value", np.int32),
        ("disorder_value", np.int32),
        ("headline", np.int32, (CARDS, HEAD_COLUMNS)),
        ("army_order", np.int32, (CARDS, ARMIES, ORDER_COLUMNS)),
    ],
    align=True,
)
