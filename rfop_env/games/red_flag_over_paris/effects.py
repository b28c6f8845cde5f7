"""Effects on spaces, one piece after the other: the questions ASK_PLACE to ASK_DISC ("Event"; R5, R9, R10, R28)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, frames, pieces
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def optional(frame: Vector) -> bool:
    """True if the side may stop: "up to" or "may"."""
    return frame[frames.effect.flags] & (components.UP_TO | components.MAY) != 0


@rule
def moves_disc(s: State, frame: Vector, kind: int) -> bool:
    """True if a disc event begins with the disc to move: both discs of the side are on the map (R10)."""
    begins = kind == frames.ASK_DISC and frame[frames.ask_disc.source] == 0
    return begins and pieces.all_discs_placed(s, frame[FRAME_SIDE])


@rule
def effect_targets(s: State, frame: Vector, kind: int) -> int:
    """The spaces that can be chosen in the pending effect; none ends it."""
    side = frame[FRAME_SIDE]
    spaces = frame[frames.effect.spaces]
    if frame[frames.effect.count] <= 0:
        return 0

    if kind == frames.ASK_PLACE:
        return pieces.place_targets(s, side, spaces, frame[frames.ask_place.out_of_play])
    if kind == frames.ASK_REMOVE:
        return pieces.cube_spaces(s, board.enemy(side), spaces)
    if kind == frames.ASK_REPLACE:
        return pieces.replace_targets(s, side, spaces)
    if kind == frames.ASK_REMOVE_OWN:
        return pieces.cube_spaces(s, side, spaces)
    if kind == frames.ASK_MOVE and frame[frames.ask_move.source] > 0:
        return pieces.move_destinations(s, side, frame[frames.ask_move.source] - 1, frame[frames.ask_move.destinations])
    if kind == frames.ASK_MOVE:
        return pieces.move_sources(s, side, spaces, frame[frames.ask_move.destinations])
    if kind == frames.ASK_DISC:
        targets = pieces.disc_targets(s, spaces)
        return pieces.disc_spaces(s, side) if targets != 0 and moves_disc(s, frame, kind) else targets
    s.fault = 1
    return 0


@rule
def no_targets(s: State, frame: Vector, kind: int) -> bool:
    """True if no space can be chosen in the pending effect."""
    return effect_targets(s, frame, kind) == 0


@rule
def effect_action(s: State, frame: Vector, kind: int) -> int:
    """The first action id of what the pending effect asks for; + space."""
    if kind == frames.ASK_PLACE:
        return actions.PLACE_IN
    if kind == frames.ASK_REMOVE:
        return actions.REMOVE_FROM
    if kind == frames.ASK_REPLACE:
        return actions.REPLACE_IN
    if kind == frames.ASK_REMOVE_OWN:
        return actions.TAKE_FROM
    if kind == frames.ASK_MOVE:
        return actions.PLACE_IN if frame[frames.ask_move.source] > 0 else actions.TAKE_FROM
    if kind == frames.ASK_DISC:
        return actions.TAKE_FROM if moves_disc(s, frame, kind) else actions.DISC_IN
    s.fault = 1
    return 0


@rule
def can_stop_effect(s: State, frame: Vector, kind: int) -> bool:
    """True if "done" is legal: never between the two halves of a move; moving a disc is optional (R10)."""
    if (kind == frames.ASK_MOVE or kind == frames.ASK_DISC) and frame[frames.ask_move.source] > 0:
        return False
    return optional(frame) or moves_disc(s, frame, kind)


@rule
def legal_effect(s: State, frame: Vector, kind: int, mask: Any) -> None:
    """Allow the targets of the effect, and to stop where that is possible."""
    targets = effect_targets(s, frame, kind)
    pieces.allow(mask, effect_action(s, frame, kind), targets)
    if can_stop_effect(s, frame, kind):
        mask[actions.DONE] = True


@rule
def answer_effect(s: State, c: Components, frame: Vector, kind: int, action: int) -> None:
    """Carry out an effect on one space."""
    if action == actions.DONE:
        pop(s)
        return

    side = frame[FRAME_SIDE]
    space = action - effect_action(s, frame, kind)
    if kind == frames.ASK_MOVE or kind == frames.ASK_DISC:
        answer_two_step(s, frame, kind, space)
        return

    # One piece less, and with "different spaces" one space less.
    frame[frames.effect.count] -= 1
    if frame[frames.effect.flags] & components.DIFFERENT:
        frame[frames.effect.spaces] &= ~board.bit(space)

    # A replacement removes before it places.
    if kind == frames.ASK_REMOVE or kind == frames.ASK_REPLACE:
        pieces.return_cube(s, c, board.enemy(side), space)
    if kind == frames.ASK_REMOVE_OWN:
        pieces.return_cube(s, c, side, space)
    if kind == frames.ASK_PLACE or kind == frames.ASK_REPLACE:
        pieces.place_cube(s, c, side, space, kind == frames.ASK_PLACE and frame[frames.ask_place.out_of_play] == 1)

    if kind == frames.ASK_PLACE and frame[frames.ask_place.mode] == frames.PLACE_EITHER:
        ask_source(s, frame)


@rule
def answer_two_step(s: State, frame: Vector, kind: int, space: int) -> None:
    """Move a piece: first where from, then where to. A disc has no first half while one is still off the map."""
    side = frame[FRAME_SIDE]
    source = frame[frames.ask_move.source] - 1
    if source < 0 and (kind == frames.ASK_MOVE or pieces.all_discs_placed(s, side)):
        frame[frames.ask_move.source] = space + 1
        return

    frame[frames.ask_move.source] = 0
    frame[frames.effect.count] -= 1
    if kind == frames.ASK_MOVE:
        pieces.move_cube(s, side, source, space)
        return
    if source >= 0:
        pieces.remove_disc(s, side, source)
    pieces.place_disc(s, side, space)


@rule
def ask_source(s: State, frame: Vector) -> None:
    """Ask if the next cube is one of those removed from play, where there is a choice (R28)."""
    side = frame[FRAME_SIDE]
    frame[frames.ask_place.out_of_play] = int(pieces.supply(s, side) == 0)
    if s.out_of_play[side] > 0 and pieces.supply(s, side) > 0 and effect_targets(s, frame, frames.ASK_PLACE) != 0:
        push(s, frames.ASK_WHETHER, side, frames.WHETHER_OUT_OF_PLAY)
