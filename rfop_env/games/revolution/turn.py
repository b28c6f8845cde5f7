"""The course of Revolution: what is legal, and what a choice does.

A question that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.revolution import actions, board, control, journal, markers, setup, state
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State


@rule
def deal(s: State, c: Components, options: Any) -> None:
    """Set up a game, which begins with a decision."""
    setup.set_up(s, c)


@rule
def legal(s: State, c: Components, mask: Any) -> None:
    """Set the legal actions: unplayed pieces, or empty spaces; there is no passing (V4)."""
    if s.question == state.ASK_BUILDING:
        legal_pieces(s, mask, actions.BUILDING, board.FIRST_BUILDING, board.BUILDINGS)
    elif s.question == state.ASK_SITE:
        legal_sites(s, mask)
    elif s.question == state.ASK_COUNTER:
        legal_pieces(s, mask, actions.COUNTER, board.counter_piece(s.player, 0), board.COUNTERS)
    elif s.question == state.ASK_SPACE:
        legal_spaces(s, mask)
    else:
        s.fault = 1


@rule
def legal_pieces(s: State, mask: Any, action: int, first: int, count: int) -> None:
    """Set the unplayed ones of some pieces."""
    for i in range(count):
        mask[action + i] = s.at[first + i] == board.NOWHERE


@rule
def legal_sites(s: State, mask: Any) -> None:
    """Set the empty spaces next to no building (V2, V3); two buildings rule out ten spaces at most."""
    for x in range(board.SPACES):
        free = s.on[x] == board.NO_PIECE
        for i in range(board.DEGREE[x]):
            free = free and s.on[board.NEIGHBOURS[x, i]] >= board.NO_PIECE
        mask[actions.SPACE + x] = free


@rule
def legal_spaces(s: State, mask: Any) -> None:
    """Set the empty spaces."""
    for x in range(board.SPACES):
        mask[actions.SPACE + x] = s.on[x] == board.NO_PIECE


@rule
def apply(s: State, c: Components, action: int) -> None:
    """Choose a piece, or place the chosen one."""
    if s.question == state.ASK_BUILDING:
        s.held = board.FIRST_BUILDING + action - actions.BUILDING
        s.question = state.ASK_SITE
    elif s.question == state.ASK_SITE:
        place_building(s, c, action - actions.SPACE)
    elif s.question == state.ASK_COUNTER:
        s.held = board.counter_piece(s.player, action - actions.COUNTER)
        s.question = state.ASK_SPACE
    elif s.question == state.ASK_SPACE:
        place_counter(s, c, action - actions.SPACE)
    else:
        s.fault = 1


@rule
def place_building(s: State, c: Components, x: int) -> None:
    """Place a building, first the Royalists, then the Jacobins, the Royalists; then the Jacobins begin (V1)."""
    put_held(s, x)
    s.question = state.ASK_BUILDING if s.placed < c.buildings else state.ASK_COUNTER


@rule
def place_counter(s: State, c: Components, x: int) -> None:
    """Take a turn: place, then mark, then test for the end once for both sides (V6, V13)."""
    side = s.player
    counter = s.held % board.COUNTERS

    # The counter, and what it makes certain.
    put_held(s, x)
    control.exert(s, side, x, c.value[counter])
    control.measure_reach(s, c, side)
    control.settle(s, side)

    # Markers, and the end.
    markers.mark(s, side)
    markers.judge_end(s)
    if s.over == 0 and s.placed == c.spaces:
        markers.mark(s, board.enemy(side))  # V20: the Jacobins, who have no counter left, still mark
        markers.judge_end(s)
    elif s.over == 0:
        s.question = state.ASK_COUNTER


@rule
def put_held(s: State, x: int) -> None:
    """Put the chosen piece on the board; the other side is next."""
    note(s, journal.NOTE_PLACED, s.player, s.held, x)
    control.put(s, s.held, x)
    s.held = board.NO_PIECE
    s.player = board.enemy(s.player)
