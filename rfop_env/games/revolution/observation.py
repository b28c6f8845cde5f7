"""The observation of Revolution: all that lies on the board, a side's own pieces first."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.games.revolution.board import (
    BUILDINGS, BUILDING_NAMES, COUNTERS, COUNTER_NAMES, FIRST_BUILDING, FLAG, NOWHERE, NO_PIECE, SIDES, SPACES,
    SPACE_NAMES, enemy_of, is_space, place_of,
)  # fmt: skip
from rfop_env.games.revolution.components import HIGHEST_VALUE, MOST_MARKERS
from rfop_env.games.revolution.state import ASK_NOTHING, QUESTION_NAMES

_BOTH = ("own", "enemy")


def _plane(name: str, high: int, meaning: str) -> Piece:
    return Piece(name, SPACES, 0, high, "public", meaning, SPACE_NAMES)


def _planes(name: str, high: int, meaning: str) -> list[Piece]:
    """A plane for the observing side and one for its enemy."""
    return [_plane(f"{whose}_{name}", high, meaning.format("own" if whose == "own" else "enemy")) for whose in _BOTH]


PLANES = [
    *_planes("numbers", 1, "{} number counters"),
    *_planes("values", HIGHEST_VALUE, "the numbers on them"),
    *_planes("flag", 1, "the {} flag"),
    *_planes("markers", 1, "{} markers"),
    *_planes("influence", 5 * HIGHEST_VALUE, "{} influence"),
    *_planes("control", 1, "spaces under certain control of the {} side; with neither, the space is open"),
    *(_plane(name.lower().replace(" ", "_"), 1, name) for name in BUILDING_NAMES),
    _plane("empty", 1, "empty spaces"),
    _plane("empty_neighbours", 4, "empty spaces next to each space"),
]
LAYOUT = ObservationLayout(
    [
        *PLANES,  # first, so that observation[..., :425].reshape(..., 17, 5, 5) is a picture of the board
        Piece("question", len(QUESTION_NAMES), 0, 1, "public", "the question to the side on turn", QUESTION_NAMES),
        Piece("on_turn", 1, 0, 1, "public", "1: this side decides"),
        Piece("side", 1, 0, 1, "public", "0 Royalists, 1 Jacobins"),
        Piece("held_counter", COUNTERS, 0, 1, "public", "the counter chosen and not yet placed", COUNTER_NAMES),
        Piece("held_building", BUILDINGS, 0, 1, "public", "the building chosen, not yet placed", BUILDING_NAMES),
        Piece("own_unplayed", COUNTERS, 0, 1, "public", "this side's counters not on the board", COUNTER_NAMES),
        Piece("enemy_unplayed", COUNTERS, 0, 1, "public", "the enemy's counters not on the board", COUNTER_NAMES),
        Piece("buildings_unplayed", BUILDINGS, 0, 1, "public", "buildings not on the board", BUILDING_NAMES),
        Piece("markers_left", 2, 0, MOST_MARKERS, "public", "markers not placed", _BOTH),
    ]
)

(
    NUMBERS, _, VALUES, _, FLAGS, _, MARKERS, _, INFLUENCE, _, CONTROL, _, BASTILLE_AT, _, _, EMPTY, EMPTIES,
    QUESTION, ON_TURN, SIDE, HELD, HELD_BUILDING, UNPLAYED, _, UNPLAYED_BUILDINGS, LEFT,
) = (LAYOUT.start(piece.name) for piece in LAYOUT.pieces)  # fmt: skip


@rule
def observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """Write what a seat sees into an all-zero int8 [D], its own side first."""
    # The sides.
    for k in range(SIDES):
        side = seat if k == 0 else enemy_of(seat)
        observe_counters(s, c, side, k, o)
        observe_power(s, side, k * SPACES, o)
        o[LEFT + k] = s.left[side]

    # Buildings and empty spaces.
    for i in range(BUILDINGS):
        x = int(s.at[FIRST_BUILDING + i])
        if x == NOWHERE:
            o[UNPLAYED_BUILDINGS + i] = 1
        elif is_space(x):
            o[BASTILLE_AT + i * SPACES + x] = 1
    for x in range(SPACES):
        o[EMPTY + x] = int(s.on[x] == NO_PIECE)
        o[EMPTIES + x] = s.empties[x]

    observe_question(s, seat, o)


@rule
def observe_counters(s: Any, c: Any, side: int, k: int, o: Any) -> None:
    """Write the counters of a side; k: 0 for the observing side, 1 for its enemy."""
    for counter in range(COUNTERS):
        x = place_of(s, side, counter)
        if x == NOWHERE:
            o[UNPLAYED + k * COUNTERS + counter] = 1
        elif counter == FLAG:
            o[FLAGS + k * SPACES + x] = 1
        elif is_space(x):
            o[NUMBERS + k * SPACES + x] = 1
            o[VALUES + k * SPACES + x] = c.value[counter]


@rule
def observe_power(s: Any, side: int, shift: int, o: Any) -> None:
    """Write markers, influence and certain control of a side."""
    for x in range(SPACES):
        o[MARKERS + shift + x] = s.marked[side, x]
    for x in range(SPACES):
        o[INFLUENCE + shift + x] = s.influence[side, x]
    for x in range(SPACES):
        o[CONTROL + shift + x] = s.controls[side, x]


@rule
def observe_question(s: Any, seat: int, o: Any) -> None:
    """Write who decides, about what; all zeros once the game has ended."""
    o[SIDE] = seat
    if s.question != ASK_NOTHING:
        o[QUESTION + s.question] = 1
        o[ON_TURN] = int(s.player == seat)
    if s.held >= FIRST_BUILDING and s.held != NO_PIECE:
        o[HELD_BUILDING + s.held - FIRST_BUILDING] = 1
    elif s.held != NO_PIECE:
        o[HELD + s.held % COUNTERS] = 1
