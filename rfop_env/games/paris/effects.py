"""What an action of Paris does in a position, in words: bonus tiles by their effects, for people who choose."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_KIND
from rfop_env.games.paris import actions, frames, state


def tell(s: Any, components: Any, action: int) -> str:
    """What a legal action does in this position, a sentence."""
    row = actions.ACTIONS.rows[action]
    if row.kind != "bonus":
        return row.sentence

    # Take it from the track, pay with it, or use it (what stands for goods is sold).
    number, frame = row.argument + 1, s.stack[s.depth - 1]
    effect = components.event_sentences(number)[0]
    if s.bonus[int(s.active), number] == state.NOT_OWNED:
        return f"take it: {effect}"
    return (
        f"pay with it: {effect}"
        if frame[FRAME_KIND] in (frames.ASK_PAYMENT, frames.ASK_PRESTIGE)
        else f"use it now: {effect}"
    )
