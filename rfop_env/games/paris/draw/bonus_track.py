"""The bonus track of Paris drawn: thirty spaces with their tiles, and the players' meeples."""

from __future__ import annotations

from rfop_env.drawing.palette import INK, LINE, MUTED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import caption, mark_last, panel
from rfop_env.games.paris.actions import BONUS
from rfop_env.games.paris.board import ZONE_NAMES
from rfop_env.games.paris.draw.layout import MARGIN, TRACK_ROW, WIDTH
from rfop_env.games.paris.draw.pieces import MEEPLE_WIDTH, draw_meeple
from rfop_env.games.paris.draw.view import View

LEFT, COLUMNS, CELL_HEIGHT = 88, 10, 54
CELL_STEP = (WIDTH - MARGIN - 10 - LEFT) / COLUMNS
ZONE_PALE = ("#e6efe0", "#f6ecd2", "#f3ded8")
ZONE_DEEP = ("#3b612f", "#75540f", "#8a3626")


def draw_bonus_track(picture: Picture, view: View) -> None:
    """The track in rows of ten spaces, each from left to right."""
    y, height = TRACK_ROW
    panel(picture, MARGIN, y, WIDTH - 2 * MARGIN, height)
    caption(picture, MARGIN + 10, y + 22, "Bonus", room=58)
    picture.text_at(MARGIN + 34, y + 62, "start", 12, MUTED, anchor="middle")
    picture.circle(MARGIN + 34, y + 102, 28, WHITE, stroke=LINE, stroke_width=2)
    for i, player in enumerate(view.meeples(0)):
        draw_meeple(picture, player, MARGIN + 19 + 16 * (i % 2), y + 101 + 22 * (i // 2))

    changed = view.changes.bonus
    for space, number, left, meeples in view.track():
        row, column = divmod(space - 1, COLUMNS)
        x, top, width = LEFT + CELL_STEP * column, y + 10 + (CELL_HEIGHT + 4) * row, CELL_STEP - 5
        _cell(picture, view, space, number, left, x, top, width)
        for i, player in enumerate(meeples):
            draw_meeple(picture, player, x + width - 3 - MEEPLE_WIDTH * (i + 1), top + CELL_HEIGHT - 3)
        if number in changed:
            mark_last(picture, x, top, width, CELL_HEIGHT, out=0)


def _cell(picture: Picture, view: View, space: int, number: int, left: int, x: float, y: float, width: float) -> None:
    """A space of the track with the tiles that lie there; an empty one keeps the number that lay there."""
    zone, name = int(view.tables.zone[space]), view.components.card_name(number)
    deep, pale, letter = ZONE_DEEP[zone], ZONE_PALE[zone], ZONE_NAMES[zone]
    tip = f"#{number} {name}: {'; '.join(view.components.event_sentences(number))} ({left} left)"
    tip = f"space {space}, zone {letter}: {tip}"
    picture.open("bonus-tile" if left else "no-bonus-tile", tip, [BONUS + number] if left else [])
    if left:
        for offset in (4, 2)[2 - min(left - 1, 2) :]:
            picture.rect(x + offset, y - offset / 2, width, CELL_HEIGHT, pale, 5, stroke=deep)
        picture.rect(x, y, width, CELL_HEIGHT, pale, 5, stroke=deep)
        picture.circle(x + 15, y + 15, 11, deep)
        picture.text_block(x + 31, y + 15, name, 11, INK, room=width - 34, most=2, spacing=1.15)
    else:
        picture.rect(x, y, width, CELL_HEIGHT, "none", 5, stroke=deep, stroke_dasharray="3 3", opacity=0.5)
    picture.text_at(x + 15, y + 19, str(number), 12, WHITE if left else MUTED, anchor="middle", bold=left > 0)
    below = f"{letter} ×{left}" if left > 1 else letter
    picture.text_at(x + 7, y + CELL_HEIGHT - 7, below, 11, deep if left else MUTED, bold=left > 0)
    picture.close()
