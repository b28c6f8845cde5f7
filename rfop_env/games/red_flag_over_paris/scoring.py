"""Victory Points: Crisis Dimensions, Objective Cards, momentum, and who wins (R12, R15 to R17, R20)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, control, frames, journal, state
from rfop_env.games.red_flag_over_paris import bonus_actions, event_conditions, pieces
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


# -- victory points ------------------------------------------------------------------------------------------------


@rule
def score(s: State, sphere: int, commune: int, versailles: int) -> None:
    """Give both sides their VP of a sphere; ask for the order where it matters: at an end of the track (R12)."""
    if commune > 0 and versailles > 0 and abs(s.vp[sphere]) == board.VP_LIMIT:
        if bonus_actions.bot_has_initiative(s):
            score_in_order(s, sphere, board.enemy(s.bot))  # solo step 7: the player first
        else:
            push(s, frames.ASK_SCORE_ORDER, bonus_actions.order_decider(s), sphere)
        return

    for _ in range(commune):
        pieces.gain_vp(s, board.COMMUNE, sphere)
    for _ in range(versailles):
        pieces.gain_vp(s, board.VERSAILLES, sphere)


@rule
def score_in_order(s: State, sphere: int, first: int) -> None:
    """Give each side one VP, the first side's first."""
    pieces.gain_vp(s, first, sphere)
    pieces.gain_vp(s, board.enemy(first), sphere)


@rule
def legal_first(mask: Any) -> None:
    """Allow either side to come first."""
    for side in range(board.SIDES):
        mask[actions.FIRST + side] = True


@rule
def answer_score_order(s: State, frame: Vector, action: int) -> None:
    """Score in the chosen order."""
    sphere = frame[frames.ask_score_order.sphere]
    pop(s)
    score_in_order(s, sphere, action - actions.FIRST)


@rule
def score_dimensions(s: State) -> None:
    """Give 1 VP for each Crisis Dimension of which a side controls all three spaces (R12)."""
    for sphere in range(board.SPHERES):
        commune = 0
        versailles = 0
        for d in board.dimensions_in(sphere):
            commune += int(control.controls_dimension(s, board.COMMUNE, d))
            versailles += int(control.controls_dimension(s, board.VERSAILLES, d))
        score(s, sphere, commune, versailles)


# -- objectives ----------------------------------------------------------------------------------------------------


@rule
def score_objectives(s: State, c: Components) -> None:
    """Reveal both cards; 1 VP for each of the two targets controlled (R15). Solo: the player scores only its own."""
    for side in range(board.SIDES):
        s.objective_known[side] = 1
        s.scored_own[side] = int(control.controls(s, side, c.target[s.objective[side]]))
        note(s, journal.NOTE_OBJECTIVE, side, s.objective[side], s.scored_own[side])

    for sphere in range(board.SPHERES):
        commune = objective_gain(s, c, board.COMMUNE, sphere)
        versailles = objective_gain(s, c, board.VERSAILLES, sphere)
        score(s, sphere, commune, versailles)


@rule
def objective_gain(s: State, c: Components, side: int, sphere: int) -> int:
    """VP of a sphere that a side gains for the two targets."""
    gain = 0
    for owner in range(board.SIDES):
        target = c.target[s.objective[owner]]
        barred = s.bot != state.NOBODY and side != s.bot and owner == s.bot  # solo step 8
        if board.sphere(target) == sphere and control.controls(s, side, target) and not barred:
            gain += 1
    return gain


@rule
def next_objective_event(s: State, c: Components) -> bool:
    """Open the next fulfilled objective's event; returns false once none is left."""
    two_events = s.scored_own[board.COMMUNE] == state.CONTROLLED and s.scored_own[board.VERSAILLES] == state.CONTROLLED
    if two_events and bonus_actions.bot_has_initiative(s):
        fulfil(s, c, board.enemy(s.bot))  # solo step 8: the player first
    elif two_events:
        push(s, frames.ASK_EVENT_ORDER, bonus_actions.order_decider(s))
    elif s.scored_own[board.COMMUNE] == state.CONTROLLED:
        fulfil(s, c, board.COMMUNE)
    elif s.scored_own[board.VERSAILLES] == state.CONTROLLED:
        fulfil(s, c, board.VERSAILLES)
    else:
        return False
    return True


@rule
def answer_event_order(s: State, c: Components, action: int) -> None:
    """Open the event of the chosen side's objective."""
    pop(s)
    fulfil(s, c, action - actions.FIRST)


@rule
def fulfil(s: State, c: Components, side: int) -> None:
    """Offer the event of a side's objective; the card is set aside as fulfilled once that is over (R27)."""
    card = s.objective[side]
    push(s, frames.DO_SET_ASIDE, side)
    if event_conditions.event_usable(s, c, side, card):
        push(s, frames.ASK_WHETHER, side, frames.WHETHER_OBJECTIVE_EVENT, card)


@rule
def end_objective(s: State, c: Components, frame: Vector) -> None:
    """Settle breaches after an objective's event, and set the card aside (R6, R27)."""
    side = frame[FRAME_SIDE]
    pop(s)
    pieces.settle_all(s, c, side)
    set_objective_aside(s, side)


@rule
def set_objective_aside(s: State, side: int) -> None:
    """Put a side's objective on its pile of fulfilled ones."""
    s.scored_own[side] = state.SET_ASIDE
    s.fulfilled[side] += 1
    s.objective_zone[s.objective[side] - components.FIRST_OBJECTIVE] = state.FULFILLED_COMMUNE + side


@rule
def put_objectives_away(s: State) -> None:
    """Remove the objectives that were not fulfilled from the game."""
    for side in range(board.SIDES):
        if s.scored_own[side] == state.NOT_CONTROLLED and s.objective[side] != state.NO_CARD:
            s.objective_zone[s.objective[side] - components.FIRST_OBJECTIVE] = state.OBJECTIVE_GONE
        s.scored_own[side] = state.NOT_CONTROLLED
        s.objective[side] = state.NO_CARD
        s.objective_known[side] = 0


# -- victory -------------------------------------------------------------------------------------------------------


@rule
def score_momentum(s: State) -> None:
    """Give 1 VP for momentum 3: Political for the Commune, Military for Versailles (R16)."""
    if s.momentum[board.COMMUNE] == board.MOMENTUM_LIMIT:
        pieces.gain_vp(s, board.COMMUNE, board.POLITICAL)
    if s.momentum[board.VERSAILLES] == board.MOMENTUM_LIMIT:
        pieces.gain_vp(s, board.VERSAILLES, board.MILITARY)


@rule
def tiebreak_margin(s: State) -> int:
    """The tiebreakers won by the Commune less those won by Versailles (R17)."""
    points = s.vp[board.POLITICAL] + s.vp[board.MILITARY]
    objectives = s.fulfilled[board.COMMUNE] - s.fulfilled[board.VERSAILLES]

    bonus_actions.check_pivotal_spaces(s)
    pivotal = board.count_bits(s.pivotal[board.COMMUNE]) - board.count_bits(s.pivotal[board.VERSAILLES])
    bonus_actions.clear_pivotal(s)

    initiative = 1 if s.initiative == board.COMMUNE else -1
    return sign(points) + sign(objectives) + sign(pivotal) + initiative


@rule
def sign(x: int) -> int:
    """-1, 0 or 1."""
    return int(x > 0) - int(x < 0)


@rule
def decide_winner(s: State) -> None:
    """End the game: the victory conditions, then the tiebreakers; in solo the Solo Opponent wins a tie (R17)."""
    political = pieces.own_vp(s, board.COMMUNE, board.POLITICAL)
    military = pieces.own_vp(s, board.VERSAILLES, board.MILITARY)
    if military >= 0 and military > political:
        end_game(s, board.VERSAILLES, state.VERSAILLES_CONDITION)
    elif political >= 0 and political > military:
        end_game(s, board.COMMUNE, state.COMMUNE_CONDITION)
    elif s.bot != state.NOBODY:
        end_game(s, s.bot, state.SOLO_TIE)
    elif tiebreak_margin(s) >= 0:
        end_game(s, board.COMMUNE, state.COMMUNE_TIEBREAK)
    else:
        end_game(s, board.VERSAILLES, state.VERSAILLES_TIEBREAK)


@rule
def end_game(s: State, winner: int, reason: int) -> None:
    """End the game, won by a side for a reason."""
    s.winner = winner
    s.end_reason = reason
    s.over = 1
