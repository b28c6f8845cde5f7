"""The check of a Levée en Masse position: every way in which it can be faulty. Random play and loading run it."""

from __future__ import annotations

import numpy as np

from rfop_env.games.levee_en_masse import board, state
from rfop_env.games.levee_en_masse.components import CARDS, HEAD, Components
from rfop_env.games.levee_en_masse.state import State


def problems(s: State, c: Components) -> list[str]:
    """Find what is wrong with a record, a sentence each; an empty list for a sound position.

    Every number is in its range (`state.RECORD`): these are the relations between them.
    """
    return [*army_problems(s), *marker_problems(s, c), *phase_problems(s), *card_problems(s, c)]


def army_problems(s: State) -> list[str]:
    """Check armies, their order, and Napoleon's place with one of them."""
    lines = []
    for army, name in enumerate(board.ARMY_NAMES):
        if s.disarray[army] > (state.ROUTED if s.decisive == 1 and s.box[army] != board.OFF_MAP else 0):
            lines.append(f"{name} has disarray {s.disarray[army]}")
    if (s.napoleon == state.NAPOLEON_ASSIGNED) != (s.napoleon_army != state.NO_ARMY):
        lines.append("Napoleon is assigned to no army, or not assigned and with one")
    if s.napoleon_army != state.NO_ARMY and s.box[s.napoleon_army] == board.OFF_MAP:
        lines.append(f"Napoleon fights {board.ARMY_NAMES[s.napoleon_army]}, which is off the map")
    return lines


def marker_problems(s: State, c: Components) -> list[str]:
    """Check the number of Liberation markers, and that they are in round spaces."""
    liberated = np.asarray(s.liberated)
    total = int(liberated.sum()) + int(s.markers_held) + int(s.markers_aside)
    limit = board.BASE_MARKERS if s.scenario == state.STANDARD else board.ALL_MARKERS
    lines = [
        f"a Liberation marker in {board.TRACK_NAMES[t]} {b}, which is not round"
        for t, b in np.argwhere((liberated == 1) & (np.asarray(c.round_space) == 0))
    ]
    if total > limit or (total < limit and s.levee == 0):
        lines.append(f"{total} Liberation markers, not {limit}")
    return lines


def phase_problems(s: State) -> list[str]:
    """Check that a roll that is asked about is there, and that a Naval one is against the British army."""
    if s.roll_kind == state.BY_SEA and s.roll_army != board.BRITISH:
        return ["a Naval roll against another army than the British"]
    if (s.question == state.ASK_ROLL) == (s.roll_army != state.NO_ARMY) == (s.roll_die != 0):
        return []
    return ["a roll is asked about that is not there, or the other way round"]


def card_problems(s: State, c: Components) -> list[str]:
    """Check that the pile holds every card of the scenario once, and that the current card is the last one drawn."""
    cards = [
        card
        for card in range(1, CARDS)
        if c.headline[card, HEAD.colour] > 0 and (s.scenario != state.STANDARD or c.headline[card, HEAD.expansion] == 0)
    ]
    lines = []
    if sorted(s.deck[: s.deck_size].tolist()) != cards:
        lines.append("the draw pile does not hold the cards of the scenario")
    if not 1 <= s.drawn <= s.deck_size or s.deck[s.drawn - 1] != s.headline:
        lines.append(f"card {s.headline} is current, but not the last one drawn")
    return lines
