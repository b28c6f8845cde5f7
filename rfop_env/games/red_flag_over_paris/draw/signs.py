"""The pieces of Red Flag Over Paris drawn: cubes, and the signs of sides and Crisis Dimensions.

A diamond on its face marks a cube of the Commune, a square one of Versailles, as in the drawing for a terminal.
"""

from __future__ import annotations

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.picture import Picture
from rfop_env.games.red_flag_over_paris import board
from rfop_env.games.red_flag_over_paris.draw.layout import DIMENSION_INK

# By side, and NEUTRAL.
TONES = (palette.RED, palette.BLUE, palette.GREY)
SIDE_CLASSES = ("commune", "versailles", "neutral")
SIDE_LETTERS = ("C", "V", "N")
CUBE_SIGNS = ("M7 7.2L10.8 11L7 14.8L3.2 11Z", "M4.2 8.2H9.8V13.8H4.2Z")

CUBE_STEP = 19


def definitions() -> str:
    """The definitions that the cubes of both sides refer to."""
    return "".join(
        pieces.cube_definition(SIDE_CLASSES[side], TONES[side], CUBE_SIGNS[side]) for side in range(board.SIDES)
    )


def draw_cubes(picture: Picture, side: int, count: int, x: float, y: float) -> None:
    """Cubes in a row from the top left corner (x, y)."""
    for i in range(count):
        pieces.cube(picture, SIDE_CLASSES[side], x + CUBE_STEP * i, y)


def draw_cubes_and_gaps(picture: Picture, side: int, count: int, start: int, middle: float, y: float) -> None:
    """Cubes around a middle; those of the `start` that have gone leave their outline."""
    slots = max(count, start)
    x = middle - (CUBE_STEP * slots - (CUBE_STEP - pieces.CUBE)) / 2
    for i in range(count, slots):
        draw_gap(picture, side, x + CUBE_STEP * i, y)
    draw_cubes(picture, side, count, x, y)


def draw_gap(picture: Picture, side: int, x: float, y: float) -> None:
    """The outline of a cube that is not there."""
    outline = {"stroke": TONES[side].deep, "stroke_width": 1, "stroke_dasharray": "2 2", "opacity": 0.55}
    picture.rect(x + 2, y + 2, pieces.CUBE - 4, pieces.CUBE - 4, "none", 2, **outline)


def draw_dimension_sign(picture: Picture, dimension: int, x: float, y: float, size: float) -> None:
    """The sign of a Crisis Dimension around (x, y): square, triangle, circle, diamond."""
    fill = DIMENSION_INK[dimension]
    if dimension == board.INSTITUTIONAL:
        picture.rect(x - size * 0.85, y - size * 0.85, 1.7 * size, 1.7 * size, fill, 1.5)
    elif dimension == board.PUBLIC_OPINION:
        picture.polygon([(x, y - size), (x + 1.1 * size, y + 0.9 * size), (x - 1.1 * size, y + 0.9 * size)], fill)
    elif dimension == board.FORTS:
        picture.circle(x, y, size, fill)
    elif dimension == board.PARIS:
        r = 1.15 * size
        picture.polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], fill)
