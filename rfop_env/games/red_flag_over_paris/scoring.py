"""The end of a round: pivotal bonus actions, Crisis Dimensions, Objective Cards, victory (R12, R14 to R17, R20)."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_SIDE, note, pop, push
from rfop_env.core.rule import rule
from rfop_env.games.red_flag_over_paris.actions import (
    BONUS, BONUS_OF, DE_ESCALATE, DONE, FIRST, REMOVE_FROM, SPREAD, TAKE_FROM, TURNCOAT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, DIMENSIONS, MILITARY, MOMENTUM_LIMIT, PIVOTAL_SPACES, POLITICAL, SIDES, SPACES, VERSAILLES, VP_LIMIT,
    bit, controls, controls_dimension, dimension_of, dimension_spaces, has, sphere_of,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import FIRST_OBJECTIVE, UP_TO
from rfop_env.games.red_flag_over_paris.events import cubes_of, event_usable, move_sources, replace_targets
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_DE_ESCALATE, ASK_EVENT_ORDER, ASK_MOVE, ASK_REPLACE, ASK_SCORE_ORDER, ASK_WHETHER,
    DO_SET_ASIDE, DO_SETTLE, WHETHER_OBJECTIVE_EVENT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_BONUS, NOTE_OBJECTIVE
from rfop_env.games.red_flag_over_paris.pieces import gain_vp, own_vp, return_cube
from rfop_env.games.red_flag_over_paris.state import (
    COMMUNE_CONDITION, COMMUNE_TIEBREAK, CONTROLLED, FULFILLED_COMMUNE, NO_CARD, NOBODY, NOT_CONTROLLED,
    OBJECTIVE_GONE, SET_ASIDE, SOLO_TIE, VERSAILLES_CONDITION, VERSAILLES_TIEBREAK,
)  # fmt: skip

# -- pivotal bonus actions -----------------------------------------------------------------------------------------


@rule
def check_pivotal_spaces(s: Any) -> None:
    """R14: control of every pivotal space is checked once, after the card plays."""
    s.pivotal[COMMUNE] = s.pivotal[VERSAILLES] = 0
    for x in range(SPACES):
        for side in range(SIDES):
            if has(PIVOTAL_SPACES, x) and controls(s, side, x):
                s.pivotal[side] |= bit(dimension_of(x))


@rule
def order_decider(s: Any) -> int:
    """Who orders what happens at the end of a round: the Initiative player; in solo always the player."""
    return int(s.initiative) if s.bot == NOBODY else 1 - int(s.bot)


@rule
def legal_bonus_order(s: Any, mask: Any) -> None:
    """Bonus actions still to come; a Solo Opponent with the initiative goes after the player."""
    dimensions = int(s.pivotal[COMMUNE]) | int(s.pivotal[VERSAILLES])
    if s.bot != NOBODY and s.initiative == s.bot and s.pivotal[1 - s.bot] != 0:
        dimensions = int(s.pivotal[1 - s.bot])
    for d in range(DIMENSIONS):
        if has(dimensions, d):
            mask[BONUS_OF + d] = True


@rule
def answer_bonus_order(s: Any, action: int) -> None:
    """Open the bonus action of a dimension for the side that controls its pivotal space."""
    pop(s)
    dimension = action - BONUS_OF
    side = COMMUNE if has(int(s.pivotal[COMMUNE]), dimension) else VERSAILLES
    s.pivotal[side] &= ~bit(dimension)
    push(s, DO_SETTLE, side, 0, 0, 0, 0)
    push(s, ASK_BONUS, side, dimension, 0, 0, 0)


@rule
def legal_bonus(s: Any, frame: Any, mask: Any) -> None:
    """The bonus actions that can be carried out; each is optional."""
    side, spaces = int(frame[FRAME_SIDE]), dimension_spaces(int(frame[FRAME_A]))
    mask[DE_ESCALATE] = cubes_of(s, side, spaces) != 0
    mask[SPREAD] = move_sources(s, side, spaces, spaces) != 0
    mask[TURNCOAT] = replace_targets(s, side, spaces) != 0
    mask[DONE] = True


@rule
def answer_bonus(s: Any, frame: Any, action: int) -> None:
    """Begin the chosen bonus action."""
    side, dimension = int(frame[FRAME_SIDE]), int(frame[FRAME_A])
    spaces = dimension_spaces(dimension)
    pop(s)
    if action == DONE:
        return
    note(s, NOTE_BONUS, side, dimension, action - BONUS)
    if action == DE_ESCALATE:
        push(s, ASK_DE_ESCALATE, side, dimension, 0, 0, 0)
    elif action == SPREAD:
        push(s, ASK_MOVE, side, 2, spaces, UP_TO, spaces)
    else:
        push(s, ASK_REPLACE, side, 1, spaces, 0, 1)


@rule
def legal_de_escalate(s: Any, frame: Any, mask: Any) -> None:
    """Own cubes, up to 2; or 1 own cube and then 1 enemy cube (R14)."""
    side, spaces = int(frame[FRAME_SIDE]), dimension_spaces(int(frame[FRAME_A]))
    own, enemy = cubes_of(s, side, spaces), cubes_of(s, 1 - side, spaces)
    for x in range(SPACES):
        if has(own, x):
            mask[TAKE_FROM + x] = True
        if has(enemy, x) and frame[FRAME_B] == 1:
            mask[REMOVE_FROM + x] = True
    mask[DONE] = True


@rule
def answer_de_escalate(s: Any, c: Any, frame: Any, action: int) -> None:
    """Remove one cube; the second one ends the action."""
    side, removed = int(frame[FRAME_SIDE]), int(frame[FRAME_B])
    if action == DONE or removed == 1:
        pop(s)
    else:
        frame[FRAME_B] = 1
    if action >= TAKE_FROM and action < TAKE_FROM + SPACES:
        return_cube(s, c, side, action - TAKE_FROM)
    elif action != DONE:
        return_cube(s, c, 1 - side, action - REMOVE_FROM)


# -- victory points ------------------------------------------------------------------------------------------------


@rule
def score(s: Any, sphere: int, commune: int, versailles: int) -> None:
    """Give both sides their VP of a sphere; ask for the order where it matters: at an end of the track (R12)."""
    if commune > 0 and versailles > 0 and abs(int(s.vp[sphere])) == VP_LIMIT:
        if s.bot != NOBODY and s.initiative == s.bot:
            score_in_order(s, sphere, 1 - int(s.bot))  # solo step 7: the player first
        else:
            push(s, ASK_SCORE_ORDER, order_decider(s), sphere, 0, 0, 0)
        return
    for _ in range(commune):
        gain_vp(s, COMMUNE, sphere)
    for _ in range(versailles):
        gain_vp(s, VERSAILLES, sphere)


@rule
def score_in_order(s: Any, sphere: int, first: int) -> None:
    """One VP for each side, the first side's first."""
    gain_vp(s, first, sphere)
    gain_vp(s, 1 - first, sphere)


@rule
def answer_score_order(s: Any, frame: Any, action: int) -> None:
    """Score in the chosen order."""
    sphere = int(frame[FRAME_A])
    pop(s)
    score_in_order(s, sphere, action - FIRST)


@rule
def score_dimensions(s: Any) -> None:
    """1 VP for each Crisis Dimension of which a side controls all three spaces."""
    for sphere in range(2):
        commune = versailles = 0
        for d in range(2 * sphere, 2 * sphere + 2):
            commune += int(controls_dimension(s, COMMUNE, d))
            versailles += int(controls_dimension(s, VERSAILLES, d))
        score(s, sphere, commune, versailles)


# -- objectives ----------------------------------------------------------------------------------------------------


@rule
def score_objectives(s: Any, c: Any) -> None:
    """R15: reveal both cards; 1 VP for each of the two targets controlled. Solo: the player scores only its own."""
    for side in range(SIDES):
        s.objective_known[side] = 1
        s.scored_own[side] = int(controls(s, side, int(c.target[s.objective[side]])))
        note(s, NOTE_OBJECTIVE, side, int(s.objective[side]), int(s.scored_own[side]))
    for sphere in range(2):
        commune = objective_gain(s, c, COMMUNE, sphere)
        score(s, sphere, commune, objective_gain(s, c, VERSAILLES, sphere))


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
    if both and s.bot != NOBODY and s.initiative == s.bot:
        fulfil(s, c, 1 - int(s.bot))
    elif both:
        push(s, ASK_EVENT_ORDER, order_decider(s), 0, 0, 0, 0)
    elif s.scored_own[COMMUNE] == CONTROLLED:
        fulfil(s, c, COMMUNE)
    elif s.scored_own[VERSAILLES] == CONTROLLED:
        fulfil(s, c, VERSAILLES)
    else:
        return False
    return True


@rule
def fulfil(s: Any, c: Any, side: int) -> None:
    """Offer the event of a side's objective; the card is set aside as fulfilled once that is over (R27)."""
    card = int(s.objective[side])
    push(s, DO_SET_ASIDE, side, 0, 0, 0, 0)
    if event_usable(s, c, side, card):
        push(s, ASK_WHETHER, side, WHETHER_OBJECTIVE_EVENT, card, 0, 0)


@rule
def set_objective_aside(s: Any, side: int) -> None:
    """Put a side's objective on its pile of fulfilled ones."""
    s.scored_own[side] = SET_ASIDE
    s.fulfilled[side] += 1
    s.objective_zone[s.objective[side] - FIRST_OBJECTIVE] = FULFILLED_COMMUNE + side


@rule
def put_objectives_away(s: Any) -> None:
    """Objectives that were not fulfilled leave the game."""
    for side in range(SIDES):
        if s.scored_own[side] == NOT_CONTROLLED and s.objective[side] != NO_CARD:
            s.objective_zone[s.objective[side] - FIRST_OBJECTIVE] = OBJECTIVE_GONE
        s.scored_own[side] = NOT_CONTROLLED
        s.objective[side] = NO_CARD
        s.objective_known[side] = 0


# -- victory -------------------------------------------------------------------------------------------------------


@rule
def score_momentum(s: Any) -> None:
    """+1 VP for momentum 3: Political for the Commune, Military for Versailles."""
    if s.momentum[COMMUNE] == MOMENTUM_LIMIT:
        gain_vp(s, COMMUNE, POLITICAL)
    if s.momentum[VERSAILLES] == MOMENTUM_LIMIT:
        gain_vp(s, VERSAILLES, MILITARY)


@rule
def tiebreak_margin(s: Any) -> int:
    """Tiebreakers won by the Commune less those won by Versailles (R17)."""
    check_pivotal_spaces(s)
    margin = sign(int(s.vp[POLITICAL]) + int(s.vp[MILITARY]))
    margin += sign(int(s.fulfilled[COMMUNE] - s.fulfilled[VERSAILLES]))
    pivotal = 0
    for d in range(DIMENSIONS):
        pivotal += int(has(int(s.pivotal[COMMUNE]), d)) - int(has(int(s.pivotal[VERSAILLES]), d))
    s.pivotal[COMMUNE] = s.pivotal[VERSAILLES] = 0
    return margin + sign(pivotal) + (1 if s.initiative == COMMUNE else -1)


@rule
def sign(x: int) -> int:
    """-1, 0 or 1."""
    return int(x > 0) - int(x < 0)


@rule
def decide_winner(s: Any) -> None:
    """R17: the victory conditions, then the tiebreakers; in solo the Solo Opponent wins a tie."""
    political, military = own_vp(s, COMMUNE, POLITICAL), own_vp(s, VERSAILLES, MILITARY)
    if military >= 0 and military > political:
        s.winner, s.end_reason = VERSAILLES, VERSAILLES_CONDITION
    elif political >= 0 and political > military:
        s.winner, s.end_reason = COMMUNE, COMMUNE_CONDITION
    elif s.bot != NOBODY:
        s.winner, s.end_reason = s.bot, SOLO_TIE
    elif tiebreak_margin(s) >= 0:
        s.winner, s.end_reason = COMMUNE, COMMUNE_TIEBREAK
    else:
        s.winner, s.end_reason = VERSAILLES, VERSAILLES_TIEBREAK
    s.over = 1
