"""How large letters and targets are on the page, for each game and layout.

python -m tests.drawing.legibility
"""

from __future__ import annotations

import statistics
from typing import NamedTuple

from rfop_env.drawing.palette import LAYOUTS, Look

from tests.drawing.positions import CASES, STOPS, look_at, positions
from tests.drawing.svg_geometry import Drawing


class Place(NamedTuple):
    """The room that the page has for a board, in pixels, and what is asked of a picture in it."""

    width: float
    height: float
    smallest: float  # pixels, of the smallest text
    median: float  # of the text at the median
    target: float  # of the shorter side of a part to choose

    def scale(self, drawing):
        """How many pixels a unit of the picture takes."""
        return min(self.width / drawing.width, self.height / drawing.height)


ANY = float("inf")  # the page scrolls
PLACES = {
    "wide": Place(860, 640, smallest=9, median=11, target=0),
    "tall": Place(640, ANY, smallest=9, median=11, target=0),
    "phone": Place(400, ANY, smallest=11, median=11, target=24),
}


class Sizes(NamedTuple):
    """In pixels: the smallest text, the text at the median, the shorter side of the smallest target."""

    smallest: float
    median: float
    target: float


def measure(drawing, place):
    """The sizes of a picture in its place."""
    scale = place.scale(drawing)
    letters = [scale * text.size for text in drawing.texts]
    targets = [scale * min(x1 - x0, y1 - y0) for x0, y0, x1, y1 in drawing.targets]
    return Sizes(min(letters), statistics.median(letters), min(targets, default=ANY))


def case_sizes(case, layout):
    """The smallest of each size over the positions of a game."""
    drawings = [Drawing(look_at(position, Look(layout))) for position in positions(case)[:STOPS]]
    return Sizes(*map(min, zip(*[measure(drawing, PLACES[layout]) for drawing in drawings], strict=True)))


def main():
    """Print the table."""
    print("| game | layout | smallest text | median text | smallest target |\n|---|---|---:|---:|---:|")
    for case in CASES:
        for layout in LAYOUTS:
            print(
                f"| {case.name} | {layout} | " + " | ".join(f"{size:.1f}" for size in case_sizes(case, layout)) + " |"
            )


if __name__ == "__main__":
    main()
