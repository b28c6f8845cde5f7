"""Markers, and the three ways to win (V5, V12 to V17, V21, V23)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.games.revolution.board import (
    BASTILLE, FLAG, JACOBINS, NOBODY, NOTRE_DAME, NOWHERE, ROYALISTS, VERSAILLES, counter_of, enemy_of, is_space,
    place_of,
)  # fmt: skip
from rfop_env.games.revolution.journal import NOTE_DRAW, NOTE_MARKED, NOTE_WON
from rfop_env.games.revolution.state import ALL_MARKERS, ASK_NOTHING, DRAW, FLAG_CAPTURED, RUNNING, THREE_BUILDINGS


@rule
def mark(s: Any, side: int) -> None:
    """Mark every space that a side controls for certain and has not marked (V5): Notre Dame and numbers (V12, V17).

    Where markers run out (V23) Notre Dame comes first, since it alone can win by its marker, then the side's
    own numbers.
    """
    mark_piece(s, side, NOTRE_DAME)
    for counter in range(FLAG):
        mark_piece(s, side, counter_of(side, counter))
    for counter in range(FLAG):
        mark_piece(s, side, counter_of(enemy_of(side), counter))


@small_rule
def mark_piece(s: Any, side: int, piece: int) -> None:
    """Put a marker on a piece, if the side controls it and has one left."""
    x = int(s.at[piece])
    if is_space(x) and s.controls[side, x] == 1 and s.marked[side, x] == 0 and s.left[side] > 0:
        s.marked[side, x] = 1
        s.left[side] -= 1
        note(s, NOTE_MARKED, side, x, 0)


@rule
def condition(s: Any, side: int) -> int:
    """The victory condition that a side meets, RUNNING if none; whose turn it is does not matter (V13, V14)."""
    if controls_piece(s, side, counter_of(enemy_of(side), FLAG)):
        return FLAG_CAPTURED
    notre_dame = int(s.at[NOTRE_DAME])
    if s.marked[side, notre_dame] == 1 and controls_piece(s, side, BASTILLE) and controls_piece(s, side, VERSAILLES):
        return THREE_BUILDINGS
    if s.left[side] == 0 and place_of(s, side, FLAG) != NOWHERE:
        return ALL_MARKERS  # V16
    return RUNNING


@small_rule
def controls_piece(s: Any, side: int, piece: int) -> bool:
    """True if a side controls the space of a piece for certain."""
    x = int(s.at[piece])
    return is_space(x) and s.controls[side, x] == 1


@rule
def judge_end(s: Any) -> None:
    """End the game if a side meets a condition; if both do, nobody has won (V21)."""
    blue = condition(s, ROYALISTS)
    red = condition(s, JACOBINS)
    if blue != RUNNING and red != RUNNING:
        end(s, NOBODY, DRAW)
        note(s, NOTE_DRAW, blue, red, 0)
    elif blue != RUNNING:
        end(s, ROYALISTS, blue)
        note(s, NOTE_WON, ROYALISTS, blue, s.left[JACOBINS])
    elif red != RUNNING:
        end(s, JACOBINS, red)
        note(s, NOTE_WON, JACOBINS, red, s.left[ROYALISTS])


@small_rule
def end(s: Any, winner: int, reason: int) -> None:
    """End the game."""
    s.over = 1
    s.winner = winner
    s.end_reason = reason
    s.question = ASK_NOTHING
