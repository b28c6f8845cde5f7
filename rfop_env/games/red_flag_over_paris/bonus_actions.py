"""Pivotal bonus actions: who may take them, in which order, and what each does (R14)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.games.red_flag_over_paris.actions import (
    BONUS, BONUS_OF, DE_ESCALATE, DONE, REMOVE_FROM, SPREAD, TAKE_FROM, TURNCOAT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, DIMENSIONS, PIVOTAL_SPACES, SIDES, SPACES, VERSAILLES, bit, controls, dimension_of, dimension_spaces,
    enemy_of, has,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import UP_TO
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_BONUS_ORDER, ASK_DE_ESCALATE, ASK_MOVE, ASK_REPLACE, BONUS_DIMENSION, DO_SETTLE, REMOVED_BEFORE,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_BONUS
from rfop_env.games.red_flag_over_paris.pieces import return_cube, settle_all
from rfop_env.games.red_flag_over_paris.state import NOBODY
from rfop_env.games.red_flag_over_paris.targets import allow, cubes_of, move_sources, replace_targets


@rule
def check_pivotal_spaces(s: Any) -> None:
    """Note who controls which pivotal space: checked once, after the card plays (R14)."""
    clear_pivotal(s)
    for x in range(SPACES):
        for side in range(SIDES):
            if has(PIVOTAL_SPACES, x) and controls(s, side, x):
                s.pivotal[side] |= bit(dimension_of(x))


@rule
def clear_pivotal(s: Any) -> None:
    """Leave no bonus action to come."""
    for side in range(SIDES):
        s.pivotal[side] = 0


@rule
def ask_bonus_actions(s: Any) -> bool:
    """Ask for the next pivotal bonus action; returns false if none is left."""
    if s.pivotal[COMMUNE] == 0 and s.pivotal[VERSAILLES] == 0:
        return False
    push(s, ASK_BONUS_ORDER, order_decider(s))
    return True


@rule
def order_decider(s: Any) -> int:
    """The side that orders what happens at the end of a round: the Initiative player; in solo always the player."""
    return int(s.initiative) if s.bot == NOBODY else enemy_of(int(s.bot))


@rule
def bot_has_initiative(s: Any) -> bool:
    """True in a solo game whose Solo Opponent is the Initiative player."""
    return s.bot != NOBODY and s.initiative == s.bot


@rule
def legal_bonus_order(s: Any, mask: Any) -> None:
    """Allow the bonus actions still to come; a Solo Opponent with the initiative goes after the player."""
    dimensions = int(s.pivotal[COMMUNE]) | int(s.pivotal[VERSAILLES])
    if bot_has_initiative(s):
        players = int(s.pivotal[enemy_of(int(s.bot))])
        dimensions = players if players != 0 else dimensions

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
    push(s, DO_SETTLE, side)
    push(s, ASK_BONUS, side, dimension)


@rule
def legal_bonus(s: Any, frame: Any, mask: Any) -> None:
    """Allow the bonus actions that can be carried out; each is optional."""
    side = int(frame[FRAME_SIDE])
    spaces = dimension_spaces(int(frame[BONUS_DIMENSION]))
    mask[DE_ESCALATE] = cubes_of(s, side, spaces) != 0
    mask[SPREAD] = move_sources(s, side, spaces, spaces) != 0
    mask[TURNCOAT] = replace_targets(s, side, spaces) != 0
    mask[DONE] = True


@rule
def answer_bonus(s: Any, frame: Any, action: int) -> None:
    """Begin the chosen bonus action."""
    side = int(frame[FRAME_SIDE])
    dimension = int(frame[BONUS_DIMENSION])
    spaces = dimension_spaces(dimension)
    pop(s)
    if action == DONE:
        return

    note(s, NOTE_BONUS, side, dimension, action - BONUS)
    if action == DE_ESCALATE:
        push(s, ASK_DE_ESCALATE, side, dimension)
    elif action == SPREAD:
        push(s, ASK_MOVE, side, 2, spaces, UP_TO, spaces)
    elif action == TURNCOAT:
        push(s, ASK_REPLACE, side, 1, spaces, 0, 1)
    else:
        s.fault = 1


@rule
def legal_de_escalate(s: Any, frame: Any, mask: Any) -> None:
    """Allow up to 2 of the side's own cubes; or 1 of them and then 1 enemy cube (R14)."""
    side = int(frame[FRAME_SIDE])
    spaces = dimension_spaces(int(frame[BONUS_DIMENSION]))
    own = cubes_of(s, side, spaces)
    enemy = cubes_of(s, enemy_of(side), spaces)
    allow(mask, TAKE_FROM, own)
    if frame[REMOVED_BEFORE] == 1:
        allow(mask, REMOVE_FROM, enemy)
    mask[DONE] = True


@rule
def answer_de_escalate(s: Any, c: Any, frame: Any, action: int) -> None:
    """Remove one cube; the second one ends the action."""
    side = int(frame[FRAME_SIDE])
    if action == DONE or frame[REMOVED_BEFORE] == 1:
        pop(s)
    else:
        frame[REMOVED_BEFORE] = 1

    if action >= TAKE_FROM and action < TAKE_FROM + SPACES:
        return_cube(s, c, side, action - TAKE_FROM)
    elif action != DONE:
        return_cube(s, c, enemy_of(side), action - REMOVE_FROM)


@rule
def end_bonus_action(s: Any, c: Any, frame: Any) -> None:
    """Settle the breaches of a bonus action (R6)."""
    side = int(frame[FRAME_SIDE])
    pop(s)
    settle_all(s, c, side)
