"""Set-up ("Setup"; solo: R20): pieces, markers, and both decks shuffled once and for all."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.random_stream import DEAL, random_below, shuffle
from rfop_env.games.red_flag_over_paris import board, cards, components, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

OPTION_VARIANT, OPTION_SOLO, OPTION_SIDE = range(3)  # how the rules' options are ordered
RANDOM_SIDE = 2  # value of OPTION_SIDE: drawn for each game


@rule
def set_up(s: State, c: Components, options: Any) -> None:
    """Set up a game in an empty record."""
    set_up_course(s)
    s.censor = options[OPTION_VARIANT]
    s.bot = state.NOBODY
    if options[OPTION_SOLO] == 1:
        human = options[OPTION_SIDE]
        s.bot = board.enemy(random_below(s, DEAL, board.SIDES) if human == RANDOM_SIDE else human)
    set_up_pieces(s, c)
    set_up_cards(s, c)


@rule
def set_up_course(s: State) -> None:
    """Set phase and initiative, and that there is no winner, no breach and no objective yet."""
    s.phase = state.DEALING
    s.initiative = board.COMMUNE
    s.winner = state.NOBODY
    s.first_final_breach = state.NOBODY
    for side in range(board.SIDES):
        s.objective[side] = state.NO_CARD


@rule
def set_up_pieces(s: State, c: Components) -> None:
    """Put cubes on the map, on the crisis tracks and under Prussian Collaboration; no discs."""
    for side in range(board.SIDES):
        for x in range(board.SPACES):
            s.cubes[side, x] = c.start_cubes[side, x]
        for zone in range(board.ZONES):
            s.track[side, zone] = c.track[side, zone]
            s.bonus[side, zone] = c.bonus[side, zone]
    for level in range(board.MOMENTUM_LIMIT + 1):
        s.collaboration[level] = c.collaboration[level]


@rule
def set_up_cards(s: State, c: Components) -> None:
    """Shuffle both decks, with the Final Crisis cards face up; six cards stay out of a solo game."""
    # Strategy cards.
    s.top_discard = state.NO_CARD
    s.zone[0] = state.NOT_USED
    s.used_by[0] = state.NOBODY
    for card in range(1, components.STRATEGY_CARDS + 1):
        s.used_by[card] = state.NOBODY
        if cards.is_final_card(card):
            s.zone[card] = state.FACE_UP
        elif s.bot != state.NOBODY and c.not_in_solo[card] == 1:
            s.zone[card] = state.NOT_USED
        else:
            s.zone[card] = state.IN_DECK
            s.deck[s.deck_size] = card
            s.deck_size += 1
    shuffle(s, DEAL, s.deck, s.deck_size)

    # Objective cards.
    for i in range(components.OBJECTIVES):
        s.objective_zone[i] = state.OBJECTIVE_DECK
        s.objective_deck[i] = components.FIRST_OBJECTIVE + i
    s.objective_deck_size = components.OBJECTIVES
    shuffle(s, DEAL, s.objective_deck, components.OBJECTIVES)
