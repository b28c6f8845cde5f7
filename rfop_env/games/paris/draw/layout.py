"""Where the parts of the picture of Paris lie, in its own units: for a wide place, a tall one, and a phone."""

from __future__ import annotations

from typing import NamedTuple

from rfop_env.drawing import palette
from rfop_env.games.paris import board

GAP = 4  # between panels


class Plan(NamedTuple):
    """The measures of a layout."""

    width: float
    margin: float
    smallest: float  # font size
    text: float  # the usual font size
    title: float  # the font size of the head of a panel
    band: float  # height of that head
    value: float  # font size of the value of a building
    good: float  # radius of a token on a tile
    key: float  # radius of the bow of a key
    key_height: float
    building: float  # height
    bank: float  # width
    landmark: float  # height of the head of a landmark; its name has the smallest size
    row: float  # height of a line of pieces in the panel of a player
    tile_row: float  # the same on a landmark
    caption: float  # height of the caption above landmarks and VP tiles; without one, 4
    stack: float  # height of the panels of the stacks and of the Arc
    price: float  # height of a line of prices
    districts: tuple[tuple[int, ...], ...]  # rows
    players: int  # panels of players in a row, at most
    landmarks: int  # landmarks of the supply in a row
    bonus: tuple[int, float]  # columns, and height of a space, of the bonus track


NORTH, SOUTH = (
    (board.BATIGNOLLES, board.MONTMARTRE, board.LA_VILLETTE),
    (board.CHAILLOT, board.SAINT_GERMAIN, board.BELLEVILLE),
)
PAIRS = ((NORTH[0], NORTH[1]), (SOUTH[0], NORTH[2]), (SOUTH[1], SOUTH[2]))  # from the north to the south
WIDE = Plan(
    width=936,
    margin=6,
    smallest=9.85,
    text=12,
    title=13,
    band=20,
    value=16,
    good=8,
    key=6.8,
    key_height=20,
    building=57,
    bank=62,
    landmark=15,
    row=17,
    tile_row=17,
    caption=4,
    stack=59,
    price=12.8,
    districts=(NORTH, SOUTH),
    players=4,
    landmarks=8,
    bonus=(15, 42),
)
TALL = WIDE._replace(
    width=640,
    smallest=9.5,
    good=8.2,
    row=20,
    tile_row=18,
    caption=17,
    building=61,
    stack=66,
    price=14,
    districts=PAIRS,
    players=2,
    bonus=(6, 42),
)
PHONE = Plan(
    width=400,
    margin=6,
    smallest=11,
    text=13,
    title=15,
    band=26,
    value=18,
    good=10,
    key=8.2,
    key_height=26,
    building=84,
    bank=78,
    landmark=20,
    row=26,
    tile_row=23,
    caption=17,
    stack=78,
    price=18,
    districts=tuple((district,) for row in PAIRS for district in row),
    players=1,
    landmarks=4,
    bonus=(3, 46),
)
PLANS = {"wide": WIDE, "tall": TALL, "phone": PHONE}


def tile_height(plan: Plan, keys: bool = True) -> float:
    """The height of a landmark: its head, value and cost, prestige, and keys; without room for keys in the supply."""
    return plan.landmark + 2 * plan.tile_row + (plan.key_height + 3 if keys else 2)


def bank_height(plan: Plan) -> float:
    """The height of a bank that lies alone in a narrow district."""
    return plan.key_height + 8


DISTRICT_DEEP = ("#6d5a45", "#4a6878", "#8a5a34", "#77506a", "#4c6e50", "#55588c")
DISTRICT_PALE = ("#efe6da", "#e0e9ee", "#f5e6d6", "#f0e2ea", "#e1ecdf", "#e4e4f1")
ZONE_PALE = ("#e6efe0", "#f6ecd2", "#f3ded8")
ZONE_DEEP = ("#3b612f", "#75540f", "#8a3626")
ZONE_INK = ("#3b6130", "#755410", "#8a3627")
CURTAIN = "#ddd5c4"  # what lies behind a screen
DARK = {
    **palette.DARK,
    **dict(zip(DISTRICT_PALE, ("#2e2923", "#232c32", "#33291f", "#30262d", "#242d25", "#272836"), strict=True)),
    **dict(zip(ZONE_PALE, ("#243322", "#383019", "#3c2621"), strict=True)),
    **dict(zip(ZONE_INK, ("#aad29a", "#e8c566", "#f0a896"), strict=True)),
    CURTAIN: "#3b3e46",
}
