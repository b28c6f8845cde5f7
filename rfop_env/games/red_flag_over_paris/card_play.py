"""Choosing a card and what to do with it: the five ways of a normal round, and the events of the Final Crisis."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.games.red_flag_over_paris.actions import (
    CHOOSE_CARD, USE, USE_COPY, USE_EVENT, USE_FINAL_CRISIS, USE_MOMENTUM, USE_OPERATIONS,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.board import ALL_SPACES, MOMENTUM_LIMIT, enemy_of
from rfop_env.games.red_flag_over_paris.cards import (
    discard, final_card, forget_hand, fresh_from_enemy, in_hand, put_away,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.event_conditions import event_allowed, event_usable
from rfop_env.games.red_flag_over_paris.events import begin_event
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_USE, ASK_WHETHER, CHOSEN_CARD, DO_END_PLAY, PLAYED_CARD, WHETHER_ENEMY_EVENT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_PLAY
from rfop_env.games.red_flag_over_paris.operations import begin_operations
from rfop_env.games.red_flag_over_paris.pieces import change_momentum, settle_all
from rfop_env.games.red_flag_over_paris.state import FACE_UP, IN_PLAY, NO_CARD, REMOVED


@rule
def legal_hand_cards(s: Any, side: int, mask: Any) -> None:
    """Allow any card in hand."""
    for card in range(1, STRATEGY_CARDS + 1):
        mask[CHOOSE_CARD + card] = in_hand(s, side, card)


@rule
def answer_card(s: Any, side: int, action: int) -> None:
    """Choose a card for one of the three plays of a round; next, what to do with it."""
    pop(s)
    push(s, ASK_USE, side, action - CHOOSE_CARD)


@rule
def can_copy(s: Any, c: Any, side: int, card: int) -> bool:
    """True if the enemy discarded the top discard this round, it is of one's colour and has no more points (R8)."""
    top = int(s.top_discard)
    if not fresh_from_enemy(s, side, top):
        return False
    return c.side[top] == side and c.points[card] >= c.points[top] and event_usable(s, c, side, top)


@rule
def legal_use(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """Allow the ways to play the chosen card ("Playing Strategy Cards")."""
    side = int(frame[FRAME_SIDE])
    card = int(frame[CHOSEN_CARD])
    mask[USE_OPERATIONS] = True
    mask[USE_EVENT] = event_allowed(s, c, side, card)
    mask[USE_COPY] = can_copy(s, c, side, card)
    mask[USE_MOMENTUM] = s.momentum[side] < MOMENTUM_LIMIT  # R7
    mask[USE_FINAL_CRISIS] = s.zone[final_card(side)] == FACE_UP  # R11


@rule
def answer_use(s: Any, c: Any, frame: Any, action: int) -> None:
    """Play the chosen card in the chosen way."""
    side = int(frame[FRAME_SIDE])
    card = int(frame[CHOSEN_CARD])
    pop(s)
    hidden = action == USE_MOMENTUM and s.censor == 0  # it leaves the game face down
    note(s, NOTE_PLAY, side, NO_CARD if hidden else card, action - USE)
    s.zone[card] = IN_PLAY

    # A card given up for momentum leaves the game.
    if action == USE_MOMENTUM:
        put_away(s, card, side)
        forget_hand(s, side)
        push(s, DO_END_PLAY, side, NO_CARD)
        change_momentum(s, c, side, 1)
        return

    # Any other is discarded once what it opens is over.
    push(s, DO_END_PLAY, side, card)
    if action == USE_EVENT:
        begin_event(s, side, card)
    elif action == USE_COPY:
        begin_event(s, side, int(s.top_discard))
    elif action == USE_OPERATIONS:
        begin_operations(s, c, side, int(c.points[card]), ALL_SPACES)
    elif action == USE_FINAL_CRISIS:
        s.zone[final_card(side)] = REMOVED
        begin_operations(s, c, side, int(c.points[final_card(side)]), ALL_SPACES)
    else:
        s.fault = 1


@rule
def end_play(s: Any, c: Any, frame: Any) -> None:
    """End a card play: breaches are settled (R6) and the card goes to the discard pile."""
    side = int(frame[FRAME_SIDE])
    card = int(frame[PLAYED_CARD])
    pop(s)
    settle_all(s, c, side)
    if card != NO_CARD:
        discard(s, side, card)


@rule
def answer_censor(s: Any, side: int, action: int) -> None:
    """Discard the chosen hand card (Censor variant, R18)."""
    pop(s)
    discard(s, side, action - CHOOSE_CARD)


@rule
def answer_crisis_card(s: Any, c: Any, side: int, action: int) -> None:
    """Play a card of the Final Crisis for its event; an enemy-coloured one belongs to its owner (R16)."""
    card = action - CHOOSE_CARD
    enemy = enemy_of(side)
    pop(s)
    note(s, NOTE_PLAY, side, card, 0)
    s.zone[card] = IN_PLAY
    push(s, DO_END_PLAY, side, card)

    if c.side[card] == enemy:
        if event_usable(s, c, enemy, card):
            push(s, ASK_WHETHER, enemy, WHETHER_ENEMY_EVENT, card)
    else:
        begin_event(s, side, card)


@rule
def answer_crisis_discard(s: Any, frame: Any, action: int) -> None:
    """Discard a card before the Final Crisis; asked until no more are held than rounds were played (R16)."""
    discard(s, int(frame[FRAME_SIDE]), action - CHOOSE_CARD)
