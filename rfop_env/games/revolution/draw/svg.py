"""Revolution drawn as a picture: the board, the unplayed counters and the markers of both sides.

Every piece carries its kind and side as classes (`class="counter jacobins"`), so that a page can restyle the picture
and a test can count what it shows. Counters of the Royalists have round corners, those of the Jacobins cut ones.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rfop_env.drawing.palette import BLUE, GOLD, GREY, INK, LINE, MUTED, RED, WHITE
from rfop_env.drawing.picture import Picture
from rfop_env.drawing.pieces import badge, cylinder, header, mark_chosen, mark_last, panel
from rfop_env.games.revolution import actions, board
from rfop_env.games.revolution.draw.buildings import draw_building
from rfop_env.games.revolution.draw.view import SIDE_LETTERS, View, is_flag
from rfop_env.games.revolution.state import State

WIDTH, HEIGHT = 840, 648
BOARD_LEFT, BOARD_TOP, CELL = 170, 92, 100
PANEL_LEFT, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT = (14, 696), 80, 130, 512  # left edges by side
TILE, SMALL_TILE = 60, 44
FOOTER = HEIGHT - 24
BOARD_EDGE = "#8a7a58"

TONES = (BLUE, RED, GREY)  # by side, and NEUTRAL
CLASSES = ("royalists", "jacobins", "neutral")


def draw_svg(
    s: State, components: Any, viewer: int | None = None, legal: Collection[int] = (), previous: Any = None
) -> str:
    """The position as a self-contained SVG picture.

    `viewer` is a side, or None for the side to move; both see the same. `legal` are the ids of the legal actions: parts
    that they point to carry them as `data-action`. `previous` is an earlier record of the game: what differs from it is
    marked; without one, what has changed since the last decision.
    """
    view, picture = View(s, components, viewer, previous), Picture(WIDTH, HEIGHT, legal)
    stripe = (TONES[board.ROYALISTS].deep, TONES[board.JACOBINS].deep)
    header(picture, "REVOLUTION", view.course_text(), view.decision_text(), TONES[view.mover], stripe)
    _board(picture, view)
    for space in view.spaces:
        _space(picture, view, space)
    for space in sorted(view.touched):
        mark_last(picture, *_corner(space), CELL, CELL, out=-1)
    for side in range(board.SIDES):
        _panel(picture, view, side)
    _footer(picture, view)
    return picture.text(f"Revolution. {view.decision_text()}.")


# -- the board ---------------------------------------------------------------------------------------------------------


def _board(picture: Picture, view: View) -> None:
    (x0, top), size = _corner(view.spaces[0]), CELL * len(view.lines)
    picture.rect(x0 - 6, top - 6, size + 12, size + 12, BOARD_EDGE, 8)
    for k in view.lines:
        middle = CELL * (k + 0.5)
        picture.text_at(BOARD_LEFT + middle, top - 13, "abcde"[k], 14, MUTED, anchor="middle")
        picture.text_at(x0 - 17, BOARD_TOP + middle + 5, str(k + 1), 14, MUTED, anchor="middle")


def _corner(space: int) -> tuple[float, float]:
    """The top left corner of a space."""
    return BOARD_LEFT + CELL * (space % board.WIDTH), BOARD_TOP + CELL * (space // board.WIDTH)


def _space(picture: Picture, view: View, space: int) -> None:
    """A space: who controls it, its piece, the marker, the influence."""
    (x0, top), middle = _corner(space), _corner(space)[0] + CELL / 2
    piece, holder = view.piece(space), view.holder(space)
    tone = TONES[holder]
    picture.open(f"space control-{CLASSES[holder]}", view.space_text(space), [actions.SPACE + space])
    picture.rect(x0 + 1, top + 1, CELL - 2, CELL - 2, "#faf6ec" if holder == board.NEUTRAL else tone.pale, 3)
    if holder != board.NEUTRAL:
        picture.rect(x0 + 2.5, top + 2.5, CELL - 5, CELL - 5, "none", 3, stroke=tone.light, stroke_width=3)

    if piece == board.NO_PIECE:
        picture.text_at(middle, top + 50, board.SPACE_NAMES[space], 12, MUTED, anchor="middle")
    elif piece >= board.FIRST_BUILDING:
        draw_building(picture, piece - board.FIRST_BUILDING, middle, top + 36, 1)
        name = board.BUILDING_NAMES[piece - board.FIRST_BUILDING]
        picture.text_at(middle, top + 76, name, 11, bold=True, anchor="middle", room=CELL - 8)
    else:
        _counter(picture, view, piece, middle, top + 42, TILE)

    marked = view.marked(space)
    for side in marked:
        _marker(picture, side, x0 + CELL - 17, top + 24)
    if holder != board.NEUTRAL and not marked:
        badge(picture, tone, x0 + CELL - 15, top + 16, SIDE_LETTERS[holder])
    if any(view.influence(space)):
        _balance(picture, x0 + 8, top + CELL - 12, CELL - 16, view.influence(space))
    picture.close()


def _balance(picture: Picture, x0: float, middle: float, width: float, influence: tuple[int, int]) -> None:
    """Both influences as numbers, the Royalists' on the left, and as a bar between them."""
    room, start = width - 44, x0 + 22
    part = room * influence[board.ROYALISTS] / sum(influence)
    for side, x, anchor in ((board.ROYALISTS, x0, "start"), (board.JACOBINS, x0 + width, "end")):
        fill = TONES[side].deep if influence[side] else MUTED
        picture.text_at(x, middle + 5, str(influence[side]), 14, fill, anchor=anchor, bold=True)
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


def _panel(picture: Picture, view: View, side: int) -> None:
    """The unplayed counters of a side, and its markers."""
    x0, middle = PANEL_LEFT[side], PANEL_LEFT[side] + PANEL_WIDTH / 2
    on_turn = not view.over and view.mover == side
    picture.open(f"panel {CLASSES[side]}")
    panel(picture, x0, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT)
    if on_turn:
        panel(picture, x0, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT, stroke=GOLD, stroke_width=4)
    name = f"{board.SIDE_NAMES[side]} {SIDE_LETTERS[side]}"
    picture.text_at(
        middle, PANEL_TOP + 24, name, 15, TONES[side].deep, anchor="middle", bold=True, room=PANEL_WIDTH - 12
    )

    unplayed = view.unplayed(side)
    for counter in view.counters(side):
        piece = board.COUNTERS * side + counter
        x, y = middle + 27 * (-1 if counter % 2 == 0 else 1), PANEL_TOP + 62 + 54 * (counter // 2)
        if counter in unplayed:
            _counter(picture, view, piece, x, y, SMALL_TILE, actions.COUNTER + counter if on_turn else -1)
        else:
            picture.rect(x - 22, y - 22, SMALL_TILE, SMALL_TILE, "none", 6, stroke=LINE, stroke_dasharray="3 3")
        if view.held_piece == piece:
            mark_chosen(picture, x - 22, y - 22, SMALL_TILE, SMALL_TILE)

    markers = view.markers_left(side)
    label = f"{markers} marker{'' if markers == 1 else 's'} left"
    picture.text_at(middle, PANEL_TOP + 390, label, 13, INK, anchor="middle", room=PANEL_WIDTH - 12)
    for k in range(markers):
        _marker(picture, side, middle - 37.5 + 25 * (k % 4), PANEL_TOP + 414 + 32 * (k // 4))
    picture.close()


def _footer(picture: Picture, view: View) -> None:
    """The buildings beside the board in the set-up, afterwards what the signs mean."""
    beside = view.beside()
    for k, building in enumerate(beside):
        x = BOARD_LEFT + 40 + 170 * k
        picture.open("beside", f"{board.BUILDING_NAMES[building]} is to be placed", [actions.BUILDING + building])
        panel(picture, x - 30, FOOTER - 20, 154, 38)
        if view.held_piece == board.FIRST_BUILDING + building:
            mark_chosen(picture, x - 30, FOOTER - 20, 154, 38)
        draw_building(picture, building, x, FOOTER - 1, 0.5)
        picture.text_at(x + 26, FOOTER + 5, board.BUILDING_NAMES[building], 14, room=92)
        picture.close()
    if not beside:
        _legend(picture)


def _legend(picture: Picture) -> None:
    x0, y = BOARD_LEFT, FOOTER
    _marker(picture, board.NEUTRAL, x0 + 10, y)
    picture.text_at(x0 + 26, y + 5, "marker", 12, MUTED)
    for side in range(board.SIDES):
        badge(picture, TONES[side], x0 + 94 + 22 * side, y, SIDE_LETTERS[side])
    picture.text_at(x0 + 132, y + 5, "certain control", 12, MUTED)
    _balance(picture, x0 + 244, y, 80, (9, 6))
    picture.text_at(x0 + 332, y + 5, "influence", 12, MUTED)
    mark_last(picture, x0 + 410, y - 8, 16, 16, out=0)
    picture.text_at(x0 + 436, y + 5, "last move", 12, MUTED)
