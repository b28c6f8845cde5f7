"""Revolution drawn as a picture: the board, the unplayed counters and the markers of both sides.

Every piece carries its kind and side as classes (`class="counter jacobins"`), so that a page can restyle the picture
and a test can count what it shows.
"""

from __future__ import annotations

from typing import Any

from rfop_env.drawing import Picture
from rfop_env.games.revolution.board import (
    BUILDINGS, BUILDING_NAMES, COUNTERS, FIRST_BUILDING, FLAG, JACOBINS, NEUTRAL, NOWHERE, NO_PIECE, ROYALISTS, SIDES,
    SIDE_NAMES, SPACES, SPACE_NAMES, WIDTH as COLUMNS, piece_name,
)  # fmt: skip
from rfop_env.games.revolution.draw import situation, space_words

WIDTH, HEIGHT = 840, 648
HEADER = 48
BOARD_LEFT, BOARD_TOP, CELL = 170, 92, 100
PANEL_LEFT, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT = (14, 696), 80, 130, 512  # left edges by side
TILE, SMALL_TILE = 60, 44
FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"

# Colours; triples by side and NEUTRAL.
INK, MUTED, PAPER, PANEL, LINE, WHITE, GOLD = (
    "#23262d",
    "#5c5f66",
    "#efe8d8",
    "#faf6ec",
    "#cfc5ae",
    "#ffffff",
    "#e2ae2f",
)
DEEP = ("#1f4e9c", "#b3202c", "#5f636b")
TOP = ("#6d97d8", "#e2646b", "#a3a7ae")
DARK = ("#12315f", "#7d121b", "#3f4248")
PALE = ("#d9e4f4", "#f6dcd8", "#faf6ec")
STONE, ROOF = "#d8cdb4", "#6b7480"
CLASSES = ("royalists", "jacobins", "neutral")


def draw_svg(s: Any, components: Any) -> str:
    """The position as a self-contained SVG picture."""
    picture = Picture(WIDTH, HEIGHT, PAPER, INK, FONT)
    _header(picture, s)
    _board(picture)
    for x in range(SPACES):
        _space(picture, s, components, x)
    for side in range(SIDES):
        _panel(picture, s, components, side)
    _footer(picture, s)
    return picture.text(f"Revolution. {situation(s)}.")


# -- the frame ---------------------------------------------------------------------------------------------------------


def _header(picture: Picture, s: Any) -> None:
    side = int(s.winner) if s.over else int(s.player)
    picture.rect(0, 0, WIDTH, HEADER, INK, 0)
    picture.rect(0, HEADER - 4, WIDTH / 2, 4, DEEP[ROYALISTS], 0)
    picture.rect(WIDTH / 2, HEADER - 4, WIDTH / 2, 4, DEEP[JACOBINS], 0)
    picture.text_at(20, 29, "REVOLUTION", 19, WHITE, bold=True, letter_spacing=2)
    picture.circle(WIDTH - 24, 22, 8, DEEP[side] if side >= 0 else DEEP[NEUTRAL], stroke=WHITE, stroke_width=1.5)
    picture.text_at(WIDTH - 42, 27, situation(s), 15, WHITE, anchor="end")


def _board(picture: Picture) -> None:
    size = CELL * COLUMNS
    picture.rect(BOARD_LEFT - 6, BOARD_TOP - 6, size + 12, size + 12, "#8a7a58", 8)
    for k in range(COLUMNS):
        middle = CELL * (k + 0.5)
        picture.text_at(BOARD_LEFT + middle, BOARD_TOP - 13, "abcde"[k], 14, MUTED, anchor="middle")
        picture.text_at(BOARD_LEFT - 17, BOARD_TOP + middle + 5, str(k + 1), 14, MUTED, anchor="middle")


def _footer(picture: Picture, s: Any) -> None:
    """The buildings beside the board in the set-up, afterwards what the signs mean."""
    y = HEIGHT - 24
    beside = [i for i in range(BUILDINGS) if s.at[FIRST_BUILDING + i] == NOWHERE]
    for k, i in enumerate(beside):
        held = s.held == FIRST_BUILDING + i
        x = BOARD_LEFT + 40 + 170 * k
        if held:
            picture.rect(x - 28, y - 20, 150, 36, WHITE, 6, stroke=GOLD, stroke_width=3)
        _building(picture, i, x, y, 0.5)
        picture.text_at(x + 26, y + 5, BUILDING_NAMES[i], 14)
    if not beside:
        _marker(picture, NEUTRAL, BOARD_LEFT + 14, y)
        picture.text_at(BOARD_LEFT + 32, y + 5, "marker", 13, MUTED)
        picture.rect(BOARD_LEFT + 106, y - 9, 18, 18, PALE[ROYALISTS], 3, stroke=LINE)
        picture.rect(BOARD_LEFT + 128, y - 9, 18, 18, PALE[JACOBINS], 3, stroke=LINE)
        picture.text_at(BOARD_LEFT + 154, y + 5, "certain control", 13, MUTED)
        _balance(picture, BOARD_LEFT + 276, y, 80, (9, 6))
        picture.text_at(BOARD_LEFT + 366, y + 5, "influence", 13, MUTED)


# -- spaces ------------------------------------------------------------------------------------------------------------


def _space(picture: Picture, s: Any, components: Any, x: int) -> None:
    left, top = BOARD_LEFT + CELL * (x % COLUMNS), BOARD_TOP + CELL * (x // COLUMNS)
    piece = int(s.on[x])
    side = next((side for side in range(SIDES) if s.controls[side, x]), NEUTRAL)
    picture.open(f"space control-{CLASSES[side]}", space_words(s, x))
    picture.rect(left + 1, top + 1, CELL - 2, CELL - 2, PALE[side], 3)
    if side != NEUTRAL:
        picture.rect(left + 2.5, top + 2.5, CELL - 5, CELL - 5, "none", 3, stroke=TOP[side], stroke_width=3)
    if piece == NO_PIECE:
        picture.text_at(left + CELL / 2, top + 50, SPACE_NAMES[x], 14, LINE, anchor="middle")
    elif piece >= FIRST_BUILDING:
        _building(picture, piece - FIRST_BUILDING, left + CELL / 2, top + 36, 1)
        name = BUILDING_NAMES[piece - FIRST_BUILDING]
        picture.text_at(left + CELL / 2, top + 78, name, 11, INK, anchor="middle", bold=True)
    else:
        _counter(picture, components, piece, left + CELL / 2, top + 42, TILE)
    for owner in range(SIDES):
        if s.marked[owner, x]:
            _marker(picture, owner, left + CELL - 17, top + 22)
    influence = (int(s.influence[ROYALISTS, x]), int(s.influence[JACOBINS, x]))
    if any(influence):
        _balance(picture, left + 8, top + CELL - 12, CELL - 16, influence)
    picture.close()


def _balance(picture: Picture, left: float, middle: float, width: float, influence: tuple[int, int]) -> None:
    """Both influences as numbers, and as a bar between them."""
    room, start = width - 40, left + 20
    part = room * influence[ROYALISTS] / sum(influence)
    for side, x, anchor in ((ROYALISTS, left, "start"), (JACOBINS, left + width, "end")):
        fill = DEEP[side] if influence[side] else MUTED
        picture.text_at(x, middle + 5, str(influence[side]), 14, fill, anchor=anchor, bold=True)
    picture.rect(start, middle - 3, part, 6, DEEP[ROYALISTS], 0)
    picture.rect(start + part, middle - 3, room - part, 6, DEEP[JACOBINS], 0)


def _counter(picture: Picture, components: Any, piece: int, x: float, y: float, size: float) -> None:
    """A counter around (x, y): a number, or a flag on its pole."""
    side, counter = divmod(piece, COUNTERS)
    half = size / 2
    picture.open(f"{'flag' if counter == FLAG else 'counter'} {CLASSES[side]}", piece_name(piece))
    picture.rect(x - half + 1.5, y - half + 2.5, size, size, DARK[side], size / 8, opacity=0.35)
    picture.rect(x - half, y - half, size, size, DEEP[side], size / 8, stroke=DARK[side])
    inner = size - 8
    picture.rect(x - inner / 2, y - inner / 2, inner, inner, "none", size / 12, stroke=TOP[side], stroke_width=1.2)
    if counter == FLAG:
        u = size / 60
        pole = f"M{x - 13 * u:g} {y + 20 * u:g}V{y - 20 * u:g}"
        cloth = f"M{x - 12 * u:g} {y - 19 * u:g}q{8 * u:g} {-5 * u:g} {15 * u:g} 0t{15 * u:g} 0v{19 * u:g}"
        cloth += f"q{-8 * u:g} {5 * u:g} {-15 * u:g} 0t{-15 * u:g} 0Z"
        picture.path(cloth, WHITE)
        picture.path(pole, "none", stroke=GOLD, stroke_width=3 * u, stroke_linecap="round")
    else:
        number, letters = str(components.value(counter)), 0.6 * size
        picture.text_at(x, y + 0.35 * letters, number, letters, WHITE, anchor="middle", bold=True)
    picture.close()


def _marker(picture: Picture, side: int, x: float, y: float) -> None:
    """A wooden cylinder around (x, y)."""
    picture.open(f"marker {CLASSES[side]}")
    body = f"M{x - 10:g} {y - 6:g}V{y + 6:g}A10 5 0 0 0 {x + 10:g} {y + 6:g}V{y - 6:g}Z"
    picture.path(body, DEEP[side], stroke=WHITE, stroke_width=3.5)
    picture.path(body, DEEP[side], stroke=DARK[side])
    ellipse = f"M{x - 10:g} {y - 6:g}A10 5 0 0 1 {x + 10:g} {y - 6:g}A10 5 0 0 1 {x - 10:g} {y - 6:g}Z"
    picture.path(ellipse, TOP[side], stroke=DARK[side])
    picture.close()


# -- buildings: about 64 wide and 52 high around their place -----------------------------------------------------------


def _building(picture: Picture, building: int, x: float, y: float, scale: float) -> None:
    name = BUILDING_NAMES[building]
    picture.open(
        f"building {name.lower().replace(' ', '-')}", name, transform=f"translate({x:g} {y:g}) scale({scale:g})"
    )
    (_bastille, _versailles, _notre_dame)[building](picture)
    picture.close()


def _bastille(picture: Picture) -> None:
    """A fortress: three crenellated towers and a gate."""
    edge: dict[str, Any] = {"stroke": INK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M-24 26V-10H24V26Z", STONE, **edge)
    for left in (-32, -8, 16):
        picture.path(f"M{left} 26V-22h4v5h4v-5h4v5h4V26Z", STONE, **edge)
        picture.rect(left + 6.5, -6, 3, 9, INK, 1.5)
    picture.path("M-6 26V16a6 6 0 0 1 12 0V26Z", INK)


def _versailles(picture: Picture) -> None:
    """A palace: two wings, columns and a pediment."""
    edge: dict[str, Any] = {"stroke": INK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M-32 26V-2H32V26Z", STONE, **edge)
    picture.path("M-34 -2L-30 -11H30L34 -2Z", ROOF, **edge)
    picture.path("M-14 26V-9H14V26Z", WHITE, **edge)
    picture.path("M-17 -9L0 -24L17 -9Z", GOLD, **edge)
    for column in (-10, -4, 2, 8):
        picture.rect(column, -6, 2.5, 31, MUTED, 0)
    for window in (-28, -21, 18, 25):
        picture.rect(window, 4, 4, 7, INK, 1)
        picture.rect(window, 15, 4, 9, INK, 1)


def _notre_dame(picture: Picture) -> None:
    """A cathedral: two towers, a rose window and three portals."""
    edge: dict[str, Any] = {"stroke": INK, "stroke_width": 1.5, "stroke_linejoin": "round"}
    picture.path("M-1.5 -10L0 -28L1.5 -10Z", ROOF, **edge)
    picture.path("M-24 26V-22H-9V-8H9V-22H24V26Z", STONE, **edge)
    for left in (-20.5, -15, 11.5, 17):
        picture.path(f"M{left:g} -6v-9a2 2 0 0 1 4 0v9Z", INK)
    picture.circle(0, 3, 7, WHITE, stroke=INK, stroke_width=1.5)
    picture.path("M0 -4V10M-7 3H7M-5 -2L5 8M5 -2L-5 8", "none", stroke=DEEP[ROYALISTS], stroke_width=1)
    for left in (-20, -4.5, 11):
        picture.path(f"M{left:g} 26v-8a4.5 5 0 0 1 9 0v8Z", INK)


# -- the sides ---------------------------------------------------------------------------------------------------------


def _panel(picture: Picture, s: Any, components: Any, side: int) -> None:
    """The unplayed counters of a side, and its markers."""
    left, middle = PANEL_LEFT[side], PANEL_LEFT[side] + PANEL_WIDTH / 2
    on_turn = not s.over and s.player == side
    edge: dict[str, Any] = {"stroke": GOLD, "stroke_width": 3} if on_turn else {"stroke": LINE}
    picture.open(f"panel {CLASSES[side]}")
    picture.rect(left, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT, PANEL, 8, **edge)
    picture.text_at(middle, PANEL_TOP + 24, SIDE_NAMES[side], 16, DEEP[side], anchor="middle", bold=True)
    for counter in range(COUNTERS):
        piece = COUNTERS * side + counter
        x, y = middle + 27 * (-1 if counter % 2 == 0 else 1), PANEL_TOP + 62 + 54 * (counter // 2)
        if s.held == piece:
            picture.rect(x - 26, y - 26, 52, 52, GOLD, 8)
        if s.at[piece] == NOWHERE:
            _counter(picture, components, piece, x, y, SMALL_TILE)
        else:
            picture.rect(x - 22, y - 22, SMALL_TILE, SMALL_TILE, "none", 6, stroke=LINE, stroke_dasharray="3 3")
    markers = int(s.left[side])
    label = f"{markers} marker{'' if markers == 1 else 's'} left"
    picture.text_at(middle, PANEL_TOP + 390, label, 13, INK, anchor="middle")
    for k in range(markers):
        _marker(picture, side, middle - 36 + 24 * (k % 4), PANEL_TOP + 414 + 32 * (k // 4))
    picture.close()
