"""Victory Points: Crisis Dimensions, Objective Cards, momentum, and who wins (R12, R15 to R17, R20)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.games.red_flag_over_paris.actions import FIRST
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, MILITARY, MOMENTUM_LIMIT, POLITICAL, SIDES, SPHERES, VERSAILLES, VP_LIMIT, controls, controls_dimension,
    count_bits, dimensions_in, enemy_of, sphere_of,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.bonus_actions import (
    bot_has_initiative, check_pivotal_spaces, clear_pivotal, order_decider,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE
from rfop_env.games.red_flag_over_paris.event_conditions import event_usable
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_EVENT_ORDER, ASK_SCORE_ORDER, ASK_WHETHER, DO_SET_ASIDE, SCORED_SPHERE, WHETHER_OBJECTIVE_EVENT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_OBJECTIVE
from rfop_env.games.red_flag_over_paris.pieces import gain_vp, own_vp, settle_all
from rfop_env.games.red_flag_over_paris.state import (
    COMMUNE_CONDITION, COMMUNE_TIEBREAK, CONTROLLED, FULFILLED_COMMUNE, NOBODY, NOT_CONTROLLED, NO_CARD, OBJECTIVE_GONE,
    SET_ASIDE, SOLO_TIE, VERSAILLES_CONDITION, VERSAILLES_TIEBREAK,
)  # fmt: skip


# -- victory points ------------------------------------------------------------------------------------------------


@rule
def score(s: Any, sphere: int, commune: int, versailles: int) -> None:
    """Give both sides their VP of a sphere; ask for the order where it matters: at an end of the track (R12)."""
    if commune > 0 and versailles > 0 and abs(int(s.vp[sphere])) == VP_LIMIT:
        if bot_has_initiative(s):
            score_in_order(s, sphere, enemy_of(int(s.bot)))  # solo step 7: the player first
        else:
            push(s, ASK_SCORE_ORDER, order_decider(s), sphere)
        return

    for _ in range(commune):
        gain_vp(s, COMMUNE, sphere)
    for _ in range(versailles):
        gain_vp(s, VERSAILLES, sphere)


@rule
def score_in_order(s: Any, sphere: int, first: int) -> None:
    """Give each side one VP, the first side's first."""
    gain_vp(s, first, sphere)
    gain_vp(s, enemy_of(first), sphere)


@rule
def legal_first(mask: Any) -> None:
    """Allow either side to come first."""
    for side in range(SIDES):
        mask[FIRST + side] = True


@rule
def answer_score_order(s: Any, frame: Any, action: int) -> None:
    """Score in the chosen order."""
    sphere = int(frame[SCORED_SPHERE])
    pop(s)
    score_in_order(s, sphere, action - FIRST)


@rule
def score_dimensions(s: Any) -> None:
    """Give 1 VP for each Crisis Dimension of which a side controls all three spaces (R12)."""
    for sphere in range(SPHERES):
        commune = 0
        versailles = 0
        for d in dimensions_in(sphere):
            commune += int(controls_dimension(s, COMMUNE, d))
            versailles += int(controls_dimension(s, VERSAILLES, d))
        score(s, sphere, commune, versailles)


# -- objectives ----------------------------------------------------------------------------------------------------


@rule
def score_objectives(s: Any, c: Any) -> None:
    """Reveal both cards; 1 VP for each of the two targets controlled (R15). Solo: the player scores only its own."""
    for side in range(SIDES):
        s.objective_known[side] = 1
        s.scored_own[side] = int(controls(s, side, int(c.target[s.objective[side]])))
        note(s, NOTE_OBJECTIVE, side, int(s.objective[side]), int(s.scored_own[side]))

    for sphere in range(SPHERES):
        commune = objective_gain(s, c, COMMUNE, sphere)
        versailles = objective_gain(s, c, VERSAILLES, sphere)
        score(s, sphere, commune, versailles)


@rule
def objective_gain(s: Any, c: Any, side: int, sphere: int) -> int:
    """VP of a sphere that a side gains for the two targets."""
    gain = 0
    for owner in range(SIDES):
        target = int(c.target[s.objective[owner]])
        barred = s.bot != NOBODY and side != s.bot and owner == s.bot  # solo step 8
        if sphere_of(target) == sphere and controls(s, side, target) and not barred:
            gain += 1
    return gain


@rule
def next_objective_event(s: Any, c: Any) -> bool:
    """Open the next fulfilled objective's event; returns false once none is left."""
    both = s.scored_own[COMMUNE] == CONTROLLED and s.scored_own[VERSAILLES] == CONTROLLED
    if both and bot_has_initiative(s):
        fulfil(s, c, enemy_of(int(s.bot)))  # solo step 8: the player first
    elif both:
        push(s, ASK_EVENT_ORDER, order_decider(s))
    elif s.scored_own[COMMUNE] == CONTROLLED:
        fulfil(s, c, COMMUNE)
    elif s.scored_own[VERSAILLES] == CONTROLLED:
        fulfil(s, c, VERSAILLES)
    else:
        return False
    return True


@rule
def answer_event_order(s: Any, c: Any, action: int) -> None:
    """Open the event of the chosen side's objective."""
    pop(s)
    fulfil(s, c, action - FIRST)


@rule
def fulfil(s: Any, c: Any, side: int) -> None:
    """Offer the event of a side's objective; the card is set aside as fulfilled once that is over (R27)."""
    card = int(s.objective[side])
    push(s, DO_SET_ASIDE, side)
    if event_usable(s, c, side, card):
        push(s, ASK_WHETHER, side, WHETHER_OBJECTIVE_EVENT, card)


@rule
def end_objective(s: Any, c: Any, frame: Any) -> None:
    """Settle breaches after an objective's event, and set the card aside (R6, R27)."""
    side = int(frame[FRAME_SIDE])
    pop(s)
    settle_all(s, c, side)
    set_objective_aside(s, side)


@rule
def set_objective_aside(s: Any, side: int) -> None:
    """Put a side's objective on its pile of fulfilled ones."""
    s.scored_own[side] = SET_ASIDE
    s.fulfilled[side] += 1
    s.objective_zone[s.objective[side] - FIRST_OBJECTIVE] = FULFILLED_COMMUNE + side


@rule
def put_objectives_away(s: Any) -> None:
    """Remove the objectives that were not fulfilled from the game."""
    for side in range(SIDES):
        if s.scored_own[side] == NOT_CONTROLLED and s.objective[side] != NO_CARD:
            s.objective_zone[s.objective[side] - FIRST_OBJECTIVE] = OBJECTIVE_GONE
        s.scored_own[side] = NOT_CONTROLLED
        s.objective[side] = NO_CARD
        s.objective_known[side] = 0


# -- victory -------------------------------------------------------------------------------------------------------


@rule
def score_momentum(s: Any) -> None:
    """Give 1 VP for momentum 3: Political for the Commune, Military for Versailles (R16)."""
    if s.momentum[COMMUNE] == MOMENTUM_LIMIT:
        gain_vp(s, COMMUNE, POLITICAL)
    if s.momentum[VERSAILLES] == MOMENTUM_LIMIT:
        gain_vp(s, VERSAILLES, MILITARY)


@rule
def tiebreak_margin(s: Any) -> int:
    """The tiebreakers won by the Commune less those won by Versailles (R17)."""
    points = int(s.vp[POLITICAL]) + int(s.vp[MILITARY])
    objectives = int(s.fulfilled[COMMUNE]) - int(s.fulfilled[VERSAILLES])

    check_pivotal_spaces(s)
    pivotal = count_bits(int(s.pivotal[COMMUNE])) - count_bits(int(s.pivotal[VERSAILLES]))
    clear_pivotal(s)

    initiative = 1 if s.initiative == COMMUNE else -1
    return sign(points) + sign(objectives) + sign(pivotal) + initiative


@rule
def sign(x: int) -> int:
    """-1, 0 or 1."""
    return int(x > 0) - int(x < 0)


@rule
def decide_winner(s: Any) -> None:
    """End the game: the victory conditions, then the tiebreakers; in solo the Solo Opponent wins a tie (R17)."""
    political = own_vp(s, COMMUNE, POLITICAL)
    military = own_vp(s, VERSAILLES, MILITARY)
    if military >= 0 and military > political:
        end_game(s, VERSAILLES, VERSAILLES_CONDITION)
    elif political >= 0 and political > military:
        end_game(s, COMMUNE, COMMUNE_CONDITION)
    elif s.bot != NOBODY:
        end_game(s, int(s.bot), SOLO_TIE)
    elif tiebreak_margin(s) >= 0:
        end_game(s, COMMUNE, COMMUNE_TIEBREAK)
    else:
        end_game(s, VERSAILLES, VERSAILLES_TIEBREAK)


@rule
def end_game(s: Any, winner: int, reason: int) -> None:
    """End the game, won by a side for a reason."""
    s.winner = winner
    s.end_reason = reason
    s.over = 1
