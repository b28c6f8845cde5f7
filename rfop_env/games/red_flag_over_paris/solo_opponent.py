"""The Solo Opponent's turn: solo step 4 of a round, and its card plays in the Final Crisis (R20, R24)."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, frames, journal, state
from rfop_env.games.red_flag_over_paris import cards, events, operations, pieces, solo_events, solo_selection
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@small_rule
def advise_initiative(side: int) -> int:
    """Play second (solo step 3)."""
    return actions.FIRST + board.enemy(side)


@rule
def wants_momentum(s: State, c: Components, side: int) -> bool:
    """True if the Momentum Increase Check says to raise momentum (solo step 4a, R20)."""
    if s.momentum[side] >= board.MOMENTUM_LIMIT:
        return False
    if side == board.VERSAILLES:
        return solo_selection.available(s, side) < 3
    free_places = c.pool_places[s.momentum[board.COMMUNE]] - s.pool[board.COMMUNE]
    return free_places < 2


CHECK_MOMENTUM, REVEAL, AFTER_EVENT, WITHOUT_EVENT, FINISH = range(5)


@rule
def carry_on_bot_turn(s: State, c: Components, frame: Vector) -> None:
    """Carry the bot's turn on by one stage; what a stage opens is resolved before the next."""
    side = frame[FRAME_SIDE]
    stage = frame[frames.do_bot_turn.stage]
    card = frame[frames.do_bot_turn.card]

    # Momentum, then a card.
    if stage == CHECK_MOMENTUM:
        s.bot_turn = 1
        frame[frames.do_bot_turn.stage] = REVEAL
        if s.round_number != state.FINAL_ROUND and wants_momentum(s, c, side):
            pieces.change_momentum(s, c, side, 1)
    elif stage == REVEAL:
        if s.round_number == state.FINAL_ROUND:
            reveal_for_crisis(s, c, side, frame)
        else:
            reveal_for_round(s, c, side, frame)

    # Operations: one more point in any sphere after an event, else the card's points.
    elif stage == AFTER_EVENT:
        frame[frames.do_bot_turn.stage] = FINISH
        operations.begin_operations(s, c, side, 1, board.ALL_SPACES)
    elif stage == WITHOUT_EVENT:
        frame[frames.do_bot_turn.stage] = FINISH
        operations.begin_operations(s, c, side, c.points[card], board.ALL_SPACES)

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
def reveal_for_round(s: State, c: Components, side: int, frame: Vector) -> None:
    """Use the revealed card's event, else that of the player's discard, else its points (solo step 4b)."""
    card = cards.draw_card(s)
    frame[frames.do_bot_turn.card] = card
    if card == state.NO_CARD:
        frame[frames.do_bot_turn.stage] = FINISH
        return

    note(s, journal.NOTE_REVEALED, card, 0, 0)
    top = s.top_discard
    frame[frames.do_bot_turn.stage] = AFTER_EVENT
    if c.side[card] == side and solo_events.event_has_effect(s, c, side, card):
        cards.record_use(s, side, card, state.FOR_EVENT)
        events.begin_event(s, side, card)
    elif copies_discard(s, c, side, card, top):
        cards.record_use(s, side, card, state.FOR_COPY)
        events.begin_event(s, side, top)
    else:
        cards.record_use(s, side, card, state.FOR_OPERATIONS)
        frame[frames.do_bot_turn.stage] = WITHOUT_EVENT


@rule
def copies_discard(s: State, c: Components, side: int, card: int, top: int) -> bool:
    """True if the top discard is friendly, the player's of this round, of no more points, and has an effect (R20)."""
    if not cards.fresh_from_enemy(s, side, top):
        return False
    return c.side[top] == side and c.points[top] <= c.points[card] and solo_events.event_has_effect(s, c, side, top)


@rule
def reveal_for_crisis(s: State, c: Components, side: int, frame: Vector) -> None:
    """Reveal until a friendly card with an effect appears; the last play is the Final Crisis card (R24)."""
    frame[frames.do_bot_turn.stage] = FINISH
    own_plays = (s.plays + 1) // board.SIDES
    if own_plays == s.rounds_played:
        card = cards.final_card(side)
        s.zone[card] = state.IN_PLAY
        frame[frames.do_bot_turn.card] = card
        cards.record_use(s, side, card, state.FOR_EVENT)
        events.begin_event(s, side, card)
        return

    card = reveal_until_effect(s, c, side)
    frame[frames.do_bot_turn.card] = card
    if card != state.NO_CARD:
        cards.record_use(s, side, card, state.FOR_EVENT)
        events.begin_event(s, side, card)


@rule
def reveal_until_effect(s: State, c: Components, side: int) -> int:
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
        cards.discard_unplayed(s, side, card)
    return state.NO_CARD
