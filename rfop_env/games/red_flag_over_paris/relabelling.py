"""Hidden cards of Red Flag Over Paris by number, for beliefs: records in which cards have each other's numbers.

Strategy and objective cards that a side cannot see have come from a shuffled deck, so all ways to number them are
equally probable before anybody acts. A record is read here as NumPy fields; no rule needs these functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.decisions import FRAME_KIND
from rfop_env.core.game import Relabelling
from rfop_env.games.red_flag_over_paris import actions, board, components, frames, state

STRATEGY = components.STRATEGY_CARDS + 1  # numbers of strategy cards, with the unused 0
FIRST = components.FIRST_OBJECTIVE
HOLDING = ("deck", "top_discard", "objective_deck", "objective")  # fields whose entries are numbers of cards
NOWHERE = -1


def unseen(states: NDArray[Any], side: int) -> NDArray[np.bool_]:
    """The cards that a side cannot place, as in `determinize.unseen` and `unseen_objective`: bool [m, CARDS].

    The card whose use its enemy chooses is among them: here it can be another one.
    """
    enemy = board.SIDES - 1 - side
    cards = np.zeros((len(states), components.CARDS), np.bool_)
    zone = states["zone"]
    hidden = np.isin(zone, (state.IN_DECK, state.IN_HAND_COMMUNE + enemy, state.ASIDE_COMMUNE + enemy))
    spent = zone == state.SPENT_COMMUNE + enemy
    cards[:, :STRATEGY] = spent | (hidden & (states["known"][:, side] == 0))
    cards[:, [0, *components.FINAL_CRISIS_CARD]] = False

    zone = states["objective_zone"]
    dealt = np.isin(zone, (state.OBJECTIVE_DECK, state.OFFERED_COMMUNE + enemy, state.REJECTED_COMMUNE + enemy))
    secret = (zone == state.CHOSEN_COMMUNE + enemy) & (states["objective_known"][:, enemy] == 0)[:, None]
    cards[:, FIRST:] = dealt | secret
    return cards


def places(states: NDArray[Any]) -> NDArray[np.int64]:
    """Where each card lies, int64 [CARDS, m, 4]: its zone, which sides know it, and its place in a deck."""
    m, rows = len(states), np.arange(len(states))[:, None]
    place = np.full((m, components.CARDS, 4), NOWHERE, np.int64)
    place[:, :STRATEGY, 0], place[:, FIRST:, 0] = states["zone"], states["objective_zone"]
    place[:, :STRATEGY, 1:3] = states["known"].swapaxes(1, 2)
    for deck in ("deck", "objective_deck"):
        place[rows, states[deck], 3] = np.arange(states[deck].shape[1])
    return place.swapaxes(0, 1)


def relabel(states: NDArray[Any], labels: NDArray[np.int64]) -> None:
    """Let card k of record i have the number `labels[i, k]`, int64 [m, CARDS], everywhere in the records [m].

    The public history stays: it is about numbers that both sides have seen (R32).
    """
    rows = np.arange(len(states))[:, None]
    cards, objectives = labels[:, :STRATEGY], labels[:, FIRST:] - FIRST
    states["zone"][rows, cards] = states["zone"].copy()
    for side in range(board.SIDES):
        states["known"][rows, side, cards] = states["known"][:, side].copy()
    states["objective_zone"][rows, objectives] = states["objective_zone"].copy()
    for name in HOLDING:
        numbers = states[name].reshape(len(states), -1)
        states[name] = np.take_along_axis(labels, numbers.astype(np.int64), axis=1).reshape(states[name].shape)

    # The card whose use is being decided; those of other frames lie open.
    stack = states["stack"]
    column = frames.ask_use.card
    in_use = stack[:, :, FRAME_KIND] == frames.ASK_USE
    numbers = np.where(in_use, stack[:, :, column], 0)
    stack[:, :, column] = np.where(in_use, np.take_along_axis(labels, numbers, axis=1), stack[:, :, column])


def _action_cards() -> NDArray[np.int64]:
    """The card that each action names, 0 for none: int64 [A]."""
    cards = np.zeros(actions.ACTIONS.size, np.int64)
    for first, count, card in (
        (actions.CHOOSE_CARD + 1, components.STRATEGY_CARDS, 1),
        (actions.KEEP_OBJECTIVE, components.OBJECTIVES, FIRST),
    ):
        cards[first : first + count] = np.arange(card, card + count)
    return cards


RELABELLING = Relabelling(
    kinds=(np.arange(components.CARDS) >= FIRST).astype(np.int8),
    actions=_action_cards(),
    unseen=unseen,
    places=places,
    relabel=relabel,
)
