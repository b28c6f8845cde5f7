"""The observation of Red Flag Over Paris: its named pieces, and the rules that write them for a side."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, DIMENSIONS, DIMENSION_NAMES, ESCALATION, FIRST_MILITARY_SPACE, MILITARY_NAMES, MOMENTUM_LIMIT, SIDES,
    SPACES, SPACE_NAMES, SPHERES, ZONES, ZONE_NAMES, controls, enemy_of, has, has_disc, military_spaces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.cards import final_card, fresh_from_enemy
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_DE_ESCALATE, ASK_DISC, ASK_MOVE, ASK_OPERATION, ASK_PLACE, ASK_REMOVE, ASK_REMOVE_OWN, ASK_REPLACE,
    ASK_USE, ASK_WHETHER, BONUS_DIMENSION, CHOSEN_CARD, DO_EVENT, EVENT_CARD, FROM_OUT_OF_PLAY, LAST_QUESTION,
    MOMENTUM_STEP, MOVING_FROM, NEXT_ROW, NO_QUESTION, PIECES_LEFT, PLACING_BEGUN, POINTS_LEFT, QUESTIONS,
    QUESTION_NAMES, REMOVED_BEFORE, WHETHER_ABOUT, WHETHER_CODE, WHETHER_ENEMY_EVENT, WHETHER_MOMENTUM, WHETHER_NAMES,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import own_vp
from rfop_env.games.red_flag_over_paris.state import (
    ASIDE_COMMUNE, CHOSEN_COMMUNE, DISCARDED, FACE_UP, IN_DECK, IN_HAND_COMMUNE, IN_PLAY, NOBODY, NOT_USED,
    OFFERED_COMMUNE, REJECTED_COMMUNE, REJECTED_VERSAILLES, REMOVED, SPENT_COMMUNE,
)  # fmt: skip

_CARDS = tuple(str(n) for n in range(1, STRATEGY_CARDS + 1))
_OBJECTIVES = tuple(str(FIRST_OBJECTIVE + i) for i in range(OBJECTIVES))
_EVENTS = (*_CARDS, *_OBJECTIVES)
_BOTH = ("own", "enemy")


def _cards(name: str, visibility: str, meaning: str) -> Piece:
    return Piece(name, STRATEGY_CARDS, 0, 1, visibility, meaning, _CARDS)


def _spaces(name: str, low: int, high: int, meaning: str) -> Piece:
    return Piece(name, SPACES, low, high, "public", meaning, SPACE_NAMES)


LAYOUT = ObservationLayout(
    [
        Piece("question", QUESTIONS, 0, 1, "public", "what this side is asked; none if the enemy is", QUESTION_NAMES),
        Piece("side", 1, 0, 1, "public", "0 Commune, 1 Versailles"),
        Piece("solo", 1, 0, 1, "public", "1: the enemy is the Solo Opponent"),
        Piece("round", 4, 0, 1, "public", "round 1 to 3, or the Final Crisis", ("1", "2", "3", "Final Crisis")),
        Piece("plays", 1, 0, 6, "public", "card plays begun in this round, both sides together"),
        Piece("initiative", 1, 0, 1, "public", "1: this side is the Initiative player"),
        Piece("vp", 2, -5, 5, "public", "Victory Points as this side sees them", ("political", "military")),
        Piece("momentum", 2, 0, 3, "public", "Player Momentum", _BOTH),
        _spaces("own_cubes", 0, 4, "this side's cubes"),
        _spaces("enemy_cubes", 0, 4, "the enemy's cubes"),
        Piece("own_discs", 6, 0, 1, "public", "this side's Fortifications or Barricades", MILITARY_NAMES),
        Piece("enemy_discs", 6, 0, 1, "public", "the enemy's", MILITARY_NAMES),
        _spaces("control", -1, 1, "1: this side controls the space, -1: the enemy does"),
        Piece("pool", 2, 0, 18, "public", "cubes in the pools", _BOTH),
        Piece("own_track", 4, 0, 18, "public", "cubes left on this side's crisis track", ZONE_NAMES),
        Piece("enemy_track", 4, 0, 18, "public", "cubes left on the enemy's crisis track", ZONE_NAMES),
        Piece("own_bonus", 3, 0, 18, "public", "this side's bonus cubes left", ZONE_NAMES[1:]),
        Piece("enemy_bonus", 3, 0, 18, "public", "the enemy's bonus cubes left", ZONE_NAMES[1:]),
        Piece("out_of_play", 2, 0, 18, "public", "cubes removed from play", _BOTH),
        Piece("collaboration", 3, 0, 18, "public", "cubes left under Prussian Collaboration", ("1", "2", "3")),
        Piece("pool_room", 1, 0, 18, "public", "free places in the Commune's cube pool"),
        Piece("first_breach", 2, 0, 1, "public", "the side that first breached its Final Crisis zone", _BOTH),
        _cards("hand", "private", "cards in this side's hand"),
        _cards("aside", "private", "cards that this side has set aside for the Final Crisis"),
        _cards("chosen", "private", "the card chosen, in play, or asked about"),
        _cards("known_enemy", "private", "cards that the enemy is known to hold or to have set aside"),
        _cards("known_deck", "private", "cards known to be in the deck: swapped there by this side"),
        _cards("discarded", "public", "cards in the discard pile from this round"),
        _cards("gone", "private", "cards discarded in earlier rounds, or out of the game as far as this side knows"),
        _cards("top_discard", "public", "the top of the discard pile, if the enemy discarded it this round"),
        Piece("final_card", 2, 0, 1, "public", "1: the Final Crisis card is still face up", _BOTH),
        Piece("hand_sizes", 2, 0, 9, "public", "cards in hand", _BOTH),
        Piece("deck_size", 1, 0, 39, "public", "cards left in the strategy deck"),
        Piece("own_objective", OBJECTIVES, 0, 1, "private", "the objective kept this round", _OBJECTIVES),
        Piece("offered", OBJECTIVES, 0, 1, "private", "the two Objective Cards to choose from", _OBJECTIVES),
        Piece("enemy_objective", OBJECTIVES, 0, 1, "private", "the enemy's objective, if known", _OBJECTIVES),
        Piece("gone_objectives", OBJECTIVES, 0, 1, "private", "scored, gone, or rejected by this side", _OBJECTIVES),
        Piece("fulfilled", 2, 0, 3, "public", "objectives fulfilled", _BOTH),
        Piece("points", 1, 0, 18, "public", "Operations Points or cubes left in the pending question"),
        Piece("placing", 1, 0, 1, "public", "1: placing points, second half of a move, or a cube from out of play"),
        Piece("dimension", DIMENSIONS, 0, 1, "public", "the dimension of the pending bonus action", DIMENSION_NAMES),
        Piece("source", SPACES, 0, 1, "public", "the space that the moving piece comes from", SPACE_NAMES),
        Piece("whether", 5, 0, 1, "public", "the subject of a yes-or-no question", WHETHER_NAMES),
        Piece("whether_momentum", 2, -1, 1, "public", "the change of momentum asked about", _BOTH),
        Piece("event", STRATEGY_CARDS + OBJECTIVES, 0, 1, "public", "the event being carried out", _EVENTS),
        Piece("event_step", 1, 0, 8, "public", "the next row of that event"),
        Piece("own_pivotal", DIMENSIONS, 0, 1, "public", "this side's bonus actions still to come", DIMENSION_NAMES),
        Piece("enemy_pivotal", DIMENSIONS, 0, 1, "public", "the enemy's bonus actions still to come", DIMENSION_NAMES),
    ]
)  # fmt: skip

(
    QUESTION, SIDE, SOLO, ROUND, PLAYS, INITIATIVE, VP, MOMENTUM, OWN_CUBES, ENEMY_CUBES, OWN_DISCS, ENEMY_DISCS,
    CONTROL, POOL, OWN_TRACK, ENEMY_TRACK, OWN_BONUS, ENEMY_BONUS, OUT_OF_PLAY, COLLABORATION, POOL_ROOM,
    FIRST_BREACH, HAND, ASIDE, CHOSEN, KNOWN_ENEMY, KNOWN_DECK, DISCARDS, GONE, TOP_DISCARD, FINAL_CARD, HAND_SIZES,
    DECK, OWN_OBJECTIVE, OFFERED, ENEMY_OBJECTIVE, GONE_OBJECTIVES, FULFILLED, POINTS, PLACING, DIMENSION, SOURCE,
    WHETHER, WHETHER_STEP_OF, EVENT, EVENT_STEP, OWN_PIVOTAL, ENEMY_PIVOTAL,
) = (LAYOUT.start(piece.name) for piece in LAYOUT.pieces)  # fmt: skip


@small_rule
def side_of_seat(s: Any, seat: int) -> int:
    """The side that a seat plays: the seat's number, or in solo the side that is not the bot's."""
    return seat if s.bot == NOBODY else enemy_of(int(s.bot))


@rule
def observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """Write what a seat sees into an all-zero int8 [D], its own side first."""
    side = side_of_seat(s, seat)
    observe_course(s, side, o)
    observe_map(s, side, o)
    observe_stock(s, c, side, o)
    observe_cards(s, side, o)
    observe_objectives(s, side, o)
    observe_event(s, o)

    # Only the side that is asked sees the question.
    asked = s.depth > 0 and s.over == 0 and s.stack[s.depth - 1, FRAME_SIDE] == side
    if asked and s.stack[s.depth - 1, FRAME_KIND] <= LAST_QUESTION:
        observe_question(s.stack[s.depth - 1], side, o)
    else:
        o[QUESTION + NO_QUESTION] = 1


@rule
def observe_course(s: Any, side: int, o: Any) -> None:
    """Write round, initiative, VP, momentum, and what each side has in stock."""
    o[SIDE] = side
    o[SOLO] = int(s.bot != NOBODY)
    if s.round_number > 0:
        o[ROUND + s.round_number - 1] = 1
    o[PLAYS] = s.plays
    o[INITIATIVE] = int(s.initiative == side)
    for sphere in range(SPHERES):
        o[VP + sphere] = own_vp(s, side, sphere)

    for k in range(SIDES):
        who = side if k == 0 else enemy_of(side)
        o[MOMENTUM + k] = s.momentum[who]
        o[POOL + k] = s.pool[who]
        o[OUT_OF_PLAY + k] = s.out_of_play[who]
        o[FULFILLED + k] = s.fulfilled[who]
        o[FIRST_BREACH + k] = int(s.first_final_breach == who)
        o[FINAL_CARD + k] = int(s.zone[final_card(who)] == FACE_UP)


@rule
def observe_map(s: Any, side: int, o: Any) -> None:
    """Write cubes, discs, control, and bonus actions to come."""
    enemy = enemy_of(side)
    for x in range(SPACES):
        o[OWN_CUBES + x] = s.cubes[side, x]
        o[ENEMY_CUBES + x] = s.cubes[enemy, x]
        o[CONTROL + x] = int(controls(s, side, x)) - int(controls(s, enemy, x))

    for x in military_spaces():
        o[OWN_DISCS + x - FIRST_MILITARY_SPACE] = int(has_disc(s, side, x))
        o[ENEMY_DISCS + x - FIRST_MILITARY_SPACE] = int(has_disc(s, enemy, x))

    for d in range(DIMENSIONS):
        o[OWN_PIVOTAL + d] = int(has(int(s.pivotal[side]), d))
        o[ENEMY_PIVOTAL + d] = int(has(int(s.pivotal[enemy]), d))


@rule
def observe_stock(s: Any, c: Any, side: int, o: Any) -> None:
    """Write crisis tracks, bonus cubes, collaboration cubes, and the Commune's free pool places."""
    enemy = enemy_of(side)
    for zone in range(ZONES):
        o[OWN_TRACK + zone] = s.track[side, zone]
        o[ENEMY_TRACK + zone] = s.track[enemy, zone]
    for zone in range(ESCALATION, ZONES):
        o[OWN_BONUS + zone - ESCALATION] = s.bonus[side, zone]
        o[ENEMY_BONUS + zone - ESCALATION] = s.bonus[enemy, zone]
    for level in range(1, MOMENTUM_LIMIT + 1):
        o[COLLABORATION + level - 1] = s.collaboration[level]
    o[POOL_ROOM] = c.pool_places[s.momentum[COMMUNE]] - s.pool[COMMUNE]


@rule
def observe_cards(s: Any, side: int, o: Any) -> None:
    """Write where every strategy card is, as far as the side knows.

    No branches, and numbers as narrow as the fields: the compiler takes many cards at once.
    """
    enemy = enemy_of(side)
    own_hand = np.int8(IN_HAND_COMMUNE + side)
    own_aside = np.int8(ASIDE_COMMUNE + side)
    own_spent = np.int8(SPENT_COMMUNE + side)
    enemy_hand = np.int8(IN_HAND_COMMUNE + enemy)
    enemy_aside = np.int8(ASIDE_COMMUNE + enemy)
    now = np.int8(s.round_number)

    for card in range(1, STRATEGY_CARDS + 1):
        zone = s.zone[card]
        known = s.known[side, card] == 1
        fresh = s.discarded_round[card] == now
        i = card - 1

        # Hands, the deck, and cards set aside.
        o[HAND + i] = zone == own_hand
        o[ASIDE + i] = zone == own_aside
        o[KNOWN_ENEMY + i] = known & ((zone == enemy_hand) | (zone == enemy_aside))
        o[KNOWN_DECK + i] = known & (zone == IN_DECK)

        # Cards that lie open, and those that this side has put away.
        o[CHOSEN + i] = zone == IN_PLAY
        o[DISCARDS + i] = (zone == DISCARDED) & fresh
        old = (zone == DISCARDED) & (not fresh)
        o[GONE + i] = old | (zone == REMOVED) | (zone == NOT_USED) | (zone == own_spent)

    own_cards = 0
    enemy_cards = 0
    for card in range(1, STRATEGY_CARDS + 1):
        own_cards += int(s.zone[card] == own_hand)
        enemy_cards += int(s.zone[card] == enemy_hand)
    o[HAND_SIZES] = own_cards
    o[HAND_SIZES + 1] = enemy_cards
    o[DECK] = s.deck_size
    top = int(s.top_discard)
    if fresh_from_enemy(s, side, top):
        o[TOP_DISCARD + top - 1] = 1


@rule
def observe_objectives(s: Any, side: int, o: Any) -> None:
    """Write where the objective cards are, as far as the side knows."""
    enemy = enemy_of(side)
    known = s.objective_known[enemy] == 1
    for i in range(OBJECTIVES):
        zone = int(s.objective_zone[i])
        o[OWN_OBJECTIVE + i] = zone == CHOSEN_COMMUNE + side
        o[OFFERED + i] = zone == OFFERED_COMMUNE + side
        o[ENEMY_OBJECTIVE + i] = known & (zone == CHOSEN_COMMUNE + enemy)
        o[GONE_OBJECTIVES + i] = (zone > REJECTED_VERSAILLES) | (zone == REJECTED_COMMUNE + side)


@rule
def observe_question(frame: Any, side: int, o: Any) -> None:
    """Write the question that this side is asked, and what it is about; the kind says all of most questions."""
    kind = int(frame[FRAME_KIND])
    o[QUESTION + kind] = 1

    # Card plays, operations and events.
    if kind == ASK_USE:
        o[CHOSEN + frame[CHOSEN_CARD] - 1] = 1
    elif kind == ASK_OPERATION:
        o[POINTS] = frame[POINTS_LEFT]
        o[PLACING] = frame[PLACING_BEGUN]
    elif kind == ASK_PLACE:
        o[POINTS] = frame[PIECES_LEFT]
        o[PLACING] = frame[FROM_OUT_OF_PLAY]
    elif kind == ASK_REMOVE or kind == ASK_REPLACE or kind == ASK_REMOVE_OWN:
        o[POINTS] = frame[PIECES_LEFT]
    elif kind == ASK_MOVE or kind == ASK_DISC:
        o[POINTS] = frame[PIECES_LEFT]
        if frame[MOVING_FROM] > 0:
            o[PLACING] = 1
            o[SOURCE + frame[MOVING_FROM] - 1] = 1
    elif kind == ASK_WHETHER:
        observe_whether(frame, side, o)

    # Bonus actions.
    elif kind == ASK_BONUS:
        o[DIMENSION + frame[BONUS_DIMENSION]] = 1
    elif kind == ASK_DE_ESCALATE:
        o[DIMENSION + frame[BONUS_DIMENSION]] = 1
        o[POINTS] = frame[REMOVED_BEFORE]


@rule
def observe_whether(frame: Any, side: int, o: Any) -> None:
    """Write the subject of a yes-or-no question."""
    question = int(frame[WHETHER_CODE])
    about = int(frame[WHETHER_ABOUT])
    o[WHETHER + question] = 1
    if question == WHETHER_MOMENTUM:
        o[WHETHER_STEP_OF + int(about != side)] = frame[MOMENTUM_STEP]
    elif question == WHETHER_ENEMY_EVENT:
        o[CHOSEN + about - 1] = 1


@rule
def observe_event(s: Any, o: Any) -> None:
    """Write the event being carried out, if any: public, whoever is asked."""
    for k in range(s.depth - 1, -1, -1):
        frame = s.stack[k]
        if frame[FRAME_KIND] == DO_EVENT:
            o[EVENT + frame[EVENT_CARD] - 1] = 1
            o[EVENT_STEP] = frame[NEXT_ROW]
            return
