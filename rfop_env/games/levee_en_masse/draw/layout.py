"""Where the parts of the picture of Levée en Masse lie, in its own units: for a wide place, a tall one, and a phone."""

from __future__ import annotations

from typing import NamedTuple

from rfop_env.drawing import palette
from rfop_env.drawing.picture import Box, Point
from rfop_env.games.levee_en_masse import board


class Plan(NamedTuple):
    """The measures of a layout."""

    width: float
    height: float
    smallest: float  # font size
    text: float  # the usual font size
    is_schematic: bool  # each track is a column down to Paris, in place of a map
    scale: float  # of spaces and pieces on the map
    counter: float  # size of an army where there are at most two
    map: Box
    card: Box
    government: Box
    army: Box
    holding: Box
    pile: Box


WIDE = Plan(
    width=900,
    height=669,
    smallest=9.5,
    text=12,
    is_schematic=False,
    scale=0.8,
    counter=27,
    map=Box(6, 43, 592, 620),
    card=Box(604, 43, 290, 256),
    government=Box(604, 305, 290, 136),
    army=Box(604, 447, 290, 66),
    holding=Box(604, 519, 290, 66),
    pile=Box(604, 591, 290, 72),
)
TALL = WIDE._replace(
    width=640,
    height=1024,
    map=Box(6, 72, 628, 620),
    card=Box(6, 698, 311, 320),
    government=Box(323, 698, 311, 118),
    army=Box(323, 822, 311, 60),
    holding=Box(323, 888, 311, 60),
    pile=Box(323, 954, 311, 64),
)
PHONE = Plan(
    width=400,
    height=1324,
    smallest=11,
    text=13,
    is_schematic=True,
    scale=0.72,
    counter=27,
    map=Box(6, 314, 388, 646),
    card=Box(6, 72, 388, 236),
    government=Box(6, 966, 388, 146),
    army=Box(6, 1118, 388, 68),
    holding=Box(6, 1192, 388, 62),
    pile=Box(6, 1260, 388, 58),
)
PLANS = {"wide": WIDE, "tall": TALL, "phone": PHONE}

# The map: the middles of the spaces by track and box, from box 1 to the start, on a ground of this size.
GROUND = (832, 764)
PARIS_AT = (344, 386)
SPACE_AT = (
    ((218, 290), (292, 194), (280, 82), (170, 58), (64, 114)),
    ((420, 256), (488, 162), (578, 84), (678, 58), (774, 96)),
    ((478, 386), (574, 332), (664, 266), (764, 222), (772, 328)),
    ((432, 528), (534, 612), (630, 566), (726, 508), (770, 616)),
    ((232, 490), (132, 528), (54, 620), (138, 702), (266, 682)),
)
STEP, TOP = (77.0, 86.0), 58  # of the schema: between spaces, and above the middles of the starts


def space_at(plan: Plan, track: int, box: int) -> Point:
    """The middle of a space."""
    if plan.is_schematic:
        return plan.map.x + STEP[0] * (track + 0.5) + 1.5, plan.map.y + TOP + STEP[1] * (board.START - box)
    return on_map(plan, SPACE_AT[track][box - 1])


def on_map(plan: Plan, point: Point) -> Point:
    """A point of the ground in the picture."""
    (width, height), (x, y) = GROUND, point
    return plan.map.x + x * plan.map.width / width, plan.map.y + y * plan.map.height / height


SEA, ABROAD, FRANCE, COAST = "#cfdfe8", "#ece3cf", "#fbf5e3", "#8d9aa8"
WHITE_CARD = "#f7f7f4"
ARMY_COLOURS = (
    palette.RED.deep, "#2f3a46", "#7a5d00", "#2c6e49", "#6b3f8f", "#a3440a", "#3f6b2a", "#3f6b2a", "#8d1f3d",
)  # fmt: skip
TRACK_INKS = (palette.RED.ink, "#2f3a47", "#7a5d01", "#2c6e4a", "#6b3f90")  # text
POLITICS_COLOURS = ("#6b3f8e", "#7a5d02", palette.BLUE.deep)
POLITICS_INKS = ("#6b3f91", "#7a5d03", palette.BLUE.ink)  # text
DARK = {
    **palette.DARK,
    SEA: "#1b2a36",
    ABROAD: "#1e1f22",
    FRANCE: "#2a2a26",
    COAST: "#6f7b88",
    **dict(zip(TRACK_INKS[1:], ("#b9c6d4", "#e6c65c", "#84cfa5", "#cda6ee"), strict=True)),
    **dict(zip(POLITICS_COLOURS[:2], ("#8455ad", "#80650f"), strict=True)),
    **dict(zip(POLITICS_INKS[:2], ("#cda6ef", "#e6c65d"), strict=True)),
}
