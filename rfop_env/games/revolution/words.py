"""What an action of Revolution does, how a game ended, in words, and the points of both sides."""

from __future__ import annotations

from typing import Any

from rfop_env.core.game import Score, ending_sentence
from rfop_env.games.revolution import actions, board, state
from rfop_env.games.revolution.state import State

_CONDITIONS = {
    state.FLAG_CAPTURED: "they control the space of the flag of the {} for certain",
    state.THREE_BUILDINGS: "they control Bastille and Versailles for certain, and their marker lies on Notre Dame",
    state.ALL_MARKERS: "their flag is on the board, and all their markers are placed",
}


def tell(s: State, components: Any, action: int) -> str:
    """What a legal action does in this position, a sentence."""
    row = actions.ACTIONS.rows[action]
    if row.kind == "counter" and row.argument == board.FLAG:
        return "choose your flag to place"
    if row.kind != "space":
        return row.sentence
    piece = board.piece_name(int(s.held)).removeprefix(board.SIDE_NAMES[int(s.player)]).strip()
    return f"place {piece} on {board.SPACE_NAMES[row.argument]}"


def ending(s: State, components: Any) -> str:
    """Who has won, and why."""
    return ending_sentence(s, components, seat_names, winners, reason)


def seat_names(s: State) -> tuple[str, ...]:
    """The name of the side of each seat."""
    return board.SIDE_NAMES


def winners(s: State) -> tuple[bool, ...]:
    """Which seats have won an ended game."""
    return tuple([int(s.winner) == side for side in range(board.SIDES)])


def reason(s: State, components: Any) -> str:
    """Why the winner has won and for how many points, or why it is a draw (V22)."""
    if s.winner == board.NOBODY:
        return "both sides met a condition at once" if s.end_reason == state.DRAW else "nobody met a condition"
    condition, points = _CONDITIONS[int(s.end_reason)], int(s.left[1 - int(s.winner)])
    return f"{condition.format(board.SIDE_NAMES[1 - int(s.winner)])}; {points} point{'s' * (points != 1)}"


def score(s: State, components: Any) -> Score:
    """Markers and points of the Royalists and of the Jacobins."""
    unplaced = [int(n) for n in s.left]
    placed = [sum(int(marked) for marked in s.marked[side]) for side in range(board.SIDES)]
    points = [unplaced[1 - side] if s.winner == side else 0 for side in range(board.SIDES)]
    rows = [
        ("markers on the board", tuple(placed)),
        ("markers not placed", tuple(unplaced)),
        ("points", tuple(points)),
    ]
    return board.SIDE_NAMES, rows
