"""The printed Solo Opponent's tables as a player of the 2-player game, in either seat.

The Aid answers every question but those about a hand of cards, which the Solo Opponent never holds. For these: a card
drawn from the hand by the die stands for the card that the bot would reveal, and is used as the solo sequence of play
says: momentum if the check asks for it, else the event, else the copy, else the points.
"""

from __future__ import annotations

from typing import Any

from rfop_env.core.legal_actions import random_legal
from rfop_env.core.decisions import FRAME_A, FRAME_KIND, FRAME_SIDE
from rfop_env.core.random_stream import BOT
from rfop_env.core.rule import rule
from rfop_env.games.red_flag_over_paris.actions import (
    CHOOSE_CARD, DONE, USE_COPY, USE_EVENT, USE_MOMENTUM, USE_OPERATIONS,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.cards import final_card
from rfop_env.games.red_flag_over_paris.components import STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.frames import ASK_CARD, ASK_CRISIS_CARD, ASK_USE
from rfop_env.games.red_flag_over_paris.solo_opponent import advise, event_has_effect, wants_momentum


@rule
def cheapest_card(c: Any, mask: Any) -> int:
    """The action for the legal card with the fewest points: what momentum costs least."""
    best, points = -1, 99
    for card in range(1, STRATEGY_CARDS + 1):
        if mask[CHOOSE_CARD + card] and c.points[card] < points:
            best, points = CHOOSE_CARD + card, int(c.points[card])
    return best


@rule
def choose_use(s: Any, c: Any, side: int, card: int, mask: Any) -> int:
    """What to do with a card, in the order of the solo sequence of play."""
    if mask[USE_MOMENTUM] and wants_momentum(s, c, side):
        return USE_MOMENTUM
    if mask[USE_EVENT] and c.side[card] == side and event_has_effect(s, c, side, card):
        return USE_EVENT
    if mask[USE_COPY] and event_has_effect(s, c, side, int(s.top_discard)):
        return USE_COPY
    return USE_OPERATIONS


@rule
def play_by_tables(s: Any, c: Any, mask: Any, which: int) -> int:
    """The tables' answer to any question of the 2-player game; there is one scripted player, number 0."""
    frame = s.stack[s.depth - 1]
    kind, side = int(frame[FRAME_KIND]), int(frame[FRAME_SIDE])
    if kind == ASK_CARD and wants_momentum(s, c, side):
        return cheapest_card(c, mask)
    if kind == ASK_USE:
        return choose_use(s, c, side, int(frame[FRAME_A]), mask)
    if kind == ASK_CRISIS_CARD and mask[CHOOSE_CARD + final_card(side)]:
        mask[CHOOSE_CARD + final_card(side)] = False  # it is the last card to be played
        return random_legal(s, BOT, mask)
    action = advise(s, c, frame)
    if action >= 0 and mask[action]:
        return action
    # Where a player must act and the bot would not (no space with Room, say), any legal action will do.
    return DONE if mask[DONE] else random_legal(s, BOT, mask)
