"""The pieces of Paris drawn: keys, bonus meeples, goods, the signs of buildings, landmarks.

Resources are hexagons with a capital letter, prestige are medals with a ribbon and a small letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rfop_env.drawing.palette import BLACK, CARD, INK, LINE, MUTED, PANEL, SEAT_TONES, WHITE
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import around, band, mark_chosen, mark_last
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw.layout import Plan
from rfop_env.games.paris.draw.view import GOOD_LETTERS, LETTERS, View, counted

# Face, edge and letter of the six goods.
GOOD_FACE = ("#8b5a2b", "#dfe3e8", "#f1c232", "#d09a60", "#c9ced6", "#f1c232")
GOOD_EDGE = ("#55351a", "#767f8a", "#8a6410", "#6f4316", "#646b75", "#8a6410")
GOOD_INK = (WHITE, BLACK, BLACK, BLACK, BLACK, BLACK)

TYPE_PATHS = {
    board.CAFE: "M1 5H11V10Q11 14 6 14Q1 14 1 10ZM11 6.5H13.5V10H11M4 3V0.5M8 3V0.5",
    board.HOTEL: "M1 2V14M1 11H15V14M15 11V8H1M2.5 8V5H6.5V8",
    board.THEATRE: "M2 1H14V8Q14 14 8 15Q2 14 2 8ZM5 5.5H7M9 5.5H11M5 9.5Q8 12.5 11 9.5",
    board.NEWSSTAND: "M1 2H12V14H1ZM12 5H15V12Q15 14 13 14H12M3.5 5H9.5M3.5 8H9.5M3.5 11H7",
    board.BOOKSHOP: "M8 3.5Q5 1.5 1 2V13Q5 12.5 8 14.5Q11 12.5 15 13V2Q11 1.5 8 3.5ZM8 3.5V14",
    board.RESIDENCE: "M1 8L8 1L15 8M3 7V15H13V7M6.5 15V10.5H9.5V15",
}


# -- of the players ----------------------------------------------------------------------------------------------------


def key_width(plan: Plan) -> float:
    """The width of a key."""
    return 2 * plan.key


def meeple_width(plan: Plan) -> float:
    """The width of a meeple."""
    return 2 * plan.key + 0.5


def draw_key(picture: Picture, plan: Plan, player: int, x: float, y: float, count: int = 1) -> None:
    """A key, its bow with the owner's letter at the top, and beside it how many it stands for; (x, y) is its corner."""
    tone, radius, size = SEAT_TONES[player], plan.key, max(plan.smallest, round(1.77 * plan.key, 1))
    middle, end = x + radius, y + plan.key_height
    attributes: dict[str, Any] = {} if count == 1 else {"data_count": count}
    picture.open(f"key p{player}", **attributes)
    blade = (
        f"M{middle - 1.5:g} {y + radius:g}V{end:g}H{middle + 1.5:g}V{end - 1.4:g}h3v-2h-3v-1.2h3v-2h-3V{y + radius:g}Z"
    )
    picture.path(blade, tone.deep, stroke=tone.dark, stroke_width=0.8)
    picture.circle(middle, y + radius, radius, tone.deep, stroke=tone.dark, stroke_width=0.8)
    picture.text_at(middle, y + radius + 0.36 * size, LETTERS[player], size, tone.text, anchor="middle", bold=True)
    if count > 1:
        picture.text_at(middle + 5.5, end, str(count), plan.smallest, INK, bold=True)
    picture.close()


def draw_keys(picture: Picture, plan: Plan, players: Sequence[int], x: float, y: float, room: float) -> None:
    """Keys side by side; of more than there is room for, the number of each owner's."""
    width = key_width(plan)
    if len(players) <= 1 + (room - width) / (width + 1):
        for i, player in enumerate(players):
            draw_key(picture, plan, player, x + (width + 1) * i, y)
        return
    owners = sorted(set(players))
    step = min(2 * width, (room - width - 2) / max(len(owners) - 1, 1))
    for i, player in enumerate(owners):
        draw_key(picture, plan, player, x + step * i, y, players.count(player))


def draw_meeple(picture: Picture, plan: Plan, player: int, x: float, y: float) -> None:
    """A pawn with its owner's letter, standing on y; x is its left edge."""
    tone, radius, size = SEAT_TONES[player], plan.key, max(plan.smallest, round(1.77 * plan.key, 1))
    height, middle = plan.key_height - 1, x + plan.key
    picture.open(f"meeple p{player}", f"bonus meeple of player {player}")
    body = f"M{x:g} {y:g}L{middle - 3:g} {y - height + radius:g}H{middle + 3:g}L{x + 2 * radius:g} {y:g}Z"
    picture.path(body, tone.deep, stroke=tone.dark, stroke_width=0.8)
    picture.circle(middle, y - height + radius, radius, tone.deep, stroke=tone.dark, stroke_width=0.8)
    line = y - height + radius + 0.36 * size
    picture.text_at(middle, line, LETTERS[player], size, tone.text, anchor="middle", bold=True)
    picture.close()


# -- goods -------------------------------------------------------------------------------------------------------------


def draw_good(picture: Picture, good: int, x: float, y: float, radius: float, faint: bool = False) -> None:
    """A token around (x, y); `faint`: the outline of one that is not there."""
    picture.add(_good(good, x, y, radius, faint, picture.smallest))


@lru_cache(maxsize=1024)  # the same tokens lie in the same places in every picture
def _good(good: int, x: float, y: float, radius: float, faint: bool, smallest: float) -> str:
    picture = Picture(0, 0, smallest=smallest)
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
            tail = [(0.05, 0.5), (0.95, 0.3), (0.95, 1.4), (0.5, 1.15), (0.05, 1.4)]
            picture.polygon([(x + side * a * radius, y + b * radius) for a, b in tail], edge)
        picture.circle(x, y, 0.98 * radius, face, **line)
    size = max(picture.smallest, round(1.5 * radius, 1))
    picture.text_at(x, y + 0.36 * size, GOOD_LETTERS[good], size, ink, anchor="middle", bold=True)
    picture.close()
    return picture.inside


# -- tiles -------------------------------------------------------------------------------------------------------------


def draw_type(picture: Picture, kind: int, x: float, y: float) -> None:
    """The sign of a type of building in a box of 16 by 16."""
    picture.path(TYPE_PATHS[kind], at=(x, y), stroke=INK, stroke_width=1.3, stroke_linejoin="round")


def draw_landmark(
    picture: Picture, view: View, plan: Plan, landmark: int, box: Box, deep: str, narrow: bool = False
) -> None:
    """A landmark: name; value and resources to pay; prestige sections with their VP; keys.

    A narrow one shows the beginning of its name, its value and keys; its tooltip has the rest.
    """
    place, sections = board.FIRST_LANDMARK + landmark, view.sections(landmark)
    (x, y, width, height), value = box, str(view.landmark_value(landmark))
    name, cost = board.LANDMARK_NAMES[landmark], view.cost(place)
    vp = ", ".join(f"{vp} VP for {board.GOOD_TITLES[good]}" for good, vp in sections) or "no prestige"
    tip = f"{name} {value}: {counted(cost) or 'no resources'}; {vp}"
    picture.open("landmark", tip, [actions.KEY + place])
    picture.rect(*box, CARD, 5, stroke=deep, stroke_width=1.5)
    band(picture, x, y, width, plan.landmark, deep, 5)
    line, radius = y + plan.landmark / 2 + 0.36 * plan.smallest, 0.45 * plan.tile_row - 0.8
    if not narrow:
        picture.text_at(x + width / 2, line, name, plan.smallest, WHITE, anchor="middle", room=width - 2)
    middle = y + plan.landmark + plan.tile_row / 2 + 1
    picture.text_at(x + 4, middle + 0.36 * plan.value, value, plan.value - 1, INK, bold=True, room=width - 6)
    if view.keys(place):
        draw_keys(picture, plan, view.keys(place), x + 3, y + height - plan.key_height - 2, width - 6)

    if not narrow:
        for i, good in enumerate(reversed(cost)):
            draw_good(picture, good, x + width - radius - 3 - 2 * radius * i, middle, radius)
        step = (width - 4) / board.SECTIONS
        for i, (good, points) in enumerate(sections):
            draw_good(picture, good, x + 3 + radius + step * i, middle + plan.tile_row - 1, radius)
            start, line = x + 4 + 2 * radius + step * i, middle + plan.tile_row + 3
            picture.text_at(start, line, str(points), plan.text, INK, bold=True)
    mark_place(picture, view, place, box)
    picture.close()


def mark_place(picture: Picture, view: View, place: int, box: Box) -> None:
    """The marks of a place: its key has been chosen; the last move came or left here."""
    if place == view.origin():
        mark_chosen(picture, *box, 6)
    if place in view.changes.places:
        mark_last(picture, *box, out=1)
