"""Revolution drawn as a picture: the board, the unplayed counters and the markers of both sides.

Every piece carries its kind and side as classes (`class="counter jacobins"`), so that a page can restyle the picture
and a test can count what it shows. Counters of the Royalists have round corners, those of the Jacobins cut ones.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from rfop_env.drawing.palette import BLUE, GOLD, GREY, INK, LINE, MUTED, PANEL, RED, USUAL_LOOK, WHITE, Look
from rfop_env.drawing.picture import Box, Picture
from rfop_env.drawing.pieces import badge, cylinder, header, mark_chosen, mark_last, panel
from rfop_env.games.revolution import actions, board
from rfop_env.games.revolution.draw.buildings import draw_building
from rfop_env.games.revolution.draw.view import SIDE_LETTERS, View, is_flag
from rfop_env.games.revolution.state import State

SMALL_TILE = 44
BOARD_EDGE = "#8a7a58"

TONES = (BLUE, RED, GREY)  # by side, and NEUTRAL
CLASSES = ("royalists", "jacobins", "neutral")


class Plan(NamedTuple):
    """The measures of a layout."""

    width: float
    height: float
    smallest: float  # font size
    cell: float  # width and height of a space
    corner: tuple[float, float]  # the top left one of the board
    panels: tuple[Box, Box]  # by side
    columns: int  # of counters in a panel
    footer: Box
    notes: int  # of the legend in a row


PLANS = {
    "wide": Plan(
        width=840,
        height=636,
        smallest=9.5,
        cell=101,
        corner=(167, 72),
        panels=(Box(10, 52, 128, 530), Box(702, 52, 128, 530)),
        columns=2,
        footer=Box(130, 594, 584, 34),
        notes=4,
    ),
    "tall": Plan(
        width=640,
        height=938,
        smallest=9.5,
        cell=116,
        corner=(46, 100),
        panels=(Box(6, 690, 311, 190), Box(323, 690, 311, 190)),
        columns=6,
        footer=Box(24, 890, 600, 40),
        notes=4,
    ),
    "phone": Plan(
        width=400,
        height=932,
        smallest=11,
        cell=73,
        corner=(28, 96),
        panels=(Box(6, 474, 388, 191), Box(6, 671, 388, 191)),
        columns=6,
        footer=Box(10, 868, 384, 58),
        notes=2,
    ),
}


def draw_svg(
    s: State,
    components: Any,
    viewer: int | None = None,
    legal: Collection[int] = (),
    previous: Any = None,
    look: Look = USUAL_LOOK,
) -> str:
    """The position as a self-contained SVG picture.

    `viewer` is a side, or None for the side to move; both see the same. `legal` are the ids of the legal actions: parts
    that they point to carry them as `data-action`. `previous` is an earlier record of the game: what differs from it is
    marked; without one, what has changed since the last decision.
    """
    view, plan = View(s, components, viewer, previous), PLANS[look.layout]
    picture = Picture(plan.width, plan.height, legal, smallest=plan.smallest, look=look)
    stripe = (TONES[board.ROYALISTS].deep, TONES[board.JACOBINS].deep)
    header(picture, "REVOLUTION", view.course_text(), view.decision_text(), TONES[view.mover], stripe)
    _board(picture, view, plan)
    for space in view.spaces:
        _space(picture, view, plan, space)
    for space in sorted(view.touched):
        mark_last(picture, *_corner(plan, space), plan.cell, plan.cell, out=-1)
    for side in range(board.SIDES):
        _panel(picture, view, plan, side)
    _footer(picture, view, plan)
    return picture.text(f"Revolution. {view.decision_text()}.")


# -- the board ---------------------------------------------------------------------------------------------------------


def _board(picture: Picture, view: View, plan: Plan) -> None:
    (x0, top), size = _corner(plan, view.spaces[0]), plan.cell * len(view.lines)
    picture.rect(x0 - 5, top - 5, size + 10, size + 10, BOARD_EDGE, 8)
    for k in view.lines:
        middle = plan.cell * (k + 0.5)
        picture.text_at(plan.corner[0] + middle, top - 10, "abcde"[k], 14, MUTED, anchor="middle")
        picture.text_at(x0 - 14, plan.corner[1] + middle + 5, str(k + 1), 14, MUTED, anchor="middle")


def _corner(plan: Plan, space: int) -> tuple[float, float]:
    """The top left corner of a space."""
    row, column = divmod(space, board.WIDTH)
    return plan.corner[0] + plan.cell * column, plan.corner[1] + plan.cell * row


def _space(picture: Picture, view: View, plan: Plan, space: int) -> None:
    """A space: who controls it, its piece, the marker, the influence."""
    (x0, top), cell = _corner(plan, space), plan.cell
    piece, holder, middle = view.piece(space), view.holder(space), x0 + cell / 2
    tone = TONES[holder]
    picture.open(f"space control-{CLASSES[holder]}", view.space_text(space), [actions.SPACE + space])
    picture.rect(x0 + 1, top + 1, cell - 2, cell - 2, PANEL if holder == board.NEUTRAL else tone.pale, 3)
    if holder != board.NEUTRAL:
        picture.rect(x0 + 2.5, top + 2.5, cell - 5, cell - 5, "none", 3, stroke=tone.light, stroke_width=3)

    if piece == board.NO_PIECE:
        picture.text_at(middle, top + cell / 2, board.SPACE_NAMES[space], 12, MUTED, anchor="middle")
    elif piece >= board.FIRST_BUILDING:
        draw_building(picture, piece - board.FIRST_BUILDING, middle, top + 0.32 * cell, 0.9 * cell / 100)
        name = board.BUILDING_NAMES[piece - board.FIRST_BUILDING]
        picture.text_at(middle, top + 0.59 * cell + 10, name, max(11, 0.12 * cell), anchor="middle", room=cell - 4)
    else:
        _counter(picture, view, piece, middle, top + 0.42 * cell, 0.6 * cell)

    marked = view.marked(space)
    for side in marked:
        _marker(picture, side, x0 + cell - 14, top + 18)
    if holder != board.NEUTRAL and not marked:
        badge(picture, tone, x0 + cell - 13, top + 14, SIDE_LETTERS[holder])
    if any(view.influence(space)):
        _balance(picture, x0 + 6, top + cell - 11, cell - 12, view.influence(space))
    picture.close()


def _balance(picture: Picture, x0: float, middle: float, width: float, influence: tuple[int, int]) -> None:
    """Both influences as numbers, the Royalists' on the left, and as a bar between them."""
    room, start = width - 40, x0 + 20
    part = room * influence[board.ROYALISTS] / sum(influence)
    for side, x, anchor in ((board.ROYALISTS, x0, "start"), (board.JACOBINS, x0 + width, "end")):
        fill = TONES[side].ink if influence[side] else MUTED
        picture.text_at(x, middle + 5, str(influence[side]), 13, fill, anchor=anchor, bold=True)
    picture.rect(start, middle - 3, part, 6, TONES[board.ROYALISTS].deep, 0)
    picture.rect(start + part, middle - 3, room - part, 6, TONES[board.JACOBINS].deep, 0)


# -- pieces ------------------------------------------------------------------------------------------------------------


def _counter(picture: Picture, view: View, piece: int, x: float, y: float, size: float, action: int = -1) -> None:
    """A counter around (x, y): a number, or a flag on its pole."""
    side, counter = divmod(piece, board.COUNTERS)
    tone, flag = TONES[side], is_flag(piece)
    picture.open(f"{'flag' if flag else 'counter'} {CLASSES[side]}", board.piece_name(piece), [action])
    _tile(picture, side, x + 1.5, y + 2.5, size, fill=tone.dark, opacity=0.35)
    _tile(picture, side, x, y, size, fill=tone.deep, stroke=tone.dark)
    _tile(picture, side, x, y, size - 8, fill="none", stroke=tone.light, stroke_width=1.2)
    if flag:
        _flag(picture, x, y, size / 60)
    else:
        letters = 0.6 * size
        picture.text_at(x, y + 0.35 * letters, view.value(counter), letters, WHITE, anchor="middle", bold=True)
    picture.close()


def _tile(picture: Picture, side: int, x: float, y: float, size: float, **look: Any) -> None:
    """A square with round corners, or with cut ones."""
    half, cut = size / 2, 0.2 * size
    if side == board.ROYALISTS:
        picture.rect(x - half, y - half, size, size, radius=size / 8, **look)
        return
    inner = half - cut
    corners = [(-inner, -half), (inner, -half), (half, -inner), (half, inner)]
    corners += [(-a, -b) for a, b in corners]
    picture.polygon([(x + a, y + b) for a, b in corners], **look)


def _flag(picture: Picture, x: float, y: float, unit: float) -> None:
    pole = f"M{x - 13 * unit:g} {y + 20 * unit:g}V{y - 20 * unit:g}"
    cloth = f"M{x - 12 * unit:g} {y - 19 * unit:g}q{8 * unit:g} {-5 * unit:g} {15 * unit:g} 0t{15 * unit:g} 0"
    cloth += f"v{19 * unit:g}q{-8 * unit:g} {5 * unit:g} {-15 * unit:g} 0t{-15 * unit:g} 0Z"
    picture.path(cloth, WHITE)
    picture.path(pole, "none", stroke=GOLD, stroke_width=3 * unit, stroke_linecap="round")


def _marker(picture: Picture, side: int, x: float, y: float) -> None:
    picture.open(f"marker {CLASSES[side]}")
    cylinder(picture, TONES[side], x, y, "" if side == board.NEUTRAL else SIDE_LETTERS[side], height=26)
    picture.close()


# -- beside the board --------------------------------------------------------------------------------------------------


def _panel(picture: Picture, view: View, plan: Plan, side: int) -> None:
    """The unplayed counters of a side, and its markers."""
    box = plan.panels[side]
    (x, y, width, _), middle = box, box.x + box.width / 2
    on_turn = not view.over and view.mover == side
    picture.open(f"panel {CLASSES[side]}")
    panel(picture, *box)
    if on_turn:
        panel(picture, *box, stroke=GOLD, stroke_width=4)
    name = f"{board.SIDE_NAMES[side]} {SIDE_LETTERS[side]}"
    picture.text_at(middle, y + 22, name, 15, TONES[side].ink, anchor="middle", bold=True, room=width - 12)

    unplayed, step = view.unplayed(side), (width - 8) / plan.columns
    down = SMALL_TILE + 7
    for counter in view.counters(side):
        piece = board.COUNTERS * side + counter
        row, column = divmod(counter, plan.columns)
        at, top = x + 4 + step * (column + 0.5), y + 34 + SMALL_TILE / 2 + down * row
        if counter in unplayed:
            _counter(picture, view, piece, at, top, SMALL_TILE, actions.COUNTER + counter if on_turn else -1)
        else:
            picture.rect(at - 22, top - 22, SMALL_TILE, SMALL_TILE, "none", 6, stroke=LINE, stroke_dasharray="3 3")
        if view.held_piece == piece:
            mark_chosen(picture, at - 22, top - 22, SMALL_TILE, SMALL_TILE)

    rows, in_row = -(-board.COUNTERS // plan.columns), 2 * plan.columns
    line = y + 50 + down * rows
    markers = view.markers_left(side)
    label = f"{markers} marker{'' if markers == 1 else 's'} left"
    picture.text_at(middle, line, label, 13, INK, anchor="middle", room=width - 12)
    step = min(24.0, (width - 12) / in_row)
    for k in range(markers):
        _marker(picture, side, middle + step * (k % in_row - (in_row - 1) / 2), line + 20 + 30 * (k // in_row))
    picture.close()


def _footer(picture: Picture, view: View, plan: Plan) -> None:
    """The buildings beside the board in the set-up, afterwards what the signs mean."""
    (x0, y, width, height), beside = plan.footer, view.beside()
    step, middle = width / board.BUILDINGS, y + height / 2
    for k, building in enumerate(beside):
        box = Box(x0 + step * k, middle - 19, step - 6, 38)
        picture.open("beside", f"{board.BUILDING_NAMES[building]} is to be placed", [actions.BUILDING + building])
        panel(picture, *box)
        if view.held_piece == board.FIRST_BUILDING + building:
            mark_chosen(picture, *box)
        draw_building(picture, building, box.x + 22, middle, 0.5)
        picture.text_at(box.x + 42, middle + 5, board.BUILDING_NAMES[building], 13, room=box.width - 46)
        picture.close()
    if not beside:
        _legend(picture, plan)


def _legend(picture: Picture, plan: Plan) -> None:
    step = plan.footer.width / plan.notes
    for i, words in enumerate(("marker", "certain control", "influence", "last move")):
        row, column = divmod(i, plan.notes)
        x, y = plan.footer.x + step * column, plan.footer.y + 16 + 29 * row
        if i == 0:
            _marker(picture, board.NEUTRAL, x + 10, y)
        elif i == 1:
            for side in range(board.SIDES):
                badge(picture, TONES[side], x + 8 + 21 * side, y, SIDE_LETTERS[side])
        elif i == 2:
            _balance(picture, x, y, 60, (9, 6))
        else:
            mark_last(picture, x + 12, y - 7, 14, 14, out=0)
        picture.text_at(x + (26, 44, 66, 36)[i], y + 4.5, words, 12, MUTED, room=step - 24)
