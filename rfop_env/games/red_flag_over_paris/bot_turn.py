"""The Solo Opponent's turn: solo step 4 of a round, and its card plays in the Final Crisis (R20, R24)."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_SIDE, note, pop
from rfop_env.core.rule import rule
from rfop_env.games.red_flag_over_paris.board import ALL_SPACES
from rfop_env.games.red_flag_over_paris.card_play import settle_all
from rfop_env.games.red_flag_over_paris.cards import discard, draw_card, final_card
from rfop_env.games.red_flag_over_paris.events import begin_event
from rfop_env.games.red_flag_over_paris.journal import NOTE_REVEALED
from rfop_env.games.red_flag_over_paris.operations import begin_operations
from rfop_env.games.red_flag_over_paris.pieces import change_momentum
from rfop_env.games.red_flag_over_paris.solo_opponent import event_has_effect, wants_momentum
from rfop_env.games.red_flag_over_paris.state import FINAL_ROUND, IN_PLAY, NO_CARD

CHECK_MOMENTUM, REVEAL, AFTER_EVENT, WITHOUT_EVENT, FINISH = range(5)


@rule
def carry_on_bot_turn(s: Any, c: Any, frame: Any) -> None:
    """Carry the bot's turn on by one stage; what a stage opens is resolved before the next."""
    side, stage, card = int(frame[FRAME_SIDE]), int(frame[FRAME_A]), int(frame[FRAME_B])
    if stage == CHECK_MOMENTUM:
        s.bot_turn = 1
        frame[FRAME_A] = REVEAL
        if s.round_number != FINAL_ROUND and wants_momentum(s, c, side):
            change_momentum(s, c, side, 1)
    elif stage == REVEAL:
        if s.round_number == FINAL_ROUND:
            reveal_for_crisis(s, c, side, frame)
        else:
            reveal_for_round(s, c, side, frame)
    elif stage == AFTER_EVENT:
        frame[FRAME_A] = FINISH
        begin_operations(s, c, side, 1, ALL_SPACES)  # one more point, in any sphere
    elif stage == WITHOUT_EVENT:
        frame[FRAME_A] = FINISH
        begin_operations(s, c, side, int(c.points[card]), ALL_SPACES)
    else:
        pop(s)
        s.bot_turn = 0
        settle_all(s, c, side)
        if card != NO_CARD:
            discard(s, side, card)


@rule
def reveal_for_round(s: Any, c: Any, side: int, frame: Any) -> None:
    """Step 4b: use the revealed card's event, else the player's discard's, else its points."""
    card = draw_card(s)
    frame[FRAME_B] = card
    if card == NO_CARD:
        frame[FRAME_A] = FINISH
        return
    note(s, NOTE_REVEALED, card, 0, 0)
    top = int(s.top_discard)
    frame[FRAME_A] = AFTER_EVENT
    if c.side[card] == side and event_has_effect(s, c, side, card):
        begin_event(s, side, card)
    elif copies_discard(s, c, side, card, top):
        begin_event(s, side, top)
    else:
        frame[FRAME_A] = WITHOUT_EVENT


@rule
def copies_discard(s: Any, c: Any, side: int, card: int, top: int) -> bool:
    """R20: the top discard is friendly, the player's of this round, of equal or fewer points, and has an effect."""
    if top == NO_CARD or s.discarded_by[top] != 1 - side or s.discarded_round[top] != s.round_number:
        return False
    return c.side[top] == side and c.points[top] <= c.points[card] and event_has_effect(s, c, side, top)


@rule
def reveal_for_crisis(s: Any, c: Any, side: int, frame: Any) -> None:
    """Reveal until a friendly card with an effect appears; the last play is the Final Crisis card."""
    frame[FRAME_A] = FINISH
    if (s.plays + 1) // 2 == s.rounds_played:
        card = final_card(side)
        s.zone[card] = IN_PLAY
        frame[FRAME_B] = card
        begin_event(s, side, card)
        return
    card = reveal_until_effect(s, c, side)
    frame[FRAME_B] = card
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
