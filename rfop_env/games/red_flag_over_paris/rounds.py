"""The sequence of play: what follows when nothing is pending, from the deal to the end of the game."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note, pop, push
from rfop_env.core.random_stream import DEAL, shuffle
from rfop_env.games.red_flag_over_paris.actions import FIRST, KEEP_OBJECTIVE
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, FINAL_CRISIS, POLITICAL, SIDES, VERSAILLES, dimension_of, enemy_of,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.bonus_actions import ask_bonus_actions, check_pivotal_spaces
from rfop_env.games.red_flag_over_paris.cards import draw_card, final_card, hand_size, in_hand
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_CARD, ASK_CENSOR, ASK_CRISIS_CARD, ASK_CRISIS_DISCARD, ASK_INITIATIVE, ASK_OBJECTIVE, DO_BOT_TURN,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_CRISIS, NOTE_INITIATIVE, NOTE_ROUND
from rfop_env.games.red_flag_over_paris.pieces import own_vp
from rfop_env.games.red_flag_over_paris.scoring import (
    decide_winner, next_objective_event, put_objectives_away, score_dimensions, score_momentum, score_objectives,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.state import (
    ASIDE_COMMUNE, BONUS_ACTIONS, CENSORING, CHECK, CHOSEN_COMMUNE, CRISIS_BONUS_ACTIONS, CRISIS_GATHERING,
    CRISIS_INITIATIVE, CRISIS_PLAYING, CRISIS_SCORING, DEALING, DIMENSION_SCORING, FACE_UP, FINAL_ROUND, GAME_END,
    INITIATIVE, IN_HAND_COMMUNE, NOBODY, NO_CARD, OBJECTIVE_DECK, OBJECTIVE_EVENTS, OBJECTIVE_SCORING, OFFERED_COMMUNE,
    PLAYING, REJECTED_COMMUNE, ROUNDS,
)  # fmt: skip

PLAYS_A_ROUND = 6  # three a side
HAND, CENSOR_HAND = 4, 5


@rule
def next_phase(s: Any, c: Any) -> None:
    """Carry on the sequence of play by one step; called whenever the stack is empty."""
    phase = int(s.phase)
    if phase <= PLAYING:
        begin_round_step(s, c, phase)
    elif phase <= CHECK:
        end_round_step(s, c, phase)
    else:
        crisis_step(s, c, phase)


@rule
def begin_round_step(s: Any, c: Any, phase: int) -> None:
    """Carry on a round by one step, from the deal to the last card play."""
    # The deal, and who plays first.
    if phase == DEALING:
        deal_round(s, c)
        s.phase = INITIATIVE
    elif phase == INITIATIVE:
        push(s, ASK_INITIATIVE, initiative_decider(s))
        s.phase = CENSORING

    # Censor variant, then the card plays.
    elif phase == CENSORING:
        if s.censor == 1:
            push(s, ASK_CENSOR, enemy_of(int(s.initiative)))
            push(s, ASK_CENSOR, int(s.initiative))
        s.phase = PLAYING
    elif s.plays < PLAYS_A_ROUND:
        next_play(s, ASK_CARD)

    # The cards left are set aside.
    else:
        move_hand(s, COMMUNE, IN_HAND_COMMUNE, ASIDE_COMMUNE)
        move_hand(s, VERSAILLES, IN_HAND_COMMUNE, ASIDE_COMMUNE)
        check_pivotal_spaces(s)
        s.phase = BONUS_ACTIONS


@rule
def end_round_step(s: Any, c: Any, phase: int) -> None:
    """Carry on the end of a round by one step, from the bonus actions to the check for the Final Crisis."""
    # Bonus actions and dimensions.
    if phase == BONUS_ACTIONS:
        if not ask_bonus_actions(s):
            s.phase = DIMENSION_SCORING
    elif phase == DIMENSION_SCORING:
        s.phase = OBJECTIVE_SCORING
        score_dimensions(s)

    # Objectives.
    elif phase == OBJECTIVE_SCORING:
        s.phase = OBJECTIVE_EVENTS
        score_objectives(s, c)
    elif phase == OBJECTIVE_EVENTS:
        if not next_objective_event(s, c):
            put_objectives_away(s)
            s.phase = CHECK

    # The next round, or the Final Crisis.
    else:
        s.rounds_played = s.round_number
        s.phase = CRISIS_GATHERING if s.round_number == ROUNDS or both_final_zones_breached(s, c) else DEALING


@rule
def crisis_step(s: Any, c: Any, phase: int) -> None:
    """Carry on the Final Crisis (R16) and the end of the game (R17) by one step."""
    # Hands, and who plays first.
    if phase == CRISIS_GATHERING:
        gather_for_crisis(s)
        s.phase = CRISIS_INITIATIVE
    elif phase == CRISIS_INITIATIVE:
        push(s, ASK_INITIATIVE, initiative_decider(s))
        s.phase = CRISIS_PLAYING

    # Card plays and bonus actions.
    elif phase == CRISIS_PLAYING:
        if s.plays < 2 * s.rounds_played:
            next_play(s, ASK_CRISIS_CARD)
        else:
            check_pivotal_spaces(s)
            s.phase = CRISIS_BONUS_ACTIONS
    elif phase == CRISIS_BONUS_ACTIONS:
        if not ask_bonus_actions(s):
            s.phase = CRISIS_SCORING

    # Scoring and the end.
    elif phase == CRISIS_SCORING:
        s.phase = GAME_END
        score_dimensions(s)
    else:
        score_momentum(s)
        decide_winner(s)


# -- dealing -------------------------------------------------------------------------------------------------------


@rule
def deal_round(s: Any, c: Any) -> None:
    """Deal four Strategy Cards (Censor: five) and two Objective Cards each, of which one is kept (steps 1 and 2)."""
    s.round_number += 1
    s.plays = 0
    note(s, NOTE_ROUND, int(s.round_number), 0, 0)

    # Strategy Cards, one by one; the Solo Opponent has no hand.
    for _ in range(CENSOR_HAND if s.censor == 1 else HAND):
        for side in range(SIDES):
            if side != s.bot:
                card = draw_card(s)
                if card != NO_CARD:
                    s.zone[card] = IN_HAND_COMMUNE + side

    # Objective Cards.
    if s.bot != NOBODY:
        offer_solo_objectives(s, c, enemy_of(int(s.bot)))
        return
    for side in range(SIDES):
        offer(s, side)
        offer(s, side)
    push(s, ASK_OBJECTIVE, VERSAILLES)
    push(s, ASK_OBJECTIVE, COMMUNE)


@rule
def offer(s: Any, side: int) -> int:
    """Turn the top Objective Card over to a side; returns its number."""
    s.objective_deck_size -= 1
    card = int(s.objective_deck[s.objective_deck_size])
    s.objective_deck[s.objective_deck_size] = NO_CARD
    s.objective_zone[card - FIRST_OBJECTIVE] = OFFERED_COMMUNE + side
    return card


@rule
def offer_solo_objectives(s: Any, c: Any, human: int) -> None:
    """Offer two targets in different Crisis Dimensions, reshuffling until they are (solo step 2, R20)."""
    first = offer(s, human)
    second = offer(s, human)
    while dimension_of(int(c.target[first])) == dimension_of(int(c.target[second])):
        for card in (first, second):
            s.objective_zone[card - FIRST_OBJECTIVE] = OBJECTIVE_DECK
            s.objective_deck[s.objective_deck_size] = card
            s.objective_deck_size += 1
        shuffle(s, DEAL, s.objective_deck, int(s.objective_deck_size))
        first = offer(s, human)
        second = offer(s, human)
    push(s, ASK_OBJECTIVE, human)


@rule
def legal_objective(s: Any, side: int, mask: Any) -> None:
    """Allow either of the two Objective Cards dealt."""
    for i in range(OBJECTIVES):
        if s.objective_zone[i] == OFFERED_COMMUNE + side:
            mask[KEEP_OBJECTIVE + i] = True


@rule
def answer_objective(s: Any, side: int, action: int) -> None:
    """Keep one Objective Card; the other leaves the game face down, or goes to the Solo Opponent."""
    pop(s)
    for i in range(OBJECTIVES):
        if s.objective_zone[i] != OFFERED_COMMUNE + side:
            continue
        if i == action - KEEP_OBJECTIVE:
            s.objective_zone[i] = CHOSEN_COMMUNE + side
            s.objective[side] = FIRST_OBJECTIVE + i
        elif s.bot == NOBODY:
            s.objective_zone[i] = REJECTED_COMMUNE + side
        else:
            s.objective_zone[i] = CHOSEN_COMMUNE + s.bot
            s.objective[s.bot] = FIRST_OBJECTIVE + i
            s.objective_known[s.bot] = 1


# -- initiative and plays ------------------------------------------------------------------------------------------


@rule
def initiative_decider(s: Any) -> int:
    """The side that decides who plays first: higher Political VP less momentum, the Commune on ties (R13)."""
    commune = own_vp(s, COMMUNE, POLITICAL) - int(s.momentum[COMMUNE])
    versailles = own_vp(s, VERSAILLES, POLITICAL) - int(s.momentum[VERSAILLES])
    return VERSAILLES if versailles > commune else COMMUNE


@rule
def answer_initiative(s: Any, action: int) -> None:
    """Make the chosen side the Initiative player, who plays first."""
    pop(s)
    s.initiative = action - FIRST
    note(s, NOTE_INITIATIVE, int(s.initiative), 0, 0)


@rule
def next_play(s: Any, question: int) -> None:
    """Ask the next side for a card; the sides play in turn, the Initiative player first."""
    first = int(s.initiative)
    side = first if s.plays % 2 == 0 else enemy_of(first)
    s.plays += 1
    push(s, DO_BOT_TURN if side == s.bot else question, side)


@rule
def move_hand(s: Any, side: int, source: int, destination: int) -> None:
    """Move a side's cards between its hand and the cards set aside."""
    for card in range(1, STRATEGY_CARDS + 1):
        if s.zone[card] == source + side:
            s.zone[card] = destination + side


# -- the Final Crisis ----------------------------------------------------------------------------------------------


@rule
def both_final_zones_breached(s: Any, c: Any) -> bool:
    """True if a cube is gone from the Final Crisis zone of each side (R16)."""
    for side in range(SIDES):
        if s.track[side, FINAL_CRISIS] >= c.track[side, FINAL_CRISIS]:
            return False
    return True


@rule
def gather_for_crisis(s: Any) -> None:
    """Begin the Final Crisis: each side gathers its hand, the Initiative player discards first (R16)."""
    s.round_number = FINAL_ROUND
    s.plays = 0
    note(s, NOTE_CRISIS, 0, 0, 0)
    gather_hand(s, enemy_of(int(s.initiative)))
    gather_hand(s, int(s.initiative))


@rule
def gather_hand(s: Any, side: int) -> None:
    """Make a side's cards set aside and its Final Crisis card its hand, to be discarded down; the bot has none."""
    if side == s.bot:
        return
    move_hand(s, side, ASIDE_COMMUNE, IN_HAND_COMMUNE)
    if s.zone[final_card(side)] == FACE_UP:
        s.zone[final_card(side)] = IN_HAND_COMMUNE + side
    push(s, ASK_CRISIS_DISCARD, side)


@rule
def must_discard(s: Any, side: int) -> bool:
    """True if a side holds more cards than rounds were played."""
    return hand_size(s, side) > s.rounds_played


@rule
def holds_cards(s: Any, side: int) -> bool:
    """True if a side has a card in hand."""
    for card in range(1, STRATEGY_CARDS + 1):
        if in_hand(s, side, card):
            return True
    return False
