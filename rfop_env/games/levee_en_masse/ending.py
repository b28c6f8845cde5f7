"""How a game of Levée en Masse ended, in words, and its score by source."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.game import Score
from rfop_env.games.levee_en_masse import board, state
from rfop_env.games.levee_en_masse.components import HEAD
from rfop_env.games.levee_en_masse.state import State

_BANDS = {
    state.SUBSTANTIVE_DEFEAT: "below -25",
    state.MINOR_DEFEAT: "-25 to -16",
    state.MINOR_VICTORY: "-15 to -8",
    state.SUBSTANTIVE_VICTORY: "-7 to 0",
    state.TRIUMPH: "from 1",
}


def reason(s: State, components: Any) -> str:
    """The level of victory or defeat, and what it rests on: the score, or the decks that were left (9.1 to 9.3)."""
    level = int(s.end_reason) - 1
    name = state.END_REASONS[int(s.end_reason)]
    if level in _BANDS:
        return f"{name}, with a score of {int(s.score)} ({_BANDS[level]})"
    blue = "with blue cards still to come" if level == state.CRUSHING_DEFEAT else "after the last blue card"
    return f"{name}, since Paris fell before the first red card, {blue}"


def score(s: State, components: Any) -> Score:
    """The score of France by the seven steps of 9.3; no rows where the game is not scored."""
    if int(s.end_reason) - 1 not in _BANDS:
        return ("France",), []
    tables = components.record.view(np.recarray)[0]
    politics = [int(n) for n in s.politics]
    spaces = [(track, box) for track in range(board.TRACKS) for box in range(board.BOXES)]
    liberated = sum(int(tables.space_value[x]) for x in spaces if s.liberated[x] == 1)
    red = sum(int(tables.headline[card, HEAD.colour]) == board.RED for card in s.deck[s.drawn : s.deck_size].tolist())
    armies = [army for army in range(board.ARMIES) if s.box[army] != board.OFF_MAP]
    borders = sum(int(tables.penalty[board.TRACK_OF[army], int(s.box[army])]) for army in armies)
    rows = [
        (f"Republic at {politics[board.REPUBLIC]}", 3 * politics[board.REPUBLIC]),
        (f"Despotism at {politics[board.DESPOTISM]}", -4 * politics[board.DESPOTISM]),
        (f"Monarchy at {politics[board.MONARCHY]}", -5 * politics[board.MONARCHY]),
        ("liberated spaces", liberated),
        ("red cards still to come", -red),
        ("Disorder in Paris", -int(s.disorder)),
        (f"armies on the map: {len(armies)}", -len(armies) - borders),
        ("score", int(s.score)),
    ]
    return ("France",), [(name, (points,)) for name, points in rows]
