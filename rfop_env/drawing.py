"""What the games' pictures are made of: a list of SVG elements, and a measure for words.

Kept apart from the core, whose files the compiled rules depend on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Point = tuple[float, float]


@dataclass(frozen=True)
class Held:
    """Cards or tiles in one place: those the viewer can name, and how many others there are."""

    seen: tuple[int, ...]
    hidden: int

    @property
    def count(self) -> int:
        """All of them."""
        return len(self.seen) + self.hidden


@dataclass
class Picture:
    """A picture of `width` by `height`, with short verbs to add elements to it.

    Every verb takes further attributes by name: `stroke_width=2` is written stroke-width="2", `kind` is the class.
    """

    width: float
    height: float
    paper: str  # colour of the ground
    ink: str  # colour of text unless another is given
    font: str
    definitions: str = ""  # the inside of <defs>
    _parts: list[str] = field(default_factory=list)

    def add(self, element: str) -> None:
        """Add a finished element."""
        self._parts.append(element)

    def rect(self, x: float, y: float, width: float, height: float, fill: str, radius: float = 6, **more: Any) -> None:
        """A rectangle with rounded corners."""
        place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self.add(f'<rect {place} rx="{radius:g}" fill="{fill}"{_more(more)}/>')

    def circle(self, x: float, y: float, radius: float, fill: str, **more: Any) -> None:
        """A circle."""
        self.add(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{_more(more)}/>')

    def polygon(self, points: Iterable[Point], fill: str, **more: Any) -> None:
        """A closed polygon."""
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polygon points="{corners}" fill="{fill}"{_more(more)}/>')

    def line(self, points: Iterable[Point], stroke: str, width: float, **more: Any) -> None:
        """A line through some points."""
        drawn = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.add(f'<path d="{drawn}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{_more(more)}/>')

    def path(self, drawn: str, fill: str = "none", at: Point | None = None, **more: Any) -> None:
        """A path in SVG's own language, from the point `at`."""
        place = "" if at is None else f' transform="translate({at[0]:g} {at[1]:g})"'
        self.add(f'<path{place} d="{drawn}" fill="{fill}"{_more(more)}/>')

    def text_at(
        self, x: float, y: float, words: str, size: float, fill: str = "", *,
        anchor: str = "start", bold: bool = False, room: float = math.inf, **more: Any,
    ) -> None:  # fmt: skip
        """A line of text; `anchor` as in SVG, `room` the width that it must not exceed."""
        weight = ' font-weight="bold"' if bold else ""
        place = f'x="{x:g}" y="{y:g}" font-size="{fitting(words, size, bold, room):g}"'
        look = f'fill="{fill or self.ink}" text-anchor="{anchor}"{weight}{_more(more)}'
        self.add(f"<text {place} {look}>{escape(words)}</text>")

    def open(self, kind: str, tip: str = "", **more: Any) -> None:
        """Start a group of a class, with a tooltip."""
        title = f"<title>{escape(tip)}</title>" if tip else ""
        self.add(f"<g class={quoteattr(kind)}{_more(more)}>{title}")

    def close(self) -> None:
        """End the group."""
        self.add("</g>")

    def text(self, title: str) -> str:
        """The whole document."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" {size} '
            f'font-family={quoteattr(self.font)} role="img">'
        )
        defined = [f"<defs>{self.definitions}</defs>"] if self.definitions else []
        ground = f'<rect {size} fill="{self.paper}"/>'
        return "\n".join([head, f"<title>{escape(title)}</title>", *defined, ground, *self._parts, "</svg>\n"])


def _more(attributes: dict[str, Any]) -> str:
    names = {"kind": "class"}
    return "".join(f" {names.get(k, k.replace('_', '-'))}={quoteattr(str(v))}" for k, v in attributes.items())


def text_width(words: str, size: float, bold: bool = False) -> float:
    """A generous guess, since the reader's font is unknown: the widest common sans-serif sets the measure."""
    narrow = sum(letter in " .,:;'!|ijlIft()-·" for letter in words)
    return size * (0.36 * narrow + (0.65 if bold else 0.59) * (len(words) - narrow))


def fitting(words: str, size: float, bold: bool, room: float) -> float:
    """The size at which words fit into a width."""
    return round(size * min(1.0, room / max(text_width(words, size, bold), 1.0)), 1)


def wrapped(words: str, size: float, room: float, bold: bool = False) -> list[str]:
    """Words broken into lines of at most a width; a longer word is broken at its hyphens, or has its own line."""
    lines = [""]
    for word in words.split():
        parts = [word] if text_width(word, size, bold) <= room else word.replace("-", "- ").split()
        for i, part in enumerate(parts):
            longer = f"{lines[-1]}{' ' if i == 0 else ''}{part}".strip()
            if not lines[-1] or text_width(longer, size, bold) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
    return lines
