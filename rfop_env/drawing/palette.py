"""The colours and the font of all boards.

Text on its ground has a contrast ratio of at least 4.5 (WCAG AA). The colours of sides and seats stay apart for readers
who cannot tell red from green. Colour is never the only sign: every piece has a letter or a shape besides.
"""

from __future__ import annotations

from typing import NamedTuple

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

INK, MUTED, WHITE = "#23262d", "#55585f", "#ffffff"  # text; text of less weight
PAPER, PANEL, LINE = "#efe8d8", "#faf6ec", "#cfc5ae"  # ground of a picture and of a panel; edge of a panel
GOLD, GOLD_EDGE = "#e8b63a", "#7a5a0a"  # coins, stars, marks; their edge
STONE, STONE_EDGE = "#e0d4b8", "#7d6d4b"  # buildings


class Tone(NamedTuple):
    """The shades of one colour."""

    deep: str  # a piece, a heading
    light: str  # the lit face of a piece
    dark: str  # the edge of a piece, text on pale ground
    pale: str  # the ground of a panel or a space
    text: str = WHITE  # text on `deep`


RED = Tone("#b3202c", "#e2646b", "#7d121b", "#f6dcd8")
BLUE = Tone("#1f4e9c", "#6d97d8", "#12315f", "#d9e4f4")
AMBER = Tone("#f0b429", "#f9d98a", "#684a05", "#fbeecb", INK)
TEAL = Tone("#0f7a6a", "#57b3a5", "#08483e", "#d3ebe6")
GREY = Tone("#5f636b", "#a3a7ae", "#3f4248", "#e6e3da")

SEAT_TONES = (RED, BLUE, AMBER, TEAL)  # of players that have no colour of their own
