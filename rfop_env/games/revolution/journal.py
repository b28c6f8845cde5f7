"""The journal of Revolution: the codes that the rules write, and the sentences made of them."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import journal_sentences
from rfop_env.games.revolution.board import (
    BUILDING_NAMES, COUNTERS, COUNTER_NAMES, FIRST_BUILDING, SIDE_NAMES, SPACE_NAMES,
)  # fmt: skip
from rfop_env.games.revolution.state import END_REASONS

(
    NOTE_PLACED,  # side, piece, space
    NOTE_MARKED,  # side, space
    NOTE_WON,  # side, condition, points
    NOTE_DRAW,  # condition of the Royalists, of the Jacobins
) = range(1, 5)


def sentence(code: int, a: int, b: int, c: int) -> str:
    """The sentence of one journal entry."""
    if code == NOTE_PLACED:
        piece = BUILDING_NAMES[b - FIRST_BUILDING] if b >= FIRST_BUILDING else COUNTER_NAMES[b % COUNTERS]
        return f"{SIDE_NAMES[a]} place {piece} on {SPACE_NAMES[c]}"
    if code == NOTE_MARKED:
        return f"{SIDE_NAMES[a]} mark {SPACE_NAMES[b]}"
    if code == NOTE_WON:
        return f"{SIDE_NAMES[a]} win ({END_REASONS[b]}) and score {c}"
    return f"a draw: Royalists {END_REASONS[a]}, Jacobins {END_REASONS[b]}"


def sentences(s: Any, components: Any) -> list[str]:
    """The sentences of everything that happened since the last decision, in order."""
    return journal_sentences(s, sentence)
