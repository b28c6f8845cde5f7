"""Determinization of Red Flag Over Paris: strategy cards and objective cards that a side cannot see, place by place.

The unseen cards are taken up and dealt again to the places in which they lay. Which card lies where afterwards depends
on the stream alone: the places that the cards had before leave no trace.
"""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, NOBODY
from rfop_env.core.random_stream import DETERMINIZE, random_below
from rfop_env.games.red_flag_over_paris import board, components, frames, observation, state
from rfop_env.games.red_flag_over_paris.cards import is_final_card
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def determinize(s: State, c: Components, seat: int) -> None:
    """Deal everything that the seat cannot see anew, from stream DETERMINIZE; for NOBODY what neither side can see."""
    if seat == NOBODY:
        determinize_decks(s)
        return
    side = observation.seat_side(s, seat)
    determinize_cards(s, side)
    determinize_objectives(s, side)


@rule
def random_card(s: State, cards: int) -> int:
    """A card of a set, each with the same probability."""
    for _ in range(random_below(s, DETERMINIZE, board.count_bits(cards))):
        cards &= cards - 1
    card = 0
    while not board.has(cards, card):
        card += 1
    return card


@rule
def determinize_decks(s: State) -> None:
    """Deal the cards anew that neither side can see: they lie in the two decks, and no mark of `known` is on them."""
    cards = 0
    for card in range(1, components.STRATEGY_CARDS + 1):
        if unseen(s, board.COMMUNE, card) and unseen(s, board.VERSAILLES, card):
            cards |= board.bit(card)
    deal_deck(s, board.COMMUNE, cards, 0)
    deal_objective_deck(s, objectives_in(s, state.OBJECTIVE_DECK))


# -- strategy cards --------------------------------------------------------------------------------------------------


@rule
def determinize_cards(s: State, side: int) -> None:
    """Deal the unseen strategy cards anew; what the enemy knows (`known`) belongs to the place, not to the card."""
    # The unseen cards, and in which places they lie.
    enemy = board.enemy(side)
    cards = 0
    marked = 0
    for card in range(1, components.STRATEGY_CARDS + 1):
        if unseen(s, side, card):
            cards |= board.bit(card)
            if s.known[enemy, card] == 1:
                marked |= board.bit(card)
    hand = cards & cards_in(s, state.IN_HAND_COMMUNE + enemy)
    aside = cards & cards_in(s, state.ASIDE_COMMUNE + enemy)
    spent = cards & cards_in(s, state.SPENT_COMMUNE + enemy)

    # The deck, then hand, cards set aside and cards given up.
    unplaced = deal_deck(s, enemy, cards, marked)
    unplaced = deal_zone(s, enemy, unplaced, state.IN_HAND_COMMUNE + enemy, hand, marked)
    unplaced = deal_zone(s, enemy, unplaced, state.ASIDE_COMMUNE + enemy, aside, marked)
    deal_zone(s, enemy, unplaced, state.SPENT_COMMUNE + enemy, spent, marked)


@rule
def deal_deck(s: State, enemy: int, cards: int, marked: int) -> int:
    """Deal these cards to those places of the deck in which one of them lies; returns those left then."""
    unplaced = cards
    for k in range(s.deck_size):
        lying = int(s.deck[k])
        if board.has(cards, lying):
            card = random_card(s, unplaced)
            unplaced ^= board.bit(card)
            s.deck[k] = card
            s.zone[card] = state.IN_DECK
            s.known[enemy, card] = int(board.has(marked, lying))
    return unplaced


@rule
def cards_in(s: State, zone: int) -> int:
    """The set of the strategy cards in a zone."""
    cards = 0
    for card in range(1, components.STRATEGY_CARDS + 1):
        if s.zone[card] == zone:
            cards |= board.bit(card)
    return cards


@rule
def deal_zone(s: State, enemy: int, unplaced: int, zone: int, places: int, marked: int) -> int:
    """Deal as many of the cards left to a zone as it had `before`; returns those left then."""
    marked_places = board.count_bits(places & marked)
    for i in range(board.count_bits(places)):
        card = random_card(s, unplaced)
        unplaced ^= board.bit(card)
        s.zone[card] = zone
        s.known[enemy, card] = int(i < marked_places)
    return unplaced


# -- objectives ------------------------------------------------------------------------------------------------------


@rule
def determinize_objectives(s: State, side: int) -> None:
    """Deal the unseen objective cards anew, the enemy's secret objective among them."""
    # The unseen cards, and in which places they lie.
    enemy = board.enemy(side)
    cards = 0
    for i in range(components.OBJECTIVES):
        if unseen_objective(s, side, i):
            cards |= board.bit(i)
    offers = cards & objectives_in(s, state.OFFERED_COMMUNE + enemy)
    rejected = cards & objectives_in(s, state.REJECTED_COMMUNE + enemy)
    objective = cards & objectives_in(s, state.CHOSEN_COMMUNE + enemy)

    # The deck, then the cards offered, rejected and chosen.
    unplaced = deal_objective_deck(s, cards)
    unplaced = deal_objectives(s, unplaced, state.OFFERED_COMMUNE + enemy, board.count_bits(offers))
    unplaced = deal_objectives(s, unplaced, state.REJECTED_COMMUNE + enemy, board.count_bits(rejected))
    for _ in range(board.count_bits(objective)):
        i = random_card(s, unplaced)
        s.objective_zone[i] = state.CHOSEN_COMMUNE + enemy
        s.objective[enemy] = components.FIRST_OBJECTIVE + i


@rule
def deal_objective_deck(s: State, cards: int) -> int:
    """Deal these objective cards to those places of their deck in which one of them lies; returns those left then."""
    unplaced = cards
    for k in range(s.objective_deck_size):
        if board.has(cards, int(s.objective_deck[k]) - components.FIRST_OBJECTIVE):
            i = random_card(s, unplaced)
            unplaced ^= board.bit(i)
            s.objective_deck[k] = components.FIRST_OBJECTIVE + i
            s.objective_zone[i] = state.OBJECTIVE_DECK
    return unplaced


@rule
def objectives_in(s: State, zone: int) -> int:
    """The set of the objective cards in a zone, numbered from FIRST_OBJECTIVE."""
    cards = 0
    for i in range(components.OBJECTIVES):
        if s.objective_zone[i] == zone:
            cards |= board.bit(i)
    return cards


@rule
def deal_objectives(s: State, unplaced: int, zone: int, n: int) -> int:
    """Deal n of the objective cards left to a zone; returns those left then."""
    for _ in range(n):
        i = random_card(s, unplaced)
        unplaced ^= board.bit(i)
        s.objective_zone[i] = zone
    return unplaced


# -- what a side cannot see ------------------------------------------------------------------------------------------


@rule
def being_chosen(s: State, card: int) -> bool:
    """True for the hand card whose use is being decided: it stays where the question expects it."""
    if s.depth == 0:
        return False
    frame = s.stack[s.depth - 1]
    return frame[FRAME_KIND] == frames.ASK_USE and frame[frames.ask_use.card] == card


@rule
def unseen(s: State, side: int, card: int) -> bool:
    """True if a side cannot tell where a strategy card is; a Final Crisis card goes to the hand openly (R16)."""
    if is_final_card(card):
        return False

    zone = int(s.zone[card])
    enemy = board.enemy(side)
    hidden = zone == state.IN_DECK or zone == state.IN_HAND_COMMUNE + enemy or zone == state.ASIDE_COMMUNE + enemy
    if zone == state.SPENT_COMMUNE + enemy:
        return True
    return hidden and s.known[side, card] == 0 and not being_chosen(s, card)


@rule
def unseen_objective(s: State, side: int, i: int) -> bool:
    """True if a side cannot tell where an objective card is."""
    zone = int(s.objective_zone[i])
    enemy = board.enemy(side)
    if zone == state.CHOSEN_COMMUNE + enemy:
        return s.objective_known[enemy] == 0
    dealt = zone == state.OFFERED_COMMUNE + enemy or zone == state.REJECTED_COMMUNE + enemy
    return dealt or zone == state.OBJECTIVE_DECK
