"""How a game of Levée en Masse ended, in words, and its score by source."""

from __future__ import annotations

from typing import Any

from rfop_env.core.game import Score, ending_sentence
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


def sentence(s: State, components: Any) -> str:
    """Whether France has won, and why."""
    return ending_sentence(s, components, seat_names, winners, reason)


def seat_names(s: State) -> tuple[str, ...]:
    """The name of the seat."""
    return ("France",)


def winners(s: State) -> tuple[bool, ...]:
    """Whether France has won an ended game."""
    return (int(s.end_reason) - 1 >= state.MINOR_VICTORY,)


def reason(s: State, components: Any) -> str:
    """The level of victory or defeat, and what it rests on: the score, or the decks that were left (9.1 to 9.3)."""
    level = int(s.end_reason) - 1
    name = state.END_REASONS[int(s.end_reason)]
    if level in _BANDS:
        return f"{name}, with a score of {int(s.score)} ({_BANDS[level]})"
    blue = "with blue cards still to come" if level == state.CRUSHING_DEFEAT else "after the last blue card"
    return f"{name}, since Paris fell before the first red card, {blue}"


def score(s: State, components: Any) -> Score:
    """The score of France by the seven steps of 9.3, as it stands; no rows where the game ended without a score."""
    if s.over == 1 and int(s.end_reason) - 1 not in _BANDS:
        return seat_names(s), []
    tables = components.tables
    politics = [int(n) for n in s.politics]
    spaces = [(track, box) for track in range(board.TRACKS) for box in range(board.BOXES)]
    liberated = sum(int(tables.space_value[x]) for x in spaces if s.liberated[x] == 1)
    red = sum(int(tables.headline[card, HEAD.colour]) == board.RED for card in s.deck[s.drawn : s.deck_size].tolist())
    armies = [army for army in range(board.ARMIES) if s.box[army] != board.OFF_MAP]
    borders = sum(int(tables.penalty[board.TRACK_OF[army], int(s.box[army])]) for army in armies)
    rows = [
        ("Republic, 3 a box", 3 * politics[board.REPUBLIC]),
        ("Despotism, -4 a box", -4 * politics[board.DESPOTISM]),
        ("Monarchy, -5 a box", -5 * politics[board.MONARCHY]),
        ("liberated spaces", liberated),
        ("red cards still to come", -red),
        ("Disorder in Paris", -int(s.disorder)),
        ("armies on the map, and their borders", -len(armies) - borders),
    ]
    rows.append(("score", sum([points for _, points in rows])))
    return seat_names(s), [(name, (points,)) for name, points in rows]
