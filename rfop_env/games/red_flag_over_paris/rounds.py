"""The sequence of play: what follows when nothing is pending, from the deal to the end of the game."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.core.random_stream import DEAL, shuffle
from rfop_env.games.red_flag_over_paris import actions, board, components, frames, journal, state
from rfop_env.games.red_flag_over_paris import bonus_actions, cards, pieces, scoring
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

PLAYS_A_ROUND = board.SIDES * state.CARD_PLAYS
HAND, CENSOR_HAND = 4, 5


@rule
def next_phase(s: State, c: Components) -> None:
    """Carry on the sequence of play by one step; called whenever the stack is empty."""
    phase = s.phase
    if phase <= state.PLAYING:
        begin_round_step(s, c, phase)
    elif phase <= state.CHECK:
        end_round_step(s, c, phase)
    else:
        crisis_step(s, c, phase)


@rule
def begin_round_step(s: State, c: Components, phase: int) -> None:
    """Carry on a round by one step, from the deal to the last card play."""
    # The deal, and who plays first.
    if phase == state.DEALING:
        deal_round(s, c)
        s.phase = state.INITIATIVE
    elif phase == state.INITIATIVE:
        push(s, frames.ASK_INITIATIVE, initiative_decider(s))
        s.phase = state.CENSORING

    # Censor variant, then the card plays.
    elif phase == state.CENSORING:
        if s.censor == 1:
            push(s, frames.ASK_CENSOR, board.enemy(s.initiative))
            push(s, frames.ASK_CENSOR, s.initiative)
        s.phase = state.PLAYING
    elif s.plays < PLAYS_A_ROUND:
        next_play(s, frames.ASK_CARD)

    # The cards left are set aside.
    else:
        move_hand(s, board.COMMUNE, state.IN_HAND_COMMUNE, state.ASIDE_COMMUNE)
        move_hand(s, board.VERSAILLES, state.IN_HAND_COMMUNE, state.ASIDE_COMMUNE)
        bonus_actions.check_pivotal_spaces(s)
        s.phase = state.BONUS_ACTIONS


@rule
def end_round_step(s: State, c: Components, phase: int) -> None:
    """Carry on the end of a round by one step, from the bonus actions to the check for the Final Crisis."""
    # Bonus actions and dimensions.
    if phase == state.BONUS_ACTIONS:
        if not bonus_actions.ask_bonus_actions(s):
            s.phase = state.DIMENSION_SCORING
    elif phase == state.DIMENSION_SCORING:
        s.phase = state.OBJECTIVE_SCORING
        scoring.score_dimensions(s)

    # Objectives.
    elif phase == state.OBJECTIVE_SCORING:
        s.phase = state.OBJECTIVE_EVENTS
        scoring.score_objectives(s, c)
    elif phase == state.OBJECTIVE_EVENTS:
        if not scoring.next_objective_event(s, c):
            scoring.put_objectives_away(s)
            s.phase = state.CHECK

    # The next round, or the Final Crisis.
    else:
        s.rounds_played = s.round_number
        crisis = s.round_number == state.ROUNDS or both_final_zones_breached(s, c)
        s.phase = state.CRISIS_GATHERING if crisis else state.DEALING


@rule
def crisis_step(s: State, c: Components, phase: int) -> None:
    """Carry on the Final Crisis (R16) and the end of the game (R17) by one step."""
    # Hands, and who plays first.
    if phase == state.CRISIS_GATHERING:
        gather_for_crisis(s)
        s.phase = state.CRISIS_INITIATIVE
    elif phase == state.CRISIS_INITIATIVE:
        push(s, frames.ASK_INITIATIVE, initiative_decider(s))
        s.phase = state.CRISIS_PLAYING

    # Card plays and bonus actions.
    elif phase == state.CRISIS_PLAYING:
        if s.plays < 2 * s.rounds_played:
            next_play(s, frames.ASK_CRISIS_CARD)
        else:
            bonus_actions.check_pivotal_spaces(s)
            s.phase = state.CRISIS_BONUS_ACTIONS
    elif phase == state.CRISIS_BONUS_ACTIONS:
        if not bonus_actions.ask_bonus_actions(s):
            s.phase = state.CRISIS_SCORING

    # Scoring and the end.
    elif phase == state.CRISIS_SCORING:
        s.phase = state.GAME_END
        scoring.score_dimensions(s)
    else:
        scoring.score_momentum(s)
        scoring.decide_winner(s)


# -- dealing -------------------------------------------------------------------------------------------------------


@rule
def deal_round(s: State, c: Components) -> None:
    """Deal four Strategy Cards (Censor: five) and two Objective Cards each, of which one is kept (steps 1 and 2)."""
    s.round_number += 1
    s.plays = 0
    note(s, journal.NOTE_ROUND, s.round_number, 0, 0)

    # Strategy Cards, one by one; the Solo Opponent has no hand.
    for _ in range(CENSOR_HAND if s.censor == 1 else HAND):
        for side in range(board.SIDES):
            if side != s.bot:
                card = cards.draw_card(s)
                if card != state.NO_CARD:
                    s.zone[card] = state.IN_HAND_COMMUNE + side

    # Objective Cards.
    if s.bot != state.NOBODY:
        offer_solo_objectives(s, c, board.enemy(s.bot))
        return
    for side in range(board.SIDES):
        offer(s, side)
        offer(s, side)
    push(s, frames.ASK_OBJECTIVE, board.VERSAILLES)
    push(s, frames.ASK_OBJECTIVE, board.COMMUNE)


@rule
def offer(s: State, side: int) -> int:
    """Turn the top Objective Card over to a side; returns its number."""
    s.objective_deck_size -= 1
    card = int(s.objective_deck[s.objective_deck_size])
    s.objective_deck[s.objective_deck_size] = state.NO_CARD
    s.objective_zone[card - components.FIRST_OBJECTIVE] = state.OFFERED_COMMUNE + side
    return card


@rule
def offer_solo_objectives(s: State, c: Components, human: int) -> None:
    """Offer two targets in different Crisis Dimensions, reshuffling until they are (solo step 2, R20)."""
    first = offer(s, human)
    second = offer(s, human)
    while board.dimension(c.target[first]) == board.dimension(c.target[second]):
        for card in (first, second):
            s.objective_zone[card - components.FIRST_OBJECTIVE] = state.OBJECTIVE_DECK
            s.objective_deck[s.objective_deck_size] = card
            s.objective_deck_size += 1
        shuffle(s, DEAL, s.objective_deck, s.objective_deck_size)
        first = offer(s, human)
        second = offer(s, human)
    push(s, frames.ASK_OBJECTIVE, human)


@rule
def legal_objective(s: State, side: int, mask: Any) -> None:
    """Allow either of the two Objective Cards dealt."""
    for i in range(components.OBJECTIVES):
        if s.objective_zone[i] == state.OFFERED_COMMUNE + side:
            mask[actions.KEEP_OBJECTIVE + i] = True


@rule
def answer_objective(s: State, side: int, action: int) -> None:
    """Keep one Objective Card; the other leaves the game face down, or goes to the Solo Opponent."""
    pop(s)
    for i in range(components.OBJECTIVES):
        if s.objective_zone[i] != state.OFFERED_COMMUNE + side:
            continue
        if i == action - actions.KEEP_OBJECTIVE:
            s.objective_zone[i] = state.CHOSEN_COMMUNE + side
            s.objective[side] = components.FIRST_OBJECTIVE + i
        elif s.bot == state.NOBODY:
            s.objective_zone[i] = state.REJECTED_COMMUNE + side
        else:
            s.objective_zone[i] = state.CHOSEN_COMMUNE + s.bot
            s.objective[s.bot] = components.FIRST_OBJECTIVE + i
            s.objective_known[s.bot] = 1


# -- initiative and plays ------------------------------------------------------------------------------------------


@rule
def initiative_decider(s: State) -> int:
    """The side that decides who plays first: higher Political VP less momentum, the Commune on ties (R13)."""
    commune = pieces.own_vp(s, board.COMMUNE, board.POLITICAL) - s.momentum[board.COMMUNE]
    versailles = pieces.own_vp(s, board.VERSAILLES, board.POLITICAL) - s.momentum[board.VERSAILLES]
    return board.VERSAILLES if versailles > commune else board.COMMUNE


@rule
def answer_initiative(s: State, action: int) -> None:
    """Make the chosen side the Initiative player, who plays first."""
    pop(s)
    s.initiative = action - actions.FIRST
    note(s, journal.NOTE_INITIATIVE, s.initiative, 0, 0)


@rule
def next_play(s: State, question: int) -> None:
    """Ask the next side for a card; the sides play in turn, the Initiative player first."""
    first = s.initiative
    side = first if s.plays % 2 == 0 else board.enemy(first)
    s.plays += 1
    push(s, frames.DO_BOT_TURN if side == s.bot else question, side)


@rule
def move_hand(s: State, side: int, source: int, destination: int) -> None:
    """Move a side's cards between its hand and the cards set aside."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        if s.zone[card] == source + side:
            s.zone[card] = destination + side


# -- the Final Crisis ----------------------------------------------------------------------------------------------


@rule
def both_final_zones_breached(s: State, c: Components) -> bool:
    """True if a cube is gone from the Final Crisis zone of each side (R16)."""
    for side in range(board.SIDES):
        if s.track[side, board.FINAL_CRISIS] >= c.track[side, board.FINAL_CRISIS]:
            return False
    return True


@rule
def gather_for_crisis(s: State) -> None:
    """Begin the Final Crisis: each side gathers its hand, the Initiative player discards first (R16)."""
    s.round_number = state.FINAL_ROUND
    s.plays = 0
    note(s, journal.NOTE_CRISIS, 0, 0, 0)
    gather_hand(s, board.enemy(s.initiative))
    gather_hand(s, s.initiative)


@rule
def gather_hand(s: State, side: int) -> None:
    """Make a side's cards set aside and its Final Crisis card its hand, to be discarded down; the bot has none."""
    if side == s.bot:
        return
    move_hand(s, side, state.ASIDE_COMMUNE, state.IN_HAND_COMMUNE)
    if s.zone[cards.final_card(side)] == state.FACE_UP:
        s.zone[cards.final_card(side)] = state.IN_HAND_COMMUNE + side
    push(s, frames.ASK_CRISIS_DISCARD, side)


@rule
def has_discarded(s: State, side: int) -> bool:
    """True if a side holds no more cards than rounds were played."""
    return cards.hand_size(s, side) <= s.rounds_played


@rule
def holds_no_cards(s: State, side: int) -> bool:
    """True if a side has no card in hand (R19: the whole deck could not supply a round)."""
    return cards.hand_size(s, side) == 0
