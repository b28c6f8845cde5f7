"""The journal of Revolution: the codes that the rules write, and the sentences made of them."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import journal_sentences
from rfop_env.games.revolution import board, state
from rfop_env.games.revolution.state import State

(
    NOTE_PLACED,  # side, piece, space
    NOTE_MARKED,  # side, space
    NOTE_WON,  # side, condition, points
    NOTE_DRAW,  # condition of the Royalists, of the Jacobins
) = range(1, 5)


def sentence(code: int, a: int, b: int, c: int) -> str:
    """The sentence of one journal entry."""
    if code == NOTE_PLACED:
        piece = (
            board.BUILDING_NAMES[b - board.FIRST_BUILDING]
            if b >= board.FIRST_BUILDING
            else board.COUNTER_NAMES[b % board.COUNTERS]
        )
        return f"{board.SIDE_NAMES[a]} place {piece} on {board.SPACE_NAMES[c]}"
    if code == NOTE_MARKED:
        return f"{board.SIDE_NAMES[a]} mark {board.SPACE_NAMES[b]}"
    if code == NOTE_WON:
        return f"{board.SIDE_NAMES[a]} win ({state.END_REASONS[b]}) and score {c}"
    return f"a draw: Royalists {state.END_REASONS[a]}, Jacobins {state.END_REASONS[b]}"


def sentences(s: State, components: Any) -> list[str]:
    """The sentences of everything that happened since the last decision, in order."""
    return journal_sentences(s, sentence)
