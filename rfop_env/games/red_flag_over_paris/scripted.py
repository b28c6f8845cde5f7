"""The printed Solo Opponent's tables as a player of the 2-player game, in either seat.

The Aid answers every question but those about a hand of cards, which the Solo Opponent never holds. Instead of the card
that the bot would reveal, a card is drawn from the hand by the die. It is used as the solo sequence of play says: for
momentum if the check asks for it, else for the event, else for the copy, else for its points.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.core.legal_actions import random_legal
from rfop_env.core.random_stream import BOT
from rfop_env.games.red_flag_over_paris import actions, cards, components, frames, solo_events, solo_opponent, turn
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

MORE_THAN_ANY_CARD = 99  # Operations Points


@rule
def cheapest_card(c: Components, mask: Any) -> int:
    """The action for the legal card with the fewest points: the cheapest one to give up for momentum."""
    best = -1
    points = MORE_THAN_ANY_CARD
    for card in range(1, components.STRATEGY_CARDS + 1):
        if mask[actions.CHOOSE_CARD + card] and c.points[card] < points:
            best = actions.CHOOSE_CARD + card
            points = c.points[card]
    return best


@rule
def choose_use(s: State, c: Components, side: int, card: int, mask: Any) -> int:
    """Choose a use for a card, in the order of the solo sequence of play."""
    if mask[actions.USE_MOMENTUM] and solo_opponent.wants_momentum(s, c, side):
        return actions.USE_MOMENTUM
    if mask[actions.USE_EVENT] and c.side[card] == side and solo_events.event_has_effect(s, c, side, card):
        return actions.USE_EVENT
    if mask[actions.USE_COPY] and solo_events.event_has_effect(s, c, side, s.top_discard):
        return actions.USE_COPY
    return actions.USE_OPERATIONS


@rule
def play_by_tables(s: State, c: Components, mask: Any, which: int) -> int:
    """The tables' answer to any question of the 2-player game; there is one scripted player, number 0."""
    frame = s.stack[s.depth - 1]
    kind = frame[FRAME_KIND]
    side = frame[FRAME_SIDE]

    # Questions about a hand of cards; the Final Crisis card is the last one to be played.
    if kind == frames.ASK_CARD and solo_opponent.wants_momentum(s, c, side):
        return cheapest_card(c, mask)
    if kind == frames.ASK_USE:
        return choose_use(s, c, side, frame[frames.ask_use.card], mask)
    if kind == frames.ASK_CRISIS_CARD and mask[actions.CHOOSE_CARD + cards.final_card(side)]:
        mask[actions.CHOOSE_CARD + cards.final_card(side)] = False
        return random_legal(s, BOT, mask)

    # Everything else. Where a player must act and the bot would not, say without Room, any legal action will do.
    action = turn.advise(s, c, frame)
    if action >= 0 and mask[action]:
        return action
    return actions.DONE if mask[actions.DONE] else random_legal(s, BOT, mask)
