"""The course of Revolution: the deal, what is legal, and what a choice does."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import note
from rfop_env.core.rule import rule
from rfop_env.games.revolution.actions import BUILDING, COUNTER, SPACE
from rfop_env.games.revolution.board import (
    BUILDINGS, COUNTERS, DEGREE, FIRST_BUILDING, NEIGHBOURS, NOBODY, NO_PIECE, NOWHERE,
    PIECES, ROYALISTS, SIDES, SPACES,
)  # fmt: skip
from rfop_env.games.revolution.control import exert, measure_reach, put, settle
from rfop_env.games.revolution.journal import NOTE_PLACED
from rfop_env.games.revolution.markers import judge_end, mark
from rfop_env.games.revolution.state import ASK_BUILDING, ASK_COUNTER, ASK_SITE, ASK_SPACE


@rule
def deal(s: Any, c: Any, options: Any) -> None:
    """An empty board; the Royalists choose the first building (V1)."""
    s.winner = NOBODY
    s.player = ROYALISTS
    s.question = ASK_BUILDING
    s.held = NO_PIECE
    for piece in range(PIECES):
        s.at[piece] = NOWHERE
    for x in range(SPACES):
        s.on[x] = NO_PIECE
        s.empties[x] = DEGREE[x]
    for side in range(SIDES):
        s.left[side] = c.markers[side]
        measure_reach(s, c, side)


@rule
def legal(s: Any, c: Any, mask: Any) -> None:
    """Set the legal actions: unplayed pieces, or empty spaces; there is no passing (V4)."""
    if s.question == ASK_BUILDING:
        legal_pieces(s, mask, BUILDING, FIRST_BUILDING, BUILDINGS)
    elif s.question == ASK_COUNTER:
        legal_pieces(s, mask, COUNTER, COUNTERS * int(s.player), COUNTERS)
    elif s.question == ASK_SITE:
        legal_sites(s, mask)
    else:
        for x in range(SPACES):
            mask[SPACE + x] = s.on[x] == NO_PIECE


@rule
def legal_pieces(s: Any, mask: Any, action: int, first: int, many: int) -> None:
    """The unplayed ones of some pieces."""
    for i in range(many):
        mask[action + i] = s.at[first + i] == NOWHERE


@rule
def legal_sites(s: Any, mask: Any) -> None:
    """Empty spaces next to no building (V2, V3): two buildings rule out ten spaces at most, so some are left."""
    for x in range(SPACES):
        free = s.on[x] == NO_PIECE
        for i in range(DEGREE[x]):
            free = free and s.on[NEIGHBOURS[x, i]] == NO_PIECE
        mask[SPACE + x] = free


@rule
def apply(s: Any, c: Any, action: int) -> None:
    """Choose a piece, or place the chosen one."""
    if s.question == ASK_BUILDING:
        s.held = FIRST_BUILDING + action - BUILDING
        s.question = ASK_SITE
    elif s.question == ASK_COUNTER:
        s.held = COUNTERS * int(s.player) + action - COUNTER
        s.question = ASK_SPACE
    elif s.question == ASK_SITE:
        place_building(s, action - SPACE)
    else:
        place_counter(s, c, action - SPACE)


@rule
def place_building(s: Any, x: int) -> None:
    """Royalists, Jacobins, Royalists place a building; then the Jacobins begin (V1, rules: sequence of play)."""
    put_held(s, x)
    s.question = ASK_BUILDING if s.placed < BUILDINGS else ASK_COUNTER


@rule
def place_counter(s: Any, c: Any, x: int) -> None:
    """A turn: place, then mark, then test for the end once for both sides (V6, V13)."""
    side, counter = int(s.player), int(s.held) % COUNTERS
    put_held(s, x)
    exert(s, side, x, int(c.value[counter]))
    measure_reach(s, c, side)
    settle(s, side)
    mark(s, side)
    judge_end(s)
    if s.over == 0 and s.placed == PIECES:
        mark(s, 1 - side)  # V20: the Jacobins, who have no counter left, still mark
        judge_end(s)
    elif s.over == 0:
        s.question = ASK_COUNTER


@rule
def put_held(s: Any, x: int) -> None:
    """Put the chosen piece on the board; the other side is next."""
    note(s, NOTE_PLACED, s.player, s.held, x)
    put(s, int(s.held), x)
    s.held = NO_PIECE
    s.player = 1 - s.player
