"""The observation of Revolution: all that lies on the board, a side's own pieces first."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.observation_layout import ObservationLayout, Piece, flags
from rfop_env.games.revolution import board, control, state
from rfop_env.games.revolution.components import HIGHEST_VALUE, MOST_MARKERS, Components
from rfop_env.games.revolution.state import State

_SIDES = ("own", "enemy")


def _plane(name: str, high: int, meaning: str) -> Piece:
    return Piece(name, board.SPACES, 0, high, "public", meaning, board.SPACE_NAMES)


def _planes(name: str, high: int, meaning: str) -> list[Piece]:
    """A plane for the observing side and one for its enemy."""
    return [_plane(f"{side}_{name}", high, meaning.format(side)) for side in _SIDES]


PLANES = [
    *_planes("numbers", 1, "{} number counters"),
    *_planes("values", HIGHEST_VALUE, "the numbers on them"),
    *_planes("flag", 1, "the {} flag"),
    *_planes("markers", 1, "{} markers"),
    *_planes("influence", 5 * HIGHEST_VALUE, "{} influence"),
    *_planes("control", 1, "spaces under certain control of the {} side; with neither, the space is open"),
    *(_plane(name.lower().replace(" ", "_"), 1, name) for name in board.BUILDING_NAMES),
    _plane("empty", 1, "empty spaces"),
    _plane("empty_neighbours", 4, "empty spaces next to each space"),
]
LAYOUT = ObservationLayout(
    [
        *PLANES,  # first, so that observation[..., :425].reshape(..., 17, 5, 5) is a picture of the board
        flags("question", state.QUESTION_NAMES, "the question to the side on turn"),
        Piece("on_turn", 1, 0, 1, "public", "1: this side decides"),
        Piece("side", 1, 0, 1, "public", "0 Royalists, 1 Jacobins"),
        flags("held_counter", board.COUNTER_NAMES, "the counter chosen and not yet placed"),
        flags("held_building", board.BUILDING_NAMES, "the building chosen, not yet placed"),
        flags("own_unplayed", board.COUNTER_NAMES, "this side's counters not on the board"),
        flags("enemy_unplayed", board.COUNTER_NAMES, "the enemy's counters not on the board"),
        flags("buildings_unplayed", board.BUILDING_NAMES, "buildings not on the board"),
        Piece("markers_left", 2, 0, MOST_MARKERS, "public", "markers not placed", _SIDES),
    ]
)

AT = LAYOUT.offsets


@rule
def observe(s: State, c: Components, seat: int, o: Any) -> None:
    """Write what a seat sees into an all-zero int8 [D], its own side first."""
    # The sides.
    for k in range(board.SIDES):
        side = seat if k == 0 else board.enemy(seat)
        observe_counters(s, c, side, k, o)
        observe_power(s, side, k * board.SPACES, o)
        o[AT.markers_left + k] = s.left[side]

    # Buildings and empty spaces.
    for i in range(board.BUILDINGS):
        x = int(s.at[board.FIRST_BUILDING + i])
        if x == board.NOWHERE:
            o[AT.buildings_unplayed + i] = 1
        elif board.is_space(x):
            o[AT.bastille + i * board.SPACES + x] = 1
    for x in range(board.SPACES):
        o[AT.empty + x] = int(s.on[x] == board.NO_PIECE)
        o[AT.empty_neighbours + x] = s.empties[x]

    observe_question(s, seat, o)


@rule
def observe_counters(s: State, c: Components, side: int, k: int, o: Any) -> None:
    """Write the counters of a side; k: 0 for the observing side, 1 for its enemy."""
    for counter in range(board.COUNTERS):
        x = control.counter_space(s, side, counter)
        if x == board.NOWHERE:
            o[AT.own_unplayed + k * board.COUNTERS + counter] = 1
        elif counter == board.FLAG:
            o[AT.own_flag + k * board.SPACES + x] = 1
        elif board.is_space(x):
            o[AT.own_numbers + k * board.SPACES + x] = 1
            o[AT.own_values + k * board.SPACES + x] = c.value[counter]


@rule
def observe_power(s: State, side: int, shift: int, o: Any) -> None:
    """Write markers, influence and certain control of a side."""
    for x in range(board.SPACES):
        o[AT.own_markers + shift + x] = s.marked[side, x]
    for x in range(board.SPACES):
        o[AT.own_influence + shift + x] = s.influence[side, x]
    for x in range(board.SPACES):
        o[AT.own_control + shift + x] = s.controls[side, x]


@rule
def observe_question(s: State, seat: int, o: Any) -> None:
    """Write who decides, about what; all zeros once the game has ended."""
    o[AT.side] = seat
    if s.question != state.ASK_NOTHING:
        o[AT.question + s.question] = 1
        o[AT.on_turn] = int(s.player == seat)
    if s.held >= board.FIRST_BUILDING and s.held != board.NO_PIECE:
        o[AT.held_building + s.held - board.FIRST_BUILDING] = 1
    elif s.held != board.NO_PIECE:
        o[AT.held_counter + s.held % board.COUNTERS] = 1
