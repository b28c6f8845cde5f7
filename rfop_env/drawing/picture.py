"""An SVG document, written element by element."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from rfop_env.drawing.measure import SMALLEST, block, fit
from rfop_env.drawing.palette import DARK, FONT, INK, PAPER, USUAL_LOOK, Look

Point = tuple[float, float]


class Box(NamedTuple):
    """The place of a panel."""

    x: float
    y: float
    width: float
    height: float


@dataclass
class Picture:
    """A picture of `width` by `height`, with short verbs to add elements to it.

    Every verb takes further attributes by name: `stroke_width=2` is written stroke-width="2", `kind` is the class.
    `legal` are the ids of the actions that can be chosen now: the parts that they point to carry them (`open`).
    """

    width: float
    height: float
    legal: Collection[int] = ()
    definitions: str = ""  # the inside of <defs>
    smallest: float = SMALLEST  # font size
    look: Look = USUAL_LOOK
    _parts: list[str] = field(default_factory=list)

    def add(self, element: str) -> None:
        """Add a finished element."""
        self._parts.append(element)

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, radius: float = 6, **attributes: Any
    ) -> None:
        """A rectangle with rounded corners."""
        self.add(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"'
            f"{_attributes(attributes)}/>"
        )

    def circle(self, x: float, y: float, radius: float, fill: str, **attributes: Any) -> None:
        """A circle."""
        self.add(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{_attributes(attributes)}/>')

    def polygon(self, points: Iterable[Point], fill: str, **attributes: Any) -> None:
        """A closed polygon."""
        corners = " ".join([f"{x:.1f},{y:.1f}" for x, y in points])
        self.add(f'<polygon points="{corners}" fill="{fill}"{_attributes(attributes)}/>')

    def line(self, points: Iterable[Point], stroke: str, width: float, **attributes: Any) -> None:
        """A line through some points."""
        data = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.add(f'<path d="{data}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{_attributes(attributes)}/>')

    def path(self, data: str, fill: str = "none", at: Point | None = None, **attributes: Any) -> None:
        """A path in SVG's own language, from the point `at`."""
        place = "" if at is None else f' transform="translate({at[0]:g} {at[1]:g})"'
        self.add(f'<path{place} d="{data}" fill="{fill}"{_attributes(attributes)}/>')

    def text_at(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        fill: str = INK,
        *,
        anchor: str = "start",
        bold: bool = False,
        room: float = math.inf,
        **attributes: Any,
    ) -> None:
        """A line of text on the base line `y`.

        `anchor` is as in SVG. `room` is the width that the line must not exceed: longer words are drawn smaller or cut.
        """
        line, fitting = fit(words, size, room, bold, self.smallest)
        weight = ' font-weight="bold"' if bold else ""
        self.add(
            f'<text x="{x:g}" y="{y:g}" font-size="{fitting:g}" fill="{fill}" text-anchor="{anchor}"'
            f"{weight}{_attributes(attributes)}>{_escaped(line)}</text>"
        )

    def text_block(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        fill: str = INK,
        *,
        room: float,
        max_lines: int,
        anchor: str = "start",
        bold: bool = False,
        spacing: float = 1.2,
        centred: bool = False,
    ) -> int:
        """Words in at most `max_lines` lines, the first on the base line `y`; returns how many lines they take.

        `spacing` is the distance of the lines in font sizes; with `centred` the lines lie around `y` instead.
        """
        lines, fitting = block(words, size, room, max_lines, bold, self.smallest)
        if centred:
            y -= fitting * (spacing * (len(lines) - 1) / 2 - 0.36)
        for i, line in enumerate(lines):
            self.text_at(x, y + spacing * fitting * i, line, fitting, fill, anchor=anchor, bold=bold)
        return len(lines)

    def open(self, kind: str, tip: str = "", actions: Iterable[int] = (), **attributes: Any) -> None:
        """Start a group of a class, with a tooltip.

        `actions` are the ids of the actions that point to the group. Those that are legal stand in its attribute
        `data-action`, with spaces between them.
        """
        ids = " ".join([str(action) for action in actions if action in self.legal]) if self.legal else ""
        action = f' data-action="{ids}"' if ids else ""
        title = f"<title>{_escaped(tip)}</title>" if tip else ""
        self.add(f"<g{_attribute('kind', kind)}{action}{_attributes(attributes)}>{title}")

    def close(self) -> None:
        """End the group."""
        self.add("</g>")

    @property
    def inside(self) -> str:
        """The elements."""
        return "\n".join(self._parts)

    def text(self, title: str, dark: Mapping[str, str] = DARK) -> str:
        """The whole document; `dark` says which colours stand in place of others in the dark palette."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" {size} '
            f'font-family={quoteattr(FONT)} role="img" data-look="{self.look.layout} {self.look.palette}">'
        )
        defined = [f"<defs>{self.definitions}</defs>"] if self.definitions else []
        ground = f'<rect {size} fill="{PAPER}"/>'
        document = "\n".join([head, f"<title>{escape(title)}</title>", *defined, ground, *self._parts, "</svg>\n"])
        if self.look.palette == "light":
            return document
        return '"'.join([dark.get(part, part) for part in document.split('"')])  # an attribute's value is a part


def _attributes(values: dict[str, Any]) -> str:
    """Attributes in SVG, by name: keywords have no order in every Python that draws."""
    if not values:
        return ""
    return "".join([_attribute(k, str(v)) for k, v in sorted(values.items())])


@lru_cache(maxsize=8192)  # the same attributes come again in every picture
def _attribute(keyword: str, value: str) -> str:
    name = "class" if keyword == "kind" else keyword.replace("_", "-")
    return f" {name}={quoteattr(value)}"


@lru_cache(maxsize=8192)
def _escaped(words: str) -> str:
    return escape(words)


def picture_of_lines(text: str, title: str) -> str:
    """Lines of text as an SVG document, for a game without a drawing of its own."""
    lines, size = text.split("\n"), 20.0
    picture = Picture(640, size * (1.5 * len(lines) + 1))
    for k, line in enumerate(lines):
        picture.text_at(size, size * (1.5 * k + 1.5), line, size, room=600)
    return picture.text(title)
