"""The pieces of Paris drawn: keys, bonus meeples, goods, the signs of buildings, landmarks.

Resources are hexagons with a capital letter, prestige are medals with a ribbon and a small letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rfop_env.drawing.palette import INK, LINE, MUTED, PANEL, SEAT_TONES, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import around, band, mark_chosen, mark_last
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import layout
from rfop_env.games.paris.draw.view import GOOD_LETTERS, LETTERS, View, counted

KEY_WIDTH, KEY_STEP = 14, 15
MEEPLE_WIDTH = 14

# Face, edge and letter of the six goods.
GOOD_FACE = ("#8b5a2b", "#dfe3e8", "#f1c232", "#d09a60", "#c9ced6", "#f1c232")
GOOD_EDGE = ("#55351a", "#767f8a", "#8a6410", "#6f4316", "#646b75", "#8a6410")
GOOD_INK = (WHITE, INK, INK, INK, INK, INK)
SMALLEST_GOOD = 7.6  # radius; its letter has the smallest size that can be read

TYPE_PATHS = {
    board.CAFE: "M1 5H11V10Q11 14 6 14Q1 14 1 10ZM11 6.5H13.5V10H11M4 3V0.5M8 3V0.5",
    board.HOTEL: "M1 2V14M1 11H15V14M15 11V8H1M2.5 8V5H6.5V8",
    board.THEATRE: "M2 1H14V8Q14 14 8 15Q2 14 2 8ZM5 5.5H7M9 5.5H11M5 9.5Q8 12.5 11 9.5",
    board.NEWSSTAND: "M1 2H12V14H1ZM12 5H15V12Q15 14 13 14H12M3.5 5H9.5M3.5 8H9.5M3.5 11H7",
    board.BOOKSHOP: "M8 3.5Q5 1.5 1 2V13Q5 12.5 8 14.5Q11 12.5 15 13V2Q11 1.5 8 3.5ZM8 3.5V14",
    board.RESIDENCE: "M1 8L8 1L15 8M3 7V15H13V7M6.5 15V10.5H9.5V15",
}


# -- of the players ----------------------------------------------------------------------------------------------------


def draw_key(picture: Picture, player: int, x: float, y: float, count: int = 1) -> None:
    """A key, its bow with the owner's letter at the top, and beside it how many it stands for; (x, y) is its corner."""
    tone = SEAT_TONES[player]
    attributes: dict[str, Any] = {} if count == 1 else {"data_count": count}
    picture.open(f"key p{player}", **attributes)
    blade = "M5.5 10H8.5V16H12V19H8.5V21.5H12V24.5H8.5V26.5H5.5Z"
    picture.path(blade, tone.deep, at=(x, y), stroke=tone.dark, stroke_width=0.8)
    picture.circle(x + 7, y + 6.8, 6.8, tone.deep, stroke=tone.dark, stroke_width=0.8)
    picture.text_at(x + 7, y + 10.2, LETTERS[player], 9.5, tone.text, anchor="middle", bold=True)
    if count > 1:
        picture.text_at(x + 13, y + 26, str(count), 10, INK, bold=True)
    picture.close()


def draw_keys(picture: Picture, players: Sequence[int], x: float, y: float, room: float) -> None:
    """Keys side by side; of more than there is room for, the number of each owner's."""
    if len(players) <= 1 + (room - KEY_WIDTH) / KEY_STEP:
        for i, player in enumerate(players):
            draw_key(picture, player, x + KEY_STEP * i, y)
        return
    owners = sorted(set(players))
    step = min(2 * KEY_STEP, (room - KEY_WIDTH - 8) / max(len(owners) - 1, 1))
    for i, player in enumerate(owners):
        draw_key(picture, player, x + step * i, y, players.count(player))


def draw_meeple(picture: Picture, player: int, x: float, y: float) -> None:
    """A pawn with its owner's letter, standing on y; x is its left edge."""
    tone = SEAT_TONES[player]
    picture.open(f"meeple p{player}", f"bonus meeple of player_{player}")
    picture.path("M0 0L4 -9H10L14 0Z", tone.deep, at=(x, y), stroke=tone.dark, stroke_width=0.8)
    picture.circle(x + 7, y - 13, 6.6, tone.deep, stroke=tone.dark, stroke_width=0.8)
    picture.text_at(x + 7, y - 9.6, LETTERS[player], 9.5, tone.text, anchor="middle", bold=True)
    picture.close()


# -- goods -------------------------------------------------------------------------------------------------------------


def draw_good(picture: Picture, good: int, x: float, y: float, radius: float, faint: bool = False) -> None:
    """A token around (x, y); `faint`: the outline of one that is not there."""
    face, edge, ink = GOOD_FACE[good], GOOD_EDGE[good], GOOD_INK[good]
    if faint:
        face, edge, ink = PANEL, LINE, MUTED
    line = {"stroke": edge, "stroke_width": 1, "stroke_linejoin": "round"}
    picture.open(f"good {board.END_NAMES[good]}", board.GOOD_TITLES[good])
    if good < board.RESOURCES:
        picture.polygon(around(x, y, 1.1 * radius, 6), face, **line)
    else:
        # A ribbon of two tails, and the medal on top of it.
        for side in (-1, 1):
            tail = [(0.05, 0.5), (0.95, 0.3), (0.95, 1.5), (0.5, 1.2), (0.05, 1.5)]
            picture.polygon([(x + side * a * radius, y + b * radius) for a, b in tail], edge)
        picture.circle(x, y, 0.95 * radius, face, **line)
    size = max(9.0, round(1.15 * radius, 1))
    picture.text_at(x, y + 0.36 * size, GOOD_LETTERS[good], size, ink, anchor="middle", bold=True)
    picture.close()


# -- tiles -------------------------------------------------------------------------------------------------------------


def draw_type(picture: Picture, kind: int, x: float, y: float) -> None:
    """The sign of a type of building in a box of 16 by 16."""
    picture.path(TYPE_PATHS[kind], at=(x, y), stroke=INK, stroke_width=1.3, stroke_linejoin="round")


def draw_landmark(
    picture: Picture, view: View, landmark: int, x: float, y: float, deep: str, width: float = layout.LANDMARK_WIDTH
) -> None:
    """A landmark: name, value, resources to pay, prestige sections with their VP, keys.

    One that is narrower than LANDMARK_WIDTH shows its name, value and keys; its tooltip has the rest.
    """
    place, sections = board.FIRST_LANDMARK + landmark, view.sections(landmark)
    name, cost = board.LANDMARK_NAMES[landmark], view.cost(place)
    vp = ", ".join(f"{vp} VP for {board.GOOD_TITLES[good]}" for good, vp in sections) or "no prestige"
    tip = f"{name} {view.landmark_value(landmark)}: {counted(cost) or 'no resources'}; {vp}"
    picture.open("landmark", tip, [actions.KEY + place])
    picture.rect(x, y, width, layout.TILE_HEIGHT, WHITE, 5, stroke=deep, stroke_width=1.5)
    band(picture, x, y, width, 18, deep, 5)
    picture.text_at(x + width / 2, y + 13, name, 11, WHITE, anchor="middle", bold=True, room=width - 6)
    picture.text_at(x + 5, y + 37, str(view.landmark_value(landmark)), 16, INK, bold=True, room=width - 8)
    draw_keys(picture, view.keys(place), x + 4, y + layout.TILE_HEIGHT - 31, width - 8 if not sections else width - 40)

    if width >= layout.LANDMARK_WIDTH:
        for i, good in enumerate(cost):
            draw_good(picture, good, x + 12 + 16 * i, y + 50, SMALLEST_GOOD)
        for i, (good, points) in enumerate(sections):
            draw_good(picture, good, x + width - 24, y + 30 + 23 * i, 8)
            picture.text_at(x + width - 13, y + 34 + 23 * i, str(points), 11, INK, bold=True, room=11)
    mark_place(picture, view, place, x, y, width, layout.TILE_HEIGHT)
    picture.close()


def mark_place(picture: Picture, view: View, place: int, x: float, y: float, width: float, height: float) -> None:
    """The marks of a place: its key has been chosen; the last move came or left here."""
    if place == view.origin():
        mark_chosen(picture, x, y, width, height, 6)
    if place in view.changes.places:
        mark_last(picture, x, y, width, height, out=1)
