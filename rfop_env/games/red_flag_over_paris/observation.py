"""The observation of Red Flag Over Paris: its named pieces, and the rules that write them for a side."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import FRAME_KIND
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import board, cards, components, control, frames, pieces, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State

_CARDS = tuple(str(n) for n in range(1, components.STRATEGY_CARDS + 1))
_OBJECTIVES = tuple(str(components.FIRST_OBJECTIVE + i) for i in range(components.OBJECTIVES))
_EVENTS = (*_CARDS, *_OBJECTIVES)
_BOTH = ("own", "enemy")
_ROUNDS = tuple(str(n) for n in range(1, state.ROUNDS + 1))


def _public(name: str, low: int, high: int, meaning: str, entries: tuple[str, ...] = ()) -> Piece:
    return Piece(name, len(entries) or 1, low, high, "public", meaning, entries)


def _private(name: str, meaning: str, entries: tuple[str, ...]) -> Piece:
    return Piece(name, len(entries), 0, 1, "private", meaning, entries)


def _history(name: str, high: int, meaning: str) -> Piece:
    """The public history of every card (R32): positive where this side used it, negative where the enemy did."""
    return _public(name, -high, high, f"{meaning}; negative: by the enemy", _CARDS)


LAYOUT = ObservationLayout(
    [
        _public("question", 0, 1, "what this side is asked; none if the enemy is", frames.QUESTION_NAMES),
        _public("side", 0, 1, "0 Commune, 1 Versailles"),
        _public("solo", 0, 1, "1: the enemy is the Solo Opponent"),
        _public("round", 0, 1, "round 1 to 3, or the Final Crisis", ("1", "2", "3", "Final Crisis")),
        _public("plays", 0, 6, "card plays begun in this round, both sides together"),
        _public("initiative", 0, 1, "1: this side is the Initiative player"),
        _public("vp", -5, 5, "Victory Points as this side sees them", ("political", "military")),
        _public("momentum", 0, 3, "Player Momentum", _BOTH),
        _public("own_cubes", 0, 4, "this side's cubes", board.SPACE_NAMES),
        _public("enemy_cubes", 0, 4, "the enemy's cubes", board.SPACE_NAMES),
        _public("own_discs", 0, 1, "this side's Fortifications or Barricades", board.MILITARY_NAMES),
        _public("enemy_discs", 0, 1, "the enemy's", board.MILITARY_NAMES),
        _public("control", -1, 1, "1: this side controls the space, -1: the enemy does", board.SPACE_NAMES),
        _public("pool", 0, 18, "cubes in the pools", _BOTH),
        _public("own_track", 0, 18, "cubes left on this side's crisis track", board.ZONE_NAMES),
        _public("enemy_track", 0, 18, "cubes left on the enemy's crisis track", board.ZONE_NAMES),
        _public("own_bonus", 0, 18, "this side's bonus cubes left", board.ZONE_NAMES[1:]),
        _public("enemy_bonus", 0, 18, "the enemy's bonus cubes left", board.ZONE_NAMES[1:]),
        _public("out_of_play", 0, 18, "cubes removed from play", _BOTH),
        _public("collaboration", 0, 18, "cubes left under Prussian Collaboration", ("1", "2", "3")),
        _public("pool_room", 0, 18, "free places in the Commune's cube pool"),
        _public("first_breach", 0, 1, "the side that first breached its Final Crisis zone", _BOTH),
        _private("hand", "cards in this side's hand", _CARDS),
        _private("aside", "cards that this side has set aside for the Final Crisis", _CARDS),
        _private("chosen", "the card chosen, in play, or asked about", _CARDS),
        _private("known_enemy", "cards that the enemy is known to hold or to have set aside", _CARDS),
        _private("known_deck", "cards known to be in the deck: swapped there by this side", _CARDS),
        _public("discarded", 0, 1, "cards in the discard pile from this round", _CARDS),
        _private("gone", "cards discarded in earlier rounds, or out of the game as far as this side knows", _CARDS),
        _public("top_discard", 0, 1, "the top of the discard pile, if the enemy discarded it this round", _CARDS),
        _public("final_card", 0, 1, "1: the Final Crisis card is still face up", _BOTH),
        _public("hand_sizes", 0, 9, "cards in hand", _BOTH),
        _public("deck_size", 0, 39, "cards left in the strategy deck"),
        _private("own_objective", "the objective kept this round", _OBJECTIVES),
        _private("offered", "the two Objective Cards to choose from", _OBJECTIVES),
        _private("enemy_objective", "the enemy's objective, if known", _OBJECTIVES),
        _private("gone_objectives", "scored, gone, or rejected by this side", _OBJECTIVES),
        _public("fulfilled", 0, 3, "objectives fulfilled", _BOTH),
        _public("points", 0, 18, "Operations Points or cubes left in the pending question"),
        _public("placing", 0, 1, "1: placing points, second half of a move, or a cube from out of play"),
        _public("dimension", 0, 1, "the dimension of the pending bonus action", board.DIMENSION_NAMES),
        _public("source", 0, 1, "the space that the moving piece comes from", board.SPACE_NAMES),
        _public("whether", 0, 1, "the subject of a yes-or-no question", frames.WHETHER_NAMES),
        _public("whether_momentum", -1, 1, "the change of momentum asked about", _BOTH),
        _public("event", 0, 1, "the event being carried out", _EVENTS),
        _public("event_step", 0, 8, "the next row of that event"),
        _public("own_pivotal", 0, 1, "this side's bonus actions still to come", board.DIMENSION_NAMES),
        _public("enemy_pivotal", 0, 1, "the enemy's bonus actions still to come", board.DIMENSION_NAMES),
        _history("used_round", state.FINAL_ROUND, "the round, 4 for the Final Crisis, of a card's last open use"),
        _history("used_event", 1, "cards last used openly for their event"),
        _history("used_operations", 1, "for operations"),
        _history("used_copy", 1, "for the event of the top discard"),
        _history("used_momentum", 1, "for momentum, where that is face up (Censor variant)"),
        _history("used_final_crisis", 1, "for the points of the own Final Crisis card"),
        _public("own_momentum_cards", 0, 3, "cards that this side gave up for momentum, by round", _ROUNDS),
        _public("enemy_momentum_cards", 0, 3, "cards that the enemy gave up for momentum, by round", _ROUNDS),
    ]
)

AT = LAYOUT.offsets


@small_rule
def seat_side(s: State, seat: int) -> int:
    """The side that a seat plays: the seat's number, or in solo the side that is not the bot's."""
    return seat if s.bot == state.NOBODY else board.enemy(s.bot)


@rule
def observe_position(s: State, c: Components, side: int, o: Any) -> None:
    """Write what a side sees of the position, all but the question that it is asked."""
    observe_course(s, side, o)
    observe_map(s, side, o)
    observe_stock(s, c, side, o)
    observe_cards(s, side, o)
    observe_history(s, side, o)
    observe_objectives(s, side, o)
    observe_event(s, o)


@rule
def observe_course(s: State, side: int, o: Any) -> None:
    """Write round, initiative, VP, momentum, and what each side has in stock."""
    o[AT.side] = side
    o[AT.solo] = int(s.bot != state.NOBODY)
    if s.round_number > 0:
        o[AT.round + s.round_number - 1] = 1
    o[AT.plays] = s.plays
    o[AT.initiative] = int(s.initiative == side)
    for sphere in range(board.SPHERES):
        o[AT.vp + sphere] = pieces.own_vp(s, side, sphere)

    for k in range(board.SIDES):
        who = side if k == 0 else board.enemy(side)
        o[AT.momentum + k] = s.momentum[who]
        o[AT.pool + k] = s.pool[who]
        o[AT.out_of_play + k] = s.out_of_play[who]
        o[AT.fulfilled + k] = s.fulfilled[who]
        o[AT.first_breach + k] = int(s.first_final_breach == who)
        o[AT.final_card + k] = int(s.zone[cards.final_card(who)] == state.FACE_UP)


@rule
def observe_map(s: State, side: int, o: Any) -> None:
    """Write cubes, discs, control, and bonus actions to come."""
    enemy = board.enemy(side)
    for x in range(board.SPACES):
        o[AT.own_cubes + x] = s.cubes[side, x]
        o[AT.enemy_cubes + x] = s.cubes[enemy, x]
        o[AT.control + x] = int(control.controls(s, side, x)) - int(control.controls(s, enemy, x))

    for x in board.military_spaces():
        o[AT.own_discs + x - board.FIRST_MILITARY_SPACE] = int(control.has_disc(s, side, x))
        o[AT.enemy_discs + x - board.FIRST_MILITARY_SPACE] = int(control.has_disc(s, enemy, x))

    for d in range(board.DIMENSIONS):
        o[AT.own_pivotal + d] = int(board.has(s.pivotal[side], d))
        o[AT.enemy_pivotal + d] = int(board.has(s.pivotal[enemy], d))


@rule
def observe_stock(s: State, c: Components, side: int, o: Any) -> None:
    """Write crisis tracks, bonus cubes, collaboration cubes, and the Commune's free pool places."""
    enemy = board.enemy(side)
    for zone in range(board.ZONES):
        o[AT.own_track + zone] = s.track[side, zone]
        o[AT.enemy_track + zone] = s.track[enemy, zone]
    for zone in range(board.ESCALATION, board.ZONES):
        o[AT.own_bonus + zone - board.ESCALATION] = s.bonus[side, zone]
        o[AT.enemy_bonus + zone - board.ESCALATION] = s.bonus[enemy, zone]
    for level in range(1, board.MOMENTUM_LIMIT + 1):
        o[AT.collaboration + level - 1] = s.collaboration[level]
    o[AT.pool_room] = c.pool_places[s.momentum[board.COMMUNE]] - s.pool[board.COMMUNE]


@rule
def observe_cards(s: State, side: int, o: Any) -> None:
    """Write where every strategy card is, as far as the side knows.

    No branches, and numbers as narrow as the fields: the compiler takes many cards at once.
    """
    enemy = board.enemy(side)
    own_hand = np.int8(state.IN_HAND_COMMUNE + side)
    own_aside = np.int8(state.ASIDE_COMMUNE + side)
    own_spent = np.int8(state.SPENT_COMMUNE + side)
    enemy_hand = np.int8(state.IN_HAND_COMMUNE + enemy)
    enemy_aside = np.int8(state.ASIDE_COMMUNE + enemy)
    this_round = np.int8(s.round_number)

    for card in range(1, components.STRATEGY_CARDS + 1):
        zone = s.zone[card]
        location_known = s.known[side, card] == 1
        use = s.used_for[card]
        on_pile = (use != state.FOR_MOMENTUM) & (use != state.FOR_DRAW)  # not put under it (R18)
        fresh = (s.used_round[card] == this_round) & on_pile
        i = card - 1

        # Hands, the deck, and cards set aside.
        o[AT.hand + i] = zone == own_hand
        o[AT.aside + i] = zone == own_aside
        o[AT.known_enemy + i] = location_known & ((zone == enemy_hand) | (zone == enemy_aside))
        o[AT.known_deck + i] = location_known & (zone == state.IN_DECK)

        # Cards that lie open, and those that this side has put away.
        o[AT.chosen + i] = zone == state.IN_PLAY
        o[AT.discarded + i] = (zone == state.DISCARDED) & fresh
        old = (zone == state.DISCARDED) & (not fresh)
        o[AT.gone + i] = old | (zone == state.REMOVED) | (zone == state.NOT_USED) | (zone == own_spent)

    own_cards = np.int8(0)
    enemy_cards = np.int8(0)
    for card in range(1, components.STRATEGY_CARDS + 1):
        own_cards = np.int8(own_cards + np.int8(s.zone[card] == own_hand))
        enemy_cards = np.int8(enemy_cards + np.int8(s.zone[card] == enemy_hand))
    o[AT.hand_sizes] = own_cards
    o[AT.hand_sizes + 1] = enemy_cards
    o[AT.deck_size] = s.deck_size
    top = s.top_discard
    if cards.fresh_from_enemy(s, side, top):
        o[AT.top_discard + top - 1] = 1


@rule
def observe_history(s: State, side: int, o: Any) -> None:
    """Write who used which card openly, when and for what, and who gave up cards for momentum (R32).

    Without branches and narrow, as `observe_cards`.
    """
    own = np.int8(side)
    enemy = np.int8(board.enemy(side))
    for card in range(1, components.STRATEGY_CARDS + 1):
        by = s.used_by[card]
        use = s.used_for[card]
        sign = np.int8(np.int8(by == own) - np.int8(by == enemy))
        i = card - 1
        o[AT.used_round + i] = np.int8(sign * s.used_round[card])
        o[AT.used_event + i] = np.int8(sign * np.int8(use == np.int8(state.FOR_EVENT)))
        o[AT.used_operations + i] = np.int8(sign * np.int8(use == np.int8(state.FOR_OPERATIONS)))
        o[AT.used_copy + i] = np.int8(sign * np.int8(use == np.int8(state.FOR_COPY)))
        o[AT.used_momentum + i] = np.int8(sign * np.int8(use == np.int8(state.FOR_MOMENTUM)))
        o[AT.used_final_crisis + i] = np.int8(sign * np.int8(use == np.int8(state.FOR_FINAL_CRISIS)))

    for k in range(state.ROUNDS):
        o[AT.own_momentum_cards + k] = s.momentum_cards[side, k]
        o[AT.enemy_momentum_cards + k] = s.momentum_cards[board.enemy(side), k]


@rule
def observe_objectives(s: State, side: int, o: Any) -> None:
    """Write where the objective cards are, as far as the side knows."""
    enemy = board.enemy(side)
    revealed = s.objective_known[enemy] == 1
    for i in range(components.OBJECTIVES):
        zone = int(s.objective_zone[i])
        o[AT.own_objective + i] = zone == state.CHOSEN_COMMUNE + side
        o[AT.offered + i] = zone == state.OFFERED_COMMUNE + side
        o[AT.enemy_objective + i] = revealed & (zone == state.CHOSEN_COMMUNE + enemy)
        o[AT.gone_objectives + i] = (zone > state.REJECTED_VERSAILLES) | (zone == state.REJECTED_COMMUNE + side)


# -- what the pending question is about, for the side that is asked ----------------------------------------------------


@rule
def observe_use(frame: Vector, o: Any) -> None:
    """Write the card whose use is chosen."""
    o[AT.chosen + frame[frames.ask_use.card] - 1] = 1


@rule
def observe_operation(frame: Vector, o: Any) -> None:
    """Write the Operations Points left, and whether placing has begun."""
    o[AT.points] = frame[frames.ask_operation.points]
    o[AT.placing] = frame[frames.ask_operation.placing]


@rule
def observe_effect(frame: Vector, o: Any) -> None:
    """Write how many pieces are still to be chosen."""
    o[AT.points] = frame[frames.effect.count]


@rule
def observe_placement(frame: Vector, o: Any) -> None:
    """Write how many cubes are still to be placed, and where the next one comes from."""
    o[AT.points] = frame[frames.effect.count]
    o[AT.placing] = frame[frames.ask_place.out_of_play]


@rule
def observe_move(frame: Vector, o: Any) -> None:
    """Write how many pieces are still to be moved, and the space of one that is half moved."""
    o[AT.points] = frame[frames.effect.count]
    if frame[frames.ask_move.source] > 0:
        o[AT.placing] = 1
        o[AT.source + frame[frames.ask_move.source] - 1] = 1


@rule
def observe_whether(frame: Vector, side: int, o: Any) -> None:
    """Write the subject of a yes-or-no question."""
    question = frame[frames.ask_whether.code]
    about = frame[frames.ask_whether.about]
    o[AT.whether + question] = 1
    if question == frames.WHETHER_MOMENTUM:
        o[AT.whether_momentum + int(about != side)] = frame[frames.ask_whether.step]
    elif question == frames.WHETHER_ENEMY_EVENT:
        o[AT.chosen + about - 1] = 1


@rule
def observe_bonus(frame: Vector, o: Any) -> None:
    """Write the dimension of a bonus action."""
    o[AT.dimension + frame[frames.ask_bonus.dimension]] = 1


@rule
def observe_de_escalate(frame: Vector, o: Any) -> None:
    """Write the dimension of a De-escalate, and whether a cube has been removed."""
    o[AT.dimension + frame[frames.ask_de_escalate.dimension]] = 1
    o[AT.points] = frame[frames.ask_de_escalate.removals]


@rule
def observe_event(s: State, o: Any) -> None:
    """Write the event being carried out, if any, for both sides alike."""
    for k in range(s.depth - 1, -1, -1):
        frame = s.stack[k]
        if frame[FRAME_KIND] == frames.DO_EVENT:
            o[AT.event + frame[frames.do_event.card] - 1] = 1
            o[AT.event_step] = frame[frames.do_event.next_row]
            return
