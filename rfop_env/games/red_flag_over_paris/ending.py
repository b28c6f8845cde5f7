"""How a game of Red Flag Over Paris ended, in words, and the points of both sides."""

from __future__ import annotations

from typing import Any

from rfop_env.core.game import Score, ending_sentence
from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.state import State


def sentence(s: State, components: Any) -> str:
    """Who has won, and why."""
    return ending_sentence(s, components, seat_names, winners, reason)


def seats(s: State) -> tuple[int, ...]:
    """The side of each seat; in solo the Solo Opponent has none."""
    if s.bot == state.NOBODY:
        return board.COMMUNE, board.VERSAILLES
    return (board.VERSAILLES if int(s.bot) == board.COMMUNE else board.COMMUNE,)


def seat_names(s: State) -> tuple[str, ...]:
    """The name of the side of each seat."""
    return tuple([board.SIDE_NAMES[side] for side in seats(s)])


def winners(s: State) -> tuple[bool, ...]:
    """Which seats have won an ended game."""
    return tuple([int(s.winner) == side for side in seats(s)])


def reason(s: State, components: Any) -> str:
    """Why the winner has won, without the winner's name (R17)."""
    political, military = int(s.vp[board.POLITICAL]), -int(s.vp[board.MILITARY])
    if s.end_reason == state.COMMUNE_CONDITION:
        return f"{political} political VP, more than the {military} military VP of Versailles"
    if s.end_reason == state.VERSAILLES_CONDITION:
        return f"{military} military VP, more than the {political} political VP of the Commune"
    decides = "the Solo Opponent wins" if s.end_reason == state.SOLO_TIE else "the tiebreakers decide"
    return f"no condition met (Commune {political} political VP, Versailles {military} military VP), so {decides}"


def score(s: State, components: Any) -> Score:
    """Points of the Commune and of Versailles by source; last what decides."""
    political, military = int(s.vp[board.POLITICAL]), int(s.vp[board.MILITARY])
    rows = [
        ("political VP", (political, -political)),
        ("military VP", (military, -military)),
        ("momentum", tuple(int(n) for n in s.momentum)),
        ("objectives fulfilled", tuple(int(n) for n in s.fulfilled)),
        ("VP that are compared", (political, -military)),
    ]
    return board.SIDE_NAMES[: board.SIDES], rows
