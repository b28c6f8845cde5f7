"""Events that exchange a card or use a discard's event: the questions ASK_SWAP and ASK_DISCARD_EVENT ("Event")."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop
from rfop_env.games.red_flag_over_paris.actions import CHOOSE_CARD, DONE
from rfop_env.games.red_flag_over_paris.board import enemy_of
from rfop_env.games.red_flag_over_paris.cards import forget_hand
from rfop_env.games.red_flag_over_paris.components import STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.effects import optional
from rfop_env.games.red_flag_over_paris.event_conditions import can_swap, discard_offers_event, event_usable
from rfop_env.games.red_flag_over_paris.events import begin_event
from rfop_env.games.red_flag_over_paris.journal import NOTE_SECRET
from rfop_env.games.red_flag_over_paris.state import IN_DECK, IN_HAND_COMMUNE


@rule
def legal_swap(s: Any, frame: Any, mask: Any) -> None:
    """Allow the hand cards that can go to the deck."""
    for card in range(1, STRATEGY_CARDS + 1):
        if can_swap(s, int(frame[FRAME_SIDE]), card):
            mask[CHOOSE_CARD + card] = True
    if optional(frame):
        mask[DONE] = True


@rule
def answer_swap(s: Any, frame: Any, action: int) -> None:
    """Exchange a hand card with the top of the deck; the side knows what it left there."""
    side = int(frame[FRAME_SIDE])
    pop(s)
    if action == DONE:
        return

    # The cards change places.
    card = action - CHOOSE_CARD
    top = int(s.deck[s.deck_size - 1])
    s.deck[s.deck_size - 1] = card
    s.zone[card] = IN_DECK
    forget_hand(s, side)
    s.zone[top] = IN_HAND_COMMUNE + side

    # Only the side itself knows which card lies on the deck now.
    s.known[side, card] = 1
    s.known[enemy_of(side), card] = 0
    note(s, NOTE_SECRET, side, 3, 0)


@rule
def discard_event_usable(s: Any, c: Any, side: int, card: int) -> bool:
    """True for a discard whose event a side may use now."""
    return discard_offers_event(s, c, side, card) and event_usable(s, c, side, card)


@rule
def legal_discard_event(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """Allow the discarded cards whose event can be used."""
    for card in range(1, STRATEGY_CARDS + 1):
        if discard_event_usable(s, c, int(frame[FRAME_SIDE]), card):
            mask[CHOOSE_CARD + card] = True
    if optional(frame):
        mask[DONE] = True


@rule
def answer_discard_event(s: Any, frame: Any, action: int) -> None:
    """Use the chosen discard's event."""
    side = int(frame[FRAME_SIDE])
    pop(s)
    if action != DONE:
        begin_event(s, side, action - CHOOSE_CARD)


@rule
def card_question_possible(s: Any, c: Any, frame: Any, swap: bool) -> bool:
    """True if the pending swap, or use of a discard, has any card to choose."""
    side = int(frame[FRAME_SIDE])
    for card in range(1, STRATEGY_CARDS + 1):
        if can_swap(s, side, card) if swap else discard_event_usable(s, c, side, card):
            return True
    return False
