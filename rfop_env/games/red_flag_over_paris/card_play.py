"""Choosing a card and what to do with it: the five ways of a normal round, and the events of the Final Crisis."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, frames, journal, state
from rfop_env.games.red_flag_over_paris import cards, event_conditions, events, operations, pieces
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def legal_hand_cards(s: State, side: int, mask: Any) -> None:
    """Allow any card in hand."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        mask[actions.CHOOSE_CARD + card] = cards.in_hand(s, side, card)


@rule
def answer_card(s: State, side: int, action: int) -> None:
    """Choose a card for one of the three plays of a round; next, what to do with it."""
    pop(s)
    push(s, frames.ASK_USE, side, action - actions.CHOOSE_CARD)


@rule
def can_copy(s: State, c: Components, side: int, card: int) -> bool:
    """True if the enemy discarded the top discard this round, it is of one's colour and has no more points (R8)."""
    top = s.top_discard
    if not cards.fresh_from_enemy(s, side, top):
        return False
    return c.side[top] == side and c.points[card] >= c.points[top] and event_conditions.event_usable(s, c, side, top)


@rule
def legal_use(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Allow the ways to play the chosen card ("Playing Strategy Cards")."""
    side = frame[FRAME_SIDE]
    card = frame[frames.ask_use.card]
    mask[actions.USE_OPERATIONS] = True
    mask[actions.USE_EVENT] = event_conditions.event_allowed(s, c, side, card)
    mask[actions.USE_COPY] = can_copy(s, c, side, card)
    mask[actions.USE_MOMENTUM] = s.momentum[side] < board.MOMENTUM_LIMIT  # R7
    mask[actions.USE_FINAL_CRISIS] = s.zone[cards.final_card(side)] == state.FACE_UP  # R11


@rule
def answer_use(s: State, c: Components, frame: Vector, action: int) -> None:
    """Play the chosen card in the chosen way."""
    side = frame[FRAME_SIDE]
    card = frame[frames.ask_use.card]
    pop(s)
    hidden = action == actions.USE_MOMENTUM and s.censor == 0  # it leaves the game face down
    note(s, journal.NOTE_PLAY, side, state.NO_CARD if hidden else card, action - actions.USE)
    if not hidden:
        cards.record_use(s, side, card, state.FOR_EVENT + action - actions.USE_EVENT)
    s.zone[card] = state.IN_PLAY

    # A card given up for momentum leaves the game.
    if action == actions.USE_MOMENTUM:
        s.momentum_cards[side, s.round_number - 1] += 1
        cards.put_away(s, card, side)
        cards.forget_hand(s, side)
        push(s, frames.DO_END_PLAY, side, state.NO_CARD)
        pieces.change_momentum(s, c, side, 1)
        return

    # Any other is discarded once what it opens is over.
    push(s, frames.DO_END_PLAY, side, card)
    if action == actions.USE_EVENT:
        events.begin_event(s, side, card)
    elif action == actions.USE_COPY:
        events.begin_event(s, side, s.top_discard)
    elif action == actions.USE_OPERATIONS:
        operations.begin_operations(s, c, side, c.points[card], board.ALL_SPACES)
    elif action == actions.USE_FINAL_CRISIS:
        s.zone[cards.final_card(side)] = state.REMOVED
        operations.begin_operations(s, c, side, c.points[cards.final_card(side)], board.ALL_SPACES)
    else:
        s.fault = 1


@rule
def end_play(s: State, c: Components, frame: Vector) -> None:
    """End a card play: breaches are settled (R6) and the card goes to the discard pile."""
    side = frame[FRAME_SIDE]
    card = frame[frames.do_end_play.card]
    pop(s)
    pieces.settle_all(s, c, side)
    if card != state.NO_CARD:
        cards.discard(s, side, card)


@rule
def answer_censor(s: State, side: int, action: int) -> None:
    """Discard the chosen hand card (Censor variant, R18)."""
    pop(s)
    cards.discard_unplayed(s, side, action - actions.CHOOSE_CARD)


@rule
def answer_crisis_card(s: State, c: Components, side: int, action: int) -> None:
    """Play a card of the Final Crisis for its event; an enemy-coloured one belongs to its owner (R16)."""
    card = action - actions.CHOOSE_CARD
    enemy = board.enemy(side)
    pop(s)
    note(s, journal.NOTE_PLAY, side, card, 0)
    cards.record_use(s, side, card, state.FOR_EVENT)
    s.zone[card] = state.IN_PLAY
    push(s, frames.DO_END_PLAY, side, card)

    if c.side[card] == enemy:
        if event_conditions.event_usable(s, c, enemy, card):
            push(s, frames.ASK_WHETHER, enemy, frames.WHETHER_ENEMY_EVENT, card)
    else:
        events.begin_event(s, side, card)


@rule
def answer_crisis_discard(s: State, frame: Vector, action: int) -> None:
    """Discard a card before the Final Crisis; asked until no more are held than rounds were played (R16)."""
    cards.discard_unplayed(s, frame[FRAME_SIDE], action - actions.CHOOSE_CARD)
