"""How a game of Paris ended, in words, and the points of all players."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import JOURNAL_A, JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.core.game import Score
from rfop_env.games.paris import board, journal
from rfop_env.games.paris.state import State


def reason(s: State, components: Any) -> str:
    """What the first place rests on: VP, then Francs, then buildings (P37)."""
    seats = range(int(s.players))
    first = [seat for seat in seats if s.better[seat] == 0]
    vp, francs = int(s.vp[first[0]]), int(s.francs[first[0]])
    behind = [seat for seat in seats if seat not in first and s.vp[seat] == vp]
    if not behind:
        return f"{vp} VP" + ("" if len(first) > 1 else ", the most")
    if any(s.francs[seat] == francs for seat in behind):
        return f"{vp} VP and {francs} Francs, and buildings and landmarks of the highest value"
    return f"{vp} VP, and more Francs ({francs}) than others with as many"


def score(s: State, components: Any) -> Score:
    """VP of all players before the districts were scored and in each district; VP and Francs at the end."""
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
    rows = [
        ("landmarks, buildings, tiles", tuple(earlier_vp)),
        *districts,
        ("VP", tuple(int(s.vp[seat]) for seat in seats)),
        ("Francs", tuple(int(s.francs[seat]) for seat in seats)),
    ]
    return tuple(f"player {seat}" for seat in seats), rows
