"""The map of Levée en Masse drawn: five tracks of spaces that lead to Paris, and the armies on them."""

from __future__ import annotations

from rfop_env.drawing.measure import fit, text_width
from rfop_env.drawing.palette import CARD, INK, LINE, MUTED, PANEL, RED, WHITE
from rfop_env.drawing.picture import Picture, Point
from rfop_env.drawing.pieces import around, mark_last
from rfop_env.games.levee_en_masse import actions, board
from rfop_env.games.levee_en_masse.draw import layout
from rfop_env.games.levee_en_masse.draw.layout import ARMY_COLOURS, Plan, on_map, space_at
from rfop_env.games.levee_en_masse.draw.pieces import TRICOLOUR, draw_army, draw_disorder, draw_liberation
from rfop_env.games.levee_en_masse.draw.view import View

BORDERS = {0: (MUTED, 2), 1: ("#e07b00", 5), 3: (RED.deep, 5)}  # colour and width by penalty
PARIS_RADIUS = 74
PARIS_HEIGHT, LEGEND_HEIGHT = 86, 58  # of the bar below the columns of a schema, and below it
ROUND_RADIUS, SQUARE_HALF, HEXAGON_RADIUS = 44, 41, 48
LABEL_BELOW = (False, False, True, True, False)  # the name of a track, beside its start
FRANCE_OUTLINE = (
    (242, 150), (298, 128), (364, 166), (454, 206), (540, 382), (500, 484), (576, 604), (540, 670), (380, 688),
    (280, 750), (76, 750), (6, 664), (8, 562), (130, 464), (186, 384), (156, 284),
)  # fmt: skip
COASTLINE = ((2, 6), (200, 6), (310, 18), (242, 150), (156, 284), (186, 384), (130, 464), (8, 562), (2, 644))
LEGEND = ("outside France", "in France, −3", "in France, −1", "liberated", "last move")


def draw_map(picture: Picture, view: View, plan: Plan) -> None:
    """Land and sea, the tracks, the spaces, Paris, and what the signs mean."""
    _ground(picture, plan)
    for track in range(board.TRACKS):
        for box in range(1, board.START + 1):
            _space(picture, view, plan, track, box)
    _paris(picture, view, plan)
    _legend(picture, view, plan)


def _ground(picture: Picture, plan: Plan) -> None:
    picture.rect(*plan.map, layout.ABROAD, 8, stroke=LINE)
    if not plan.is_schematic:
        coast = [on_map(plan, point) for point in COASTLINE]
        picture.polygon(coast, layout.SEA, stroke=layout.SEA, stroke_width=4, stroke_linejoin="round")
        outline = {"stroke": layout.COAST, "stroke_width": 2, "stroke_linejoin": "round", "stroke_dasharray": "6 4"}
        picture.polygon([on_map(plan, point) for point in FRANCE_OUTLINE], layout.FRANCE, **outline)
    for track in range(board.TRACKS):
        points = [_end(plan, track), *(space_at(plan, track, box) for box in range(1, board.START + 1))]
        picture.line(points, INK, 7, stroke_linejoin="round")
        picture.line(points, ARMY_COLOURS[track], 4, stroke_linejoin="round")


def _end(plan: Plan, track: int) -> Point:
    """Where a track reaches Paris."""
    if not plan.is_schematic:
        return on_map(plan, layout.PARIS_AT)
    return space_at(plan, track, 1)[0], plan.map.y + plan.map.height - LEGEND_HEIGHT - PARIS_HEIGHT / 2


# -- spaces ------------------------------------------------------------------------------------------------------------


def _space(picture: Picture, view: View, plan: Plan, track: int, box: int) -> None:
    """A space: its shape, number and name, the armies and the Liberation marker there."""
    (x, y), scale = space_at(plan, track, box), plan.scale
    index = board.INNER_BOXES * track + box - 1
    picture.open("space", _space_tip(view, track, box), [actions.LIBERATE + index] if box != board.START else [])
    _shape(picture, view, plan, track, box, x, y)
    _plate(picture, plan, view.components.space_name(track, box), x, y)
    if box == board.START:
        is_below = LABEL_BELOW[track] and not plan.is_schematic
        label = y + (HEXAGON_RADIUS * scale + 15 if is_below else -HEXAGON_RADIUS * scale - 5)
        fill, name = layout.TRACK_INKS[track], board.TRACK_NAMES[track]
        picture.text_at(x, label, name, plan.text, fill, anchor="middle", bold=True)
    if view.s.liberated[track, box]:
        ids = (actions.LEVEE_ON + index,) if box != board.START else ()
        draw_liberation(picture, x + 33 * scale, y - 31 * scale, ids)
    if (track, box) in view.changes.spaces:
        half = ROUND_RADIUS * scale
        mark_last(picture, x - half, y - half, 2 * half, 2 * half)
    _armies(picture, view, plan, view.armies(track, box), x, y)
    picture.close()


def _space_tip(view: View, track: int, box: int) -> str:
    parts = [f"{view.components.space_name(track, box)} ({board.TRACK_NAMES[track]} {box})"]
    parts += [f"{board.ARMY_NAMES[army]} {view.army_value(army)}" for army in view.armies(track, box)]
    return ", ".join(parts + (["liberated"] if view.s.liberated[track, box] else []))


def _shape(picture: Picture, view: View, plan: Plan, track: int, box: int, x: float, y: float) -> None:
    """A start hexagon in the army's colour, a circle outside France, a square in France with its border and penalty."""
    number, scale, line = MUTED, plan.scale, y - 22 * plan.scale
    if box == board.START:
        corners = around(x, y, HEXAGON_RADIUS * scale, 6, 0.5236)
        picture.polygon(corners, ARMY_COLOURS[track], stroke=INK, stroke_width=2)
        number = WHITE
    elif view.tables.round_space[track, box]:
        picture.circle(x, y, ROUND_RADIUS * scale, CARD, stroke=INK, stroke_width=2)
    else:
        penalty, half = int(view.tables.penalty[track, box]), SQUARE_HALF * scale
        colour, width = BORDERS[penalty]
        picture.rect(x - half, y - half, 2 * half, 2 * half, CARD, 4, stroke=colour, stroke_width=width)
        if penalty:
            picture.text_at(x - half + 5, line, f"−{penalty}", plan.text, INK, bold=True)
            x += 6
    picture.text_at(x, line, str(box), plan.text, number, anchor="middle", bold=True)


def _plate(picture: Picture, plan: Plan, name: str, x: float, y: float) -> None:
    """The name of a space on a plate below its middle, as wide as the name."""
    room = layout.STEP[0] - 1 if plan.is_schematic else 96
    words, size = fit(name, plan.text - 0.5, room - 3, smallest=plan.smallest)
    width, height = min(text_width(words, size) + 8, room), size + 5
    top = y + 20 * plan.scale
    picture.rect(x - width / 2, top, width, height, CARD, 4, stroke=INK)
    picture.text_at(x, top + height / 2 + 0.36 * size, words, size, INK, anchor="middle")


def _armies(picture: Picture, view: View, plan: Plan, armies: list[int], x: float, y: float) -> None:
    """Counters side by side around a middle, the one to be fought first on the left."""
    step = plan.counter + 1 if len(armies) < 3 else plan.counter - 2
    for i, army in enumerate(armies):
        draw_army(picture, view, army, x + step * (i - (len(armies) - 1) / 2), y, step - 1)


# -- Paris -------------------------------------------------------------------------------------------------------------


def _paris(picture: Picture, view: View, plan: Plan) -> None:
    in_paris = view.in_paris()
    words = ["Paris", *(f"{board.ARMY_NAMES[army]} army" for army in in_paris)]
    picture.open("paris", ", ".join(words + (["Disorder"] if view.s.disorder == 1 else [])))
    if plan.is_schematic:
        _paris_bar(picture, view, plan, in_paris)
    else:
        _paris_circle(picture, view, plan, in_paris)
    picture.close()


def _paris_circle(picture: Picture, view: View, plan: Plan, in_paris: list[int]) -> None:
    (x, y), radius = on_map(plan, layout.PARIS_AT), PARIS_RADIUS * plan.scale
    for i, colour in enumerate(TRICOLOUR):
        picture.circle(x, y, radius - 5 * i, colour, stroke=INK, stroke_width=1)
    picture.circle(x, y, radius - 15, PANEL)
    picture.text_at(x, y - 26 if in_paris else y + 6, "PARIS", 14, INK, anchor="middle", bold=True)
    for i, army in enumerate(in_paris):
        row, column = divmod(i, 3)
        across = min(3, len(in_paris) - 3 * row)
        size = plan.counter
        draw_army(picture, view, army, x + (size + 1) * (column - (across - 1) / 2), y - 7 + (size + 1) * row, size)
    if view.s.disorder == 1:
        draw_disorder(picture, view, x, y + radius - 4, (actions.RESTORE,))


def _paris_bar(picture: Picture, view: View, plan: Plan, in_paris: list[int]) -> None:
    """Paris below the columns of all tracks."""
    x, width = plan.map.x + 8, plan.map.width - 16
    y = plan.map.y + plan.map.height - LEGEND_HEIGHT - PARIS_HEIGHT
    for i, colour in enumerate(TRICOLOUR):
        inner = PARIS_HEIGHT - 10 * i
        picture.rect(x + 5 * i, y + 5 * i, width - 10 * i, inner, colour, 16 - 4 * i, stroke=INK, stroke_width=1)
    picture.rect(x + 15, y + 15, width - 30, PARIS_HEIGHT - 30, PANEL, 5)
    middle = y + PARIS_HEIGHT / 2
    picture.text_at(x + 26, middle + 6, "PARIS", 17, INK, bold=True)
    for i, army in enumerate(in_paris):
        draw_army(picture, view, army, x + 116 + (plan.counter + 2) * i, middle, plan.counter)
    if view.s.disorder == 1:
        draw_disorder(picture, view, x + width - 38, middle, (actions.RESTORE,))


def _legend(picture: Picture, view: View, plan: Plan) -> None:
    """What the signs mean: in the sea, or below Paris."""
    (start, top), size = on_map(plan, (14, 206)), plan.smallest + 1
    for i, words in enumerate(LEGEND):
        x, y = start, top + 23 * i
        if plan.is_schematic:
            row, column = divmod(i, 3)
            x, y = plan.map.x + 10 + 130 * column, plan.map.y + plan.map.height - LEGEND_HEIGHT + 17 + 27 * row
        if i == 0:
            picture.circle(x + 9, y, 7, CARD, stroke=INK, stroke_width=1.5)
        elif i < 3:
            colour = BORDERS[3 if i == 1 else 1][0]
            picture.rect(x + 3, y - 6, 12, 12, CARD, 2, stroke=colour, stroke_width=3.5)
        elif i == 3:
            draw_liberation(picture, x + 9, y)
        else:
            mark_last(picture, x + 4, y - 5, 10, 10)
        picture.text_at(x + 25, y + 0.36 * size, words, size)
