"""Where the text of an SVG picture lies, measured with DejaVu Sans, and what lies below it.

The pictures use few elements: rectangles, circles, ellipses, polygons, paths and text, in groups that move, turn and
scale. Curves of a path are taken as straight lines to their ends.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree

import numpy as np
from matplotlib.ft2font import FT2Font

from tests.drawing.font_widths import FILES, FOLDER, UNITS, letter_width

SVG = "{http://www.w3.org/2000/svg}"
CAP_HEIGHT, DESCENT = 0.73, 0.22  # of the font size
DESCENDING = set("gjpqyçQ,;()/")
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?")
ARGUMENTS = {"M": 2, "L": 2, "H": 1, "V": 1, "Q": 4, "T": 2, "C": 6, "A": 7, "Z": 0}


@dataclass
class Shape:
    """A closed outline with its colour; `fill` is None where only the edge is drawn."""

    corners: np.ndarray
    fill: np.ndarray | None  # red, green, blue from 0 to 1
    opacity: float
    kind: str

    def __post_init__(self):
        self.box = (*self.corners.min(axis=0).tolist(), *self.corners.max(axis=0).tolist())
        x0, y0, x1, y1 = self.box
        self.area = (x1 - x0) * (y1 - y0)

    def holds(self, x, y):
        a, b = self.corners, np.roll(self.corners, -1, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            crosses = (a[:, 1] > y) != (b[:, 1] > y)
            at = a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1])
        return bool((crosses & (x < at)).sum() % 2)


@dataclass
class Text:
    """A line of text: its box, size and colour, and the shapes drawn before it."""

    words: str
    size: float
    box: tuple[float, float, float, float]
    fill: np.ndarray
    below: int  # how many shapes were drawn before it

    @property
    def middle(self):
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


class Drawing:
    """All shapes and texts of a picture, in the order in which they are drawn, and the boxes of parts to choose."""

    def __init__(self, svg):
        self.root = ElementTree.fromstring(svg)
        self.width, self.height = float(self.root.get("width")), float(self.root.get("height"))
        self.shapes, self.texts, self.targets = [], [], []
        self._walk(self.root, np.eye(3))
        self._boxes = np.array([shape.box for shape in self.shapes])

    def under(self, text):
        """The shapes below the middle of a text, from the lowest."""
        (x, y), boxes = text.middle, self._boxes[: text.below]
        near = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
        return [self.shapes[i] for i in np.flatnonzero(near) if self.shapes[i].holds(x, y)]

    def container(self, text):
        """The smallest shape below the middle of a text."""
        return min(self.under(text), key=lambda shape: shape.area)

    def ground(self, text):
        """The colour below the middle of a text."""
        colour = np.ones(3)
        for shape in self.under(text):
            if shape.fill is not None:
                colour = shape.opacity * shape.fill + (1 - shape.opacity) * colour
        return colour

    def overlaps(self):
        """Pairs of texts, and how far their boxes overlap: the smaller of both directions; no pair that is apart."""
        boxes = np.array([text.box for text in self.texts])
        low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
        high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
        depth = (high - low).min(axis=2)
        for i, j in np.argwhere(np.triu(depth > 0, 1)):
            yield self.texts[i], self.texts[j], float(depth[i, j])

    def _walk(self, element, outer):
        for child in element:
            place = outer @ matrix(child.get("transform", ""))
            name = child.tag.removeprefix(SVG)
            if name == "defs":
                continue
            if name == "text":
                self._add_text(child, place)
            elif name in OUTLINES:
                self._add_shape(child, place, name)
            counts = len(self.shapes), len(self.texts)
            self._walk(child, place)
            if child.get("data-action"):
                self._add_target(*counts)

    def _add_target(self, shapes, texts):
        """The box of a part that can be chosen: of its shapes and texts from these numbers on."""
        boxes = np.array([item.box for item in (*self.shapes[shapes:], *self.texts[texts:])])
        self.targets.append((*boxes[:, :2].min(axis=0).tolist(), *boxes[:, 2:].max(axis=0).tolist()))

    def _add_shape(self, element, place, name):
        corners = np.array(OUTLINES[name](element), float)
        fill = element.get("fill", "black")
        if len(corners) < 3 or (fill == "none" and name in ("path", "polygon")):
            return
        moved = (place @ np.column_stack([corners, np.ones(len(corners))]).T).T[:, :2]
        colour = None if fill == "none" else rgb(fill)
        self.shapes.append(Shape(moved, colour, float(element.get("opacity", 1)), element.get("class", name)))

    def _add_text(self, element, place):
        words, size, bold = element.text or "", float(element.get("font-size")), element.get("font-weight") == "bold"
        width = size * line_width(words, bold)
        x, y = float(element.get("x")), float(element.get("y"))
        x0 = x - {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor", "start")]
        bottom = y + (DESCENT * size if DESCENDING & set(words) else 0)
        corners = np.array([(x0, y - CAP_HEIGHT * size, 1), (x0 + width, bottom, 1)])
        moved = (place @ corners.T).T[:, :2]
        box = (*moved.min(axis=0), *moved.max(axis=0))
        scale = math.sqrt(abs(np.linalg.det(place[:2, :2])))
        self.texts.append(Text(words, size * scale, box, rgb(element.get("fill")), len(self.shapes)))


# -- text --------------------------------------------------------------------------------------------------------------


@cache
def font(bold):
    return FT2Font(str(FOLDER / FILES["BOLD" if bold else "REGULAR"]))


@cache
def line_width(words, bold):
    """The width of a line at font size 1, from the font itself."""
    return sum(letter_width(font(bold), letter) for letter in words) / UNITS


# -- colours -----------------------------------------------------------------------------------------------------------


def rgb(colour):
    """A colour "#rrggbb" as three numbers from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def linear(colour):
    """Light of a colour: sRGB without its gamma."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    """The contrast ratio of two colours as WCAG defines it, from 1 to 21."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


# Deuteranopia in linear light (Machado, Oliveira and Fernandes 2009, severity 1).
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)


def distance(a, b, deuteranopia=True):
    """How far two colours are apart in CIE Lab, as seen by readers who cannot tell red from green."""
    lights = [linear(colour) for colour in (a, b)]
    if deuteranopia:
        lights = [np.clip(DEUTERANOPIA @ light, 0, 1) for light in lights]
    return float(np.linalg.norm(lab(lights[0]) - lab(lights[1])))


def lab(light):
    """Linear light as CIE Lab."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ light / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


# -- outlines ----------------------------------------------------------------------------------------------------------


def matrix(transform):
    """A transform attribute as a matrix."""
    product = np.eye(3)
    for name, inside in re.findall(r"(\w+)\(([^)]*)\)", transform):
        n = [float(x) for x in NUMBER.findall(inside)]
        if name == "translate":
            step = moved(n[0], n[1])
        elif name == "scale":
            step = np.diag([n[0], n[0], 1.0])
        elif name == "rotate":
            c, s = math.cos(math.radians(n[0])), math.sin(math.radians(n[0]))
            around = (n[1], n[2]) if len(n) == 3 else (0, 0)
            step = moved(*around) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ moved(-around[0], -around[1])
        else:
            raise ValueError(f"a transform that is not known here: {name}")
        product = product @ step
    return product


def moved(x, y):
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]], float)


def _number(element, name):
    return float(element.get(name, 0))


def _rect(element):
    x, y, width, height = (_number(element, name) for name in ("x", "y", "width", "height"))
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def _ellipse(element):
    rx, ry = (_number(element, "r"),) * 2 if element.get("r") else (_number(element, "rx"), _number(element, "ry"))
    turns = [2 * math.pi * i / 32 for i in range(32)]
    x, y = _number(element, "cx"), _number(element, "cy")
    return [(x + rx * math.cos(a), y + ry * math.sin(a)) for a in turns]


def _polygon(element):
    numbers = [float(n) for n in NUMBER.findall(element.get("points"))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _path(element):
    """The ends of a path's lines and curves; a path of several parts is one outline."""
    corners, x, y = [], 0.0, 0.0
    for command, inside in re.findall(r"([A-Za-z])([^A-Za-z]*)", element.get("d")):
        numbers, size = [float(n) for n in NUMBER.findall(inside)], ARGUMENTS[command.upper()]
        for i in range(0, len(numbers), size or 1):
            part, relative = numbers[i : i + size], command.islower()
            if command.upper() == "H":
                x = part[0] + (x if relative else 0)
            elif command.upper() == "V":
                y = part[0] + (y if relative else 0)
            else:
                x, y = part[-2] + (x if relative else 0), part[-1] + (y if relative else 0)
            corners.append((x, y))
    return corners


OUTLINES = {"rect": _rect, "circle": _ellipse, "ellipse": _ellipse, "polygon": _polygon, "path": _path}
