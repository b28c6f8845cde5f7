"""Revolution drawn as text for a terminal."""

from __future__ import annotations

from typing import Any

from rfop_env.games.revolution.board import (
    BUILDINGS, BUILDING_NAMES, COUNTERS, FIRST_BUILDING, FLAG, NOWHERE, NO_PIECE, SIDES, SIDE_NAMES,
    SPACE_NAMES, WIDTH, piece_name,
)  # fmt: skip
from rfop_env.games.revolution.state import ASK_BUILDING, ASK_NOTHING, END_REASONS

CELL = 9
SIDE_LETTERS = ("R", "J")
MARKER_SIGN, FLAG_SIGN = "●", "⚑"
SHORT_NAMES = ("Bastille", "Versail.", "N. Dame")
KEY = f"{MARKER_SIGN} marker, (R) (J) certain control, R 7 : 9 J influence of Royalists and Jacobins"


def draw_text(s: Any, components: Any) -> str:
    """The position in plain Unicode: each space with its piece, who controls it, and the influence on it."""
    rule = "  +" + ("-" * CELL + "+") * WIDTH
    lines = ["REVOLUTION   " + situation(s), "", "   " + "".join(f"{name:^{CELL + 1}}" for name in "abcde"), rule]
    for row in range(WIDTH):
        cells = [_cell(s, components, WIDTH * row + column) for column in range(WIDTH)]
        for k, parts in enumerate(zip(*cells, strict=True)):
            lines.append(f"{row + 1 if k == 1 else ' '} |" + "".join(f"{part:^{CELL}}|" for part in parts))
        lines.append(rule)
    lines += [_stock(s, components, side) for side in range(SIDES)]
    beside = [BUILDING_NAMES[i] for i in range(BUILDINGS) if s.at[FIRST_BUILDING + i] == NOWHERE]
    lines.append(f"beside the board: {', '.join(beside)}" if beside else KEY)
    return "\n".join(line.rstrip() for line in lines)


def situation(s: Any) -> str:
    """Who is to do what, or how the game ended."""
    if s.question == ASK_NOTHING:
        reason = END_REASONS[int(s.end_reason)]
        if s.winner < 0:
            return reason
        return f"{SIDE_NAMES[int(s.winner)]} win: {reason}; they score {int(s.left[1 - s.winner])}"
    side = SIDE_NAMES[int(s.player)]
    if s.held != NO_PIECE:
        return f"{side} to place {piece_name(int(s.held)).removeprefix(side).strip()}"
    return f"{side} to choose a {'building' if s.question == ASK_BUILDING else 'counter'}"


def piece_sign(s: Any, components: Any, x: int) -> str:
    """What lies on a space, in a word."""
    piece = int(s.on[x])
    if piece == NO_PIECE:
        return ""
    if piece >= FIRST_BUILDING:
        return SHORT_NAMES[piece - FIRST_BUILDING]
    side, counter = divmod(piece, COUNTERS)
    return SIDE_LETTERS[side] + (FLAG_SIGN if counter == FLAG else str(components.value(counter)))


def space_words(s: Any, x: int) -> str:
    """A space in a sentence: name, piece, control, influence."""
    piece = int(s.on[x])
    parts = [f"{SPACE_NAMES[x]}: {'empty' if piece == NO_PIECE else piece_name(piece)}"]
    parts += [f"controlled by the {SIDE_NAMES[side]}" for side in range(SIDES) if s.controls[side, x]]
    parts.append(", ".join(f"{SIDE_NAMES[side]} {int(s.influence[side, x])}" for side in range(SIDES)))
    return "; ".join(parts)


def _cell(s: Any, components: Any, x: int) -> tuple[str, str, str]:
    """The three lines of a space."""
    control = ""
    for side in range(SIDES):
        if s.marked[side, x]:
            control = f"{MARKER_SIGN} {SIDE_LETTERS[side]}"
        elif s.controls[side, x]:
            control = f"({SIDE_LETTERS[side]})"
    blue, red = (int(s.influence[side, x]) for side in range(SIDES))
    return piece_sign(s, components, x), control, f"R{blue:>2}:{red:<2}J" if blue or red else ""


def _stock(s: Any, components: Any, side: int) -> str:
    """The unplayed counters and markers of a side."""
    counters = [n for n in range(COUNTERS) if s.at[COUNTERS * side + n] == NOWHERE]
    words = " ".join(FLAG_SIGN if n == FLAG else str(components.value(n)) for n in counters)
    return (
        f"{SIDE_LETTERS[side]} {SIDE_NAMES[side]:<10} markers left {int(s.left[side]):>2}   unplayed {words or 'none'}"
    )
