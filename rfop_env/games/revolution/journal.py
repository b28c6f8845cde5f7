"""What the rules write into the journal, and the sentences it is read back as."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import journal_sentences
from rfop_env.games.revolution.board import BUILDING_NAMES, COUNTER_NAMES, FIRST_BUILDING, COUNTERS, SIDE_NAMES
from rfop_env.games.revolution.board import SPACE_NAMES
from rfop_env.games.revolution.state import END_REASONS

(
    NOTE_PLACED,  # side, piece, space
    NOTE_MARKED,  # side, space
    NOTE_WON,  # side, condition, points
    NOTE_DRAW,  # condition of the Royalists, of the Jacobins
) = range(1, 5)


def sentence(code: int, a: int, b: int, c: int) -> str:
    """One journal entry as a sentence."""
    if code == NOTE_PLACED:
        piece = BUILDING_NAMES[b - FIRST_BUILDING] if b >= FIRST_BUILDING else COUNTER_NAMES[b % COUNTERS]
        return f"{SIDE_NAMES[a]} place {piece} on {SPACE_NAMES[c]}"
    if code == NOTE_MARKED:
        return f"{SIDE_NAMES[a]} mark {SPACE_NAMES[b]}"
    if code == NOTE_WON:
        return f"{SIDE_NAMES[a]} win ({END_REASONS[b]}) and score {c}"
    return f"a draw: Royalists {END_REASONS[a]}, Jacobins {END_REASONS[b]}"


def sentences(s: Any, components: Any) -> list[str]:
    """All that happened since the last decision, in order."""
    return journal_sentences(s, sentence)
