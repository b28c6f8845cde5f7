"""Paris drawn as a picture: six districts around the Arc de Triomphe, the bonus track, and a panel for each player.

All measures are in the picture's own units (WIDTH by HEIGHT). Every piece carries its kind and owner as classes
(`class="key p0"`), so that a page can restyle the picture and a test can count what it shows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rfop_env.drawing import Picture, text_width, wrapped
from rfop_env.games.paris.board import (
    ARC,
    BATIGNOLLES,
    BELLEVILLE,
    BOOKSHOP,
    CAFE,
    CHAILLOT,
    DISTRICT_NAMES,
    DISTRICTS,
    END_NAMES,
    FIRST_BANK,
    FIRST_LANDMARK,
    GOOD_TITLES,
    GOODS,
    HOTEL,
    LA_VILLETTE,
    LANDMARK_NAMES,
    MONTMARTRE,
    NEWSSTAND,
    PLACE_NAMES,
    RESIDENCE,
    RESOURCES,
    SAINT_GERMAIN,
    THEATRE,
    VALUE_COUNT,
    VALUES,
    ZONE_NAMES,
)
from rfop_env.games.paris.draw_view import LETTERS, SPECTATOR, TileSource, View, counted
from rfop_env.games.paris.state import NOWHERE

WIDTH, HEIGHT = 1240, 1090
MARGIN, GAP = 20, 12
FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"

# Colours. White text on any of the deep ones has a contrast above 4.5.
INK, MUTED, PAPER, PANEL, LINE, WHITE = "#26262b", "#5c5a60", "#efe9dc", "#faf7ef", "#cdc4b0", "#ffffff"
PLAYER_DEEP = ("#bb2535", "#1b5aad", "#1b7a43", "#6a3fa3")
PLAYER_DARK = ("#7a1420", "#0f376d", "#0e4a28", "#412468")
DISTRICT_DEEP = ("#6d5a45", "#4a6878", "#8a5a34", "#77506a", "#4c6e50", "#55588c")
DISTRICT_PALE = ("#efe6da", "#e0e9ee", "#f5e6d6", "#f0e2ea", "#e1ecdf", "#e4e4f1")
ZONE_PALE = ("#e6efe0", "#f6ecd2", "#f3ded8")
ZONE_DEEP = ("#416b35", "#85611a", "#96402f")
GOLD, GOLD_EDGE = "#e8b93c", "#8a6410"
# Face, edge and letter of the six goods.
GOOD_FACE = ("#8b5a2b", "#dfe3e8", "#f1c232", "#c98a4b", "#c3c8cf", "#f1c232")
GOOD_EDGE = ("#55351a", "#767f8a", "#8a6410", "#6f4316", "#646b75", "#8a6410")
GOOD_LETTER = ("W", "M", "G", "B", "S", "G")

# Rows of the picture: top and height.
HEADER = (0, 44)
NORTH, CENTRE, SOUTH = (56, 210), (276, 116), (402, 210)
SUPPLY_ROW, TRACK_ROW, PLAYER_ROW = (624, 108), (742, 172), (924, 150)
COLUMN = (WIDTH - 2 * MARGIN - 2 * GAP) / 3
# Where the districts lie on the map of Paris: column and row.
DISTRICT_AT = {
    BATIGNOLLES: (0, NORTH),
    MONTMARTRE: (1, NORTH),
    LA_VILLETTE: (2, NORTH),
    CHAILLOT: (0, SOUTH),
    SAINT_GERMAIN: (1, SOUTH),
    BELLEVILLE: (2, SOUTH),
}
BAND = 26  # the coloured head of a panel
BUILDING, BUILDING_STEP = (59, 88), 62.4
BANK_SIZE = (80, 76)
LANDMARK = (96, 76)
KEY_STEP = 15
VP_TILE = (60, 56)
TRACK_LEFT, TRACK_COLUMNS, CELL_HEIGHT = 88, 10, 48


def draw_svg(s: Any, components: TileSource, viewer: int | None = None) -> str:
    """The position as a self-contained SVG picture, as `viewer` sees it.

    `viewer` is a seat, SPECTATOR, or None for the player to move.
    """
    view = View(s, components, viewer)
    picture = Picture(WIDTH, HEIGHT, PAPER, INK, FONT)
    _header(picture, view)
    for district in range(DISTRICTS):
        _district(picture, view, district)
    for part in (_stacks, _arc, _goods, _landmark_supply, _vp_tile_supply, _track):
        part(picture, view)
    for player in range(view.players):
        _player(picture, view, player)
    return picture.text(f"Paris. {view.course_text()}. {view.decision_text()}.")


# -- pieces ------------------------------------------------------------------------------------------------------------


def _panel(picture: Picture, x: float, y: float, width: float, height: float, edge: str = LINE) -> None:
    picture.rect(x, y, width, height, PANEL, 8, stroke=edge)


def _band(picture: Picture, x: float, y: float, width: float, fill: str) -> None:
    """The coloured head of a panel."""
    picture.path(f"M0 {BAND}V8q0 -8 8 -8H{width - 8:g}q8 0 8 8V{BAND}Z", at=(x, y), fill=fill)


def _caption(picture: Picture, x: float, y: float, words: str, **more: Any) -> None:
    picture.text_at(x, y, words, 11, more.pop("fill", MUTED), bold=True, letter_spacing=0.4, **more)


def _key(picture: Picture, player: int, x: float, y: float) -> None:
    """A key, 13 wide and 27 high, its bow at the top; (x, y) is its top left corner."""
    fill, edge = PLAYER_DEEP[player], PLAYER_DARK[player]
    picture.open(f"key p{player}")
    picture.path("M5 10H8V16H11.5V19H8V21.5H11.5V24.5H8V26.5H5Z", at=(x, y), fill=fill, stroke=edge, stroke_width=0.8)
    picture.circle(x + 6.5, y + 6.5, 6.2, fill, stroke=edge, stroke_width=0.8)
    picture.text_at(x + 6.5, y + 9.8, LETTERS[player], 9, WHITE, anchor="middle", bold=True)
    picture.close()


def _keys(picture: Picture, players: Sequence[int], x: float, y: float, room: float) -> None:
    """Keys side by side, closer together where there is little room."""
    step = min(KEY_STEP, (room - 13) / max(len(players) - 1, 1))
    for i, player in enumerate(players):
        _key(picture, player, x + step * i, y)


def _meeple(picture: Picture, player: int, x: float, y: float) -> None:
    """A pawn, 12 wide and 18 high, standing on y."""
    picture.open(f"meeple p{player}", f"bonus meeple of player_{player}")
    body = "M0 0L4 -9H8L12 0Z"
    picture.path(body, at=(x, y), fill=PLAYER_DEEP[player], stroke=WHITE, stroke_width=0.8)
    picture.circle(x + 6, y - 12, 5, PLAYER_DEEP[player], stroke=WHITE, stroke_width=0.8)
    picture.text_at(x + 6, y - 9.5, LETTERS[player], 7, WHITE, anchor="middle", bold=True)
    picture.close()


def _good(picture: Picture, good: int, x: float, y: float, radius: float) -> None:
    """A token around (x, y): a hexagon for a resource, a round medal for prestige."""
    face, edge = GOOD_FACE[good], GOOD_EDGE[good]
    picture.open(f"good {END_NAMES[good]}", GOOD_TITLES[good])
    if good < RESOURCES:
        corners = [(x + 1.1 * radius * math.sin(a), y - 1.1 * radius * math.cos(a)) for a in _turn(6)]
        picture.polygon(corners, face, stroke=edge, stroke_width=1, stroke_linejoin="round")
    else:
        picture.polygon([(x + (1.15 if i % 2 else 0.9) * radius * math.sin(a),
                          y - (1.15 if i % 2 else 0.9) * radius * math.cos(a)) for i, a in enumerate(_turn(20))],
                        face, stroke=edge, stroke_width=1, stroke_linejoin="round")  # fmt: skip
    letter = WHITE if good == 0 else INK
    size = round(1.15 * radius, 1)
    picture.text_at(x, y + 0.36 * size, GOOD_LETTER[good], size, letter, anchor="middle", bold=True)
    picture.close()


def _turn(corners: int) -> list[float]:
    return [2 * math.pi * i / corners for i in range(corners)]


def _coin(picture: Picture, x: float, y: float, radius: float, words: str) -> None:
    picture.circle(x, y, radius, GOLD, stroke=GOLD_EDGE)
    picture.circle(x, y, radius - 3, "none", stroke=GOLD_EDGE, stroke_width=0.7)
    size = 1.05 * radius
    picture.text_at(x, y + 0.36 * size, words, size, INK, anchor="middle", bold=True, room=1.6 * radius)


_TYPE_PATHS = {
    CAFE: "M1 5H11V10Q11 14 6 14Q1 14 1 10ZM11 6.5H13.5V10H11M4 3V0.5M8 3V0.5",
    HOTEL: "M1 2V14M1 11H15V14M15 11V8H1M2.5 8V5H6.5V8",
    THEATRE: "M2 1H14V8Q14 14 8 15Q2 14 2 8ZM5 5.5H7M9 5.5H11M5 9.5Q8 12.5 11 9.5",
    NEWSSTAND: "M1 2H12V14H1ZM12 5H15V12Q15 14 13 14H12M3.5 5H9.5M3.5 8H9.5M3.5 11H7",
    BOOKSHOP: "M8 3.5Q5 1.5 1 2V13Q5 12.5 8 14.5Q11 12.5 15 13V2Q11 1.5 8 3.5ZM8 3.5V14",
    RESIDENCE: "M1 8L8 1L15 8M3 7V15H13V7M6.5 15V10.5H9.5V15",
}


def _type_icon(picture: Picture, kind: int, x: float, y: float) -> None:
    """The sign of a type of building in a box of 16 by 16."""
    picture.path(_TYPE_PATHS[kind], at=(x, y), stroke=INK, stroke_width=1.3, stroke_linejoin="round")


# -- head and ground ---------------------------------------------------------------------------------------------------


def _header(picture: Picture, view: View) -> None:
    top, height = HEADER
    picture.rect(0, top, WIDTH, height, INK, 0)
    picture.rect(0, height - 3, WIDTH, 3, GOLD, 0)
    picture.text_at(MARGIN, 28, "PARIS", 20, WHITE, bold=True, letter_spacing=3)
    picture.text_at(WIDTH / 2 - 60, 27, view.course_text(), 15, PAPER, anchor="middle", room=520)
    side = view.decider
    fill = PLAYER_DEEP[side] if side != SPECTATOR else MUTED
    words, room = view.decision_text(), 400
    width = min(text_width(words, 14, True), room) + 24
    left = WIDTH - MARGIN - width
    picture.open("decision")
    picture.rect(left, 8, width, 26, fill, 13)
    picture.text_at(left + width / 2, 26, words, 14, WHITE, anchor="middle", bold=True, room=room)
    picture.close()


# -- districts ---------------------------------------------------------------------------------------------------------


def _district(picture: Picture, view: View, district: int) -> None:
    column, (y, height) = DISTRICT_AT[district]
    x, deep = MARGIN + (COLUMN + GAP) * column, DISTRICT_DEEP[district]
    picture.open("district", DISTRICT_NAMES[district])
    picture.rect(x, y, COLUMN, height, DISTRICT_PALE[district], 8, stroke=deep)
    _band(picture, x, y, COLUMN, deep)
    picture.text_at(x + 12, y + 18.5, DISTRICT_NAMES[district], 15, WHITE, bold=True, letter_spacing=0.5)
    _vp_slot(picture, view, district, x + COLUMN - 122, y + 3)
    for i in range(VALUE_COUNT):
        _building(picture, view, VALUE_COUNT * district + i, x + 10 + BUILDING_STEP * i, y + 34)
    _bank(picture, view, district, x + 10, y + 128)
    _landmarks_in(picture, view, district, x + 100, y + 128, COLUMN - 110)
    picture.close()


def _vp_slot(picture: Picture, view: View, district: int, x: float, y: float) -> None:
    """The VP tile of a district at the right end of its head."""
    tiles = view.vp_tiles(district)
    if not tiles:
        picture.rect(x, y, 114, 20, "none", 5, stroke=WHITE, stroke_dasharray="3 3", opacity=0.6)
        return
    words = " / ".join(map(str, view.placings(tiles[0])))
    picture.open("vp-tile", f"VP tile: {words} VP for the first, second and third")
    picture.rect(x, y, 114, 20, GOLD, 5, stroke=GOLD_EDGE)
    picture.text_at(x + 57, y + 15, f"VP {words}", 13, INK, anchor="middle", bold=True, room=106)
    picture.close()


def _building(picture: Picture, view: View, space: int, x: float, y: float) -> None:
    """A building space: value, type, the token beside it, resources to pay, keys."""
    tile, (width, height) = view.tile(space), BUILDING
    deep = DISTRICT_DEEP[space // VALUE_COUNT]
    kind = "none" if tile is None else view.type_name(tile)
    picture.open("building" if tile is not None else "no-building", f"{PLACE_NAMES[space]}: {kind}")
    if tile is None:
        picture.rect(x, y, width, height, "none", 5, stroke=deep, stroke_dasharray="4 3", opacity=0.7)
    else:
        picture.rect(x, y, width, height, WHITE, 5, stroke=deep, stroke_width=1.5)
        _type_icon(picture, int(view.tables.building_type[tile]), x + width - 22, y + 6)
        for i, good in enumerate(view.cost(tile)):
            _good(picture, good, x + width - 11 - 13 * i, y + 38, 6)
    ink = INK if tile is not None else MUTED
    picture.text_at(x + 7, y + 22, str(VALUES[space % VALUE_COUNT]), 20, ink, bold=True)
    token = view.token(space)
    if token is not None:
        _good(picture, token, x + 15, y + 41, 9)
    _keys(picture, view.keys(space), x + 4, y + 57, width - 7)
    picture.close()


def _bank(picture: Picture, view: View, district: int, x: float, y: float) -> None:
    width, height = BANK_SIZE
    francs = int(view.tables.bank[district])
    picture.open("bank", f"{DISTRICT_NAMES[district]} bank: {francs} Francs")
    picture.rect(x, y, width, height, WHITE, 5, stroke=DISTRICT_DEEP[district])
    picture.rect(x, y, width, height, "none", 5, stroke=GOLD, stroke_width=3, opacity=0.7)
    _coin(picture, x + 22, y + 22, 15, str(francs))
    picture.text_at(x + 42, y + 26, "bank", 12, MUTED)
    _keys(picture, view.keys(FIRST_BANK + district), x + 8, y + 44, width - 12)
    picture.close()


def _landmarks_in(picture: Picture, view: View, district: int, x: float, y: float, room: float) -> None:
    """The landmarks of a district; where there are many, each shows less of the one before."""
    landmarks = view.landmarks(district)
    step = min(LANDMARK[0], (room - LANDMARK[0]) / max(len(landmarks) - 1, 1))
    for i, landmark in enumerate(landmarks):
        _landmark(picture, view, landmark, x + step * i, y, DISTRICT_DEEP[district])


def _landmark(picture: Picture, view: View, landmark: int, x: float, y: float, deep: str) -> None:
    """A landmark: value, resources to pay, prestige sections with their VP, keys."""
    width, height = LANDMARK[0] - 4, LANDMARK[1]
    place, sections = FIRST_LANDMARK + landmark, view.sections(landmark)
    cost = counted(view.cost(place)) or "no resources"
    words = ", ".join(f"{vp} VP for {GOOD_TITLES[good]}" for good, vp in sections) or "no prestige"
    picture.open("landmark", f"{LANDMARK_NAMES[landmark]} {view.landmark_value(landmark)}: {cost}; {words}")
    picture.rect(x, y, width, height, WHITE, 5, stroke=deep, stroke_width=1.5)
    picture.path(f"M0 17V5q0 -5 5 -5H{width - 5:g}q5 0 5 5V17Z", at=(x, y), fill=deep)
    name, middle = LANDMARK_NAMES[landmark], x + width / 2
    picture.text_at(middle, y + 12.5, name, 11.5, WHITE, anchor="middle", bold=True, room=width - 8)
    picture.text_at(x + 6, y + 36, str(view.landmark_value(landmark)), 16, INK, bold=True)
    for i, good in enumerate(view.cost(place)):
        _good(picture, good, x + 37 + 10.5 * i, y + 29.5, 4.8)
    for i, (good, vp) in enumerate(sections):
        _good(picture, good, x + width - 20, y + 27 + 15.5 * i, 6)
        picture.text_at(x + width - 11, y + 30.5 + 15.5 * i, str(vp), 11, INK, bold=True, room=10)
    _keys(picture, view.keys(place), x + 5, y + 45, width - 36)
    picture.close()


# -- the middle of the board -------------------------------------------------------------------------------------------


def _stacks(picture: Picture, view: View) -> None:
    y, height = CENTRE
    _panel(picture, MARGIN, y, COLUMN, height)
    _caption(picture, MARGIN + 12, y + 17, "BUILDING TILES")
    for k, (left, top) in enumerate(view.piles()):
        x = MARGIN + 12 + 124 * k
        picture.open("stack", f"stack {k + 1}: {left} tiles" + (f", {top} on top" if left else ""))
        if left:
            deep = DISTRICT_DEEP[DISTRICT_NAMES.index(top)]
            for offset in (6, 3, 0)[3 - min(left, 3) :]:
                picture.rect(x + offset, y + 28 - offset / 2, 110, 62, deep, 5, stroke=WHITE)
            picture.text_at(x + 55, y + 56, top, 14, WHITE, anchor="middle", bold=True, room=100)
            picture.text_at(x + 55, y + 76, f"{left} left", 12, WHITE, anchor="middle")
        else:
            picture.rect(x, y + 28, 110, 62, "none", 5, stroke=MUTED, stroke_dasharray="4 3")
            picture.text_at(x + 55, y + 63, "empty", 12, MUTED, anchor="middle")
        picture.text_at(x + 55, y + 106, f"stack {k + 1}", 11, MUTED, anchor="middle")
        picture.close()


def _arc(picture: Picture, view: View) -> None:
    """The Arc de Triomphe, with a foot for each player's key."""
    x, (y, height) = MARGIN + COLUMN + GAP, CENTRE
    middle = x + COLUMN / 2
    picture.open("arc", "Arc de Triomphe")
    _panel(picture, x, y, COLUMN, height)
    stone: dict[str, Any] = {"fill": "#e4d8bd", "stroke": "#8b7b57", "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M0 0H128V14H122V94H84V56Q84 34 64 34Q44 34 44 56V94H6V14H0Z", at=(middle - 64, y + 8), **stone)
    picture.path("M6 14H122M12 24H116", at=(middle - 64, y + 8), stroke="#8b7b57", stroke_width=1)
    picture.text_at(middle - 80, y + 24, "Arc de", 12, MUTED, anchor="end", bold=True)
    picture.text_at(middle - 80, y + 38, "Triomphe", 12, MUTED, anchor="end", bold=True)
    keys = view.keys(ARC)
    for player in range(view.players):
        at = middle + 78 + 30 * player
        picture.circle(at + 6.5, y + 62, 14, "none", stroke=PLAYER_DEEP[player], stroke_dasharray="3 3", opacity=0.7)
        if player in keys:
            _key(picture, player, at, y + 49)
    picture.close()


def _goods(picture: Picture, view: View) -> None:
    """What a good sells for, what can be bought, and the End Game tiles."""
    x, (y, height) = MARGIN + 2 * (COLUMN + GAP), CENTRE
    _panel(picture, x, y, COLUMN, height)
    for row, words in enumerate(("supply", "buy", "sell")):
        picture.text_at(x + 12, y + 48 + 17 * row, words, 12, MUTED)
    for good in range(GOODS):
        across = x + 72 + 36 * good
        _good(picture, good, across, y + 20, 9)
        buy = str(view.tables.buy_price[good]) if good < RESOURCES else "-"
        rows = (str(view.s.supply[good]), buy, str(view.tables.sell_price[good]))
        for row, words in enumerate(rows):
            picture.text_at(across, y + 48 + 17 * row, words, 13, INK, anchor="middle", bold=True)
    left, kinds = view.end_tiles_left(), view.end_kinds_left()
    at, room = x + 282, COLUMN - 292
    picture.open("end-tiles", f"{left} End Game tiles left")
    _caption(picture, at, y + 17, "END GAME TILES", room=0.85 * room)
    for offset in (6, 3, 0)[3 - min(left, 3) :]:
        picture.rect(at + 18 + offset, y + 32 - offset / 2, 56, 40, "#4b4640", 4, stroke=WHITE)
    picture.text_at(at + 46, y + 58, str(left), 20, WHITE if left else MUTED, anchor="middle", bold=True)
    picture.close()
    if kinds is not None:
        listed = ", ".join(f"{n} {END_NAMES[kind]}" for kind, n in kinds.items())
        picture.text_at(x + 12, y + 107, f"End Game tiles: {listed or 'none'}", 12, INK, room=COLUMN - 24)
    elif left:
        picture.text_at(at + 46, y + 90, "face down", 11, MUTED, anchor="middle")


def _landmark_supply(picture: Picture, view: View) -> None:
    y, height = SUPPLY_ROW
    landmarks = view.landmarks(NOWHERE)
    width = LANDMARK[0] * 8 + 20
    _panel(picture, MARGIN, y, width, height)
    _caption(picture, MARGIN + 12, y + 17, "LANDMARKS IN THE SUPPLY" + ("" if landmarks else ": NONE"))
    for i, landmark in enumerate(landmarks):
        _landmark(picture, view, landmark, MARGIN + 12 + LANDMARK[0] * i, y + 24, "#5b5348")


def _vp_tile_supply(picture: Picture, view: View) -> None:
    y, height = SUPPLY_ROW
    x = MARGIN + LANDMARK[0] * 8 + 20 + GAP
    tiles = view.vp_tiles(NOWHERE)
    _panel(picture, x, y, WIDTH - MARGIN - x, height)
    _caption(picture, x + 12, y + 17, "VP TILES" + ("" if tiles else ": NONE LEFT"))
    for i, tile in enumerate(tiles):
        width, tall = VP_TILE
        left, top = x + 10 + (width + 4) * i, y + 30
        first, *others = view.placings(tile)
        picture.open("vp-tile", f"VP tile {tile + 1}")
        picture.rect(left, top, width, tall, GOLD, 5, stroke=GOLD_EDGE)
        picture.text_at(left + width / 2, top + 28, str(first), 24, INK, anchor="middle", bold=True)
        lower = " / ".join(map(str, others))
        picture.text_at(left + width / 2, top + 47, lower, 14, INK, anchor="middle", bold=True, room=width - 8)
        picture.close()


# -- bonus track -------------------------------------------------------------------------------------------------------


def _track(picture: Picture, view: View) -> None:
    y, height = TRACK_ROW
    _panel(picture, MARGIN, y, WIDTH - 2 * MARGIN, height)
    _caption(picture, MARGIN + 12, y + 17, "BONUS", room=60)
    picture.text_at(MARGIN + 34, y + 66, "start", 12, MUTED, anchor="middle")
    picture.circle(MARGIN + 34, y + 96, 24, WHITE, stroke=LINE, stroke_width=2)
    for i, player in enumerate(view.meeples(0)):
        _meeple(picture, player, MARGIN + 21 + 15 * (i % 2), y + 96 + 19 * (i // 2) - 1)
    size = (WIDTH - MARGIN - 10 - TRACK_LEFT) / TRACK_COLUMNS
    for space, number, left, meeples in view.track():
        column, row = (space - 1) % TRACK_COLUMNS, (space - 1) // TRACK_COLUMNS
        x, top = TRACK_LEFT + size * column, y + 12 + (CELL_HEIGHT + 3) * row
        _track_cell(picture, view, space, number, left, x, top, size - 4)
        for i, player in enumerate(meeples):
            _meeple(picture, player, x + size - 20 - 13 * i, top + CELL_HEIGHT - 3)


def _track_cell(
    picture: Picture, view: View, space: int, number: int, left: int, x: float, y: float, width: float
) -> None:
    """A space of the track with the tiles that lie there; an empty one keeps the number that lay there."""
    zone = int(view.tables.zone[space])
    name = view.components.card_name(number)
    tip = f"#{number} {name}: {'; '.join(view.components.event_sentences(number))} ({left} left)"
    picture.open("bonus-tile" if left else "no-bonus-tile", f"space {space}, zone {ZONE_NAMES[zone]}: {tip}")
    if not left:
        picture.rect(x, y, width, CELL_HEIGHT, "none", 5, stroke=ZONE_DEEP[zone], stroke_dasharray="3 3", opacity=0.5)
        picture.text_at(x + 14, y + 19, str(number), 12, MUTED, anchor="middle", opacity=0.6)
        picture.close()
        return
    for offset in (4, 2)[2 - min(left - 1, 2) :]:
        picture.rect(x + offset, y - offset / 2, width, CELL_HEIGHT, ZONE_PALE[zone], 5, stroke=ZONE_DEEP[zone])
    picture.rect(x, y, width, CELL_HEIGHT, ZONE_PALE[zone], 5, stroke=ZONE_DEEP[zone])
    picture.circle(x + 15, y + 15, 11, ZONE_DEEP[zone])
    picture.text_at(x + 15, y + 19, str(number), 12, WHITE, anchor="middle", bold=True)
    for i, line in enumerate(wrapped(name, 11.5, width - 36)):
        picture.text_at(x + 31, y + 18 + 13 * i, line, 11.5, INK, room=width - 34)
    if left > 1:
        picture.text_at(x + 8, y + 42, f"×{left}", 12, ZONE_DEEP[zone], bold=True)
    picture.close()


# -- players -----------------------------------------------------------------------------------------------------------


def _player(picture: Picture, view: View, player: int) -> None:
    y, height = PLAYER_ROW
    width = (WIDTH - 2 * MARGIN - GAP * (view.players - 1)) / view.players
    x, deep = MARGIN + (width + GAP) * player, PLAYER_DEEP[player]
    picture.open(f"player p{player}")
    _panel(picture, x, y, width, height, deep)
    _band(picture, x, y, width, deep)
    who = view.name(player) + (" · you" if player == view.viewer != SPECTATOR else "")
    who += " · starts" if player == view.s.start_player else ""
    picture.text_at(x + 12, y + 18.5, who, 14, WHITE, bold=True, room=width - 90)
    picture.text_at(x + width - 12, y + 19, f"{view.s.vp[player]} VP", 16, WHITE, anchor="end", bold=True)
    _purse(picture, view, player, x, y + 32, width)
    _chips(picture, view, player, x + 10, y + 84, width - 20)
    picture.close()


def _purse(picture: Picture, view: View, player: int, x: float, y: float, width: float) -> None:
    """Keys, Francs and tokens."""
    hand, aside = int(view.s.keys_in_hand[player]), int(view.s.keys_aside[player])
    _key(picture, player, x + 12, y + 2)
    picture.text_at(x + 30, y + 21, f"{hand} in hand, {aside} aside", 12.5, INK, room=width / 2 - 40)
    left, middle = x + width / 2, y + 16
    if not view.sees(player):
        picture.open("hidden", f"Francs and tokens of player_{player} are behind the screen")
        picture.rect(left, y + 3, width / 2 - 12, 26, "#d8d0bf", 5)
        words = "Francs and tokens hidden"
        picture.text_at(left + width / 4 - 6, y + 20, words, 12, MUTED, anchor="middle", room=width / 2 - 20)
        picture.close()
        return
    _coin(picture, left + 12, middle, 12, "F")
    picture.text_at(left + 30, middle + 5, str(view.s.francs[player]), 15, INK, bold=True)
    step = (width - 24) / GOODS
    for good, n in enumerate(view.goods(player)):
        at = x + 22 + step * good
        opacity: dict[str, Any] = {} if n else {"opacity": 0.35}
        picture.open("stock", **opacity)
        _good(picture, good, at, y + 40, 8)
        picture.text_at(at + 13, y + 44.5, str(n), 13, INK, bold=True)
        picture.close()


CHIP_HEIGHT, CHIP_STEP, CHIP_ROWS, CHIP_SIZE = 18, 21, 3, 11.5


def _chips(picture: Picture, view: View, player: int, x: float, y: float, room: float) -> None:
    """Bonus and End Game tiles: unused ones, those that the viewer cannot name, then the used ones."""
    chips = _chip_list(view, player, True)
    rows = _chip_rows(chips, room)
    if max(rows, default=0) >= CHIP_ROWS:
        chips = _chip_list(view, player, False)
        rows = _chip_rows(chips, room)
    across, last = x, 0
    for (words, kind), row in zip(chips, rows, strict=True):
        across, last = (x if row != last else across), row
        width = _chip_width(words)
        top = y + CHIP_STEP * row
        picture.open(f"chip {kind}")
        fill, edge, ink = _CHIP_COLOURS[kind]
        picture.rect(across, top, width, CHIP_HEIGHT, fill, 5, stroke=edge)
        picture.text_at(across + width / 2, top + 13, words, CHIP_SIZE, ink, anchor="middle")
        picture.close()
        across += width + 4


# Fill, edge and text of a chip.
_CHIP_COLOURS = {
    "unused": (WHITE, MUTED, INK),
    "hidden": ("#d8d0bf", "#d8d0bf", MUTED),
    "used": (PANEL, LINE, MUTED),
}


def _chip_list(view: View, player: int, named: bool) -> list[tuple[str, str]]:
    """Words and kind of each chip; without names where there is little room."""
    bonus, ends = view.bonus(player), view.end_tiles(player)
    chips = [(f"{n} {view.components.card_name(n)}" if named else f"{n}", "unused") for n in bonus.seen]
    chips += [(f"End: {END_NAMES[kind]}", "unused") for kind in ends.seen]
    chips += [(f"{bonus.hidden} bonus tile{'s' * (bonus.hidden > 1)} hidden", "hidden")] * (bonus.hidden > 0)
    chips += [(f"{ends.hidden} End Game hidden", "hidden")] * (ends.hidden > 0)
    used = [str(n) for n in view.used(player)] + [END_NAMES[kind] for kind in view.used_end_tiles(player)]
    return chips + [(f"used: {words}" if i == 0 else words, "used") for i, words in enumerate(used)]


def _chip_rows(chips: Sequence[tuple[str, str]], room: float) -> list[int]:
    """The row of each chip when they flow from left to right."""
    rows, across, row = [], 0.0, 0
    for words, _ in chips:
        width = _chip_width(words)
        if across > 0 and across + width > room:
            across, row = 0.0, row + 1
        rows.append(row)
        across += width + 4
    return rows


def _chip_width(words: str) -> float:
    return text_width(words, CHIP_SIZE, False) + 10
