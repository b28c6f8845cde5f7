"""Levée en Masse drawn as text for a terminal."""

from __future__ import annotations

import textwrap

from rfop_env.games.levee_en_masse import board, component_set
from rfop_env.games.levee_en_masse.draw.view import ARMY_SIGNS, View
from rfop_env.games.levee_en_masse.state import State

WIDTH = 100
LABEL, CELL = 10, 15  # columns of a track's name and of a space
MARKER_SIGN, ROUND_SIGN, SQUARE_SIGN = "✦", "●", "■"
BORDER_SIGNS = {0: "", 1: "°", 3: "*"}  # by penalty
STATE_SIGNS = {"disorganized": "~", "routed": "≈", "rotated": "↻", "Napoleon": "N"}
KEY = (
    f"{ROUND_SIGN} outside France, {SQUARE_SIGN} in France, ° orange and * red border, "
    f"{MARKER_SIGN} Liberation marker; ~ disorganized, ≈ routed, ↻ rotated, N fought by Napoleon"
)


def draw_text(s: State, components: component_set.ComponentSet, viewer: int | None = None) -> str:
    """The position in at most 100 columns of plain Unicode; `viewer` is the only seat, 0, or None."""
    view = View(s, components, viewer)
    heading = f"LEVÉE EN MASSE   {view.turn_text()}   {view.decision_text()}"
    lines = [*textwrap.wrap(heading, WIDTH), "─" * WIDTH]
    lines += _map(view)
    lines += _government(view)
    lines += _card(view)
    return "\n".join(line.rstrip() for line in lines)


def _map(view: View) -> list[str]:
    """Two lines for each track: the spaces from the start to Paris, and what stands there."""
    heads = ["5 start", *(str(box) for box in range(board.START - 1, board.PARIS, -1)), "Paris"]
    lines = [" " * LABEL + "".join(f"{head:<{CELL}}" for head in heads)]
    for track in range(board.TRACKS):
        boxes = range(board.START, board.PARIS - 1, -1)
        names = "".join(f"{_space(view, track, box):<{CELL}}" for box in boxes if box != board.PARIS)
        pieces = "".join(f"{_pieces(view, track, box):<{CELL}}" for box in boxes)
        lines += [f"{board.TRACK_NAMES[track]:<{LABEL}}{names}", " " * LABEL + pieces]
    disorder = "in Disorder" if view.s.disorder == 1 else "in order"
    return [*lines, f"{'Paris':<{LABEL}}{disorder}", *textwrap.wrap(KEY, WIDTH), "─" * WIDTH]


def _space(view: View, track: int, box: int) -> str:
    tables = view.tables
    sign = ROUND_SIGN * tables.round_space[track, box] + SQUARE_SIGN * tables.square_space[track, box]
    return f"{sign}{BORDER_SIGNS[int(tables.penalty[track, box])]} {view.components.space_name(track, box)}".strip()


def _pieces(view: View, track: int, box: int) -> str:
    """The armies in a box with their Battle Values and states, and its Liberation marker: "VE3N ✦"."""
    words = []
    for army in view.armies(track, box):
        states = "".join(STATE_SIGNS[state] for state in view.army_state(army))
        words.append(f"{ARMY_SIGNS[army]}{view.army_value(army)}{states}")
    if view.s.liberated[track, box]:
        words.append(MARKER_SIGN)
    line = " ".join(words)
    return line if len(line) < CELL else "".join(words)


def _government(view: View) -> list[str]:
    s = view.s
    boxes = range(board.LOWEST, board.HIGHEST + 1)
    rows = [f"{name:<12}{_row(boxes, s.politics[i])}" for i, name in enumerate(board.POLITICS_NAMES)]
    holding = ", ".join(view.holding_box()) or "empty"
    cards = ", ".join(f"{count} {board.COLOUR_NAMES[colour]}" for colour, count in view.undrawn_cards().items())
    rows[0] += f"   French Army  {_row(range(-2, 3), int(s.french_army))}"
    rows[1] += f"   Holding Box  {holding}"
    rows[2] += f"   still to come: {cards}"
    return [*rows, f"reigning: {view.reigning() or 'nobody'}", "─" * WIDTH]


def _row(boxes: range, at: int) -> str:
    return " ".join(f"{f'[{box}]' if box == at else f'{box} ':>4}" for box in boxes)


def _card(view: View) -> list[str]:
    components = view.components
    lines = [components.card_title(view.card), *(f"    {line}" for line in components.event_sentences(view.card))]
    return [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="      ")]
