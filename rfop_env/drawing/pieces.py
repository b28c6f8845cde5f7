"""Parts that several boards share: the header, panels, wooden pieces, cards, and marks on them.

A piece is drawn at (x, y), which is its middle unless its function says otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rfop_env.drawing.measure import block, fit, text_width
from rfop_env.drawing.palette import BAR, BAR_TEXT, BLACK, GOLD, GOLD_EDGE, LINE, MUTED, PANEL, WHITE, Tone
from rfop_env.drawing.picture import Picture, Point

NARROW = 700  # units; the header of a narrower picture has two rows
CUBE = 18  # width and height


@dataclass(frozen=True)
class Held:
    """Cards or tiles in one place: those the viewer can name, and how many others there are."""

    seen: tuple[int, ...]
    hidden: int

    @property
    def count(self) -> int:
        """How many there are, seen or not."""
        return len(self.seen) + self.hidden


# -- frame -------------------------------------------------------------------------------------------------------------


def header(picture: Picture, title: str, course: str, decision: str, tone: Tone, stripe: tuple[str, ...]) -> float:
    """The dark bar at the top: the game, where it stands, and who decides what, in the tone of that side.

    Narrow pictures have two rows of it. Returns its height.
    """
    width, narrow, smallest = picture.width, picture.width < NARROW, picture.smallest
    height, edge = (66.0, 10) if narrow else (37.0, 16)
    size = 17 if not narrow else 15 if width > 500 else 13
    picture.rect(0, 0, width, height, BAR, 0)
    for i, colour in enumerate(stripe):
        picture.rect(i * width / len(stripe), height - 3, width / len(stripe), 3, colour, 0)
    picture.text_at(edge, 24 if narrow else 23, title, size, WHITE, bold=True)

    # A good part of the bar for the decision: two lines where one is too short.
    room = width - 2 * edge - 24 if narrow else 0.4 * width - 24
    words, letters = fit(decision, 14, room, bold=True, smallest=smallest)
    lines = [words]
    if words != decision:
        lines, letters = block(decision, smallest, room, 2, bold=True, smallest=smallest)
    pill_width = max([text_width(line, letters, bold=True) for line in lines]) + 24
    across, top = (edge, 33) if narrow else (width - edge - pill_width, 4)
    picture.open("decision")
    picture.rect(across, top, pill_width, 28 if narrow else 26, tone.deep, 13)
    middle, line_height = top + (14 if narrow else 13), 1.1 * letters
    for i, line in enumerate(lines):
        y = middle + 0.36 * letters + line_height * (i - (len(lines) - 1) / 2)
        picture.text_at(across + pill_width / 2, y, line, letters, tone.text, anchor="middle", bold=True)
    picture.close()

    # The rest for the course of the game.
    start = edge + text_width(title, size, bold=True) + 12
    if narrow:
        look: dict[str, Any] = {"anchor": "end", "room": width - edge - start, "max_lines": 2, "centred": True}
        picture.text_block(width - edge, 18, course, 12, BAR_TEXT, spacing=1.1, **look)
    else:
        picture.text_at(start + 4, 22, course, 14, BAR_TEXT, room=across - 20 - start)
    return height


def panel(picture: Picture, x: float, y: float, width: float, height: float, **attributes: Any) -> None:
    """A pale ground with an edge."""
    picture.rect(x, y, width, height, PANEL, 8, **{"stroke": LINE, **attributes})


def band(picture: Picture, x: float, y: float, width: float, height: float, fill: str, radius: float = 8) -> None:
    """The coloured head of a panel or card: its upper corners are round."""
    corner = f"q0 -{radius:g} {radius:g} -{radius:g}H{width - radius:g}q{radius:g} 0 {radius:g} {radius:g}"
    picture.path(f"M0 {height:g}V{radius:g}{corner}V{height:g}Z", fill, at=(x, y))


def caption(picture: Picture, x: float, y: float, words: str, fill: str = MUTED, **attributes: Any) -> None:
    """The small heading of a panel."""
    picture.text_at(x, y, words.upper(), 12, fill, bold=True, **attributes)


# -- pieces ------------------------------------------------------------------------------------------------------------


def cube_definition(name: str, tone: Tone, sign: str) -> str:
    """The definition of a cube seen from above and the left, for `cube`; `sign` is a path on its face."""
    edge = f'stroke="{tone.dark}" stroke-width="0.8" stroke-linejoin="round"'
    return (
        f'<g id="cube-{name}" {edge}>'
        f'<path d="M0.5 4.5L4.5 0.5H17.5L13.5 4.5Z" fill="{tone.light}"/>'
        f'<path d="M13.5 4.5L17.5 0.5V13.5L13.5 17.5Z" fill="{tone.dark}"/>'
        f'<path d="M0.5 4.5H13.5V17.5H0.5Z" fill="{tone.deep}"/>'
        f'<path d="{sign}" fill="{tone.text}" stroke="none"/></g>'
    )


def cube(picture: Picture, name: str, x: float, y: float) -> None:
    """A cube; (x, y) is its top left corner."""
    picture.add(f'<use href="#cube-{name}" class="cube {name}" x="{x:g}" y="{y:g}"/>')


def cylinder(picture: Picture, tone: Tone, x: float, y: float, letter: str = "", height: float = 28) -> None:
    """A wooden cylinder, 20 wide, with a letter on its side."""
    half = height / 2 - 5
    body = f"M{x - 10:g} {y - half:g}V{y + half:g}A10 5 0 0 0 {x + 10:g} {y + half:g}V{y - half:g}Z"
    picture.path(body, tone.deep, stroke=tone.dark)
    top = f'cx="{x:g}" cy="{y - half:g}" rx="10" ry="5"'
    picture.add(f'<ellipse {top} fill="{tone.light}" stroke="{tone.dark}"/>')
    if letter:
        picture.text_at(x, y + half + 0.5, letter, 11, tone.text, anchor="middle", bold=True)


def disc(picture: Picture, tone: Tone, x: float, y: float, letter: str) -> None:
    """A wooden disc, 26 wide, with a letter."""
    picture.circle(x, y + 2, 13, tone.dark)
    picture.circle(x, y, 13, tone.deep, stroke=tone.dark)
    picture.circle(x, y, 10.5, "none", stroke=tone.light, stroke_width=1.2)
    picture.text_at(x, y + 4.3, letter, 12, tone.text, anchor="middle", bold=True)


def badge(picture: Picture, tone: Tone, x: float, y: float, letter: str) -> None:
    """A letter on a round ground."""
    picture.circle(x, y, 9.5, tone.deep, stroke=tone.text, stroke_width=1.5)
    size = max(picture.smallest, 11.4)
    picture.text_at(x, y + 0.36 * size, letter, size, tone.text, anchor="middle", bold=True)


def star(picture: Picture, x: float, y: float, radius: float) -> None:
    """A golden star with five points."""
    lengths = [radius if i % 2 == 0 else 0.45 * radius for i in range(10)]
    corners = [(x + r * math.sin(a), y - r * math.cos(a)) for r, a in zip(lengths, turn(10), strict=True)]
    picture.polygon(corners, GOLD, stroke=GOLD_EDGE, stroke_width=1, stroke_linejoin="round")


def turn(corners: int) -> list[float]:
    """The angles of as many corners around a middle."""
    return [2 * math.pi * i / corners for i in range(corners)]


def around(x: float, y: float, radius: float, corners: int, first: float = 0.0) -> list[Point]:
    """The corners of a regular polygon, clockwise; the first is above the middle, or turned by the angle `first`."""
    return [(x + radius * math.sin(a + first), y - radius * math.cos(a + first)) for a in turn(corners)]


def coin(picture: Picture, x: float, y: float, radius: float, words: str) -> None:
    """A gold coin with a number."""
    picture.circle(x, y, radius, GOLD, stroke=GOLD_EDGE)
    picture.circle(x, y, radius - 2.5, "none", stroke=GOLD_EDGE, stroke_width=0.7)
    size = max(picture.smallest, 1.05 * radius)
    picture.text_at(x, y + 0.36 * size, words, size, BLACK, anchor="middle", bold=True, room=1.7 * radius)


def card_back(picture: Picture, tone: Tone, x: float, y: float, width: float, height: float) -> None:
    """The back of a card; (x, y) is its top left corner."""
    picture.rect(x, y, width, height, tone.dark, 3, stroke=WHITE)
    picture.rect(x + 3, y + 3, width - 6, height - 6, "none", 2, stroke=tone.light)


# -- marks -------------------------------------------------------------------------------------------------------------


def mark_last(picture: Picture, x: float, y: float, width: float, height: float, out: float = 3) -> None:
    """Brackets at the corners of a box, `out` away from it: what the last move changed."""
    x0, y0, x1, y1 = x - out, y - out, x + width + out, y + height + out
    arm = min(12.0, width / 3, height / 3)
    corners = (
        f"M{x0:g} {y0 + arm:g}V{y0:g}H{x0 + arm:g}M{x1 - arm:g} {y0:g}H{x1:g}V{y0 + arm:g}"
        f"M{x1:g} {y1 - arm:g}V{y1:g}H{x1 - arm:g}M{x0 + arm:g} {y1:g}H{x0:g}V{y1 - arm:g}"
    )
    picture.open("last", "changed by the last move")
    picture.path(corners, stroke=BLACK, stroke_width=5, stroke_linejoin="round", stroke_linecap="round")
    picture.path(corners, stroke=GOLD, stroke_width=2.4, stroke_linejoin="round", stroke_linecap="round")
    picture.close()


def mark_chosen(picture: Picture, x: float, y: float, width: float, height: float, radius: float = 8) -> None:
    """A golden ring around a box: the piece, card or place that the pending question is about."""
    edge: dict[str, Any] = {"kind": "chosen", "stroke": GOLD_EDGE, "stroke_width": 6}
    picture.rect(x - 3, y - 3, width + 6, height + 6, "none", radius, **edge)
    picture.rect(x - 3, y - 3, width + 6, height + 6, "none", radius, stroke=GOLD, stroke_width=3.5)
