"""The Solo Opponent's turn: solo step 4 of a round, and its card plays in the Final Crisis (R20, R24)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop
from rfop_env.games.red_flag_over_paris.board import ALL_SPACES, SIDES
from rfop_env.games.red_flag_over_paris.cards import discard, draw_card, final_card, fresh_from_enemy
from rfop_env.games.red_flag_over_paris.events import begin_event
from rfop_env.games.red_flag_over_paris.frames import BOT_STAGE, REVEALED_CARD
from rfop_env.games.red_flag_over_paris.journal import NOTE_REVEALED
from rfop_env.games.red_flag_over_paris.operations import begin_operations
from rfop_env.games.red_flag_over_paris.pieces import change_momentum, settle_all
from rfop_env.games.red_flag_over_paris.solo_events import event_has_effect
from rfop_env.games.red_flag_over_paris.solo_opponent import wants_momentum
from rfop_env.games.red_flag_over_paris.state import FINAL_ROUND, IN_PLAY, NO_CARD

CHECK_MOMENTUM, REVEAL, AFTER_EVENT, WITHOUT_EVENT, FINISH = range(5)


@rule
def carry_on_bot_turn(s: Any, c: Any, frame: Any) -> None:
    """Carry the bot's turn on by one stage; what a stage opens is resolved before the next."""
    side = int(frame[FRAME_SIDE])
    stage = int(frame[BOT_STAGE])
    card = int(frame[REVEALED_CARD])

    # Momentum, then a card.
    if stage == CHECK_MOMENTUM:
        s.bot_turn = 1
        frame[BOT_STAGE] = REVEAL
        if s.round_number != FINAL_ROUND and wants_momentum(s, c, side):
            change_momentum(s, c, side, 1)
    elif stage == REVEAL:
        if s.round_number == FINAL_ROUND:
            reveal_for_crisis(s, c, side, frame)
        else:
            reveal_for_round(s, c, side, frame)

    # Operations: one more point in any sphere after an event, else the card's points.
    elif stage == AFTER_EVENT:
        frame[BOT_STAGE] = FINISH
        begin_operations(s, c, side, 1, ALL_SPACES)
    elif stage == WITHOUT_EVENT:
        frame[BOT_STAGE] = FINISH
        begin_operations(s, c, side, int(c.points[card]), ALL_SPACES)

    # The end of the turn.
    elif stage == FINISH:
        pop(s)
        s.bot_turn = 0
        settle_all(s, c, side)
        if card != NO_CARD:
            discard(s, side, card)
    else:
        s.fault = 1


@rule
def reveal_for_round(s: Any, c: Any, side: int, frame: Any) -> None:
    """Use the revealed card's event, else that of the player's discard, else its points (solo step 4b)."""
    card = draw_card(s)
    frame[REVEALED_CARD] = card
    if card == NO_CARD:
        frame[BOT_STAGE] = FINISH
        return

    note(s, NOTE_REVEALED, card, 0, 0)
    top = int(s.top_discard)
    frame[BOT_STAGE] = AFTER_EVENT
    if c.side[card] == side and event_has_effect(s, c, side, card):
        begin_event(s, side, card)
    elif copies_discard(s, c, side, card, top):
        begin_event(s, side, top)
    else:
        frame[BOT_STAGE] = WITHOUT_EVENT


@rule
def copies_discard(s: Any, c: Any, side: int, card: int, top: int) -> bool:
    """True if the top discard is friendly, the player's of this round, of no more points, and has an effect (R20)."""
    if not fresh_from_enemy(s, side, top):
        return False
    return c.side[top] == side and c.points[top] <= c.points[card] and event_has_effect(s, c, side, top)


@rule
def reveal_for_crisis(s: Any, c: Any, side: int, frame: Any) -> None:
    """Reveal until a friendly card with an effect appears; the last play is the Final Crisis card (R24)."""
    frame[BOT_STAGE] = FINISH
    own_plays = (s.plays + 1) // SIDES
    if own_plays == s.rounds_played:
        card = final_card(side)
        s.zone[card] = IN_PLAY
        frame[REVEALED_CARD] = card
        begin_event(s, side, card)
        return

    card = reveal_until_effect(s, c, side)
    frame[REVEALED_CARD] = card
    if card != NO_CARD:
        begin_event(s, side, card)


@rule
def reveal_until_effect(s: Any, c: Any, side: int) -> int:
    """The first friendly card turned up whose event has an effect; the others are discarded.

    NO_CARD once a deck that was made anew has been gone through: it held every card that could be turned up.
    """
    made_anew = False
    while s.deck_size > 0 or not made_anew:
        made_anew = made_anew or s.deck_size == 0  # drawing makes it
        card = draw_card(s)
        if card == NO_CARD:
            break
        note(s, NOTE_REVEALED, card, 0, 0)
        if c.side[card] == side and event_has_effect(s, c, side, card):
            return card
        discard(s, side, card)
    return NO_CARD
