"""The component record of Levée en Masse: the tables that the rules read, filled from `components/*.toml`.

Names are for people and stay outside: the loaded set gives `space_name(track, box)` and `card_name(number)`.
"""

from __future__ import annotations

import numpy as np

from rfop_env.core.record import Cube, Fields, Grid, Indices, Vector, number
from rfop_env.games.levee_en_masse import board

# Headline cards are numbered as printed: 1 to 60, those of the expansion among them. Row 0 of every table is unused.
HEADLINES = 60
CARDS = HEADLINES + 1

# Columns of a Headline card; 0 wherever the card says nothing. The first and the last card of a colour are those with
# its lowest and highest number among the cards in play (rules 3.0): no column says so.
HEAD = Indices(
    colour=0,  # BLUE, WHITE, RED; NO_COLOUR: there is no such card
    expansion=1,  # 1: of the Expansion Kit
    actions=2,
    monarchy=3,  # boxes up or down
    despotism=4,
    republic=5,
    reaction=6,  # 1: Reaction instead of these (rules 5.2)
    journee=7,  # 1: Disorder comes to Paris
    military=8,  # DRMs to Actions
    political=9,
    naval=10,
    liberation=11,
    order=12,
    army=13,  # the army (its number + 1) against which Military Actions have a DRM
    army_drm=14,
    markers=15,  # Liberation markers from aside to the Holding Box
    napoleon=16,  # 1: Napoleon to the Holding Box
)
HEAD_COLUMNS = 17

# Columns of what a card orders one army; carried out in this order.
ORDER = Indices(
    remove=0,  # 1: leaves the map
    enter=1,  # a box from 1 to 5 it enters at if it is off the map; British Support is placed there wherever it was
    lift=2,  # 1: Prussian only, its rotation is lifted (before it moves)
    move=3,  # boxes towards Paris; below 0: away from it
    rotate=4,  # 1: Prussian only, is rotated (after it moved)
)
ORDER_COLUMNS = 5


class Components(Fields):
    """The tables of a component set."""

    round_space: Grid = number(np.int32, board.TRACKS, board.BOXES)  # 1: outside France, can be liberated
    square_space: Grid = number(np.int32, board.TRACKS, board.BOXES)  # 1: in France; neither: start hexagons and Paris
    penalty: Grid = number(np.int32, board.TRACKS, board.BOXES)  # points lost for each army there: 3 or 1 by the border
    space_value: Grid = number(np.int32, board.TRACKS, board.BOXES)  # points of a Liberation marker there
    battle_value: Vector = number(np.int32, board.ARMIES)
    navy_value: int = number(np.int32)
    liberation_value: int = number(np.int32)
    disorder_value: int = number(np.int32)
    headline: Grid = number(np.int32, CARDS, HEAD_COLUMNS)
    army_order: Cube = number(np.int32, CARDS, board.ARMIES, ORDER_COLUMNS)


COMPONENTS = Components.dtype()
