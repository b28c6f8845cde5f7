"""The map of Red Flag Over Paris drawn: four Crisis Dimensions of three spaces, and the pieces in them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.measure import text_width
from rfop_env.drawing.picture import Box, Picture, Point
from rfop_env.games.red_flag_over_paris import actions, board, state
from rfop_env.games.red_flag_over_paris.draw import layout, signs
from rfop_env.games.red_flag_over_paris.draw.layout import HEADER, Plan
from rfop_env.games.red_flag_over_paris.draw.view import View, holds

STRIP_WORDS = {board.VERSAILLES_HQ: ("Versailles HQ",), board.OCCUPIED_TERRITORY: ("Prussian", "Occupied Territory")}
RING_STEP = 4  # between the three borders of a pivotal space


def draw_map(picture: Picture, view: View, plan: Plan) -> None:
    """Regions, what leads from where, spaces, and what the signs mean."""
    for sphere, box in enumerate(plan.spheres):
        pieces.panel(picture, *box)
        _sphere_name(picture, sphere, box)
    for dimension in range(board.DIMENSIONS):
        _region(picture, plan, dimension)
    for place in plan.strips:
        _strip(picture, view, plan, place)
    _edges(picture, view, plan)
    for space in range(board.SPACES):
        _space(picture, view, plan, space)
    _legend(picture, plan)


def _sphere_name(picture: Picture, sphere: int, box: Box) -> None:
    """The name of a sphere: of the political one, whose spaces leave less room above, upwards at the left."""
    if sphere == 0:
        x, y = box.x + 15, box.y + box.height / 2
        turn: dict[str, Any] = {"anchor": "middle", "transform": f"rotate(-90 {x:g} {y:g})"}
        pieces.caption(picture, x, y, board.SPHERE_NAMES[sphere], **turn)
    else:
        pieces.caption(picture, box.x + box.width - 8, box.y + 17, board.SPHERE_NAMES[sphere], anchor="end")


def _region(picture: Picture, plan: Plan, dimension: int) -> None:
    fill, (x, y), name = layout.DIMENSION_PALE[dimension], plan.labels[dimension], board.DIMENSION_NAMES[dimension]
    picture.open("dimension", name, [actions.BONUS_OF + dimension])
    for corners in plan.regions[dimension]:
        picture.polygon(corners, fill, stroke=fill, stroke_width=4, stroke_linejoin="round")
    signs.draw_dimension_sign(picture, dimension, x + 6, y - 5, 6)
    picture.text_at(x + 20, y, name, 13, layout.DIMENSION_INK[dimension], bold=True, room=124)
    picture.close()


def _strip(picture: Picture, view: View, plan: Plan, place: int) -> None:
    """A place without pieces; its name runs upwards."""
    x, y, width, height = plan.strips[place]
    side, lines = view.holder(place), STRIP_WORDS[place]
    picture.open("place", f"{board.PLACE_NAMES[place]}: {board.SIDE_NAMES[side]}")
    edge: dict[str, Any] = {"stroke": signs.TONES[side].deep, "stroke_width": 1.5 if side == board.NEUTRAL else 3}
    picture.rect(x, y, width, height, signs.TONES[side].pale, **edge)
    for i, words in enumerate(lines):
        across = x + width / 2 + 15 * (i - (len(lines) - 1) / 2)
        turn = f"rotate(-90 {across:g} {y + height / 2:g}) translate(0 5)"
        look: dict[str, Any] = {"anchor": "middle", "bold": True, "room": height - 54, "transform": turn}
        picture.text_at(across, y + height / 2, words, 13, signs.TONES[side].ink, **look)
    if side != board.NEUTRAL:
        pieces.badge(picture, signs.TONES[side], x + width / 2, y + 16, signs.SIDE_LETTERS[side])
    picture.close()


# -- what leads from where ---------------------------------------------------------------------------------------------


def _edges(picture: Picture, view: View, plan: Plan) -> None:
    adjacent = [int(a) for a in view.tables.adjacent]
    for space in range(board.SPACES):
        for place in range(len(board.PLACE_NAMES)):
            if not holds(adjacent[space], place):
                continue
            both_ways = place >= board.SPACES or holds(adjacent[place], space)
            if both_ways and place > space:
                ends = (_middle(plan, place, space), _middle(plan, space, space))
                picture.line(ends, palette.INK, 7)
                picture.line(ends, palette.CARD, 3)
            elif not both_ways:
                _arrow(picture, plan, _middle(plan, place, space), space)


def _middle(plan: Plan, place: int, towards: int) -> Point:
    """The middle of a space; of a strip, the point level with the space that it is joined to."""
    if place in plan.strips:
        x, _, width, _ = plan.strips[place]
        return x + (0 if place == board.OCCUPIED_TERRITORY else width), _middle(plan, towards, towards)[1]
    x, y, width, height = plan.spaces[place]
    return x + width / 2, y + height / 2


def _arrow(picture: Picture, plan: Plan, start: Point, space: int) -> None:
    """An arrow straight into a space, its head just outside the borders."""
    end, box = _middle(plan, space, space), plan.spaces[space]
    dx, dy = end[0] - start[0], end[1] - start[1]
    reach = 2 * RING_STEP + 3
    clipped = [(half + reach) / abs(d) for d, half in ((dx, box.width / 2), (dy, box.height / 2)) if d]
    back, length = min(clipped), math.hypot(dx, dy)
    tip = (end[0] - back * dx, end[1] - back * dy)
    ux, uy = dx / length, dy / length
    base = (tip[0] - 11 * ux, tip[1] - 11 * uy)
    picture.line((start, base), palette.INK, 3.5)
    picture.polygon([tip, (base[0] - 7 * uy, base[1] + 7 * ux), (base[0] + 7 * uy, base[1] - 7 * ux)], palette.INK)


# -- spaces ------------------------------------------------------------------------------------------------------------


def _space(picture: Picture, view: View, plan: Plan, space: int) -> None:
    """A space: its borders show control, its head the name, its body the pieces and signs."""
    box, holder, pivotal = plan.spaces[space], view.holder(space), holds(board.PIVOTAL_SPACES, space)
    x, y, width, height = box
    picture.open(f"space control-{signs.SIDE_CLASSES[holder]}", _space_tip(view, space, holder), _actions(space))
    _borders(picture, box, holder, pivotal)
    pieces.band(picture, x + 2, y + 2, width - 4, HEADER - 2, layout.DIMENSION_DEEP[space // 3], 6)
    words = board.SPACE_NAMES[space]
    room = max(width - 20, min(width - 8, text_width(words, plan.smallest)))  # between the badges, if that is enough
    picture.text_at(x + width / 2, y + 15, words, plan.text, palette.WHITE, anchor="middle", room=room)

    middle = y + (HEADER + height) / 2
    for side, row in ((board.VERSAILLES, -1), (board.COMMUNE, 1)):
        top = middle - pieces.CUBE / 2 + 0.5 * row * (pieces.CUBE + 2)
        signs.draw_cubes(picture, side, int(view.s.cubes[side, space]), x + 28, top)
    _signs(picture, view, space, x + 14, middle)
    if view.s.disc[space]:
        _disc(picture, int(view.s.disc[space]) - 1, x + width - 14, middle)

    if holder != board.NEUTRAL:
        pieces.badge(picture, signs.TONES[holder], x + 1, y + 1, signs.SIDE_LETTERS[holder])
    for side in range(board.SIDES):
        if view.objective(side) != state.NO_CARD and view.tables.target[view.objective(side)] == space:
            _target(picture, side, x + width - 1, y + 2 + (height - 4) * side)

    out = 2 * RING_STEP if pivotal else 0
    around = (x - out, y - out, width + 2 * out, height + 2 * out)
    if space == view.chosen_space():
        pieces.mark_chosen(picture, *around)
    if space in view.touched:
        pieces.mark_last(picture, *around, out=3)
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


def _borders(picture: Picture, box: Box, holder: int, pivotal: bool) -> None:
    """The ring of control: one border, three around a pivotal space."""
    (x, y, width, height), colour = box, signs.TONES[holder].deep
    if pivotal:
        for out, fill in ((2 * RING_STEP, palette.CARD), (RING_STEP, "none")):
            size = (width + 2 * out, height + 2 * out)
            picture.rect(x - out, y - out, *size, fill, 6 + out, stroke=colour, stroke_width=2)
    controlled_width = 2 if pivotal else 4.5
    line = 1.5 if holder == board.NEUTRAL else controlled_width
    picture.rect(x, y, width, height, palette.CARD, 8, stroke=colour, stroke_width=line)


def _signs(picture: Picture, view: View, space: int, x: float, middle: float) -> None:
    """The dimension's sign, above a star in a pivotal space, or a pennant where a side is always present."""
    pivotal = holds(board.PIVOTAL_SPACES, space)
    flags = [side for side in range(board.SIDES) if holds(int(view.tables.always_present[side]), space)]
    signs.draw_dimension_sign(picture, space // 3, x, middle - 10 if pivotal or flags else middle, 6)
    if pivotal:
        pieces.star(picture, x, middle + 9, 9)
    for i, side in enumerate(flags):
        _pennant(picture, side, x - 6 + 9 * i, middle + 1)


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


def _target(picture: Picture, side: int, x: float, y: float, scale: float = 1) -> None:
    """A target with the letter of the side whose objective it is."""
    picture.open(f"objective {signs.SIDE_CLASSES[side]}", f"objective of {board.SIDE_NAMES[side]}")
    for radius, fill in (
        (13, palette.WHITE),
        (11.5, signs.TONES[side].deep),
        (9, palette.WHITE),
        (7, signs.TONES[side].deep),
    ):
        picture.circle(x, y, scale * radius, fill)
    if side != board.NEUTRAL:
        picture.text_at(
            x, y + 3.6, signs.SIDE_LETTERS[side], max(10, picture.smallest), palette.WHITE, anchor="middle", bold=True
        )
    picture.close()


def _legend(picture: Picture, plan: Plan) -> None:
    signs_and_words: tuple[tuple[str, Callable[[float, float], None]], ...] = (
        ("pivotal space", lambda x, y: pieces.star(picture, x, y, 8)),
        ("always present", lambda x, y: _pennant(picture, board.NEUTRAL, x - 6, y - 8)),
        ("objective", lambda x, y: _target(picture, board.NEUTRAL, x, y, 0.7)),
        ("ring: control", lambda x, y: picture.circle(x, y, 6, "none", stroke=palette.GREY.deep, stroke_width=3.5)),
        ("last move", lambda x, y: pieces.mark_last(picture, x - 5, y - 5, 10, 10)),
    )
    for (x, y), (words, sign) in zip(plan.legend, signs_and_words, strict=True):
        sign(x + 8, y)
        picture.text_at(x + 23, y + 0.36 * plan.text, words, plan.text)
