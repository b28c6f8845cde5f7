"""What a side sees of Red Flag Over Paris: the named pieces, and the rules that write them."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_C, FRAME_D, FRAME_E, FRAME_KIND, FRAME_SIDE
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.rule import rule, small_rule
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, DIMENSION_NAMES, DIMENSIONS, MILITARY_NAMES, SPACE_NAMES, SPACES, ZONE_NAMES, ZONES, controls, has,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.cards import final_card, is_final_card
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, OBJECTIVES, STRATEGY_CARDS
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_DE_ESCALATE, ASK_MOVE, ASK_DISC, ASK_OPERATION, ASK_PLACE, ASK_USE, ASK_WHETHER, DO_EVENT,
    LAST_QUESTION, QUESTION_NAMES, QUESTIONS, WHETHER_ENEMY_EVENT, WHETHER_MOMENTUM, WHETHER_NAMES,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import own_vp
from rfop_env.games.red_flag_over_paris.state import (
    ASIDE_COMMUNE, CHOSEN_COMMUNE, DISCARDED, FACE_UP, IN_DECK, IN_HAND_COMMUNE, IN_PLAY, NOBODY, NO_CARD, NOT_USED,
    OBJECTIVE_DECK, OFFERED_COMMUNE, REJECTED_COMMUNE, REMOVED, SPENT_COMMUNE,
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
        Piece("vp", 2, -5, 5, "public", "own Victory Points", ("political", "military")),
        Piece("momentum", 2, 0, 3, "public", "Player Momentum", _BOTH),
        _spaces("own_cubes", 0, 4, "own cubes"),
        _spaces("enemy_cubes", 0, 4, "enemy cubes"),
        Piece("own_discs", 6, 0, 1, "public", "own Fortifications or Barricades", MILITARY_NAMES),
        Piece("enemy_discs", 6, 0, 1, "public", "the enemy's", MILITARY_NAMES),
        _spaces("control", -1, 1, "1 own control, -1 enemy control"),
        Piece("pool", 2, 0, 18, "public", "cubes in the pools", _BOTH),
        Piece("own_track", 4, 0, 18, "public", "cubes left on the own crisis track", ZONE_NAMES),
        Piece("enemy_track", 4, 0, 18, "public", "cubes left on the enemy's", ZONE_NAMES),
        Piece("own_bonus", 3, 0, 18, "public", "own bonus cubes left", ZONE_NAMES[1:]),
        Piece("enemy_bonus", 3, 0, 18, "public", "enemy bonus cubes left", ZONE_NAMES[1:]),
        Piece("out_of_play", 2, 0, 18, "public", "cubes removed from play", _BOTH),
        Piece("collaboration", 3, 0, 18, "public", "cubes left under Prussian Collaboration", ("1", "2", "3")),
        Piece("pool_room", 1, 0, 18, "public", "free places in the Commune's cube pool"),
        Piece("first_breach", 2, 0, 1, "public", "who first breached a Final Crisis zone", _BOTH),
        _cards("hand", "private", "cards in the own hand"),
        _cards("aside", "private", "own cards set aside for the Final Crisis"),
        _cards("chosen", "private", "the card chosen, in play, or asked about"),
        _cards("known_enemy", "private", "cards that the enemy is known to hold or to have set aside"),
        _cards("known_deck", "private", "cards known to be in the deck: swapped there by this side"),
        _cards("discarded", "public", "cards in the discard pile from this round"),
        _cards("gone", "private", "cards discarded in earlier rounds or out of the game, own face-down ones included"),
        _cards("top_discard", "public", "the top of the discard pile, if the enemy discarded it this round"),
        Piece("final_card", 2, 0, 1, "public", "Final Crisis card still face up", _BOTH),
        Piece("hand_sizes", 2, 0, 9, "public", "cards in hand", _BOTH),
        Piece("deck_size", 1, 0, 39, "public", "cards left in the strategy deck"),
        Piece("own_objective", OBJECTIVES, 0, 1, "private", "the objective kept this round", _OBJECTIVES),
        Piece("offered", OBJECTIVES, 0, 1, "private", "the two Objective Cards to choose from", _OBJECTIVES),
        Piece("enemy_objective", OBJECTIVES, 0, 1, "private", "the enemy's objective, if known", _OBJECTIVES),
        Piece("gone_objectives", OBJECTIVES, 0, 1, "private", "scored, gone, or rejected by this side", _OBJECTIVES),
        Piece("fulfilled", 2, 0, 3, "public", "objectives fulfilled", _BOTH),
        Piece("points", 1, 0, 18, "public", "Operations Points or cubes left in what is pending"),
        Piece("placing", 1, 0, 1, "public", "1: operations past removal, half a move, or a cube of those out of play"),
        Piece("dimension", DIMENSIONS, 0, 1, "public", "the dimension of the pending bonus action", DIMENSION_NAMES),
        Piece("source", SPACES, 0, 1, "public", "where the moving piece comes from", SPACE_NAMES),
        Piece("whether", 5, 0, 1, "public", "what the yes or no is about", WHETHER_NAMES),
        Piece("whether_momentum", 2, -1, 1, "public", "the momentum step asked about", _BOTH),
        Piece("event", STRATEGY_CARDS + OBJECTIVES, 0, 1, "public", "the event being carried out", _EVENTS),
        Piece("event_step", 1, 0, 8, "public", "how far that event is"),
        Piece("own_pivotal", DIMENSIONS, 0, 1, "public", "own bonus actions still to come", DIMENSION_NAMES),
        Piece("enemy_pivotal", DIMENSIONS, 0, 1, "public", "enemy bonus actions still to come", DIMENSION_NAMES),
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
    """The side a seat plays: the seat's number, or in solo the side that is not the bot's."""
    return seat if s.bot == NOBODY else 1 - int(s.bot)


@rule
def observe(s: Any, c: Any, seat: int, o: Any) -> None:
    """Write what a seat sees into an all-zero int8 [D], own side first."""
    side = side_of_seat(s, seat)
    observe_course(s, side, o)
    observe_map(s, side, o)
    observe_stock(s, c, side, o)
    observe_cards(s, side, o)
    observe_objectives(s, side, o)
    asked = s.depth > 0 and s.over == 0 and s.stack[s.depth - 1, FRAME_SIDE] == side
    if asked and s.stack[s.depth - 1, FRAME_KIND] <= LAST_QUESTION:
        observe_question(s, s.stack[s.depth - 1], side, o)
    else:
        o[QUESTION] = 1
    observe_event(s, o)


@rule
def observe_course(s: Any, side: int, o: Any) -> None:
    """Round, initiative, VP, momentum."""
    o[SIDE] = side
    o[SOLO] = int(s.bot != NOBODY)
    if s.round_number > 0:
        o[ROUND + s.round_number - 1] = 1
    o[PLAYS] = s.plays
    o[INITIATIVE] = int(s.initiative == side)
    for sphere in range(2):
        o[VP + sphere] = own_vp(s, side, sphere)
    for k in range(2):
        who = side if k == 0 else 1 - side
        o[MOMENTUM + k] = s.momentum[who]
        o[POOL + k] = s.pool[who]
        o[OUT_OF_PLAY + k] = s.out_of_play[who]
        o[FULFILLED + k] = s.fulfilled[who]
        o[FIRST_BREACH + k] = int(s.first_final_breach == who)
        o[FINAL_CARD + k] = int(s.zone[final_card(who)] == FACE_UP)


@rule
def observe_map(s: Any, side: int, o: Any) -> None:
    """Cubes, discs, control, bonus actions to come."""
    for x in range(SPACES):
        o[OWN_CUBES + x] = s.cubes[side, x]
        o[ENEMY_CUBES + x] = s.cubes[1 - side, x]
        o[CONTROL + x] = int(controls(s, side, x)) - int(controls(s, 1 - side, x))
    for x in range(6, SPACES):
        o[OWN_DISCS + x - 6] = int(s.disc[x] == side + 1)
        o[ENEMY_DISCS + x - 6] = int(s.disc[x] == 2 - side)
    for d in range(DIMENSIONS):
        o[OWN_PIVOTAL + d] = int(has(int(s.pivotal[side]), d))
        o[ENEMY_PIVOTAL + d] = int(has(int(s.pivotal[1 - side]), d))


@rule
def observe_stock(s: Any, c: Any, side: int, o: Any) -> None:
    """Crisis tracks, bonus cubes, collaboration cubes, the Commune's pool places."""
    for zone in range(ZONES):
        o[OWN_TRACK + zone] = s.track[side, zone]
        o[ENEMY_TRACK + zone] = s.track[1 - side, zone]
        if zone > 0:
            o[OWN_BONUS + zone - 1] = s.bonus[side, zone]
            o[ENEMY_BONUS + zone - 1] = s.bonus[1 - side, zone]
            o[COLLABORATION + zone - 1] = s.collaboration[zone]
    o[POOL_ROOM] = c.pool_places[s.momentum[COMMUNE]] - s.pool[COMMUNE]


@rule
def observe_cards(s: Any, side: int, o: Any) -> None:
    """Where every strategy card is, as far as the side knows."""
    enemy = 1 - side
    for card in range(1, STRATEGY_CARDS + 1):
        zone, i = int(s.zone[card]), card - 1
        if zone == IN_HAND_COMMUNE + side:
            o[HAND + i] = 1
            o[HAND_SIZES] += 1
        elif zone == IN_HAND_COMMUNE + enemy:
            o[HAND_SIZES + 1] += 1
            o[KNOWN_ENEMY + i] = s.known[side, card]
        elif zone == IN_DECK:
            o[KNOWN_DECK + i] = s.known[side, card]
        elif zone == ASIDE_COMMUNE + side:
            o[ASIDE + i] = 1
        elif zone == ASIDE_COMMUNE + enemy:
            o[KNOWN_ENEMY + i] = s.known[side, card]
        elif zone == IN_PLAY:
            o[CHOSEN + i] = 1
        elif zone == DISCARDED and s.discarded_round[card] == s.round_number:
            o[DISCARDS + i] = 1
        elif zone == DISCARDED or zone == REMOVED or zone == NOT_USED or zone == SPENT_COMMUNE + side:
            o[GONE + i] = 1
    o[DECK] = s.deck_size
    top = int(s.top_discard)
    if top != NO_CARD and s.discarded_by[top] == enemy and s.discarded_round[top] == s.round_number:
        o[TOP_DISCARD + top - 1] = 1


@rule
def observe_objectives(s: Any, side: int, o: Any) -> None:
    """Objective cards, as far as the side knows."""
    for i in range(OBJECTIVES):
        zone = int(s.objective_zone[i])
        if zone == CHOSEN_COMMUNE + side:
            o[OWN_OBJECTIVE + i] = 1
        elif zone == OFFERED_COMMUNE + side:
            o[OFFERED + i] = 1
        elif zone == CHOSEN_COMMUNE + 1 - side:
            o[ENEMY_OBJECTIVE + i] = s.objective_known[1 - side]
        elif zone > REJECTED_COMMUNE + 1 or zone == REJECTED_COMMUNE + side:
            o[GONE_OBJECTIVES + i] = 1


@rule
def observe_question(s: Any, frame: Any, side: int, o: Any) -> None:
    """What this side is asked, with what the question is about."""
    kind, a, b = int(frame[FRAME_KIND]), int(frame[FRAME_A]), int(frame[FRAME_B])
    o[QUESTION + kind] = 1
    if kind == ASK_USE:
        o[CHOSEN + a - 1] = 1
    elif kind == ASK_BONUS or kind == ASK_DE_ESCALATE:
        o[DIMENSION + a] = 1
        o[POINTS] = b
    elif kind >= ASK_OPERATION and kind <= ASK_DISC:
        o[POINTS] = a
        placing = int(frame[FRAME_D] if kind == ASK_PLACE else frame[FRAME_E])
        o[PLACING] = int(placing > 0)
        if placing > 0 and (kind == ASK_MOVE or kind == ASK_DISC):
            o[SOURCE + placing - 1] = 1
    elif kind == ASK_WHETHER:
        o[WHETHER + a] = 1
        if a == WHETHER_MOMENTUM:
            o[WHETHER_STEP_OF + int(b != side)] = frame[FRAME_C]
        elif a == WHETHER_ENEMY_EVENT:
            o[CHOSEN + b - 1] = 1


@rule
def observe_event(s: Any, o: Any) -> None:
    """The event being carried out, if any: public, whoever is asked."""
    for k in range(s.depth - 1, -1, -1):
        if s.stack[k, FRAME_KIND] == DO_EVENT:
            o[EVENT + s.stack[k, FRAME_A] - 1] = 1
            o[EVENT_STEP] = s.stack[k, FRAME_B]
            return


# -- determinizing what a seat cannot see ------------------------------------------------------------------------------


@rule
def being_chosen(s: Any, card: int) -> bool:
    """A card in the hand of a side that is just deciding how to use it: it stays where the question expects it."""
    return s.depth > 0 and s.stack[s.depth - 1, FRAME_KIND] == ASK_USE and s.stack[s.depth - 1, FRAME_A] == card


@rule
def unseen(s: Any, side: int, card: int) -> bool:
    """Whether a side cannot tell where a strategy card is; a Final Crisis card goes to the hand openly (R16)."""
    if is_final_card(card):
        return False
    zone, enemy = int(s.zone[card]), 1 - side
    hidden = zone == IN_DECK or zone == IN_HAND_COMMUNE + enemy or zone == ASIDE_COMMUNE + enemy
    if zone == SPENT_COMMUNE + enemy:
        return True
    return hidden and s.known[side, card] == 0 and not being_chosen(s, card)


@rule
def unseen_objective(s: Any, side: int, i: int) -> bool:
    """Whether a side cannot tell where an objective card is."""
    zone, enemy = int(s.objective_zone[i]), 1 - side
    if zone == CHOSEN_COMMUNE + enemy:
        return s.objective_known[enemy] == 0
    return zone == OBJECTIVE_DECK or zone == OFFERED_COMMUNE + enemy or zone == REJECTED_COMMUNE + enemy
