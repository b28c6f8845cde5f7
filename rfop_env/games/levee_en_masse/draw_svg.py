"""Levée en Masse drawn as a picture: an SVG of the map with its five tracks, the government, and the current headline.

All measures are in the picture's own units (WIDTH by HEIGHT). Every piece carries its kind as a class
(`class="army vendée"`), so that a page can restyle the picture and a test can count what it shows.
"""

from __future__ import annotations

import math
from typing import Any

from rfop_env.drawing import Picture, text_width, wrapped
from rfop_env.games.levee_en_masse.board import (
    ARMY_NAMES, BLUE, COLOUR_NAMES, HIGHEST, LOWEST, POLITICS_NAMES, RED, START, TRACK_NAMES, TRACKS, WHITE,
)  # fmt: skip
from rfop_env.games.levee_en_masse.component_set import ComponentSet
from rfop_env.games.levee_en_masse.draw_view import ARMY_SIGNS, View
from rfop_env.games.levee_en_masse.politics import ARMY_LIMIT

WIDTH, HEIGHT = 1200, 836
FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"

# Colours. White text on any of the deep ones has a contrast above 4.5.
INK, MUTED, PAPER, PANEL, LINE, PURE_WHITE = "#23262d", "#5c5f66", "#e8e4d8", "#faf6ec", "#cfc5ae", "#ffffff"
SEA, ABROAD, FRANCE, COAST = "#cfdfe8", "#ece3cf", "#fbf5e3", "#8d9aa8"
TRICOLOUR = ("#1f4e9c", "#ffffff", "#c4242f")
ARMY_COLOURS = (
    "#b3202c", "#2f3a46", "#8a6a00", "#2c6e49", "#6b3f8f", "#b04a0a", "#3f6b2a", "#3f6b2a", "#8d1f3d",
)  # fmt: skip
POLITICS_COLOURS = ("#6b3f8f", "#8a6a00", "#1f4e9c")
BORDER_COLOURS = {0: "#5c5f66", 1: "#e07b00", 3: "#c4242f"}  # by penalty
COLOUR_FILLS = {BLUE: "#1f4e9c", WHITE: "#f7f7f4", RED: "#b3202c"}
COLOUR_WORDS = {BLUE: PURE_WHITE, WHITE: INK, RED: PURE_WHITE}

# The map: middles of the spaces by track and box, from box 1 to the start.
MAP = (20, 54, 832, 766)  # left, top, width, height
PARIS_AT, PARIS_RADIUS = (364, 442), 74
SPACE_AT = (
    ((238, 346), (312, 250), (300, 138), (190, 116), (82, 166)),
    ((440, 312), (508, 218), (598, 140), (698, 108), (798, 140)),
    ((498, 442), (594, 388), (684, 322), (784, 274), (796, 384)),
    ((452, 584), (544, 664), (646, 622), (746, 564), (792, 672)),
    ((252, 546), (152, 584), (66, 676), (156, 758), (284, 738)),
)
ROUND_RADIUS, SQUARE_HALF, HEXAGON_RADIUS = 44, 40, 48
TRACK_LABEL_BELOW = (False, False, True, True, False)  # the start hexagon's
FRANCE_OUTLINE = (
    (262, 206), (318, 184), (384, 222), (474, 262), (560, 438), (520, 540), (596, 660), (560, 726), (400, 744),
    (300, 806), (96, 806), (24, 720), (28, 618), (150, 520), (206, 440), (176, 340),
)  # fmt: skip
COASTLINE = ((20, 60), (220, 60), (330, 74), (262, 206), (176, 340), (206, 440), (150, 520), (28, 618), (20, 700))
LEGEND_AT = (40, 262)

# The right column: left edge and width; tops and heights of its panels.
COLUMN, COLUMN_WIDTH = 866, 314
CARD, GOVERNMENT, ARMY, HOLDING, PILE = (54, 330), (394, 154), (558, 78), (646, 78), (734, 86)
CELL = 34


def draw_svg(s: Any, components: ComponentSet) -> str:
    """The position as a self-contained SVG picture."""
    view, picture = View(s, components), Picture(WIDTH, HEIGHT, PAPER, INK, FONT)
    for part in (_header, _map, _card, _government, _french_army, _holding_box, _draw_pile):
        part(picture, view)
    return picture.text(f"Levée en Masse. {view.turn_text()}. {view.decision_text()}.")


# -- header and map ----------------------------------------------------------------------------------------------------


def _header(picture: Picture, view: View) -> None:
    picture.rect(0, 0, WIDTH, 42, INK, 0)
    for i, colour in enumerate(TRICOLOUR):
        picture.rect(i * WIDTH / 3, 39, WIDTH / 3, 3, colour, 0)
    picture.text_at(24, 26, "LEVÉE EN MASSE", 18, PURE_WHITE, bold=True, letter_spacing=1.5)
    picture.text_at(MAP[0] + MAP[2] / 2, 26, view.turn_text(), 15, PAPER, anchor="middle")
    words, room = view.decision_text(), 360
    width = min(text_width(words, 14, True), room) + 24
    picture.open("decision")
    picture.rect(WIDTH - 20 - width, 7, width, 26, TRICOLOUR[0], 13)
    picture.text_at(WIDTH - 20 - width / 2, 25, words, 14, PURE_WHITE, anchor="middle", bold=True, room=room)
    picture.close()


def _map(picture: Picture, view: View) -> None:
    picture.rect(*MAP, ABROAD, 8)
    picture.polygon(COASTLINE, SEA, stroke=SEA, stroke_width=4, stroke_linejoin="round")
    outline = {"stroke": COAST, "stroke_width": 2, "stroke_linejoin": "round", "stroke_dasharray": "6 4"}
    picture.polygon(FRANCE_OUTLINE, FRANCE, **outline)
    picture.rect(*MAP, "none", 8, stroke=LINE)
    for track in range(TRACKS):
        picture.line((PARIS_AT, *SPACE_AT[track]), INK, 7, stroke_linejoin="round")
        picture.line((PARIS_AT, *SPACE_AT[track]), ARMY_COLOURS[track], 4, stroke_linejoin="round")
    for track in range(TRACKS):
        for box in range(1, START + 1):
            _space(picture, view, track, box)
    _paris(picture, view)
    _legend(picture)


def _space(picture: Picture, view: View, track: int, box: int) -> None:
    x, y = SPACE_AT[track][box - 1]
    name = view.components.space_name(track, box)
    picture.open("space", _space_tip(view, track, box))
    _shape(picture, view, track, box, x, y)
    on_colour = box == START
    word, number = (PURE_WHITE, PURE_WHITE) if on_colour else (INK, MUTED)
    picture.text_at(x, y - 22, str(box), 12, number, anchor="middle", bold=True)
    picture.text_at(x, y + 29, name, 12, word, anchor="middle", bold=True, room=_name_room(view, track, box))
    if on_colour:
        label = y + 58 if TRACK_LABEL_BELOW[track] else y - 48
        picture.text_at(x, label, TRACK_NAMES[track], 13, ARMY_COLOURS[track], anchor="middle", bold=True)
    if view.s.liberated[track, box]:
        _liberation(picture, x + 34, y - 31)
    _armies(picture, view, view.armies(track, box), x, y)
    picture.close()


def _space_tip(view: View, track: int, box: int) -> str:
    parts = [f"{view.components.space_name(track, box)} ({TRACK_NAMES[track]} {box})"]
    parts += [f"{ARMY_NAMES[army]} {view.army_value(army)}" for army in view.armies(track, box)]
    return ", ".join(parts + (["liberated"] if view.s.liberated[track, box] else []))


def _name_room(view: View, track: int, box: int) -> float:
    """How wide a name may be where it stands in its shape."""
    if view.tables.square_space[track, box]:
        return 2 * SQUARE_HALF - 8
    return 2 * ROUND_RADIUS - 18 if box != START else HEXAGON_RADIUS + 14


def _shape(picture: Picture, view: View, track: int, box: int, x: float, y: float) -> None:
    """A start hexagon in the army's colour, a circle outside France, a square in France with its border."""
    if box == START:
        picture.polygon(_hexagon(x, y, HEXAGON_RADIUS), ARMY_COLOURS[track], stroke=INK, stroke_width=2)
    elif view.tables.round_space[track, box]:
        picture.circle(x, y, ROUND_RADIUS, PURE_WHITE, stroke=INK, stroke_width=2)
    else:
        penalty = int(view.tables.penalty[track, box])
        side = 2 * SQUARE_HALF
        border = {"stroke": BORDER_COLOURS[penalty], "stroke_width": 6 if penalty else 2}
        picture.rect(x - SQUARE_HALF, y - SQUARE_HALF, side, side, PURE_WHITE, 4, **border)


def _hexagon(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    return [(x + radius * math.cos(math.pi * i / 3), y + radius * math.sin(math.pi * i / 3)) for i in range(6)]


def _armies(picture: Picture, view: View, armies: list[int], x: float, y: float) -> None:
    """Counters side by side around a middle, the one to be fought first on the left."""
    step = 33 if len(armies) < 3 else 26
    for i, army in enumerate(armies):
        _army(picture, view, army, x + step * (i - (len(armies) - 1) / 2), y - 1, step - 2)


def _army(picture: Picture, view: View, army: int, x: float, y: float, size: float) -> None:
    """A square counter: its sign over its Battle Value; turned as the rules turn it."""
    states = view.army_state(army)
    turn = 90 if "disorganized" in states else 180 if {"routed", "rotated"} & set(states) else 0
    tip = ", ".join([f"{ARMY_NAMES[army]} army, value {view.army_value(army)}", *states])
    picture.open(f"army {ARMY_NAMES[army].lower().replace(' ', '-')}", tip)
    picture.open("counter", transform=f"rotate({turn} {x:g} {y:g})")
    colour, half = ARMY_COLOURS[army], size / 2
    picture.rect(x - half, y - half, size, size, colour, 3, stroke=PURE_WHITE, stroke_width=1.5)
    picture.text_at(x, y - 2, ARMY_SIGNS[army], 0.39 * size, PURE_WHITE, anchor="middle", bold=True)
    picture.text_at(x, y + 0.38 * size, view.army_value(army), 0.39 * size, PURE_WHITE, anchor="middle", bold=True)
    picture.close()
    if "Napoleon" in states:
        _napoleon(picture, x + half - 2, y - half + 1)
    picture.close()


def _napoleon(picture: Picture, x: float, y: float) -> None:
    picture.open("napoleon", "Napoleon")
    picture.circle(x, y, 7.5, "#e2ae2f", stroke=INK, stroke_width=1.2)
    picture.text_at(x, y + 3.6, "N", 10, INK, anchor="middle", bold=True)
    picture.close()


def _liberation(picture: Picture, x: float, y: float) -> None:
    """A cockade."""
    picture.open("liberation", "Liberation marker")
    picture.circle(x, y, 12.5, INK)
    for radius, colour in zip((11.5, 8, 4.5), TRICOLOUR, strict=True):
        picture.circle(x, y, radius, colour)
    picture.close()


def _disorder(picture: Picture, x: float, y: float) -> None:
    """A street on fire."""
    picture.open("disorder", "Disorder")
    flame = "q-9 -9 -3 -17 q1 5 4 5 q-2 -8 4 -13 q-1 7 4 10 q2 -2 1 -5 q7 9 0 20 q-5 3 -10 0 Z"
    picture.rect(x - 15, y - 15, 30, 30, "#3a1210", 4, stroke=PURE_WHITE, stroke_width=1.5)
    picture.add(f'<path d="M{x - 3:g} {y + 11:g}{flame}" fill="#f39a2b" stroke="#c4242f" stroke-width="1.2"/>')
    picture.close()


def _paris(picture: Picture, view: View) -> None:
    (x, y), in_paris = PARIS_AT, view.in_paris()
    words = ["Paris", *(f"{ARMY_NAMES[army]} army" for army in in_paris)]
    picture.open("paris", ", ".join(words + (["Disorder"] if view.s.disorder == 1 else [])))
    for i, colour in enumerate(TRICOLOUR):
        picture.circle(x, y, PARIS_RADIUS - 6 * i, colour, stroke=INK, stroke_width=1)
    picture.circle(x, y, PARIS_RADIUS - 18, PANEL)
    picture.text_at(x, y - 33 if in_paris else y + 6, "PARIS", 16, INK, anchor="middle", bold=True)
    for i, army in enumerate(in_paris):
        row, column = divmod(i, 3)
        across = min(3, len(in_paris) - 3 * row)
        _army(picture, view, army, x + 33 * (column - (across - 1) / 2), y - 6 + 33 * row, 31)
    if view.s.disorder == 1:
        _disorder(picture, x, y + PARIS_RADIUS - 6)
    picture.close()


def _legend(picture: Picture) -> None:
    x, y = LEGEND_AT
    picture.circle(x + 9, y, 8, PURE_WHITE, stroke=INK, stroke_width=1.5)
    for i, colour in enumerate((BORDER_COLOURS[3], BORDER_COLOURS[1])):
        picture.rect(x + 2, y + 18 + 26 * i, 14, 14, PURE_WHITE, 2, stroke=colour, stroke_width=3.5)
    _liberation(picture, x + 9, y + 78)
    for i, words in enumerate(("outside France", "in France, -3", "in France, -1", "liberated")):
        picture.text_at(x + 26, y + 4.5 + 26 * i, words, 12, INK)


# -- the right column --------------------------------------------------------------------------------------------------


def _panel(picture: Picture, place: tuple[float, float], title: str) -> tuple[float, float]:
    """A panel of the column with its title; returns the corner inside it, below the title."""
    top, height = place
    picture.rect(COLUMN, top, COLUMN_WIDTH, height, PANEL, 8, stroke=LINE)
    picture.text_at(COLUMN + 12, top + 18, title.upper(), 12, MUTED, bold=True)
    return COLUMN + 12, top + 18


def _card(picture: Picture, view: View) -> None:
    """The current headline: its colour, number and title, what it does, the Actions it gives."""
    top, height = CARD
    number, components = view.card, view.components
    row = components.card(number).values
    fill, words = COLOUR_FILLS[view.colour(number)], COLOUR_WORDS[view.colour(number)]
    picture.open("headline", components.card_title(number))
    picture.rect(COLUMN, top, COLUMN_WIDTH, height, PANEL, 8, stroke=LINE)
    title = wrapped(row["title"], 17, COLUMN_WIDTH - 76, True)
    band = 42 + 21 * len(title)
    picture.add(
        f'<path d="M{COLUMN} {top + band}V{top + 8}q0 -8 8 -8H{COLUMN + COLUMN_WIDTH - 8}q8 0 8 8V{top + band}Z" '
        f'fill="{fill}" stroke="{LINE}"/>'
    )
    picture.text_at(COLUMN + 14, top + 30, f"#{number}", 17, words, bold=True)
    for i, line in enumerate(title):
        picture.text_at(COLUMN + 60, top + 30 + 21 * i, line, 17, words, bold=True)
    picture.text_at(COLUMN + 60, top + band - 12, row["date"] or COLOUR_NAMES[view.colour(number)], 13, words)
    y = top + band + 24
    for sentence in components.event_sentences(number):
        for i, line in enumerate(wrapped(sentence, 13, COLUMN_WIDTH - 46)):
            picture.text_at(COLUMN + 26, y, line, 13)
            if i == 0:
                picture.circle(COLUMN + 16, y - 4.5, 2.5, INK)
            y += 18
        y += 3
    _actions(picture, view, row["actions"], top + height - 22)
    picture.close()


def _actions(picture: Picture, view: View, printed: int, y: float) -> None:
    """A disc for each Action of the card or left; the spent ones are hollow."""
    left = 0 if view.over else int(view.s.actions_left)
    picture.text_at(COLUMN + 14, y + 4.5, "ACTIONS", 12, MUTED, bold=True)
    for i in range(max(printed, left)):
        picture.open("action left" if i < left else "action")
        picture.circle(COLUMN + 96 + 26 * i, y, 9.5, INK if i < left else "none", stroke=INK, stroke_width=1.5)
        picture.close()


def _government(picture: Picture, view: View) -> None:
    x, y = _panel(picture, GOVERNMENT, "Government")
    reigning = view.reigning() or "nobody"
    picture.text_at(COLUMN + COLUMN_WIDTH - 12, y, f"reigning: {reigning}", 12, INK, anchor="end", bold=True)
    for marker, name in enumerate(POLITICS_NAMES):
        at = int(view.s.politics[marker])
        picture.open(f"politics {name.lower()}", f"{name}: {at}")
        _track(picture, name, range(LOWEST, HIGHEST + 1), at, POLITICS_COLOURS[marker], x, y + 12 + 40 * marker)
        picture.close()


def _track(picture: Picture, name: str, boxes: range, at: int, colour: str, x: float, y: float) -> None:
    """A row of boxes with a marker in one of them."""
    picture.text_at(x, y + 23, name, 13, colour, bold=True, room=80)
    for i, box in enumerate(boxes):
        left = x + 84 + CELL * i
        here = box == at
        picture.rect(left, y + 2, CELL - 3, 32, colour if here else PURE_WHITE, 5, stroke=colour, stroke_width=1.5)
        words = f"{box:+d}" if box and boxes[0] < LOWEST else str(box)
        fill = PURE_WHITE if here else MUTED
        picture.text_at(left + (CELL - 3) / 2, y + 23, words, 15, fill, anchor="middle", bold=here)


def _french_army(picture: Picture, view: View) -> None:
    x, y = _panel(picture, ARMY, "French Army: Military DRM")
    value = int(view.s.french_army)
    picture.open("french-army", f"French Army {value:+d}")
    _track(picture, "DRM", range(-ARMY_LIMIT, ARMY_LIMIT + 1), value, TRICOLOUR[0], x, y + 12)
    picture.close()


def _holding_box(picture: Picture, view: View) -> None:
    x, y = _panel(picture, HOLDING, "Holding Box")
    picture.open("holding-box", ", ".join(view.holding_box()) or "empty")
    for _ in range(int(view.s.markers_held)):
        _liberation(picture, x + 16, y + 32)
        x += 34
    if view.s.disorder == 0:
        _disorder(picture, x + 18, y + 32)
        x += 42
    napoleon = [words for words in view.holding_box() if words.startswith("Napoleon")]
    if napoleon:
        _napoleon(picture, x + 14, y + 32)
        picture.text_at(x + 30, y + 36, napoleon[0].removeprefix("Napoleon").strip(), 12)
    picture.close()


def _draw_pile(picture: Picture, view: View) -> None:
    x, y = _panel(picture, PILE, "Still to come")
    for i, (colour, count) in enumerate(view.left().items()):
        left = x + 100 * i
        picture.open(f"pile {COLOUR_NAMES[colour]}", f"{count} {COLOUR_NAMES[colour]} cards")
        picture.rect(left + 3, y + 11, 34, 46, COLOUR_FILLS[colour], 4, stroke=INK)
        picture.rect(left, y + 14, 34, 46, COLOUR_FILLS[colour], 4, stroke=INK)
        picture.text_at(left + 17, y + 43, str(count), 17, COLOUR_WORDS[colour], anchor="middle", bold=True)
        picture.text_at(left + 44, y + 43, COLOUR_NAMES[colour], 13)
        picture.close()
