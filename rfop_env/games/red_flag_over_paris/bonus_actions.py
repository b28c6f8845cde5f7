"""Pivotal bonus actions: who may take them, in which order, and what each does (R14)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, control, frames, journal, pieces, state
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def check_pivotal_spaces(s: State) -> None:
    """Note who controls which pivotal space: checked once, after the card plays (R14)."""
    clear_pivotal(s)
    for x in range(board.SPACES):
        for side in range(board.SIDES):
            if board.has(board.PIVOTAL_SPACES, x) and control.controls(s, side, x):
                s.pivotal[side] |= board.bit(board.dimension(x))


@rule
def clear_pivotal(s: State) -> None:
    """Leave no bonus action to come."""
    for side in range(board.SIDES):
        s.pivotal[side] = 0


@rule
def ask_bonus_actions(s: State) -> bool:
    """Ask for the next pivotal bonus action; returns false if none is left."""
    if s.pivotal[board.COMMUNE] == 0 and s.pivotal[board.VERSAILLES] == 0:
        return False
    push(s, frames.ASK_BONUS_ORDER, order_decider(s))
    return True


@rule
def order_decider(s: State) -> int:
    """The side that orders what happens at the end of a round: the Initiative player; in solo always the player."""
    return s.initiative if s.bot == state.NOBODY else board.enemy(s.bot)


@rule
def bot_has_initiative(s: State) -> bool:
    """True in a solo game whose Solo Opponent is the Initiative player."""
    return s.bot != state.NOBODY and s.initiative == s.bot


@rule
def legal_bonus_order(s: State, mask: Any) -> None:
    """Allow the bonus actions still to come; a Solo Opponent with the initiative goes after the player."""
    dimensions = s.pivotal[board.COMMUNE] | s.pivotal[board.VERSAILLES]
    if bot_has_initiative(s):
        players = s.pivotal[board.enemy(s.bot)]
        dimensions = players if players != 0 else dimensions

    for d in range(board.DIMENSIONS):
        if board.has(dimensions, d):
            mask[actions.BONUS_OF + d] = True


@rule
def answer_bonus_order(s: State, action: int) -> None:
    """Open the bonus action of a dimension for the side that controls its pivotal space."""
    pop(s)
    dimension = action - actions.BONUS_OF
    side = board.COMMUNE if board.has(s.pivotal[board.COMMUNE], dimension) else board.VERSAILLES
    s.pivotal[side] &= ~board.bit(dimension)
    push(s, frames.DO_SETTLE, side)
    push(s, frames.ASK_BONUS, side, dimension)


@rule
def legal_bonus(s: State, frame: Vector, mask: Any) -> None:
    """Allow the bonus actions that can be carried out; each is optional."""
    side = frame[FRAME_SIDE]
    spaces = board.dimension_spaces(frame[frames.ask_bonus.dimension])
    mask[actions.DE_ESCALATE] = pieces.cube_spaces(s, side, spaces) != 0
    mask[actions.SPREAD] = pieces.move_sources(s, side, spaces, spaces) != 0
    mask[actions.TURNCOAT] = pieces.replace_targets(s, side, spaces) != 0
    mask[actions.DONE] = True


@rule
def answer_bonus(s: State, frame: Vector, action: int) -> None:
    """Begin the chosen bonus action."""
    side = frame[FRAME_SIDE]
    dimension = frame[frames.ask_bonus.dimension]
    spaces = board.dimension_spaces(dimension)
    pop(s)
    if action == actions.DONE:
        return

    note(s, journal.NOTE_BONUS, side, dimension, action - actions.BONUS)
    if action == actions.DE_ESCALATE:
        push(s, frames.ASK_DE_ESCALATE, side, dimension)
    elif action == actions.SPREAD:
        push(s, frames.ASK_MOVE, side, 2, spaces, components.UP_TO, spaces)
    elif action == actions.TURNCOAT:
        push(s, frames.ASK_REPLACE, side, 1, spaces, 0, 1)
    else:
        s.fault = 1


@rule
def legal_de_escalate(s: State, frame: Vector, mask: Any) -> None:
    """Allow up to 2 of the side's own cubes; or 1 of them and then 1 enemy cube (R14)."""
    side = frame[FRAME_SIDE]
    spaces = board.dimension_spaces(frame[frames.ask_bonus.dimension])
    own = pieces.cube_spaces(s, side, spaces)
    enemy = pieces.cube_spaces(s, board.enemy(side), spaces)
    pieces.allow(mask, actions.TAKE_FROM, own)
    if frame[frames.ask_de_escalate.removals] == 1:
        pieces.allow(mask, actions.REMOVE_FROM, enemy)
    mask[actions.DONE] = True


@rule
def answer_de_escalate(s: State, c: Components, frame: Vector, action: int) -> None:
    """Remove one cube; the second one ends the action."""
    side = frame[FRAME_SIDE]
    if action == actions.DONE or frame[frames.ask_de_escalate.removals] == 1:
        pop(s)
    else:
        frame[frames.ask_de_escalate.removals] = 1

    if action >= actions.TAKE_FROM and action < actions.TAKE_FROM + board.SPACES:
        pieces.return_cube(s, c, side, action - actions.TAKE_FROM)
    elif action != actions.DONE:
        pieces.return_cube(s, c, board.enemy(side), action - actions.REMOVE_FROM)


@rule
def end_bonus_action(s: State, c: Components, frame: Vector) -> None:
    """Settle the breaches of a bonus action (R6)."""
    side = frame[FRAME_SIDE]
    pop(s)
    pieces.settle_all(s, c, side)
