"""The upper part of the board of Red Flag Over Paris drawn: crisis tracks, rounds, VP, momentum, pools and the deck."""

from __future__ import annotations

from typing import Any

from rfop_env.drawing import palette, pieces
from rfop_env.drawing.palette import Tone
from rfop_env.drawing.picture import Box, Picture
from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.draw import layout, signs
from rfop_env.games.red_flag_over_paris.draw.cards import draw_listed
from rfop_env.games.red_flag_over_paris.draw.layout import BONUS, Plan
from rfop_env.games.red_flag_over_paris.draw.view import View

VP_TONES = (
    Tone("#f28c1e", "#ffb866", "#a85606", "#fae5cd", "#a85606", palette.BLACK),  # political: orange
    Tone("#7a44b0", "#ab80d6", "#4c2475", "#e8dff1", "#4c2475", palette.WHITE),  # military: purple
)

MOMENTUM_CELLS = board.MOMENTUM_LIMIT + 1
FIRST_GIFT = 2  # from this step on the enemy may place a cube


def draw_tracks(picture: Picture, view: View, plan: Plan) -> None:
    """All tracks, from the top."""
    for side in range(board.SIDES):
        _crisis_track(picture, view, plan, side)
    _rounds(picture, view, plan.rounds)
    _vp_track(picture, view, plan, plan.vp)
    _initiative(picture, view, plan.initiative)
    pool = [board.VERSAILLES] * int(view.s.pool[board.VERSAILLES])
    out_of_play = [side for side in range(board.SIDES) for _ in range(int(view.s.out_of_play[side]))]
    _heap(picture, pool, plan.pool, "Versailles pool", signs.TONES[board.VERSAILLES].ink)
    _heap(picture, out_of_play, plan.out_of_play, "Out of play", palette.MUTED)
    _momentum(picture, view, plan, board.VERSAILLES, plan.collaboration, "Prussian Collaboration")
    _momentum(picture, view, plan, board.COMMUNE, plan.revolution, "Revolutionary Momentum")
    _table(picture, view, plan.table)


# -- crisis tracks -----------------------------------------------------------------------------------------------------


def _crisis_track(picture: Picture, view: View, plan: Plan, side: int) -> None:
    for zone in range(board.ZONES):
        _zone(picture, view, plan, side, zone)
    x, y, width, _ = plan.zones[side][board.STARTING]
    middle, words, fill = x + width / 2, board.SIDE_NAMES[side].upper(), signs.TONES[side].ink
    picture.text_at(middle, y - 9, words, 14, fill, anchor="middle", bold=True, room=width)


def _zone(picture: Picture, view: View, plan: Plan, side: int, zone: int) -> None:
    """A zone with its cubes, and above it the bonus cubes for its breach."""
    (x, y, width, height), tone, name = plan.zones[side][zone], signs.TONES[side], board.ZONE_NAMES[zone]
    cubes, start = int(view.s.track[side, zone]), int(view.tables.track[side, zone])
    middle = x + width / 2
    picture.open(f"zone {signs.SIDE_CLASSES[side]}", f"{board.SIDE_NAMES[side]}, {name}: {cubes} of {start} cubes")
    if zone != board.STARTING:
        strip: dict[str, Any] = {"stroke": tone.deep, "stroke_dasharray": "3 3", "opacity": 0.6}
        picture.rect(middle - 32, y - BONUS, 64, BONUS + 6, "none", 6, **strip)
        bonus, start_bonus = int(view.s.bonus[side, zone]), int(view.tables.bonus[side, zone])
        signs.draw_cubes_and_gaps(picture, side, bonus, start_bonus, middle, y - BONUS + 4)
    border: dict[str, Any] = {"stroke": tone.deep, "stroke_width": 2.5 if zone == board.FINAL_CRISIS else 1}
    picture.rect(x, y, width, height, layout.ZONE_SHADES[side][zone], **border)
    signs.draw_cubes_and_gaps(picture, side, cubes, start, middle, y + 6)
    words, line = name, y + height - 8
    picture.text_at(middle, line, words, plan.text + 0.5, tone.ink, anchor="middle", bold=True, room=width - 5)
    picture.close()


# -- rounds, VP, initiative --------------------------------------------------------------------------------------------


def _rounds(picture: Picture, view: View, box: Box) -> None:
    x, y, width, height = box
    pieces.caption(picture, x, y - 6, "Round")
    step = (width - 72) / state.ROUNDS
    for i in range(1, state.ROUNDS + 2):
        here, final, start = view.round == i, i > state.ROUNDS, x + step * (i - 1)
        across = 72 if final else step - 4
        picture.rect(start, y, across, height, palette.GREY.pale if final else palette.PANEL, stroke=palette.LINE)
        middle = start + (across / 2 - 11 if here else across / 2)
        if final:
            look: dict[str, Any] = {"anchor": "middle", "bold": True, "centred": True, "room": 48, "max_lines": 2}
            picture.text_block(middle, y + height / 2, "Final Crisis", 12, palette.MUTED, **look)
        else:
            picture.text_at(middle, y + height / 2 + 6, str(i), 17, palette.MUTED, anchor="middle", bold=True)
        if here:
            _pawn(picture, start + across - 12, y + height / 2)


def _pawn(picture: Picture, x: float, y: float) -> None:
    picture.open("pawn", "round marker")
    picture.path(f"M{x - 8:g} {y + 14:g}L{x - 3:g} {y - 4:g}H{x + 3:g}L{x + 8:g} {y + 14:g}Z", palette.INK)
    picture.circle(x, y - 7, 6, palette.INK)
    picture.close()


def _vp_track(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """Victory points; in narrow boxes the cylinders of both spheres stand one below the other."""
    x, y, width, height = box
    step, right, is_narrow = (width + 4) / (2 * board.VP_LIMIT + 1), x + width, height > 60
    title, sides = "VP: P political, M military", (board.VERSAILLES, board.COMMUNE)
    for side, at, anchor in zip(sides, (x, right), ("start", "end"), strict=True):
        pieces.caption(picture, at, y - 6, board.SIDE_NAMES[side], signs.TONES[side].ink, anchor=anchor)
    look: dict[str, Any] = {"anchor": "middle", "bold": True, "room": width - 190}
    picture.text_at(x + width / 2, y - 6, title, plan.text, palette.MUTED, **look)
    for points in range(-board.VP_LIMIT, board.VP_LIMIT + 1):
        start = x + step * (points + board.VP_LIMIT)
        leader = board.COMMUNE if points > 0 else board.VERSAILLES
        tone = signs.TONES[leader if points != 0 else board.NEUTRAL]
        picture.rect(start, y, step - 4, height, tone.pale, 5, stroke=palette.LINE)
        picture.text_at(start + 4, y + 12, str(abs(points)), 12, tone.ink, bold=True)
    for sphere, name in enumerate(board.SPHERE_NAMES):
        vp = int(view.s.vp[sphere])
        picture.open(f"vp {name}", f"{name.capitalize()} VP of the Commune: {vp}")
        start = x + step * (vp + board.VP_LIMIT)
        across = start + step - (18 if is_narrow else 33 - 19 * sphere)
        down, tall = (y + 28 + 25 * sphere, 24) if is_narrow else (y + height - 12, 22)
        pieces.cylinder(picture, VP_TONES[sphere], across, down, name[0].upper(), height=tall)
        picture.close()


def _initiative(picture: Picture, view: View, box: Box) -> None:
    side = int(view.s.initiative)
    (x, y, width, height), words = box, board.SIDE_NAMES[side]
    pieces.caption(picture, x, y - 6, "Initiative")
    picture.open("initiative", f"{words} holds the initiative")
    picture.rect(*box, signs.TONES[side].deep)
    line = y + height / 2 + 6
    picture.text_at(x + width / 2, line, words, 16, palette.WHITE, anchor="middle", bold=True, room=width - 20)
    picture.close()


# -- momentum ----------------------------------------------------------------------------------------------------------


def _heap(picture: Picture, cubes: list[int], box: Box, name: str, fill: str) -> None:
    """Cubes without places of their own, given by their sides; up to three rows of them."""
    x, y, width, _ = box
    pieces.panel(picture, *box)
    look: dict[str, Any] = {"bold": True, "room": width - 12}
    picture.text_at(x + 8, y + 17, f"{name}: {len(cubes)}", 12, fill, **look)
    in_row = max(6, int((width - 16) // signs.CUBE_STEP))
    step = min(signs.CUBE_STEP, (width - 16 - pieces.CUBE) / (in_row - 1))
    for i, side in enumerate(cubes):
        pieces.cube(picture, signs.SIDE_CLASSES[side], x + 8 + step * (i % in_row), y + 25 + 19.5 * (i // in_row))


def _momentum(picture: Picture, view: View, plan: Plan, side: int, box: Box, name: str) -> None:
    """The steps of a momentum track, its marker, and the cubes below the steps."""
    level, tone, top = int(view.s.momentum[side]), signs.TONES[side], box.y + 24
    pieces.panel(picture, *box)
    picture.open(f"momentum {signs.SIDE_CLASSES[side]}", f"{name}: {level}")
    picture.text_at(box.x + 9, box.y + 17, name, 13, tone.ink, bold=True, room=box.width - 18)
    step = (box.width - 14) / MOMENTUM_CELLS
    for i in range(MOMENTUM_CELLS):
        x, width = box.x + 9 + step * i, step - 4
        picture.rect(x, top, width, 34, tone.pale, 5, stroke=palette.LINE)
        picture.text_at(x + 5, top + (16 if i >= FIRST_GIFT else 22), str(i), 14, tone.ink, bold=True)
        if i >= FIRST_GIFT:
            signs.draw_dimension_sign(picture, int(view.tables.gift_dimension[side]), x + 10, top + 25, 4.5)
        if i == level:
            pieces.cylinder(picture, tone, x + width / 2 + 8, top + 17)
        if i == level and view.momentum_changed(side):
            pieces.mark_last(picture, x, top, width, 34, out=1)
        _below_step(picture, view, side, i, x + width / 2, top + 40)
    picture.close()


def _below_step(picture: Picture, view: View, side: int, level: int, middle: float, y: float) -> None:
    """The collaboration cubes, or the places of the Commune's pool, below one step."""
    s = view.s
    if side == board.VERSAILLES:
        cubes, start = int(s.collaboration[level]), int(view.tables.collaboration[level])
        signs.draw_cubes_and_gaps(picture, side, cubes, start, middle, y)
        return
    places = view.tables.pool_places
    first = int(places[level - 1]) if level > 0 else 0
    count = int(places[level]) - first
    x = middle - (signs.CUBE_STEP * count - (signs.CUBE_STEP - pieces.CUBE)) / 2
    for i in range(count):
        occupied = first + i < s.pool[board.COMMUNE]
        _pool_place(picture, occupied, level <= s.momentum[board.COMMUNE], x + signs.CUBE_STEP * i, y)


def _pool_place(picture: Picture, occupied: bool, is_open: bool, x: float, y: float) -> None:
    if is_open:
        edge, size = signs.TONES[board.COMMUNE].deep, pieces.CUBE - 1
        picture.rect(x + 0.5, y + 0.5, size, size, palette.CARD, 3, stroke=edge)
    else:
        signs.draw_gap(picture, board.NEUTRAL, x, y)
    if occupied:
        pieces.cube(picture, signs.SIDE_CLASSES[board.COMMUNE], x, y)


# -- the table ---------------------------------------------------------------------------------------------------------


def _table(picture: Picture, view: View, box: Box) -> None:
    """Deck and discard pile, and what is being played."""
    deck_x, top = box.x + 9, box.y
    pieces.panel(picture, *box)
    pieces.caption(picture, deck_x, top + 17, "Deck")
    picture.open("deck", f"{view.s.deck_size} cards in the deck")
    for offset in (4, 2, 0):
        pieces.card_back(picture, palette.GREY, deck_x + offset, top + 25 - offset / 2, 36, 52)
    size = str(int(view.s.deck_size))
    picture.text_at(deck_x + 18, top + 57, size, 16, palette.WHITE, anchor="middle", bold=True)
    picture.close()

    x, room = deck_x + 52, box.width - 68
    pieces.caption(picture, x, top + 17, "Discard")
    if view.s.top_discard != state.NO_CARD:
        draw_listed(picture, view, int(view.s.top_discard), x, top + 33, 22, room)
    else:
        picture.text_at(x, top + 37, "none", 13, palette.MUTED)
    for number in view.in_play()[-1:]:
        pieces.caption(picture, x, top + 58, "In play")
        draw_listed(picture, view, number, x, top + 73, 22, room)
