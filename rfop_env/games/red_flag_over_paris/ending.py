"""How a game of Red Flag Over Paris ended, in words, and the points of both sides."""

from __future__ import annotations

from typing import Any

from rfop_env.core.game import Score
from rfop_env.games.red_flag_over_paris import board, state
from rfop_env.games.red_flag_over_paris.state import State


def reason(s: State, components: Any) -> str:
    """Why the winner has won, a sentence without its full stop (R17)."""
    political, military = int(s.vp[board.POLITICAL]), -int(s.vp[board.MILITARY])
    of_commune, of_versailles = f"{political} political VP of the Commune", f"{military} military VP of Versailles"
    if s.end_reason == state.COMMUNE_CONDITION:
        return f"the {of_commune} are more than the {of_versailles}"
    if s.end_reason == state.VERSAILLES_CONDITION:
        return f"the {of_versailles} are more than the {of_commune}"
    points = f"with the {of_commune} and the {of_versailles} nobody meets the victory condition"
    if s.end_reason == state.SOLO_TIE:
        return f"{points}, and the Solo Opponent wins then"
    return f"{points}, and the tiebreakers are for {'the Commune' if s.winner == board.COMMUNE else 'Versailles'}"


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
