"""Red Flag Over Paris drawn as a picture: an SVG of the board, the cards of one side and what it sees of the other.

All measures are in the picture's own units (WIDTH by HEIGHT). Every piece carries its kind and side as classes
(`class="cube commune"`), so that a page can restyle the picture and a test can count what it shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rfop_env.drawing import Held, Picture, fitting, text_width, wrapped
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE,
    DIMENSION_NAMES,
    DIMENSIONS,
    FINAL_CRISIS,
    FORTS,
    INSTITUTIONAL,
    MOMENTUM_LIMIT,
    NEUTRAL,
    OCCUPIED_TERRITORY,
    PARIS,
    PIVOTAL_SPACES,
    PLACE_NAMES,
    PUBLIC_OPINION,
    SIDE_NAMES,
    SIDES,
    SPACE_NAMES,
    SPACES,
    SPHERE_NAMES,
    STARTING,
    VERSAILLES,
    VERSAILLES_HQ,
    VP_LIMIT,
    ZONE_NAMES,
    ZONES,
)
from rfop_env.games.red_flag_over_paris.draw_view import CardSource, View, holds
from rfop_env.games.red_flag_over_paris.state import NO_CARD, NOBODY, ROUNDS

WIDTH, HEIGHT = 1200, 842
MARGIN = 24
FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"

# Colours; pairs are by side, triples by side and NEUTRAL. White text on any of the deep ones has a contrast above 4.5.
INK, MUTED, PAPER, PANEL, LINE, WHITE = "#23262d", "#5c5f66", "#efe8d8", "#faf6ec", "#cfc5ae", "#ffffff"
DEEP = ("#b3202c", "#1f4e9c", "#5f636b")
TOP = ("#e2646b", "#6d97d8", "#a3a7ae")
DARK = ("#7d121b", "#12315f", "#3f4248")
PALE = ("#f6dcd8", "#d9e4f4", "#e6e3da")
ZONE_SHADES = (("#faece9", "#f6dcd8", "#efc3be", "#e5a5a1"), ("#ebf1fa", "#d9e4f4", "#bfd2ec", "#a0bce3"))
DIMENSION_DEEP = ("#37702f", "#ad5206", "#0d6b66", "#69399c")
DIMENSION_PALE = ("#e2ecd9", "#fae5cd", "#d5ebe7", "#e8dff1")
VP_COLOURS = (("#f28c1e", "#ffb866", "#a85606"), ("#7a44b0", "#ab80d6", "#4c2475"))  # face, top, edge: orange, purple
GOLD = "#e2ae2f"

CUBE, CUBE_STEP = 18, 21
SIDE_CLASSES = ("commune", "versailles", "neutral")
SIDE_LETTERS = ("C", "V", "")

# Rows of the picture: top and height.
HEADER = (0, 42)
BONUS_STRIP = (54, 27)
ZONE_BOX = (84, 54)
TRACK_CAPTION, TRACK_BOX = 159, (166, 42)
MOMENTUM_ROW = (218, 92)
MAP_ROW = (320, 350)
CARD_ROW = (680, 148)

# Crisis track: from the middle outward.
ZONE_SIZE, ZONE_STEP = 138, 144
ZONE_LEFT = (606, 456)  # the Starting zone of each side
ZONE_DIRECTION = (1, -1)

ROUND_BOXES = ((24, 44), (73, 44), (122, 44), (171, 85))  # left, width: rounds 1 to 3 and the Final Crisis
VP_LEFT, VP_STEP = 280, 59
INITIATIVE_BOX = (952, 224)

# Momentum row: left and width of its panels.
VERSAILLES_POOL, COLLABORATION, TABLE, REVOLUTION, OUT_OF_PLAY = (
    (24, 160),
    (194, 262),
    (466, 268),
    (744, 262),
    (1016, 160),
)
MOMENTUM_STEP, MOMENTUM_CELL = 61, 57

# Map: top left corners of the spaces, by space; the two places without pieces are tall strips.
BOX_WIDTH, BOX_HEIGHT, BOX_HEADER = 164, 76, 20
SPACE_AT = (
    (42, 354), (42, 470), (42, 586), (262, 354), (262, 470), (262, 586),
    (542, 354), (542, 586), (930, 586), (736, 354), (736, 470), (930, 412),
)  # fmt: skip
POLITICAL_PANEL, MILITARY_PANEL = (24, 420), (460, 716)  # left, width
STRIPS = {VERSAILLES_HQ: (468, 350, 44, 316), OCCUPIED_TERRITORY: (1124, 350, 44, 316)}
STRIP_WORDS = {VERSAILLES_HQ: ("Versailles HQ",), OCCUPIED_TERRITORY: ("Prussian", "Occupied Territory")}
REGIONS = (
    ((34, 346), (214, 346), (214, 666), (34, 666)),
    ((254, 346), (434, 346), (434, 666), (254, 666)),
    ((532, 346), (716, 346), (716, 576), (1106, 576), (1106, 666), (532, 666)),
    ((726, 346), (1106, 346), (1106, 566), (726, 566)),
)
REGION_LABELS = ((36, 338), (256, 338), (534, 338), (728, 338))
LEGEND_AT = (546, 462)
RING_STEP = 4  # between the three borders of a pivotal space

# Cards: the own ones as cards, the enemy's as a list with face-down cards below.
OWN_AREA, FAR_AREA = (24, 780), (830, 334)
CARD_TOP, CARD_HEIGHT, CARD_WIDTH, CARD_GAP = 708, 116, 122, 8
FAR_TOP, FAR_HEIGHT = 720, 62
BACK_TOP, BACK_WIDTH, BACK_HEIGHT = 787, 24, 32


def draw_svg(s: Any, components: CardSource, viewer: int | None = None) -> str:
    """The position as a self-contained SVG picture, as `viewer` sees it.

    `viewer` is a side or None for the side to move (in a solo game the human side).
    """
    view = View(s, components, viewer)
    picture = Picture(WIDTH, HEIGHT, PAPER, INK, FONT, _definitions())
    for part in (
        _header,
        _crisis_tracks,
        _round_track,
        _vp_track,
        _initiative,
        _momentum_row,
        _map,
        _own_cards,
        _far_cards,
    ):
        part(picture, view)
    return picture.text(f"Red Flag Over Paris. {view.round_text()}. {view.decision_text()}.")


def _definitions() -> str:
    return "".join(_cube_definition(side) for side in range(SIDES))


def _cube_definition(side: int) -> str:
    """A cube seen from above and the left, CUBE units wide and high."""
    edge = f'stroke="{DARK[side]}" stroke-width="0.8" stroke-linejoin="round"'
    return (
        f'<g id="cube-{SIDE_CLASSES[side]}" {edge}>'
        f'<path d="M0.5 4.5L4.5 0.5H17.5L13.5 4.5Z" fill="{TOP[side]}"/>'
        f'<path d="M13.5 4.5L17.5 0.5V13.5L13.5 17.5Z" fill="{DARK[side]}"/>'
        f'<path d="M0.5 4.5H13.5V17.5H0.5Z" fill="{DEEP[side]}"/></g>'
    )


def _cube(picture: Picture, side: int, x: float, y: float) -> None:
    name = SIDE_CLASSES[side]
    picture.add(f'<use href="#cube-{name}" class="cube {name}" x="{x:g}" y="{y:g}"/>')


def _cubes(picture: Picture, side: int, count: int, x: float, y: float) -> None:
    for i in range(count):
        _cube(picture, side, x + CUBE_STEP * i, y)


def _cubes_and_gaps(picture: Picture, side: int, left: int, start: int, middle: float, y: float) -> None:
    """Cubes around a middle; those that have gone leave their outline."""
    slots = max(left, start)
    x = middle - (CUBE_STEP * slots - (CUBE_STEP - CUBE)) / 2
    for i in range(left, slots):
        _gap(picture, side, x + CUBE_STEP * i, y)
    _cubes(picture, side, left, x, y)


def _gap(picture: Picture, side: int, x: float, y: float) -> None:
    outline = {"stroke": DEEP[side], "stroke_width": 1, "stroke_dasharray": "2 2", "opacity": 0.55}
    picture.rect(x + 2, y + 2, CUBE - 4, CUBE - 4, "none", 2, **outline)


def _disc(picture: Picture, side: int, x: float, y: float) -> None:
    letter = ("B", "F")[side]
    picture.open(f"disc {SIDE_CLASSES[side]}", ("Barricade", "Fortification")[side])
    picture.circle(x, y + 2, 13, DARK[side])
    picture.circle(x, y, 13, DEEP[side], stroke=DARK[side])
    picture.circle(x, y, 9.5, "none", stroke=TOP[side], stroke_width=1.4)
    picture.text_at(x, y + 4.5, letter, 12, WHITE, anchor="middle", bold=True)
    picture.close()


def _cylinder(picture: Picture, colours: tuple[str, str, str], x: float, y: float, letter: str) -> None:
    """A wooden cylinder, 18 wide and 28 high around (x, y)."""
    face, top, edge = colours
    body = f"M{x - 9:g} {y - 9:g}V{y + 9:g}A9 5 0 0 0 {x + 9:g} {y + 9:g}V{y - 9:g}Z"
    picture.add(f'<path d="{body}" fill="{face}" stroke="{edge}"/>')
    picture.add(f'<ellipse cx="{x:g}" cy="{y - 9:g}" rx="9" ry="5" fill="{top}" stroke="{edge}"/>')
    picture.text_at(x, y + 9, letter, 12, WHITE, anchor="middle", bold=True)


def _icon(picture: Picture, dimension: int, x: float, y: float, size: float) -> None:
    """The sign of a Crisis Dimension around (x, y): square, triangle, circle, diamond."""
    fill = DIMENSION_DEEP[dimension]
    if dimension == INSTITUTIONAL:
        picture.rect(x - size * 0.85, y - size * 0.85, 1.7 * size, 1.7 * size, fill, 1.5)
    elif dimension == PUBLIC_OPINION:
        picture.polygon([(x, y - size), (x + 1.1 * size, y + 0.9 * size), (x - 1.1 * size, y + 0.9 * size)], fill)
    elif dimension == FORTS:
        picture.circle(x, y, size, fill)
    elif dimension == PARIS:
        r = 1.15 * size
        picture.polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], fill)


def _star(picture: Picture, x: float, y: float, radius: float, fill: str, stroke: str) -> None:
    corners = []
    for i in range(10):
        r = radius if i % 2 == 0 else 0.45 * radius
        corners.append((x + r * math.sin(math.pi * i / 5), y - r * math.cos(math.pi * i / 5)))
    picture.polygon(corners, fill, stroke=stroke, stroke_width=1, stroke_linejoin="round")


def _panel(picture: Picture, x: float, y: float, width: float, height: float) -> None:
    picture.rect(x, y, width, height, PANEL, 8, stroke=LINE)


def _caption(picture: Picture, x: float, y: float, words: str, **more: Any) -> None:
    picture.text_at(x, y, words, 12, more.pop("fill", MUTED), bold=True, **more)


def _header(picture: Picture, view: View) -> None:
    top, height = HEADER
    picture.rect(0, top, WIDTH, height, INK, 0)
    picture.rect(0, height - 3, WIDTH, 3, DEEP[COMMUNE], 0)
    picture.text_at(MARGIN, 26, "RED FLAG OVER PARIS", 18, WHITE, bold=True, letter_spacing=1.5, room=330)
    picture.text_at(WIDTH / 2 + 6, 26, view.round_text(), 15, PAPER, anchor="middle", room=420)
    _decision(picture, view, int(view.s.winner) if view.over else view.decider)


def _decision(picture: Picture, view: View, side: int) -> None:
    words = view.decision_text()
    if side == NOBODY:
        side = NEUTRAL
    room = 352
    width = min(text_width(words, 14, True), room) + 20
    left = WIDTH - MARGIN - width
    picture.open("decision")
    picture.rect(left, 7, width, 26, DEEP[side], 13)
    picture.text_at(left + width / 2, 25, words, 14, WHITE, anchor="middle", bold=True, room=room)
    picture.close()


def _crisis_tracks(picture: Picture, view: View) -> None:
    for side in range(SIDES):
        for zone in range(ZONES):
            x = ZONE_LEFT[side] + ZONE_DIRECTION[side] * ZONE_STEP * zone
            _zone(picture, view, side, zone, x)
        middle = ZONE_LEFT[side] + ZONE_SIZE / 2
        words = SIDE_NAMES[side].upper()
        picture.text_at(
            middle, BONUS_STRIP[0] + 20, words, 15, DEEP[side], anchor="middle", bold=True, letter_spacing=1
        )


def _zone(picture: Picture, view: View, side: int, zone: int, x: float) -> None:
    left, start = int(view.s.track[side, zone]), int(view.tables.track[side, zone])
    bonus = int(view.tables.bonus[side, zone])
    middle, deep = x + ZONE_SIZE / 2, DEEP[side]
    picture.open(f"zone {SIDE_CLASSES[side]}", f"{SIDE_NAMES[side]}, {ZONE_NAMES[zone]}: {left} of {start} cubes")
    if zone != STARTING:
        strip = {"stroke": deep, "stroke_dasharray": "3 3", "opacity": 0.6}
        picture.rect(x + 22, BONUS_STRIP[0], ZONE_SIZE - 44, BONUS_STRIP[1] + 8, "none", 6, **strip)
        _cubes_and_gaps(picture, side, int(view.s.bonus[side, zone]), bonus, middle, BONUS_STRIP[0] + 5)
    border = 2.5 if zone == FINAL_CRISIS else 1
    picture.rect(x, ZONE_BOX[0], ZONE_SIZE, ZONE_BOX[1], ZONE_SHADES[side][zone], stroke=deep, stroke_width=border)
    _cubes_and_gaps(picture, side, left, start, middle, ZONE_BOX[0] + 8)
    picture.text_at(middle, ZONE_BOX[0] + 45, ZONE_NAMES[zone], 13, DARK[side], anchor="middle", bold=True)
    picture.close()


def _round_track(picture: Picture, view: View) -> None:
    _caption(picture, ROUND_BOXES[0][0], TRACK_CAPTION, "ROUND")
    for i, (x, width) in enumerate(ROUND_BOXES, start=1):
        here = view.round == i
        picture.rect(x, TRACK_BOX[0], width, TRACK_BOX[1], PALE[NEUTRAL] if i > ROUNDS else PANEL, stroke=LINE)
        if i <= ROUNDS:
            picture.text_at(
                x + 12 if here else x + width / 2, TRACK_BOX[0] + 28, str(i), 18, MUTED, anchor="middle", bold=True
            )
        else:
            middle = x + (width / 2 - 8 if here else width / 2)
            for line, words in enumerate(("Final", "Crisis")):
                picture.text_at(middle, TRACK_BOX[0] + 18 + 15 * line, words, 13, MUTED, anchor="middle", bold=True)
        if here:
            _pawn(picture, x + width - 14, TRACK_BOX[0] + 21)


def _pawn(picture: Picture, x: float, y: float) -> None:
    picture.open("pawn", "round marker")
    picture.add(f'<path d="M{x - 9:g} {y + 15:g}L{x - 3:g} {y - 4:g}H{x + 3:g}L{x + 9:g} {y + 15:g}Z" fill="{INK}"/>')
    picture.circle(x, y - 8, 6.5, INK)
    picture.close()


def _vp_track(picture: Picture, view: View) -> None:
    right = VP_LEFT + VP_STEP * (2 * VP_LIMIT + 1) - 4
    _caption(picture, VP_LEFT, TRACK_CAPTION, "◂ VERSAILLES", fill=DEEP[VERSAILLES])
    _caption(picture, (VP_LEFT + right) / 2, TRACK_CAPTION, "VICTORY POINTS: P POLITICAL, M MILITARY", anchor="middle")
    _caption(picture, right, TRACK_CAPTION, "COMMUNE ▸", fill=DEEP[COMMUNE], anchor="end")
    for points in range(-VP_LIMIT, VP_LIMIT + 1):
        _vp_cell(picture, points, VP_LEFT + VP_STEP * (points + VP_LIMIT))
    for sphere in range(2):
        vp = int(view.s.vp[sphere])
        x = VP_LEFT + VP_STEP * (vp + VP_LIMIT) + 24 + 20 * sphere
        name = SPHERE_NAMES[sphere]
        picture.open(f"vp {name}", f"{name.capitalize()} VP of the Commune: {vp}")
        _cylinder(picture, VP_COLOURS[sphere], x, TRACK_BOX[0] + 21, name[0].upper())
        picture.close()


def _vp_cell(picture: Picture, points: int, x: float) -> None:
    side = COMMUNE if points > 0 else VERSAILLES if points < 0 else NEUTRAL
    picture.rect(x, TRACK_BOX[0], VP_STEP - 4, TRACK_BOX[1], PALE[side], stroke=LINE)
    picture.text_at(x + 4, TRACK_BOX[0] + 13, str(abs(points)), 12, DARK[side], bold=True)


def _initiative(picture: Picture, view: View) -> None:
    x, width = INITIATIVE_BOX
    side = int(view.s.initiative)
    _caption(picture, x, TRACK_CAPTION, "INITIATIVE")
    picture.open("initiative", f"{SIDE_NAMES[side]} holds the initiative")
    picture.rect(x, TRACK_BOX[0], width, TRACK_BOX[1], DEEP[side])
    picture.text_at(x + width / 2, TRACK_BOX[0] + 27, SIDE_NAMES[side], 17, WHITE, anchor="middle", bold=True)
    picture.close()


def _momentum_row(picture: Picture, view: View) -> None:
    top, height = MOMENTUM_ROW
    for x, width in (VERSAILLES_POOL, COLLABORATION, TABLE, REVOLUTION, OUT_OF_PLAY):
        _panel(picture, x, top, width, height)
    _versailles_pool(picture, view)
    _momentum(picture, view, VERSAILLES, COLLABORATION[0], "PRUSSIAN COLLABORATION")
    _table(picture, view)
    _momentum(picture, view, COMMUNE, REVOLUTION[0], "REVOLUTIONARY MOMENTUM")
    _out_of_play(picture, view)


def _versailles_pool(picture: Picture, view: View) -> None:
    x, top = VERSAILLES_POOL[0], MOMENTUM_ROW[0]
    count = int(view.s.pool[VERSAILLES])
    _caption(picture, x + 10, top + 17, f"VERSAILLES POOL: {count}", fill=DEEP[VERSAILLES], room=142)
    for i in range(count):
        _cube(picture, VERSAILLES, x + 10 + 24 * (i % 6), top + 25 + 21 * (i // 6))


def _out_of_play(picture: Picture, view: View) -> None:
    x, top = OUT_OF_PLAY[0], MOMENTUM_ROW[0]
    gone = [side for side in range(SIDES) for _ in range(int(view.s.out_of_play[side]))]
    _caption(picture, x + 10, top + 17, f"OUT OF PLAY: {len(gone)}", room=142)
    for i, side in enumerate(gone):
        _cube(picture, side, x + 10 + 24 * (i % 6), top + 25 + 21 * (i // 6))


def _momentum(picture: Picture, view: View, side: int, left: float, name: str) -> None:
    top = MOMENTUM_ROW[0]
    level = int(view.s.momentum[side])
    picture.open(f"momentum {SIDE_CLASSES[side]}", f"{name.capitalize()}: {level}")
    _caption(picture, left + 10, top + 17, name, fill=DEEP[side], room=242)
    for i in range(MOMENTUM_LIMIT + 1):
        x = left + 10 + MOMENTUM_STEP * i
        picture.rect(x, top + 24, MOMENTUM_CELL, 36, PALE[side], 5, stroke=LINE)
        picture.text_at(x + 6, top + 47, str(i), 15, DARK[side], bold=True)
        if i >= 2:  # the step that lets the enemy place a cube
            _icon(picture, int(view.tables.gift_dimension[side]), x + MOMENTUM_CELL - 9, top + 33, 5)
        if i == level:
            _cylinder(picture, (DEEP[side], TOP[side], DARK[side]), x + 29, top + 42, "")
        _below_momentum(picture, view, side, i, x + MOMENTUM_CELL / 2, top + 67)
    picture.close()


def _below_momentum(picture: Picture, view: View, side: int, level: int, middle: float, y: float) -> None:
    """The collaboration cubes, or the places of the Commune's pool, below one step."""
    s = view.s
    if side == VERSAILLES:
        _cubes_and_gaps(picture, side, int(s.collaboration[level]), int(view.tables.collaboration[level]), middle, y)
        return
    places = view.tables.pool_places
    first = int(places[level - 1]) if level > 0 else 0
    count = int(places[level]) - first
    x = middle - (CUBE_STEP * count - (CUBE_STEP - CUBE)) / 2
    for i in range(count):
        _pool_place(picture, first + i < s.pool[COMMUNE], level <= s.momentum[COMMUNE], x + CUBE_STEP * i, y)


def _pool_place(picture: Picture, taken: bool, is_open: bool, x: float, y: float) -> None:
    if is_open:
        picture.rect(x + 0.5, y + 0.5, CUBE - 1, CUBE - 1, WHITE, 3, stroke=DEEP[COMMUNE])
    else:
        _gap(picture, NEUTRAL, x, y)
    if taken:
        _cube(picture, COMMUNE, x, y)


def _table(picture: Picture, view: View) -> None:
    """Deck and discard pile, and what is being played."""
    left, top = TABLE[0] + 10, MOMENTUM_ROW[0]
    picture.open("deck", f"{view.s.deck_size} cards in the deck")
    for offset in (4, 2, 0):
        _back(picture, left + offset, top + 24 - offset / 2, 40, 54, NEUTRAL)
    picture.text_at(left + 20, top + 57, str(int(view.s.deck_size)), 17, WHITE, anchor="middle", bold=True)
    picture.close()
    _caption(picture, left, top + 17, "DECK")
    x, room = left + 62, TABLE[1] - 82
    _caption(picture, x, top + 17, "DISCARD")
    if view.s.top_discard != NO_CARD:
        _listed(picture, view, int(view.s.top_discard), x, top + 37, 24, room)
    else:
        picture.text_at(x, top + 37, "none", 13, MUTED)
    for number in view.in_play()[-1:]:
        _caption(picture, x, top + 62, "IN PLAY")
        _listed(picture, view, number, x, top + 80, 24, room)


def _back(picture: Picture, x: float, y: float, width: float, height: float, side: int) -> None:
    """The back of a card."""
    picture.rect(x, y, width, height, DARK[side], 3, stroke=WHITE, stroke_width=1)
    picture.rect(x + 3, y + 3, width - 6, height - 6, "none", 2, stroke=TOP[side], stroke_width=1)


def _listed(
    picture: Picture, view: View, number: int, x: float, y: float, row: float, room: float, note: str = ""
) -> None:
    """A card on one line: points, number, name; (x, y) is the middle of its left edge."""
    side, radius = view.card_side(number), min(10.0, 0.42 * row)
    picture.open(f"card {SIDE_CLASSES[side]}", _card_tip(view, number))
    picture.circle(x + radius, y, radius, DEEP[side])
    picture.text_at(
        x + radius, y + 0.45 * radius, str(view.points(number)), 1.25 * radius, WHITE, anchor="middle", bold=True
    )
    words = f"#{number} {view.components.card_name(number)}{note}"
    picture.text_at(x + 2 * radius + 6, y + 4.5, words, min(13.0, 0.72 * row), INK, room=room - 2 * radius - 6)
    picture.close()


def _card_tip(view: View, number: int) -> str:
    return f"#{number} {view.components.card_name(number)}: " + "; ".join(view.components.event_sentences(number))


def _map(picture: Picture, view: View) -> None:
    for left, width in (POLITICAL_PANEL, MILITARY_PANEL):
        _panel(picture, left, MAP_ROW[0], width, MAP_ROW[1])
    for dimension in range(DIMENSIONS):
        _region(picture, dimension)
    for place in STRIPS:
        _strip(picture, view, place)
    _edges(picture, view)
    for x in range(SPACES):
        _space(picture, view, x)
    _legend(picture)


def _region(picture: Picture, dimension: int) -> None:
    fill = DIMENSION_PALE[dimension]
    picture.polygon(REGIONS[dimension], fill, stroke=fill, stroke_width=6, stroke_linejoin="round")
    x, y = REGION_LABELS[dimension]
    _icon(picture, dimension, x + 6, y - 5, 6)
    words = f"{DIMENSION_NAMES[dimension]} · {SPHERE_NAMES[dimension // 2]}"
    picture.text_at(x + 20, y, words, 13, DIMENSION_DEEP[dimension], bold=True, room=186)


def _strip(picture: Picture, view: View, place: int) -> None:
    x, y, width, height = STRIPS[place]
    side = view.holder(place)
    held = side != NEUTRAL
    picture.open("place", f"{PLACE_NAMES[place]}: {SIDE_NAMES[side]}")
    picture.rect(x, y, width, height, PALE[side], stroke=DEEP[side], stroke_width=3 if held else 1.5)
    lines = STRIP_WORDS[place]
    for i, words in enumerate(lines):
        across = x + width / 2 + 17 * (i - (len(lines) - 1) / 2)
        turn = f"rotate(-90 {across:g} {y + height / 2:g}) translate(0 5)"
        picture.text_at(across, y + height / 2, words, 14, DARK[side], anchor="middle", bold=True, transform=turn)
    picture.close()


def _edges(picture: Picture, view: View) -> None:
    adjacent = [int(a) for a in view.tables.adjacent]
    for x in range(SPACES):
        for place in range(len(PLACE_NAMES)):
            if not holds(adjacent[x], place):
                continue
            both_ways = place >= SPACES or holds(adjacent[place], x)
            if both_ways and place > x:
                _double_line(picture, _middle(place, x), _middle(x, x))
            elif not both_ways:
                _arrow(picture, _middle(place, x), x)


def _middle(place: int, towards: int) -> tuple[float, float]:
    """The middle of a space; of a strip, the point level with the space that it is joined to."""
    if place in STRIPS:
        x, _, width, _ = STRIPS[place]
        return x + (0 if place == OCCUPIED_TERRITORY else width), _middle(towards, towards)[1]
    x, y = SPACE_AT[place]
    return x + BOX_WIDTH / 2, y + BOX_HEIGHT / 2


def _double_line(picture: Picture, start: tuple[float, float], end: tuple[float, float]) -> None:
    picture.line((start, end), INK, 7)
    picture.line((start, end), WHITE, 3)


def _arrow(picture: Picture, start: tuple[float, float], space: int) -> None:
    """An arrow straight into a space, its head just outside the borders."""
    end = _middle(space, space)
    dx, dy = end[0] - start[0], end[1] - start[1]
    reach = 2 * RING_STEP + 3
    clipped = [(half + reach) / abs(d) for d, half in ((dx, BOX_WIDTH / 2), (dy, BOX_HEIGHT / 2)) if d]
    back, length = min(clipped), math.hypot(dx, dy)
    tip = (end[0] - back * dx, end[1] - back * dy)
    ux, uy = dx / length, dy / length
    base = (tip[0] - 12 * ux, tip[1] - 12 * uy)
    picture.line((start, base), INK, 3.5)
    picture.polygon([tip, (base[0] - 8 * uy, base[1] + 8 * ux), (base[0] + 8 * uy, base[1] - 8 * ux)], INK)


def _space(picture: Picture, view: View, space: int) -> None:
    x, y = SPACE_AT[space]
    holder = view.holder(space)
    picture.open(f"space control-{SIDE_CLASSES[holder]}", _space_tip(view, space, holder))
    _borders(picture, x, y, holder, holds(PIVOTAL_SPACES, space))
    _name_band(picture, space, x, y)
    for side, row in ((VERSAILLES, 0), (COMMUNE, 1)):
        _cubes(picture, side, int(view.s.cubes[side, space]), x + 36, y + BOX_HEADER + 7 + 23 * row)
    _mark(picture, view, space, x + 18, y + BOX_HEADER + 27)
    if view.s.disc[space]:
        _disc(picture, int(view.s.disc[space]) - 1, x + BOX_WIDTH - 25, y + BOX_HEADER + 27)
    if holder != NEUTRAL:
        _badge(picture, holder, x, y)
    for side in range(SIDES):
        if view.objective(side) != NO_CARD and view.tables.target[view.objective(side)] == space:
            _target(picture, side, x + BOX_WIDTH - 1, y + (BOX_HEIGHT - 4) * side)
    picture.close()


def _space_tip(view: View, space: int, holder: int) -> str:
    parts = [f"{SPACE_NAMES[space]} ({DIMENSION_NAMES[space // 3]})"]
    parts += [f"{SIDE_NAMES[side]} {int(view.s.cubes[side, space])}" for side in (VERSAILLES, COMMUNE)]
    parts.append("no control" if holder == NEUTRAL else f"controlled by {SIDE_NAMES[holder]}")
    return ", ".join(parts)


def _borders(picture: Picture, x: float, y: float, holder: int, pivotal: bool) -> None:
    """The ring of control: one border, three around a pivotal space."""
    colour = DEEP[holder]
    if pivotal:
        out = 2 * RING_STEP
        size = (BOX_WIDTH + 2 * out, BOX_HEIGHT + 2 * out)
        picture.rect(x - out, y - out, *size, WHITE, 14, stroke=colour, stroke_width=2)
        out = RING_STEP
        size = (BOX_WIDTH + 2 * out, BOX_HEIGHT + 2 * out)
        picture.rect(x - out, y - out, *size, "none", 11, stroke=colour, stroke_width=2)
    width = 1.5 if holder == NEUTRAL else 2 if pivotal else 4.5
    picture.rect(x, y, BOX_WIDTH, BOX_HEIGHT, WHITE, 8, stroke=colour, stroke_width=width)


def _name_band(picture: Picture, space: int, x: float, y: float) -> None:
    band = f"M{x + 2:g} {y + BOX_HEADER:g}V{y + 8:g}q0 -6 6 -6H{x + BOX_WIDTH - 8:g}q6 0 6 6V{y + BOX_HEADER:g}Z"
    picture.add(f'<path d="{band}" fill="{DIMENSION_DEEP[space // 3]}"/>')
    words = SPACE_NAMES[space]
    picture.text_at(x + BOX_WIDTH / 2, y + 15.5, words, 13, WHITE, anchor="middle", bold=True, room=BOX_WIDTH - 22)


def _mark(picture: Picture, view: View, space: int, x: float, middle: float) -> None:
    """The dimension's sign, above a star in a pivotal space, or a pennant where a side is always present."""
    pivotal = holds(PIVOTAL_SPACES, space)
    flags = [side for side in range(SIDES) if holds(int(view.tables.always_present[side]), space)]
    _icon(picture, space // 3, x, middle - 11 if pivotal or flags else middle, 7)
    if pivotal:
        _star(picture, x, middle + 12, 10, GOLD, "#7a5a0a")
    for i, side in enumerate(flags):
        _pennant(picture, side, x - 6 + 10 * i, middle + 5)


def _pennant(picture: Picture, side: int, x: float, y: float) -> None:
    picture.open("always-present", f"{SIDE_NAMES[side]} is always present here")
    picture.add(f'<path d="M{x:g} {y:g}v17" stroke="{INK}" stroke-width="1.6"/>')
    picture.polygon([(x, y), (x + 13, y + 4.5), (x, y + 9)], DEEP[side])
    picture.close()


def _badge(picture: Picture, side: int, x: float, y: float) -> None:
    picture.circle(x + 2, y + 2, 9.5, DEEP[side], stroke=WHITE, stroke_width=1.5)
    picture.text_at(x + 2, y + 6.2, SIDE_LETTERS[side], 12, WHITE, anchor="middle", bold=True)


def _target(picture: Picture, side: int, x: float, y: float) -> None:
    picture.open(f"objective {SIDE_CLASSES[side]}", f"objective of {SIDE_NAMES[side]}")
    for radius, fill in ((10, WHITE), (8.5, DEEP[side]), (5.5, WHITE), (2.8, DEEP[side])):
        picture.circle(x, y + 2, radius, fill)
    picture.close()


def _legend(picture: Picture) -> None:
    x, y = LEGEND_AT
    rows: tuple[tuple[str, Callable[[float], None]], ...] = (
        ("pivotal space", lambda h: _star(picture, x + 10, h, 8, GOLD, "#7a5a0a")),
        ("always present", lambda h: _pennant(picture, NEUTRAL, x + 5, h - 8)),
        ("objective", lambda h: _target(picture, NEUTRAL, x + 10, h - 2)),
        ("ring: control", lambda h: picture.circle(x + 10, h, 7, "none", stroke=DEEP[NEUTRAL], stroke_width=4)),
    )
    for i, (words, sign) in enumerate(rows):
        sign(y + 25 * i)
        picture.text_at(x + 28, y + 4.5 + 25 * i, words, 13, INK)


def _own_cards(picture: Picture, view: View) -> None:
    side, (left, width) = view.near, OWN_AREA
    hand, aside = view.hand(side), view.aside(side)
    _side_title(picture, view, side, left)
    words, room = _objective_words(view, side), 0.63 * width
    picture.text_at(left + width, CARD_ROW[0] + 16, words, 13, INK, anchor="end", room=room)
    cards = [(n, "hand") for n in hand.seen] + [(n, "set aside") for n in aside.seen]
    cards += [(n, "Final Crisis") for n in view.face_up(side)]
    hidden = hand.hidden + aside.hidden
    count = len(cards) + hidden
    if count == 0:
        return
    size = min(CARD_WIDTH, (width - CARD_GAP * (count - 1)) / count)
    for i, (number, place) in enumerate(cards):
        _card(picture, view, number, place, left + (size + CARD_GAP) * i, size)
    for i in range(len(cards), count):
        _back(picture, left + (size + CARD_GAP) * i, CARD_TOP, size, CARD_HEIGHT, side)


def _side_title(picture: Picture, view: View, side: int, left: float) -> None:
    """Whose cards these are, and how many."""
    hand, aside = view.hand(side).count, view.aside(side).count
    words = f"{SIDE_NAMES[side]}: hand {hand}" + (f", set aside {aside}" if aside else "")
    picture.text_at(left, CARD_ROW[0] + 16, words, 15, DEEP[side], bold=True, room=0.36 * OWN_AREA[1])


def _objective_words(view: View, side: int) -> str:
    """The objective that the viewer may see, by its target alone where there is little room for a name."""
    number, offered = view.objective(side), view.offered(side)
    if offered:
        words = "Objectives offered: " + " or ".join(_target_words(view, n) for n in offered)
    elif number != NO_CARD:
        name = f": {view.components.card_name(number)}" if side == view.near else ""
        words = f"Objective {_target_words(view, number)}{name}"
    else:
        words = "Objective secret" if view.has_objective(side) else "No objective"
    return f"{words} · fulfilled {int(view.s.fulfilled[side])}"


def _target_words(view: View, number: int) -> str:
    return f"#{number} {SPACE_NAMES[view.tables.target[number]]}"


def _card(picture: Picture, view: View, number: int, place: str, x: float, width: float) -> None:
    side, y = view.card_side(number), CARD_TOP
    picture.open(f"card {SIDE_CLASSES[side]}", _card_tip(view, number))
    dash = {"stroke_dasharray": "5 3"} if place == "set aside" else {}
    picture.rect(x + 1, y, width - 2, CARD_HEIGHT, WHITE, 8, stroke=DEEP[side], stroke_width=2, **dash)
    picture.rect(x + 5, y + 4, width - 10, 34, PALE[side], 5)
    picture.circle(x + 22, y + 21, 13, DEEP[side])
    picture.text_at(x + 22, y + 27, str(view.points(number)), 17, WHITE, anchor="middle", bold=True)
    picture.text_at(x + width - 12, y + 26, f"#{number}", 14, DARK[side], anchor="end", bold=True)
    _card_title(picture, view.components.card_name(number), x + width / 2, y + 57, width - 12)
    footer = SIDE_NAMES[side] if place == "hand" else place
    picture.text_at(x + width / 2, y + CARD_HEIGHT - 8, footer, 12, DEEP[side], anchor="middle", room=width - 12)
    picture.close()


def _card_title(picture: Picture, name: str, middle: float, y: float, room: float) -> None:
    lines = wrapped(name, 13, room, bold=True)
    size = min(fitting(line, 13, True, room) for line in lines)
    step = min(16.0, 46 / len(lines))
    for i, line in enumerate(lines):
        picture.text_at(middle, y + step * i, line, size, INK, anchor="middle", bold=True)


def _far_cards(picture: Picture, view: View) -> None:
    """The other side's cards: the known ones by name, the others as backs."""
    side, (left, width) = 1 - view.near, FAR_AREA
    hand, aside = view.hand(side), view.aside(side)
    _panel(picture, left - 12, CARD_ROW[0] - 2, width + 24, CARD_ROW[1])
    _side_title(picture, view, side, left)
    picture.text_at(left, CARD_ROW[0] + 33, _objective_words(view, side), 13, INK, room=width)
    rows = [(n, "") for n in hand.seen] + [(n, " · set aside") for n in aside.seen]
    rows += [(n, " · Final Crisis") for n in view.face_up(side)]
    hidden = hand.hidden + aside.hidden
    height = FAR_HEIGHT if hidden else FAR_HEIGHT + BACK_HEIGHT
    row = min(22.0, height / max(len(rows), 1))
    for i, (number, note) in enumerate(rows):
        _listed(picture, view, number, left, FAR_TOP + row * (i + 0.5), row, width, note)
    x = _backs(picture, side, hand, "hand", left)
    _backs(picture, side, aside, "set aside", x)


def _backs(picture: Picture, side: int, cards: Held, name: str, x: float) -> float:
    """Face-down cards with their number and place; where the next ones may start."""
    if not cards.hidden:
        return x
    picture.open("face-down", f"{cards.hidden} cards face down: {name}")
    for i in range(cards.hidden):
        _back(picture, x + (BACK_WIDTH - 8) * i, BACK_TOP, BACK_WIDTH, BACK_HEIGHT, side)
    x += (BACK_WIDTH - 8) * cards.hidden + 14
    picture.text_at(x, BACK_TOP + 22, f"{cards.hidden} {name}", 13, INK)
    picture.close()
    return x + text_width(f"{cards.hidden} {name}", 13, False) + 8
