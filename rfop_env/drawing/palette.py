"""The colours and the font of all boards, and the looks that a picture can be asked for in.

Text on its ground has a contrast ratio of at least 4.5 (WCAG AA). The colours of sides and seats stay apart for readers
who cannot tell red from green. Colour is never the only sign: every piece has a letter or a shape besides.
"""

from __future__ import annotations

from typing import NamedTuple

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

WHITE, BLACK = "#ffffff", "#1c1f26"  # text on a deep tone; text on gold and other bright grounds
INK, MUTED = "#23262d", "#55585f"  # text on a pale ground; text of less weight
BAR, BAR_TEXT = "#23262e", "#efe8d9"  # the bar at the top of a picture
PAPER, PANEL, CARD, LINE = "#efe8d8", "#faf6ec", "#fffffe", "#cfc5ae"  # grounds: of a picture, a panel, a card; an edge
GOLD, GOLD_EDGE = "#e8b63a", "#7a5a0a"  # coins, stars, marks; their edge
STONE, STONE_EDGE = "#e0d4b8", "#7d6d4b"  # buildings


class Tone(NamedTuple):
    """The shades of one colour."""

    deep: str  # a piece, the ground of a heading
    light: str  # the lit face of a piece
    dark: str  # the edge of a piece
    pale: str  # the ground of a panel or a space
    ink: str  # text on a pale ground
    text: str = WHITE  # text on `deep`


RED = Tone("#b3202c", "#e2646b", "#7d121b", "#f6dcd8", "#8a141d")
BLUE = Tone("#1f4e9c", "#6d97d8", "#12315f", "#d9e4f4", "#1c478f")
AMBER = Tone("#f0b429", "#f9d98a", "#684a05", "#fbeecb", "#684a06", BLACK)
TEAL = Tone("#0f7a6a", "#57b3a5", "#08483e", "#d3ebe6", "#0c6256")
GREY = Tone("#5f636b", "#a3a7ae", "#3f4248", "#e6e3da", "#4c4f56")

SEAT_TONES = (RED, BLUE, AMBER, TEAL)  # of players that have no colour of their own

# What each colour is in the dark; one that is not here stays. No two uses of a colour that part in the dark share it.
DARK = {
    INK: "#ebe8e0",
    MUTED: "#b4b6bd",
    BAR: "#0e1014",
    PAPER: "#15171c",
    PANEL: "#20232a",
    CARD: "#2c3039",
    LINE: "#4a4e58",
    STONE: "#b9ad90",
    RED.deep: "#bd2f3a",
    RED.pale: "#48252a",
    RED.ink: "#f4a3a7",
    BLUE.deep: "#2f62b8",
    BLUE.pale: "#223350",
    BLUE.ink: "#a5c4f5",
    AMBER.pale: "#453918",
    AMBER.ink: "#f3cf7a",
    TEAL.deep: "#147a6b",
    TEAL.pale: "#173d38",
    TEAL.ink: "#86d3c7",
    GREY.deep: "#666a73",
    GREY.pale: "#33363d",
    GREY.ink: "#c5c8cf",
}


class Look(NamedTuple):
    """How a picture is drawn: for which room, and in which colours."""

    layout: str = "wide"  # one of `LAYOUTS`
    palette: str = "light"  # one of `PALETTES`


USUAL_LOOK = Look()  # of pictures in files and videos
LAYOUTS = ("wide", "tall", "phone")  # for a place of about 860 by 640 pixels, 640 wide, 400 wide
PALETTES = ("light", "dark")
