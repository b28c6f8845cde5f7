"""The bonus track of Paris drawn: thirty spaces with their tiles, and the players' meeples."""

from __future__ import annotations

from rfop_env.drawing.palette import INK, LINE, MUTED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import caption, mark_last, panel
from rfop_env.games.paris import actions, board
from rfop_env.games.paris.draw import layout, pieces
from rfop_env.games.paris.draw.view import TrackSpace, View

LEFT, COLUMNS, CELL_HEIGHT = 88, 10, 54
CELL_STEP = (layout.WIDTH - layout.MARGIN - 10 - LEFT) / COLUMNS
ZONE_PALE = ("#e6efe0", "#f6ecd2", "#f3ded8")
ZONE_DEEP = ("#3b612f", "#75540f", "#8a3626")


def draw_bonus_track(picture: Picture, view: View) -> None:
    """The track in rows of ten spaces, each from left to right."""
    y, height = layout.TRACK_ROW
    panel(picture, layout.MARGIN, y, layout.WIDTH - 2 * layout.MARGIN, height)
    caption(picture, layout.MARGIN + 10, y + 22, "Bonus", room=58)
    picture.text_at(layout.MARGIN + 34, y + 62, "start", 12, MUTED, anchor="middle")
    picture.circle(layout.MARGIN + 34, y + 102, 28, WHITE, stroke=LINE, stroke_width=2)
    for i, player in enumerate(view.meeples(0)):
        pieces.draw_meeple(picture, player, layout.MARGIN + 19 + 16 * (i % 2), y + 101 + 22 * (i // 2))

    for place in view.track():
        row, column = divmod(place.space - 1, COLUMNS)
        x, top, width = LEFT + CELL_STEP * column, y + 10 + (CELL_HEIGHT + 4) * row, CELL_STEP - 5
        _cell(picture, view, place, x, top, width)
        for i, player in enumerate(place.meeples):
            pieces.draw_meeple(picture, player, x + width - 3 - pieces.MEEPLE_WIDTH * (i + 1), top + CELL_HEIGHT - 3)
        if place.number in view.changes.bonus:
            mark_last(picture, x, top, width, CELL_HEIGHT, out=0)


def _cell(picture: Picture, view: View, place: TrackSpace, x: float, y: float, width: float) -> None:
    """A space of the track with the tiles that lie there; an empty one keeps the number that lay there."""
    space, number, copies, _ = place
    zone, name = int(view.tables.zone[space]), view.components.card_name(number)
    deep, pale, letter = ZONE_DEEP[zone], ZONE_PALE[zone], board.ZONE_NAMES[zone]
    tip = f"#{number} {name}: {'; '.join(view.components.event_sentences(number))} ({copies} left)"
    tip = f"space {space}, zone {letter}: {tip}"
    picture.open("bonus-tile" if copies else "no-bonus-tile", tip, [actions.BONUS + number] if copies else [])
    if copies:
        for offset in (4, 2)[2 - min(copies - 1, 2) :]:
            picture.rect(x + offset, y - offset / 2, width, CELL_HEIGHT, pale, 5, stroke=deep)
        picture.rect(x, y, width, CELL_HEIGHT, pale, 5, stroke=deep)
        picture.circle(x + 15, y + 15, 11, deep)
        picture.text_block(x + 31, y + 15, name, 11, INK, room=width - 34, max_lines=2, spacing=1.15)
    else:
        picture.rect(x, y, width, CELL_HEIGHT, "none", 5, stroke=deep, stroke_dasharray="3 3", opacity=0.5)
    picture.text_at(x + 15, y + 19, str(number), 12, WHITE if copies else MUTED, anchor="middle", bold=copies > 0)
    below = f"{letter} ×{copies}" if copies > 1 else letter
    picture.text_at(x + 7, y + CELL_HEIGHT - 7, below, 11, deep if copies else MUTED, bold=copies > 0)
    picture.close()
