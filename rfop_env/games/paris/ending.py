"""How a game of Paris ended, in words, and the points of all players."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import JOURNAL_A, JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.core.game import Score, ending_sentence
from rfop_env.games.paris import board, journal
from rfop_env.games.paris.state import State


def sentence(s: State, components: Any) -> str:
    """Who has won, and why."""
    return ending_sentence(s, components, seat_names, winners, reason)


def seat_names(s: State) -> tuple[str, ...]:
    """The name of each seat."""
    return tuple([f"player {seat}" for seat in range(int(s.players))])


def winners(s: State) -> tuple[bool, ...]:
    """Which seats have won an ended game."""
    return tuple([int(n) == 0 for n in s.better[: int(s.players)]])


def reason(s: State, components: Any) -> str:
    """What the first place rests on: VP, then Francs, then buildings (P37)."""
    seats = range(int(s.players))
    first = [seat for seat in seats if s.better[seat] == 0]
    vp, francs = int(s.vp[first[0]]), int(s.francs[first[0]])
    behind = [seat for seat in seats if seat not in first and s.vp[seat] == vp]
    if not behind:
        return f"{vp} VP" + ("" if len(first) > 1 else ", the most")
    if any(s.francs[seat] == francs for seat in behind):
        return f"{vp} VP, {francs} Francs, and the most valuable buildings and landmarks"
    return f"{vp} VP, and more Francs ({francs}) than others with as many"


def score(s: State, components: Any) -> Score:
    """VP of all players before the districts were scored, in each district and in all; Francs where these tie."""
    seats = range(int(s.players))
    notes = s.journal[: int(s.journal_size)].tolist()
    awards = [note for note in notes if note[JOURNAL_CODE] == journal.NOTE_AWARD]
    districts = []
    for district, name in enumerate(board.DISTRICT_NAMES):
        own = [n for n in awards if n[JOURNAL_B] == district]
        vp = [sum(n[JOURNAL_C] for n in own if n[JOURNAL_A] == seat) for seat in seats]
        if any(vp):
            districts.append((f"district {name}", tuple(vp)))
    earlier_vp = [int(s.vp[seat]) - sum(n[JOURNAL_C] for n in awards if n[JOURNAL_A] == seat) for seat in seats]
    vp = [int(s.vp[seat]) for seat in seats]
    rows = [("landmarks, buildings, tiles", tuple(earlier_vp)), *districts, ("VP", tuple(vp))]
    if s.over and vp.count(max(vp)) > 1:  # before the end they may be behind a screen
        rows.append(("Francs", tuple(int(s.francs[seat]) for seat in seats)))
    return seat_names(s), rows
