"""Where the parts of the picture of Red Flag Over Paris lie, in its own units, for each layout."""

from __future__ import annotations

from typing import NamedTuple

from rfop_env.drawing import palette
from rfop_env.drawing.picture import Box, Point
from rfop_env.games.red_flag_over_paris import board


class Plan(NamedTuple):
    """The measures of a layout. A height of 0 is that of what lies there."""

    width: float
    height: float
    smallest: float  # font size
    text: float  # the usual font size
    zones: tuple[tuple[Box, ...], ...]  # of the crisis tracks, by side and zone; the bonus cubes lie above
    rounds: Box
    vp: Box
    initiative: Box
    pool: Box
    collaboration: Box
    table: Box
    revolution: Box
    out_of_play: Box
    spheres: tuple[Box, Box]
    spaces: tuple[Box, ...]
    strips: dict[int, Box]  # the two places without pieces
    regions: tuple[tuple[tuple[Point, ...], ...], ...]  # polygons by dimension
    labels: tuple[Point, ...]  # of the dimensions
    legend: tuple[Point, ...]
    own: Box
    far: Box
    card_rows: float  # height of a row of own cards in a list; 0: cards stand side by side


HEADER = 20  # height of the head of a space
BONUS = 25  # height of the place of bonus cubes above a zone
AROUND = 9  # of a region, around its spaces


def _zones(x: float, y: float, width: float, height: float, step: float) -> tuple[Box, ...]:
    return tuple(Box(x + step * zone, y, width, height) for zone in range(board.ZONES))


def _grid(x: float, y: float, width: float, height: float, steps: Point, cells: tuple[Point, ...]) -> tuple[Box, ...]:
    """Spaces in cells of a grid: column and row of each."""
    return tuple(Box(x + steps[0] * column, y + steps[1] * row, width, height) for column, row in cells)


def _hull(spaces: tuple[Box, ...]) -> tuple[Point, ...]:
    """The region of spaces that lie in a row or column."""
    west, top = min(space.x for space in spaces) - AROUND, min(space.y for space in spaces) - AROUND
    right = max(space.x + space.width for space in spaces) + AROUND
    bottom = max(space.y + space.height for space in spaces) + AROUND
    return ((west, top), (right, top), (right, bottom), (west, bottom))


COLUMNS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2))  # of the political spaces
ROWS = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1))
WIDE_MILITARY = ((0, 0), (0, 2), (2, 2), (1, 0), (1, 1), (2, 0.5))
NARROW_MILITARY = ((0, 0), (0, 2), (1, 2), (1, 0), (0, 1), (1, 1))


def _wide_regions(spaces: tuple[Box, ...]) -> tuple[tuple[tuple[Point, ...], ...], ...]:
    """The Forts lie in a column and a row, Paris between them."""
    forts, paris = (spaces[6], spaces[7]), (spaces[7], spaces[8])
    inner = (spaces[9], spaces[10], spaces[11], spaces[8]._replace(y=spaces[10].y))
    return (_hull(spaces[:3]),), (_hull(spaces[3:6]),), (_hull(forts), _hull(paris)), (_hull(inner),)


def _labels(spaces: tuple[Box, ...], above: float) -> tuple[Point, ...]:
    """The labels of the dimensions above their first spaces."""
    return tuple((spaces[first].x - AROUND + 4, spaces[first].y - above) for first in (0, 3, 6, 9))


def _wide() -> Plan:
    step, y = 918 / 8, 67.0
    political = _grid(36, 300, 132, 61, (162, 90), COLUMNS)
    military = _grid(414, 300, 132, 61, (164, 90), WIDE_MILITARY)
    spaces = political + military
    versailles = tuple(reversed(_zones(6, y, step - 4, 46, step)))
    return Plan(
        width=930,
        height=690,
        smallest=9.8,
        text=12,
        zones=(_zones(6 + 4 * step, y, step - 4, 46, step), versailles),
        rounds=Box(6, 133, 186, 37),
        vp=Box(200, 133, 520, 37),
        initiative=Box(728, 133, 196, 37),
        pool=Box(6, 176, 124, 86),
        collaboration=Box(136, 176, 206, 86),
        table=Box(348, 176, 234, 86),
        revolution=Box(588, 176, 206, 86),
        out_of_play=Box(800, 176, 124, 86),
        spheres=(Box(6, 268, 344, 285), Box(356, 268, 568, 285)),
        spaces=spaces,
        strips={board.VERSAILLES_HQ: Box(362, 291, 32, 256), board.OCCUPIED_TERRITORY: Box(884, 291, 34, 256)},
        regions=_wide_regions(spaces),
        labels=_labels(spaces, 14),
        legend=tuple((424.0, 381.0 + 20 * i) for i in range(5)),
        own=Box(6, 559, 636, 125),
        far=Box(648, 559, 276, 125),
        card_rows=0,
    )


def _tall() -> Plan:
    step, y = 628 / 8, 97.0
    political = _grid(44, 491, 152, 62, (206, 96), ROWS)
    military = _grid(66, 732, 132, 61, (182, 92), WIDE_MILITARY)
    spaces = political + military
    labels = _labels(spaces, 14)
    versailles = tuple(reversed(_zones(6, y, step - 4, 46, step)))
    return Plan(
        width=640,
        height=991,
        smallest=9.5,
        text=12,
        zones=(_zones(6 + 4 * step, y, step - 4, 46, step), versailles),
        rounds=Box(6, 165, 310, 38),
        initiative=Box(324, 165, 310, 38),
        vp=Box(6, 226, 628, 40),
        pool=Box(6, 274, 140, 86),
        table=Box(152, 274, 336, 86),
        out_of_play=Box(494, 274, 140, 86),
        collaboration=Box(6, 366, 311, 86),
        revolution=Box(323, 366, 311, 86),
        spheres=(Box(6, 458, 628, 222), Box(6, 686, 628, 305)),
        spaces=spaces,
        strips={board.VERSAILLES_HQ: Box(14, 723, 32, 262), board.OCCUPIED_TERRITORY: Box(592, 723, 34, 262)},
        regions=((_hull(political[:3]),), (_hull(political[3:]),), *_wide_regions(spaces)[2:]),
        labels=(labels[0], (labels[1][0], spaces[3].y + spaces[3].height + AROUND + 17), *labels[2:]),
        legend=tuple((76.0, 813.0 + 20 * i) for i in range(5)),
        own=Box(6, 997, 628, 0),
        far=Box(6, 0, 628, 0),
        card_rows=26,
    )


def _phone() -> Plan:
    step = 388 / 4
    political = _grid(34, 797, 158, 66, (190, 100), COLUMNS)
    military = _grid(56, 1115, 132, 66, (156, 100), NARROW_MILITARY)
    spaces = political + military
    forts, paris = (military[0],), (military[1], military[2])
    columns, rows = (spaces[9], spaces[11]), (spaces[10], spaces[11])
    return Plan(
        width=400,
        height=1456,
        smallest=11,
        text=12,
        zones=(_zones(6, 181, step - 4, 50, step), _zones(6, 98, step - 4, 50, step)),
        rounds=Box(6, 254, 222, 40),
        initiative=Box(236, 254, 158, 40),
        vp=Box(6, 318, 388, 68),
        pool=Box(6, 394, 191, 88),
        out_of_play=Box(203, 394, 191, 88),
        collaboration=Box(6, 488, 388, 86),
        revolution=Box(6, 580, 388, 86),
        table=Box(6, 672, 388, 88),
        spheres=(Box(6, 766, 388, 312), Box(6, 1084, 388, 366)),
        spaces=spaces,
        strips={board.VERSAILLES_HQ: Box(11, 1106, 32, 284), board.OCCUPIED_TERRITORY: Box(355, 1106, 34, 284)},
        regions=(
            (_hull(political[:3]),),
            (_hull(political[3:]),),
            (_hull(forts), _hull(paris)),
            (_hull(columns), _hull(rows)),
        ),
        labels=_labels(spaces, 14),
        legend=tuple((14.0 + 128 * (i % 3), 1410.0 + 25 * (i // 3)) for i in range(5)),
        own=Box(6, 1456, 388, 0),
        far=Box(6, 0, 388, 0),
        card_rows=34,
    )


PLANS = {"wide": _wide(), "tall": _tall(), "phone": _phone()}

DIMENSION_DEEP = ("#2f6628", "#964603", "#0b5e5a", "#69399c")
DIMENSION_INK = ("#2f6629", "#964604", "#0b5e5b", "#69399d")  # text and signs
DIMENSION_PALE = ("#e2ecd9", "#fae5cd", "#d5ebe7", "#e8dff1")
ZONE_SHADES = (("#faece9", "#f6dcd9", "#efc3be", "#e9b2ad"), ("#ebf1fa", "#d9e4f5", "#bfd2ec", "#a9c3e8"))
DARK = {
    **palette.DARK,
    **dict(zip(DIMENSION_INK, ("#8fce84", "#f0a868", "#6fcac4", "#c9a2ee"), strict=True)),
    **dict(zip(DIMENSION_PALE, ("#232e20", "#372a1a", "#1a302e", "#2c2438"), strict=True)),
    **dict(zip(ZONE_SHADES[board.COMMUNE], ("#2f2022", "#3a2226", "#46252a", "#54292f"), strict=True)),
    **dict(zip(ZONE_SHADES[board.VERSAILLES], ("#1e2735", "#202d42", "#243450", "#293d61"), strict=True)),
}
