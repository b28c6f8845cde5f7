"""Choosing a card and what to do with it: the five ways of a normal round, and the events of the Final Crisis."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_SIDE, note, pop, push
from rfop_env.core.rule import rule
from rfop_env.games.red_flag_over_paris.actions import (
    CHOOSE_CARD, USE, USE_COPY, USE_EVENT, USE_FINAL_CRISIS, USE_MOMENTUM, USE_OPERATIONS, YES,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.board import ALL_SPACES, MOMENTUM_LIMIT, SIDES
from rfop_env.games.red_flag_over_paris.cards import discard, final_card, forget_hand, in_hand, put_away
from rfop_env.games.red_flag_over_paris.components import STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.events import begin_event, event_allowed, event_usable
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_USE, ASK_WHETHER, DO_END_PLAY, WHETHER_ENEMY_EVENT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_PLAY
from rfop_env.games.red_flag_over_paris.operations import begin_operations
from rfop_env.games.red_flag_over_paris.pieces import change_momentum, settle_breaches
from rfop_env.games.red_flag_over_paris.state import FACE_UP, IN_PLAY, NO_CARD, REMOVED


@rule
def legal_hand_cards(s: Any, side: int, mask: Any) -> None:
    """Any card in hand."""
    for card in range(1, STRATEGY_CARDS + 1):
        if in_hand(s, side, card):
            mask[CHOOSE_CARD + card] = True


@rule
def answer_card(s: Any, side: int, action: int) -> None:
    """A card for one of the three plays of a round: next, what to do with it."""
    pop(s)
    push(s, ASK_USE, side, action - CHOOSE_CARD, 0, 0, 0)


@rule
def can_copy(s: Any, c: Any, side: int, card: int) -> bool:
    """R8: the top discard, discarded this round by the enemy, of one's own colour, of at most the card's points."""
    top = int(s.top_discard)
    if top == NO_CARD or s.discarded_by[top] != 1 - side or s.discarded_round[top] != s.round_number:
        return False
    return c.side[top] == side and c.points[card] >= c.points[top] and event_usable(s, c, side, top)


@rule
def legal_use(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """The ways to play the chosen card ("Playing Strategy Cards")."""
    side, card = int(frame[FRAME_SIDE]), int(frame[FRAME_A])
    mask[USE_OPERATIONS] = True
    mask[USE_EVENT] = event_allowed(s, c, side, card)
    mask[USE_COPY] = can_copy(s, c, side, card)
    mask[USE_MOMENTUM] = s.momentum[side] < MOMENTUM_LIMIT  # R7
    mask[USE_FINAL_CRISIS] = s.zone[final_card(side)] == FACE_UP  # R11


@rule
def answer_use(s: Any, c: Any, frame: Any, action: int) -> None:
    """Play the chosen card in the chosen way."""
    side, card = int(frame[FRAME_SIDE]), int(frame[FRAME_A])
    pop(s)
    hidden = action == USE_MOMENTUM and s.censor == 0  # it leaves the game face down
    note(s, NOTE_PLAY, side, NO_CARD if hidden else card, action - USE)
    s.zone[card] = IN_PLAY
    if action == USE_MOMENTUM:
        put_away(s, card, side)
        forget_hand(s, side)
        push(s, DO_END_PLAY, side, NO_CARD, 0, 0, 0)
        change_momentum(s, c, side, 1)
        return
    push(s, DO_END_PLAY, side, card, 0, 0, 0)
    if action == USE_EVENT:
        begin_event(s, side, card)
    elif action == USE_COPY:
        begin_event(s, side, int(s.top_discard))
    elif action == USE_OPERATIONS:
        begin_operations(s, c, side, int(c.points[card]), ALL_SPACES)
    else:
        s.zone[final_card(side)] = REMOVED
        begin_operations(s, c, side, int(c.points[final_card(side)]), ALL_SPACES)


@rule
def end_play(s: Any, c: Any, frame: Any) -> None:
    """A card play is over: breaches are settled (R6) and the card goes to the discard pile."""
    side, card = int(frame[FRAME_SIDE]), int(frame[FRAME_A])
    pop(s)
    settle_all(s, c, side)
    if card != NO_CARD:
        discard(s, side, card)


@rule
def settle_all(s: Any, c: Any, first: int) -> None:
    """Settle both sides' breaches, the acting side's first."""
    for k in range(SIDES):
        settle_breaches(s, c, first if k == 0 else 1 - first)


@rule
def answer_discard(s: Any, side: int, action: int) -> None:
    """A hand card for the discard pile (Censor variant)."""
    pop(s)
    discard(s, side, action - CHOOSE_CARD)


@rule
def answer_crisis_card(s: Any, c: Any, side: int, action: int) -> None:
    """R16: a card of the Final Crisis is played for its event; an enemy-coloured one belongs to its owner."""
    card = action - CHOOSE_CARD
    pop(s)
    note(s, NOTE_PLAY, side, card, 0)
    s.zone[card] = IN_PLAY
    push(s, DO_END_PLAY, side, card, 0, 0, 0)
    if c.side[card] == 1 - side:
        if event_usable(s, c, 1 - side, card):
            push(s, ASK_WHETHER, 1 - side, WHETHER_ENEMY_EVENT, card, 0, 0)
    else:
        begin_event(s, side, card)


@rule
def answer_use_event(s: Any, side: int, card: int, action: int) -> None:
    """Whether the event of a card, or of an Objective Card, is used."""
    if action == YES:
        begin_event(s, side, card)


@rule
def answer_crisis_discard(s: Any, frame: Any, action: int) -> None:
    """R16: discard down to the number of rounds played; the question is asked until that is reached."""
    discard(s, int(frame[FRAME_SIDE]), action - CHOOSE_CARD)
