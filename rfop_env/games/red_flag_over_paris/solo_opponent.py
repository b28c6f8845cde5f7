"""The Solo Opponent's answers: the Aid tables asked about every question that the rules put to the bot (R20 to R26).

The bot answers the same questions as a player, through the same rules; `advise` gives its answer to the question on top
of the stack. It reads what lies open on the table and its own objective, never a hand or a deck.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE, note, pop
from rfop_env.games.red_flag_over_paris import actions, board, frames, journal, state
from rfop_env.games.red_flag_over_paris import (
    cards,
    events,
    operations,
    pieces,
    solo_bonus_actions,
    solo_definitions,
    solo_events,
    solo_operations,
)


@rule
def advise(s: Any, c: Any, frame: Any) -> int:
    """The Aid's answer to the question on top of the stack; what concerns a hand or the discards it declines."""
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])

    # Operations and events.
    if kind == frames.ASK_OPERATION:
        return solo_operations.advise_operation(s, c, side, frame)
    if frames.ASK_PLACE <= kind <= frames.ASK_DISC:
        return solo_events.advise_effect(s, c, side, frame, kind)
    if kind == frames.ASK_WHETHER:
        return solo_events.advise_whether(s, c, side, frame)
    if kind == frames.ASK_OPTION:
        return solo_events.advise_option(s, c, side, frame)

    # The end of a round, and who plays first.
    if kind == frames.ASK_BONUS:
        return solo_bonus_actions.advise_bonus(s, side, frame)
    if kind == frames.ASK_DE_ESCALATE:
        return solo_bonus_actions.advise_de_escalate(s, c, side, frame)
    if kind == frames.ASK_INITIATIVE:
        return actions.FIRST + board.enemy_of(side)  # solo step 3: it plays second
    return actions.DONE


@rule
def wants_momentum(s: Any, c: Any, side: int) -> bool:
    """True if the Momentum Increase Check says to raise momentum (solo step 4a, R20)."""
    if s.momentum[side] >= board.MOMENTUM_LIMIT:
        return False
    if side == board.VERSAILLES:
        return solo_definitions.available(s, side) < 3
    free_places = int(c.pool_places[s.momentum[board.COMMUNE]]) - int(s.pool[board.COMMUNE])
    return free_places < 2


# -- its turn: solo step 4 of a round, and its card plays in the Final Crisis (R20, R24) ---------------------------


CHECK_MOMENTUM, REVEAL, AFTER_EVENT, WITHOUT_EVENT, FINISH = range(5)


@rule
def carry_on_bot_turn(s: Any, c: Any, frame: Any) -> None:
    """Carry the bot's turn on by one stage; what a stage opens is resolved before the next."""
    side = int(frame[FRAME_SIDE])
    stage = int(frame[frames.BOT_STAGE])
    card = int(frame[frames.REVEALED_CARD])

    # Momentum, then a card.
    if stage == CHECK_MOMENTUM:
        s.bot_turn = 1
        frame[frames.BOT_STAGE] = REVEAL
        if s.round_number != state.FINAL_ROUND and wants_momentum(s, c, side):
            pieces.change_momentum(s, c, side, 1)
    elif stage == REVEAL:
        if s.round_number == state.FINAL_ROUND:
            reveal_for_crisis(s, c, side, frame)
        else:
            reveal_for_round(s, c, side, frame)

    # Operations: one more point in any sphere after an event, else the card's points.
    elif stage == AFTER_EVENT:
        frame[frames.BOT_STAGE] = FINISH
        operations.begin_operations(s, c, side, 1, board.ALL_SPACES)
    elif stage == WITHOUT_EVENT:
        frame[frames.BOT_STAGE] = FINISH
        operations.begin_operations(s, c, side, int(c.points[card]), board.ALL_SPACES)

    # The end of the turn.
    elif stage == FINISH:
        pop(s)
        s.bot_turn = 0
        pieces.settle_all(s, c, side)
        if card != state.NO_CARD:
            cards.discard(s, side, card)
    else:
        s.fault = 1


@rule
def reveal_for_round(s: Any, c: Any, side: int, frame: Any) -> None:
    """Use the revealed card's event, else that of the player's discard, else its points (solo step 4b)."""
    card = cards.draw_card(s)
    frame[frames.REVEALED_CARD] = card
    if card == state.NO_CARD:
        frame[frames.BOT_STAGE] = FINISH
        return

    note(s, journal.NOTE_REVEALED, card, 0, 0)
    top = int(s.top_discard)
    frame[frames.BOT_STAGE] = AFTER_EVENT
    if c.side[card] == side and solo_events.event_has_effect(s, c, side, card):
        events.begin_event(s, side, card)
    elif copies_discard(s, c, side, card, top):
        events.begin_event(s, side, top)
    else:
        frame[frames.BOT_STAGE] = WITHOUT_EVENT


@rule
def copies_discard(s: Any, c: Any, side: int, card: int, top: int) -> bool:
    """True if the top discard is friendly, the player's of this round, of no more points, and has an effect (R20)."""
    if not cards.fresh_from_enemy(s, side, top):
        return False
    return c.side[top] == side and c.points[top] <= c.points[card] and solo_events.event_has_effect(s, c, side, top)


@rule
def reveal_for_crisis(s: Any, c: Any, side: int, frame: Any) -> None:
    """Reveal until a friendly card with an effect appears; the last play is the Final Crisis card (R24)."""
    frame[frames.BOT_STAGE] = FINISH
    own_plays = (s.plays + 1) // board.SIDES
    if own_plays == s.rounds_played:
        card = cards.final_card(side)
        s.zone[card] = state.IN_PLAY
        frame[frames.REVEALED_CARD] = card
        events.begin_event(s, side, card)
        return

    card = reveal_until_effect(s, c, side)
    frame[frames.REVEALED_CARD] = card
    if card != state.NO_CARD:
        events.begin_event(s, side, card)


@rule
def reveal_until_effect(s: Any, c: Any, side: int) -> int:
    """The first friendly card turned up whose event has an effect; the others are discarded.

    NO_CARD once a deck that was made anew has been gone through: it held every card that could be turned up.
    """
    made_anew = False
    while s.deck_size > 0 or not made_anew:
        made_anew = made_anew or s.deck_size == 0  # drawing makes it
        card = cards.draw_card(s)
        if card == state.NO_CARD:
            break
        note(s, journal.NOTE_REVEALED, card, 0, 0)
        if c.side[card] == side and solo_events.event_has_effect(s, c, side, card):
            return card
        cards.discard(s, side, card)
    return state.NO_CARD
