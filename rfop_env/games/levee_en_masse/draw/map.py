"""The map of Levée en Masse drawn: five tracks of spaces that lead to Paris, and the armies on them."""

from __future__ import annotations

from rfop_env.drawing.measure import fit, text_width
from rfop_env.drawing.palette import INK, LINE, MUTED, PANEL, RED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import around, mark_last
from rfop_env.games.levee_en_masse import actions, board
from rfop_env.games.levee_en_masse.draw.pieces import ARMY_COLOURS, TRICOLOUR, draw_army, draw_disorder, draw_liberation
from rfop_env.games.levee_en_masse.draw.view import View

SEA, ABROAD, FRANCE, COAST = "#cfdfe8", "#ece3cf", "#fbf5e3", "#8d9aa8"
BORDERS = {0: ("#55585f", 2), 1: ("#e07b00", 6), 3: (RED.deep, 6)}  # colour and width by penalty

# Middles of the spaces by track and box, from box 1 to the start.
MAP = (20, 56, 832, 764)  # left, top, width, height
PARIS_AT, PARIS_RADIUS = (364, 442), 74
SPACE_AT = (
    ((238, 346), (312, 250), (300, 138), (190, 116), (82, 170)),
    ((440, 312), (508, 218), (598, 140), (698, 112), (796, 150)),
    ((498, 442), (594, 388), (684, 322), (784, 278), (792, 384)),
    ((452, 584), (544, 664), (646, 622), (746, 564), (792, 672)),
    ((252, 546), (152, 584), (72, 676), (156, 758), (284, 738)),
)
ROUND_RADIUS, SQUARE_HALF, HEXAGON_RADIUS = 44, 40, 48
PLATE_TOP, PLATE_HEIGHT, PLATE_ROOM = 18, 18, 96  # the name of a space, below its middle
LABEL_BELOW = (False, False, True, True, False)  # the name of a track, beside its start
FRANCE_OUTLINE = (
    (262, 206), (318, 184), (384, 222), (474, 262), (560, 438), (520, 540), (596, 660), (560, 726), (400, 744),
    (300, 806), (96, 806), (26, 720), (28, 618), (150, 520), (206, 440), (176, 340),
)  # fmt: skip
COASTLINE = ((22, 62), (220, 62), (330, 74), (262, 206), (176, 340), (206, 440), (150, 520), (28, 618), (22, 700))
LEGEND_AT = (40, 262)


def draw_map(picture: Picture, view: View) -> None:
    """Land and sea, the tracks, the spaces, Paris, and what the signs mean."""
    _ground(picture)
    for track in range(board.TRACKS):
        for box in range(1, board.START + 1):
            _space(picture, view, track, box)
    _paris(picture, view)
    _legend(picture)


def _ground(picture: Picture) -> None:
    picture.rect(*MAP, ABROAD, 8)
    picture.polygon(COASTLINE, SEA, stroke=SEA, stroke_width=4, stroke_linejoin="round")
    outline = {"stroke": COAST, "stroke_width": 2, "stroke_linejoin": "round", "stroke_dasharray": "6 4"}
    picture.polygon(FRANCE_OUTLINE, FRANCE, **outline)
    picture.rect(*MAP, "none", 8, stroke=LINE)
    for track in range(board.TRACKS):
        picture.line((PARIS_AT, *SPACE_AT[track]), INK, 7, stroke_linejoin="round")
        picture.line((PARIS_AT, *SPACE_AT[track]), ARMY_COLOURS[track], 4, stroke_linejoin="round")


# -- spaces ------------------------------------------------------------------------------------------------------------


def _space(picture: Picture, view: View, track: int, box: int) -> None:
    """A space: its shape, number and name, the armies and the Liberation marker there."""
    x, y = SPACE_AT[track][box - 1]
    index = board.INNER_BOXES * track + box - 1
    picture.open("space", _space_tip(view, track, box), [actions.LIBERATE + index] if box != board.START else [])
    _shape(picture, view, track, box, x, y)
    _plate(picture, view.components.space_name(track, box), x, y)
    if box == board.START:
        label = y + 60 if LABEL_BELOW[track] else y - 50
        picture.text_at(x, label, board.TRACK_NAMES[track], 13, ARMY_COLOURS[track], anchor="middle", bold=True)
    if view.s.liberated[track, box]:
        draw_liberation(picture, x + 34, y - 31, (actions.LEVEE_ON + index,) if box != board.START else ())
    if (track, box) in view.changes.spaces:
        mark_last(picture, x - 44, y - 44, 88, 88)
    _armies(picture, view, view.armies(track, box), x, y)
    picture.close()


def _space_tip(view: View, track: int, box: int) -> str:
    parts = [f"{view.components.space_name(track, box)} ({board.TRACK_NAMES[track]} {box})"]
    parts += [f"{board.ARMY_NAMES[army]} {view.army_value(army)}" for army in view.armies(track, box)]
    return ", ".join(parts + (["liberated"] if view.s.liberated[track, box] else []))


def _shape(picture: Picture, view: View, track: int, box: int, x: float, y: float) -> None:
    """A start hexagon in the army's colour, a circle outside France, a square in France with its border and penalty."""
    number = MUTED
    if box == board.START:
        picture.polygon(around(x, y, HEXAGON_RADIUS, 6, 0.5236), ARMY_COLOURS[track], stroke=INK, stroke_width=2)
        number = WHITE
    elif view.tables.round_space[track, box]:
        picture.circle(x, y, ROUND_RADIUS, WHITE, stroke=INK, stroke_width=2)
    else:
        penalty, side = int(view.tables.penalty[track, box]), 2 * SQUARE_HALF
        colour, width = BORDERS[penalty]
        picture.rect(x - SQUARE_HALF, y - SQUARE_HALF, side, side, WHITE, 4, stroke=colour, stroke_width=width)
        if penalty:
            picture.text_at(x - SQUARE_HALF + 7, y - 22, f"−{penalty}", 12, INK, bold=True)
    picture.text_at(x, y - 22, str(box), 12, number, anchor="middle", bold=True)


def _plate(picture: Picture, name: str, x: float, y: float) -> None:
    """The name of a space on a plate below its middle, as wide as the name."""
    words, size = fit(name, 12, PLATE_ROOM, bold=True)
    width = text_width(words, size, bold=True) + 10
    picture.rect(x - width / 2, y + PLATE_TOP, width, PLATE_HEIGHT, WHITE, 4, stroke=INK)
    picture.text_at(x, y + PLATE_TOP + 13.3, words, size, INK, anchor="middle", bold=True)


def _armies(picture: Picture, view: View, armies: list[int], x: float, y: float) -> None:
    """Counters side by side around a middle, the one to be fought first on the left."""
    step = 34 if len(armies) < 3 else 27
    for i, army in enumerate(armies):
        draw_army(picture, view, army, x + step * (i - (len(armies) - 1) / 2), y - 1, step - 2)


# -- Paris -------------------------------------------------------------------------------------------------------------


def _paris(picture: Picture, view: View) -> None:
    (x, y), in_paris = PARIS_AT, view.in_paris()
    words = ["Paris", *(f"{board.ARMY_NAMES[army]} army" for army in in_paris)]
    picture.open("paris", ", ".join(words + (["Disorder"] if view.s.disorder == 1 else [])))
    for i, colour in enumerate(TRICOLOUR):
        picture.circle(x, y, PARIS_RADIUS - 6 * i, colour, stroke=INK, stroke_width=1)
    picture.circle(x, y, PARIS_RADIUS - 18, PANEL)
    picture.text_at(x, y - 33 if in_paris else y + 6, "PARIS", 16, INK, anchor="middle", bold=True)
    for i, army in enumerate(in_paris):
        row, column = divmod(i, 3)
        across = min(3, len(in_paris) - 3 * row)
        draw_army(picture, view, army, x + 33 * (column - (across - 1) / 2), y - 8 + 33 * row, 31)
    if view.s.disorder == 1:
        draw_disorder(picture, view, x, y + PARIS_RADIUS - 6, (actions.RESTORE,))
    picture.close()


def _legend(picture: Picture) -> None:
    x, y = LEGEND_AT
    picture.circle(x + 9, y, 8, WHITE, stroke=INK, stroke_width=1.5)
    for i, penalty in enumerate((3, 1)):
        picture.rect(x + 2, y + 18 + 26 * i, 14, 14, WHITE, 2, stroke=BORDERS[penalty][0], stroke_width=3.5)
    draw_liberation(picture, x + 9, y + 78)
    mark_last(picture, x + 3, y + 98, 12, 12)
    for i, words in enumerate(("outside France", "in France, −3", "in France, −1", "liberated", "last move")):
        picture.text_at(x + 28, y + 4.5 + 26 * i, words, 12)
