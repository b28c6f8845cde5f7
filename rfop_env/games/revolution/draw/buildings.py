"""The three buildings of Revolution drawn, about 64 wide and 52 high around their place."""

from __future__ import annotations

from typing import Any

from rfop_env.drawing.palette import BLACK, BLUE, GOLD, STONE, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.games.revolution import board

ROOF = "#6b7480"


def draw_building(picture: Picture, building: int, x: float, y: float, scale: float) -> None:
    """A building around (x, y)."""
    name = board.BUILDING_NAMES[building]
    place = f"translate({x:g} {y:g}) scale({scale:g})"
    picture.open(f"building {name.lower().replace(' ', '-')}", name, transform=place)
    (_bastille, _versailles, _notre_dame)[building](picture)
    picture.close()


def _bastille(picture: Picture) -> None:
    """A fortress: three crenellated towers and a gate."""
    edge: dict[str, Any] = {"stroke": BLACK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M-24 26V-10H24V26Z", STONE, **edge)
    for x0 in (-32, -8, 16):
        picture.path(f"M{x0} 26V-22h4v5h4v-5h4v5h4V26Z", STONE, **edge)
        picture.rect(x0 + 6.5, -6, 3, 9, BLACK, 1.5)
    picture.path("M-6 26V16a6 6 0 0 1 12 0V26Z", BLACK)


def _versailles(picture: Picture) -> None:
    """A palace: two wings, columns and a pediment."""
    edge: dict[str, Any] = {"stroke": BLACK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M-32 26V-2H32V26Z", STONE, **edge)
    picture.path("M-34 -2L-30 -11H30L34 -2Z", ROOF, **edge)
    picture.path("M-14 26V-9H14V26Z", WHITE, **edge)
    picture.path("M-17 -9L0 -24L17 -9Z", GOLD, **edge)
    for column in (-10, -4, 2, 8):
        picture.rect(column, -6, 2.5, 31, ROOF, 0)
    for window in (-28, -21, 18, 25):
        picture.rect(window, 4, 4, 7, BLACK, 1)
        picture.rect(window, 15, 4, 9, BLACK, 1)


def _notre_dame(picture: Picture) -> None:
    """A cathedral: two towers, a rose window and three portals."""
    edge: dict[str, Any] = {"stroke": BLACK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M-1.5 -10L0 -28L1.5 -10Z", ROOF, **edge)
    picture.path("M-24 26V-22H-9V-8H9V-22H24V26Z", STONE, **edge)
    for x0 in (-20.5, -15, 11.5, 17):
        picture.path(f"M{x0:g} -6v-9a2 2 0 0 1 4 0v9Z", BLACK)
    picture.circle(0, 3, 7, WHITE, stroke=BLACK, stroke_width=1.5)
    picture.path("M0 -4V10M-7 3H7M-5 -2L5 8M5 -2L-5 8", "none", stroke=BLUE.deep, stroke_width=1)
    for x0 in (-20, -4.5, 11):
        picture.path(f"M{x0:g} 26v-8a4.5 5 0 0 1 9 0v8Z", BLACK)
