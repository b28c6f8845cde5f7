"""The bonus track of Paris drawn: thirty spaces with their tiles, and the players' meeples."""

from __future__ import annotations

from rfop_env.drawing.palette import CARD, INK, LINE, MUTED, WHITE
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import caption, mark_last, panel
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import pieces
from rfop_env.games.paris.draw.layout import ZONE_DEEP, ZONE_INK, ZONE_PALE, Plan
from rfop_env.games.paris.draw.view import TrackSpace, View

START = 38  # width of the place before the track, or its height where the track has the whole width
STEP = 2  # between two spaces
TIGHT = 70  # width of a space whose name stands below its number


def bonus_height(plan: Plan) -> float:
    """The height of the track with its panel."""
    columns, height = plan.bonus
    return board.TRACK // columns * (height + STEP) + 6 + (START if _is_below(plan) else 0)


def draw_bonus_track(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The track in rows, each from left to right, with the start at the left or above."""
    columns, height = plan.bonus
    panel(picture, *box)
    start, below = (0, START) if _is_below(plan) else (START, 0)
    _start(picture, view, plan, box)
    step = (box.width - 8 - start) / columns
    for place in view.track():
        row, column = divmod(place.space - 1, columns)
        x, y = box.x + 5 + start + step * column, box.y + 4 + below + (height + STEP) * row
        cell = Box(x, y, step - STEP, height)
        _cell(picture, view, plan, place, cell)
        for i, player in enumerate(place.meeples):
            right = cell.x + cell.width - 2 - (pieces.meeple_width(plan) + 0.5) * (i + 1)
            pieces.draw_meeple(picture, plan, player, right, cell.y + cell.height - 2)
        if place.number in view.changes.bonus:
            mark_last(picture, *cell, out=0)


def _is_below(plan: Plan) -> bool:
    """Whether the track lies below its start."""
    return plan.players == 1


def _start(picture: Picture, view: View, plan: Plan, box: Box) -> None:
    """The circle where meeples begin."""
    if _is_below(plan):
        x, y = box.x + box.width - 26, box.y + 24
        caption(picture, box.x + 10, box.y + 28, "Bonus track")
        picture.text_at(x - 90, y + 4, "start", plan.text, MUTED, anchor="end")
        picture.rect(x - 82, box.y + 6, 100, 36, CARD, 18, stroke=LINE, stroke_width=2)
        for i, player in enumerate(view.meeples(0)):
            pieces.draw_meeple(picture, plan, player, x - 74 + 21 * i, y + 14)
        return
    x, y = box.x + START / 2 + 1, box.y + box.height / 2
    for i, words in enumerate(("bonus", "start")):
        picture.text_at(x, y - 34 + 11 * i, words, plan.smallest, MUTED, anchor="middle", room=START - 2)
    picture.circle(x, y + 4, 18.5, CARD, stroke=LINE, stroke_width=2)
    for i, player in enumerate(view.meeples(0)):
        pieces.draw_meeple(picture, plan, player, x - 15 + 15 * (i % 2), y + 4 + 20 * (i // 2))


def _cell(picture: Picture, view: View, plan: Plan, place: TrackSpace, cell: Box) -> None:
    """A space of the track with the tiles that lie there; an empty one keeps the number that lay there."""
    (x, y, width, height), (space, number, copies, _) = cell, place
    zone, name = int(view.tables.zone[space]), view.components.card_name(number)
    deep, pale, letter = ZONE_DEEP[zone], ZONE_PALE[zone], board.ZONE_NAMES[zone]
    tip = f"#{number} {name}: {'; '.join(view.components.event_sentences(number))} ({copies} left)"
    tip = f"space {space}, zone {letter}: {tip}"
    picture.open("bonus-tile" if copies else "no-bonus-tile", tip, [actions.BONUS + number] if copies else [])

    radius = 0.76 * plan.text
    across, down, narrow = x + radius + 2, y + radius + 2, width < TIGHT
    if copies:
        for offset in (2, 1)[2 - min(copies - 1, 2) :]:
            picture.rect(x + offset, y - offset / 2, width - offset, height, pale, 5, stroke=deep)
        picture.rect(x, y, width - 2 * (copies > 1), height, pale, 5, stroke=deep)
        picture.circle(across, down, radius, deep)
    else:
        picture.rect(x, y, width, height, "none", 5, stroke=deep, stroke_dasharray="3 3", opacity=0.5)

    size = plan.text
    ink = WHITE if copies else MUTED
    picture.text_at(across, down + 0.36 * size, str(number), size, ink, anchor="middle", bold=copies > 0)
    below, ink = f"{letter}×{copies}" if copies > 1 else letter, ZONE_INK[zone] if copies else MUTED
    if narrow:
        line = down + 0.36 * size
        picture.text_at(x + width - 4, line, below, size, ink, anchor="end", bold=copies > 0)
    else:
        picture.text_at(x + 7, y + height - 6, below, size, ink, bold=copies > 0)

    if copies and not (narrow and place.meeples):
        start, top = (x + 2, y + 2 * radius + 10.5) if narrow else (across + radius + 4, down - 2)
        room, lines = x + width - (1 if narrow else 6) - start, 2
        if narrow:
            picture.text_block(start, top, name, plan.smallest, INK, room=room, max_lines=lines, spacing=1.05)
        else:
            picture.text_block(start, top + 2, name, size - 1, INK, room=room, max_lines=lines, spacing=1.1)

    picture.close()
