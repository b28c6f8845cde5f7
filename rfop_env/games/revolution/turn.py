"""The course of Revolution: what is legal, and what a choice does.

A question that a chain forgets ends in its last branch, which sets the fault.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.revolution.actions import BUILDING, COUNTER, SPACE
from rfop_env.games.revolution.board import (
    BUILDINGS, COUNTERS, DEGREE, FIRST_BUILDING, NEIGHBOURS, NOWHERE, NO_PIECE, SPACES, counter_of, enemy_of,
)  # fmt: skip
from rfop_env.games.revolution.control import exert, measure_reach, put, settle
from rfop_env.games.revolution.journal import NOTE_PLACED
from rfop_env.games.revolution.markers import judge_end, mark
from rfop_env.games.revolution.setup import set_up
from rfop_env.games.revolution.state import ASK_BUILDING, ASK_COUNTER, ASK_SITE, ASK_SPACE


@rule
def deal(s: Any, c: Any, options: Any) -> None:
    """Set up a game, which begins with a decision."""
    set_up(s, c)


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal actions: unplayed pieces, or empty spaces; there is no passing (V4)."""
    if s.question == ASK_BUILDING:
        legal_pieces(s, mask, BUILDING, FIRST_BUILDING, BUILDINGS)
    elif s.question == ASK_SITE:
        legal_sites(s, mask)
    elif s.question == ASK_COUNTER:
        legal_pieces(s, mask, COUNTER, counter_of(int(s.player), 0), COUNTERS)
    elif s.question == ASK_SPACE:
        legal_spaces(s, mask)
    else:
        s.fault = 1


@rule
def legal_pieces(s: Any, mask: Any, action: int, first: int, many: int) -> None:
    """Set the unplayed ones of some pieces."""
    for i in range(many):
        mask[action + i] = s.at[first + i] == NOWHERE


@rule
def legal_sites(s: Any, mask: Any) -> None:
    """Set the empty spaces next to no building (V2, V3); two buildings rule out ten spaces at most."""
    for x in range(SPACES):
        free = s.on[x] == NO_PIECE
        for i in range(DEGREE[x]):
            free = free and s.on[NEIGHBOURS[x, i]] >= NO_PIECE
        mask[SPACE + x] = free


@rule
def legal_spaces(s: Any, mask: Any) -> None:
    """Set the empty spaces."""
    for x in range(SPACES):
        mask[SPACE + x] = s.on[x] == NO_PIECE


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Choose a piece, or place the chosen one."""
    if s.question == ASK_BUILDING:
        s.held = FIRST_BUILDING + action - BUILDING
        s.question = ASK_SITE
    elif s.question == ASK_SITE:
        place_building(s, c, action - SPACE)
    elif s.question == ASK_COUNTER:
        s.held = counter_of(int(s.player), action - COUNTER)
        s.question = ASK_SPACE
    elif s.question == ASK_SPACE:
        place_counter(s, c, action - SPACE)
    else:
        s.fault = 1


@rule
def place_building(s: Any, c: Any, x: int) -> None:
    """Place a building, first the Royalists, then the Jacobins, the Royalists; then the Jacobins begin (V1)."""
    put_held(s, x)
    s.question = ASK_BUILDING if s.placed < c.buildings else ASK_COUNTER


@rule
def place_counter(s: Any, c: Any, x: int) -> None:
    """Take a turn: place, then mark, then test for the end once for both sides (V6, V13)."""
    side = int(s.player)
    counter = int(s.held) % COUNTERS

    # The counter, and what it makes certain.
    put_held(s, x)
    exert(s, side, x, int(c.value[counter]))
    measure_reach(s, c, side)
    settle(s, side)

    # Markers, and the end.
    mark(s, side)
    judge_end(s)
    if s.over == 0 and s.placed == c.spaces:
        mark(s, enemy_of(side))  # V20: the Jacobins, who have no counter left, still mark
        judge_end(s)
    elif s.over == 0:
        s.question = ASK_COUNTER


@rule
def put_held(s: Any, x: int) -> None:
    """Put the chosen piece on the board; the other side is next."""
    note(s, NOTE_PLACED, s.player, s.held, x)
    put(s, int(s.held), x)
    s.held = NO_PIECE
    s.player = enemy_of(int(s.player))
