"""Moving strategy cards between deck, hands, discard pile and box (R3, R8, R18, R19, R24); their history (R32)."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.core.random_stream import DEAL, shuffle
from rfop_env.games.red_flag_over_paris import board, components, journal, state
from rfop_env.games.red_flag_over_paris.state import State

COMMUNE_FINAL_CARD, VERSAILLES_FINAL_CARD = components.FINAL_CRISIS_CARD


@small_rule
def final_card(side: int) -> int:
    """A side's Final Crisis card."""
    return COMMUNE_FINAL_CARD if side == board.COMMUNE else VERSAILLES_FINAL_CARD


@small_rule
def is_final_card(card: int) -> bool:
    """True for the two Final Crisis cards, which never enter the deck."""
    return card == COMMUNE_FINAL_CARD or card == VERSAILLES_FINAL_CARD


@small_rule
def in_hand(s: State, side: int, card: int) -> bool:
    """True if a side holds a card in hand."""
    return s.zone[card] == state.IN_HAND_COMMUNE + side


@rule
def hand_size(s: State, side: int) -> int:
    """The number of cards in a side's hand."""
    n = 0
    for card in range(1, components.STRATEGY_CARDS + 1):
        n += int(in_hand(s, side, card))
    return n


@rule
def forget_hand(s: State, side: int) -> None:
    """Drop what the enemy knew of a side's hand, which a card has left unseen."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        if in_hand(s, side, card):
            s.known[board.enemy(side), card] = 0


@rule
def remake_deck(s: State) -> None:
    """Shuffle the discards into a new deck; in a solo Final Crisis the removed cards as well (R3, R24)."""
    everything = s.bot != state.NOBODY and s.round_number == state.FINAL_ROUND
    for card in range(1, components.STRATEGY_CARDS + 1):
        zone = int(s.zone[card])
        gone = zone == state.REMOVED or zone == state.SPENT_COMMUNE or zone == state.SPENT_VERSAILLES
        if is_final_card(card) or not (zone == state.DISCARDED or (everything and gone)):
            continue

        # Where the card is, is unknown to both sides again; what it was used for is not (R32).
        s.zone[card] = state.IN_DECK
        for side in range(board.SIDES):
            s.known[side, card] = 0
        s.deck[s.deck_size] = card
        s.deck_size += 1

    s.top_discard = state.NO_CARD
    if s.deck_size > 0:
        shuffle(s, DEAL, s.deck, s.deck_size)
        note(s, journal.NOTE_DECK, 0, 0, 0)


@rule
def draw_card(s: State) -> int:
    """Take the top card of the deck, remade first if it is empty; NO_CARD if there is none at all."""
    if s.deck_size == 0:
        remake_deck(s)
        if s.deck_size == 0:
            return state.NO_CARD

    s.deck_size -= 1
    card = int(s.deck[s.deck_size])
    s.deck[s.deck_size] = state.NO_CARD
    s.zone[card] = state.IN_PLAY
    return card


@rule
def discard(s: State, side: int, card: int) -> None:
    """Put a card face up on top of the discard pile; a Final Crisis card leaves the game instead."""
    note(s, journal.NOTE_DISCARD, side, card, 0)
    if is_final_card(card):
        s.zone[card] = state.REMOVED
        return

    s.zone[card] = state.DISCARDED
    s.top_discard = card


@rule
def discard_unplayed(s: State, side: int, card: int) -> None:
    """Discard a card that was not played."""
    record_use(s, side, card, state.FOR_NOTHING)
    discard(s, side, card)


@rule
def record_use(s: State, side: int, card: int, use: int) -> None:
    """Keep in the public history that a side has used a card openly (R32)."""
    s.used_by[card] = side
    s.used_round[card] = s.round_number
    s.used_for[card] = use


@rule
def fresh_discard(s: State, card: int) -> bool:
    """True for a discard of this round, other than one that was put under the pile (R18)."""
    if s.zone[card] != state.DISCARDED or s.used_round[card] != s.round_number:
        return False
    return s.used_for[card] != state.FOR_MOMENTUM and s.used_for[card] != state.FOR_DRAW


@rule
def fresh_from_enemy(s: State, side: int, card: int) -> bool:
    """True for the top discard, if the enemy discarded it this round."""
    if card == state.NO_CARD or s.used_by[card] != board.enemy(side):
        return False
    return s.used_round[card] == s.round_number


@rule
def put_away(s: State, card: int, spent_by: int) -> None:
    """Remove a card from the game, face down if spent on momentum by a side; Censor: under the discards (R18)."""
    if spent_by == state.NOBODY:
        record_use(s, state.NOBODY, card, state.FOR_DRAW)
    if s.censor == 1 and not is_final_card(card):
        s.zone[card] = state.DISCARDED
    elif spent_by != state.NOBODY:
        s.zone[card] = state.SPENT_COMMUNE + spent_by
        s.known[board.enemy(spent_by), card] = 0  # the enemy cannot see which card left the hand
    else:
        s.zone[card] = state.REMOVED
