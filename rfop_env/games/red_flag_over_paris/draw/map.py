"""The map of Red Flag Over Paris drawn: four Crisis Dimensions of three spaces, and the pieces in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.picture import Picture, Point
from rfop_env.games.red_flag_over_paris import actions, board, state
from rfop_env.games.red_flag_over_paris.draw import signs
from rfop_env.games.red_flag_over_paris.draw.view import View, holds

TOP, HEIGHT = 320, 350
PANELS = ((24, 420), (460, 716))  # left and width by sphere
SPHERE_CAPTIONS = (228, 1060)  # the middle of each

# Top left corners of the spaces, by space; the two places without pieces are tall strips: left, top, width, height.
BOX_WIDTH, BOX_HEIGHT, BOX_HEADER = 164, 76, 20
SPACE_AT = (
    (42, 354),
    (42, 470),
    (42, 586),
    (262, 354),
    (262, 470),
    (262, 586),
    (542, 354),
    (542, 586),
    (930, 586),
    (736, 354),
    (736, 470),
    (930, 412),
)
STRIPS = {board.VERSAILLES_HQ: (468, 350, 44, 316), board.OCCUPIED_TERRITORY: (1124, 350, 44, 316)}
STRIP_WORDS = {board.VERSAILLES_HQ: ("Versailles HQ",), board.OCCUPIED_TERRITORY: ("Prussian", "Occupied Territory")}
REGIONS = (
    ((34, 346), (214, 346), (214, 666), (34, 666)),
    ((254, 346), (434, 346), (434, 666), (254, 666)),
    ((532, 346), (716, 346), (716, 576), (1106, 576), (1106, 666), (532, 666)),
    ((726, 346), (1106, 346), (1106, 566), (726, 566)),
)
REGION_LABELS = ((36, 338), (290, 338), (534, 338), (728, 338))
LEGEND_AT = (546, 452)
RING_STEP = 4  # between the three borders of a pivotal space


def draw_map(picture: Picture, view: View) -> None:
    """Regions, what leads from where, spaces, and what the signs mean."""
    for sphere, (x, width) in enumerate(PANELS):
        pieces.panel(picture, x, TOP, width, HEIGHT)
        pieces.caption(picture, SPHERE_CAPTIONS[sphere], TOP + 18, board.SPHERE_NAMES[sphere], anchor="middle")
    for dimension in range(board.DIMENSIONS):
        _region(picture, dimension)
    for place in STRIPS:
        _strip(picture, view, place)
    _edges(picture, view)
    for space in range(board.SPACES):
        _space(picture, view, space)
    _legend(picture)


def _region(picture: Picture, dimension: int) -> None:
    fill, (x, y), name = signs.DIMENSION_PALE[dimension], REGION_LABELS[dimension], board.DIMENSION_NAMES[dimension]
    picture.open("dimension", name, [actions.BONUS_OF + dimension])
    picture.polygon(REGIONS[dimension], fill, stroke=fill, stroke_width=6, stroke_linejoin="round")
    signs.draw_dimension_sign(picture, dimension, x + 6, y - 5, 6)
    picture.text_at(x + 20, y, name, 13, signs.DIMENSION_DEEP[dimension], bold=True, room=124)
    picture.close()


def _strip(picture: Picture, view: View, place: int) -> None:
    """A place without pieces; its name runs upwards."""
    x, y, width, height = STRIPS[place]
    side, lines = view.holder(place), STRIP_WORDS[place]
    picture.open("place", f"{board.PLACE_NAMES[place]}: {board.SIDE_NAMES[side]}")
    edge: dict[str, Any] = {"stroke": signs.TONES[side].deep, "stroke_width": 1.5 if side == board.NEUTRAL else 3}
    picture.rect(x, y, width, height, signs.TONES[side].pale, **edge)
    for i, words in enumerate(lines):
        across = x + width / 2 + 17 * (i - (len(lines) - 1) / 2)
        turn = f"rotate(-90 {across:g} {y + height / 2:g}) translate(0 5)"
        look: dict[str, Any] = {"anchor": "middle", "bold": True, "room": height - 44, "transform": turn}
        picture.text_at(across, y + height / 2, words, 14, signs.TONES[side].dark, **look)
    if side != board.NEUTRAL:
        pieces.badge(picture, signs.TONES[side], x + width / 2, y + 16, signs.SIDE_LETTERS[side])
    picture.close()


# -- what leads from where ---------------------------------------------------------------------------------------------


def _edges(picture: Picture, view: View) -> None:
    adjacent = [int(a) for a in view.tables.adjacent]
    for space in range(board.SPACES):
        for place in range(len(board.PLACE_NAMES)):
            if not holds(adjacent[space], place):
                continue
            both_ways = place >= board.SPACES or holds(adjacent[place], space)
            if both_ways and place > space:
                ends = (_middle(place, space), _middle(space, space))
                picture.line(ends, palette.INK, 7)
                picture.line(ends, palette.WHITE, 3)
            elif not both_ways:
                _arrow(picture, _middle(place, space), space)


def _middle(place: int, towards: int) -> Point:
    """The middle of a space; of a strip, the point level with the space that it is joined to."""
    if place in STRIPS:
        x, _, width, _ = STRIPS[place]
        return x + (0 if place == board.OCCUPIED_TERRITORY else width), _middle(towards, towards)[1]
    x, y = SPACE_AT[place]
    return x + BOX_WIDTH / 2, y + BOX_HEIGHT / 2


def _arrow(picture: Picture, start: Point, space: int) -> None:
    """An arrow straight into a space, its head just outside the borders."""
    end = _middle(space, space)
    dx, dy = end[0] - start[0], end[1] - start[1]
    reach = 2 * RING_STEP + 3
    clipped = [(half + reach) / abs(d) for d, half in ((dx, BOX_WIDTH / 2), (dy, BOX_HEIGHT / 2)) if d]
    back, length = min(clipped), math.hypot(dx, dy)
    tip = (end[0] - back * dx, end[1] - back * dy)
    ux, uy = dx / length, dy / length
    base = (tip[0] - 12 * ux, tip[1] - 12 * uy)
    picture.line((start, base), palette.INK, 3.5)
    picture.polygon([tip, (base[0] - 8 * uy, base[1] + 8 * ux), (base[0] + 8 * uy, base[1] - 8 * ux)], palette.INK)


# -- spaces ------------------------------------------------------------------------------------------------------------


def _space(picture: Picture, view: View, space: int) -> None:
    """A space: its borders show control, its head the name, its body the pieces and signs."""
    (x, y), holder, pivotal = SPACE_AT[space], view.holder(space), holds(board.PIVOTAL_SPACES, space)
    picture.open(f"space control-{signs.SIDE_CLASSES[holder]}", _space_tip(view, space, holder), _actions(space))
    _borders(picture, x, y, holder, pivotal)
    pieces.band(picture, x + 2, y + 2, BOX_WIDTH - 4, BOX_HEADER - 2, signs.DIMENSION_DEEP[space // 3], 6)
    words, room = board.SPACE_NAMES[space], BOX_WIDTH - 24
    picture.text_at(x + BOX_WIDTH / 2, y + 15, words, 12, palette.WHITE, anchor="middle", bold=True, room=room)

    for side, row in ((board.VERSAILLES, 0), (board.COMMUNE, 1)):
        signs.draw_cubes(picture, side, int(view.s.cubes[side, space]), x + 36, y + BOX_HEADER + 7 + 23 * row)
    _signs(picture, view, space, x + 18, y + BOX_HEADER + 27)
    if view.s.disc[space]:
        _disc(picture, int(view.s.disc[space]) - 1, x + BOX_WIDTH - 25, y + BOX_HEADER + 27)

    if holder != board.NEUTRAL:
        pieces.badge(picture, signs.TONES[holder], x + 2, y + 2, signs.SIDE_LETTERS[holder])
    for side in range(board.SIDES):
        if view.objective(side) != state.NO_CARD and view.tables.target[view.objective(side)] == space:
            _target(picture, side, x + BOX_WIDTH - 1, y + 2 + (BOX_HEIGHT - 4) * side)

    out = 2 * RING_STEP if pivotal else 0
    box = (x - out, y - out, BOX_WIDTH + 2 * out, BOX_HEIGHT + 2 * out)
    if space == view.chosen_space():
        pieces.mark_chosen(picture, *box)
    if space in view.touched:
        pieces.mark_last(picture, *box, out=5)
    picture.close()


def _actions(space: int) -> list[int]:
    """The actions that point to a space."""
    military = [actions.STORM + space, actions.DISC_IN + space] if space >= board.SPACES // 2 else []
    firsts = (actions.PLACE_IN, actions.REMOVE_FROM, actions.REPLACE_IN, actions.TAKE_FROM)
    return [first + space for first in firsts] + military


def _space_tip(view: View, space: int, holder: int) -> str:
    parts = [f"{board.SPACE_NAMES[space]} ({board.DIMENSION_NAMES[space // 3]})"]
    for side in (board.VERSAILLES, board.COMMUNE):
        parts.append(f"{board.SIDE_NAMES[side]} {int(view.s.cubes[side, space])}")
    parts.append("no control" if holder == board.NEUTRAL else f"controlled by {board.SIDE_NAMES[holder]}")
    return ", ".join(parts)


def _borders(picture: Picture, x: float, y: float, holder: int, pivotal: bool) -> None:
    """The ring of control: one border, three around a pivotal space."""
    colour = signs.TONES[holder].deep
    if pivotal:
        for out, fill in ((2 * RING_STEP, palette.WHITE), (RING_STEP, "none")):
            size = (BOX_WIDTH + 2 * out, BOX_HEIGHT + 2 * out)
            picture.rect(x - out, y - out, *size, fill, 6 + out, stroke=colour, stroke_width=2)
    controlled_width = 2 if pivotal else 4.5
    width = 1.5 if holder == board.NEUTRAL else controlled_width
    picture.rect(x, y, BOX_WIDTH, BOX_HEIGHT, palette.WHITE, 8, stroke=colour, stroke_width=width)


def _signs(picture: Picture, view: View, space: int, x: float, middle: float) -> None:
    """The dimension's sign, above a star in a pivotal space, or a pennant where a side is always present."""
    pivotal = holds(board.PIVOTAL_SPACES, space)
    flags = [side for side in range(board.SIDES) if holds(int(view.tables.always_present[side]), space)]
    signs.draw_dimension_sign(picture, space // 3, x, middle - 11 if pivotal or flags else middle, 7)
    if pivotal:
        pieces.star(picture, x, middle + 12, 10)
    for i, side in enumerate(flags):
        _pennant(picture, side, x - 6 + 10 * i, middle + 5)


def _disc(picture: Picture, side: int, x: float, y: float) -> None:
    picture.open(f"disc {signs.SIDE_CLASSES[side]}", ("Barricade", "Fortification")[side])
    pieces.disc(picture, signs.TONES[side], x, y, "BF"[side])
    picture.close()


def _pennant(picture: Picture, side: int, x: float, y: float) -> None:
    """A pennant: swallow-tailed for the Commune, pointed for Versailles, square for the legend."""
    tail = {board.COMMUNE: [(x + 15, y), (x + 9, y + 5), (x + 15, y + 10)], board.VERSAILLES: [(x + 15, y + 5)]}
    picture.open("always-present", f"{board.SIDE_NAMES[side]} is always present here")
    picture.line(((x, y), (x, y + 18)), palette.INK, 1.6)
    picture.polygon([(x, y), *tail.get(side, [(x + 12, y), (x + 12, y + 10)]), (x, y + 10)], signs.TONES[side].deep)
    picture.close()


def _target(picture: Picture, side: int, x: float, y: float) -> None:
    """A target with the letter of the side whose objective it is."""
    picture.open(f"objective {signs.SIDE_CLASSES[side]}", f"objective of {board.SIDE_NAMES[side]}")
    for radius, fill in (
        (13, palette.WHITE),
        (11.5, signs.TONES[side].deep),
        (9, palette.WHITE),
        (7, signs.TONES[side].deep),
    ):
        picture.circle(x, y, radius, fill)
    if side != board.NEUTRAL:
        picture.text_at(x, y + 3.6, signs.SIDE_LETTERS[side], 10, palette.WHITE, anchor="middle", bold=True)
    picture.close()


def _legend(picture: Picture) -> None:
    x, y = LEGEND_AT
    rows: tuple[tuple[str, Callable[[float], None]], ...] = (
        ("pivotal space", lambda h: pieces.star(picture, x + 10, h, 9)),
        ("always present", lambda h: _pennant(picture, board.NEUTRAL, x + 4, h - 9)),
        ("objective", lambda h: _target(picture, board.NEUTRAL, x + 10, h)),
        ("ring: control", lambda h: picture.circle(x + 10, h, 7, "none", stroke=palette.GREY.deep, stroke_width=4)),
        ("last move", lambda h: pieces.mark_last(picture, x + 4, h - 6, 12, 12)),
    )
    for i, (words, sign) in enumerate(rows):
        sign(y + 26 * i)
        picture.text_at(x + 30, y + 4.5 + 26 * i, words, 13)
