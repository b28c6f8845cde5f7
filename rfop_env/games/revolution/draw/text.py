"""Revolution drawn as text for a terminal."""

from __future__ import annotations

import textwrap
from typing import Any

from rfop_env.games.revolution import board
from rfop_env.games.revolution.draw.view import SIDE_LETTERS, View, is_flag
from rfop_env.games.revolution.state import State

WIDTH, CELL = 100, 9
MARKER_SIGN, FLAG_SIGN = "●", "⚑"
SHORT_NAMES = ("Bastille", "Versail.", "N. Dame")
KEY = f"{MARKER_SIGN} marker, (R) (J) certain control, R 7 : 9 J influence of Royalists and Jacobins"


def draw_text(s: State, components: Any, viewer: int | None = None) -> str:
    """The position in plain Unicode: each space with its piece, who controls it, and the influence on it.

    `viewer` is a side, or None for the side to move; both see the same.
    """
    view = View(s, components, viewer)
    rule = "  +" + ("-" * CELL + "+") * len(view.lines)
    letters = "".join(f"{'abcde'[column]:^{CELL + 1}}" for column in view.lines)
    lines = [*textwrap.wrap(f"REVOLUTION   {view.decision_text()}", WIDTH), "", "   " + letters, rule]

    for row in view.lines:
        cells = [_cell(view, board.WIDTH * row + column) for column in view.lines]
        for k, parts in enumerate(zip(*cells, strict=True)):
            lines.append(f"{row + 1 if k == 1 else ' '} |" + "".join(f"{part:^{CELL}}|" for part in parts))
        lines.append(rule)

    lines += [_stock(view, side) for side in range(board.SIDES)]
    beside = ", ".join(board.BUILDING_NAMES[i] for i in view.beside())
    lines.append(f"beside the board: {beside}" if beside else KEY)
    return "\n".join(line.rstrip() for line in lines)


def _cell(view: View, space: int) -> tuple[str, str, str]:
    """The three lines of a space: its piece, who controls it, the influence on it."""
    holder = view.holder(space)
    control = "" if holder == board.NEUTRAL else f"({SIDE_LETTERS[holder]})"
    for side in view.marked(space):
        control = f"{MARKER_SIGN} {SIDE_LETTERS[side]}"
    blue, red = view.influence(space)
    return _piece(view, space), control, f"R{blue:>2}:{red:<2}J" if blue or red else ""


def _piece(view: View, space: int) -> str:
    piece = view.piece(space)
    if piece == board.NO_PIECE:
        return ""
    if piece >= board.FIRST_BUILDING:
        return SHORT_NAMES[piece - board.FIRST_BUILDING]
    side, counter = divmod(piece, board.COUNTERS)
    return SIDE_LETTERS[side] + (FLAG_SIGN if is_flag(piece) else view.value(counter))


def _stock(view: View, side: int) -> str:
    """The unplayed counters and markers of a side."""
    words = " ".join(FLAG_SIGN if n == board.FLAG else view.value(n) for n in view.unplayed(side)) or "none"
    letter, name, markers = SIDE_LETTERS[side], board.SIDE_NAMES[side], view.markers_left(side)
    return f"{letter} {name:<10} markers left {markers:>2}   unplayed {words}"
