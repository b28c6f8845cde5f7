"""Markers, and the three ways to win (V5, V12 to V17, V21, V23)."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.games.revolution import board, control, journal, state
from rfop_env.games.revolution.state import State


@rule
def mark(s: State, side: int) -> None:
    """Mark every space that a side controls for certain and has not marked (V5): Notre Dame and numbers (V12, V17).

    Where markers run out (V23) Notre Dame comes first, since it alone can win by its marker, then the side's
    own numbers.
    """
    mark_piece(s, side, board.NOTRE_DAME)
    for counter in range(board.FLAG):
        mark_piece(s, side, board.counter_piece(side, counter))
    for counter in range(board.FLAG):
        mark_piece(s, side, board.counter_piece(board.enemy(side), counter))


@small_rule
def mark_piece(s: State, side: int, piece: int) -> None:
    """Put a marker on a piece, if the side controls it and has one left."""
    x = int(s.at[piece])
    if board.is_space(x) and s.controls[side, x] == 1 and s.marked[side, x] == 0 and s.left[side] > 0:
        s.marked[side, x] = 1
        s.left[side] -= 1
        note(s, journal.NOTE_MARKED, side, x, 0)


@rule
def condition(s: State, side: int) -> int:
    """The victory condition that a side meets, RUNNING if none; whose turn it is does not matter (V13, V14)."""
    if controls_piece(s, side, board.counter_piece(board.enemy(side), board.FLAG)):
        return state.FLAG_CAPTURED
    notre_dame = int(s.at[board.NOTRE_DAME])
    if (
        s.marked[side, notre_dame] == 1
        and controls_piece(s, side, board.BASTILLE)
        and controls_piece(s, side, board.VERSAILLES)
    ):
        return state.THREE_BUILDINGS
    if s.left[side] == 0 and control.counter_space(s, side, board.FLAG) != board.NOWHERE:
        return state.ALL_MARKERS  # V16
    return state.RUNNING


@small_rule
def controls_piece(s: State, side: int, piece: int) -> bool:
    """True if a side controls the space of a piece for certain."""
    x = int(s.at[piece])
    return board.is_space(x) and s.controls[side, x] == 1


@rule
def judge_end(s: State) -> None:
    """End the game if a side meets a condition; if both do, nobody has won (V21)."""
    blue = condition(s, board.ROYALISTS)
    red = condition(s, board.JACOBINS)
    if blue != state.RUNNING and red != state.RUNNING:
        end(s, board.NOBODY, state.DRAW)
        note(s, journal.NOTE_DRAW, blue, red, 0)
    elif blue != state.RUNNING:
        end(s, board.ROYALISTS, blue)
        note(s, journal.NOTE_WON, board.ROYALISTS, blue, s.left[board.JACOBINS])
    elif red != state.RUNNING:
        end(s, board.JACOBINS, red)
        note(s, journal.NOTE_WON, board.JACOBINS, red, s.left[board.ROYALISTS])


@small_rule
def end(s: State, winner: int, reason: int) -> None:
    """End the game."""
    s.over = 1
    s.winner = winner
    s.end_reason = reason
    s.question = state.ASK_NOTHING
