"""Effects on spaces, one piece after the other: the questions ASK_PLACE to ASK_DISC ("Event"; R5, R9, R10, R28)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, pop, push
from rfop_env.games.red_flag_over_paris.actions import DISC_IN, DONE, PLACE_IN, REMOVE_FROM, REPLACE_IN, TAKE_FROM
from rfop_env.games.red_flag_over_paris.board import bit, enemy_of
from rfop_env.games.red_flag_over_paris.components import DIFFERENT, MAY, UP_TO
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_DISC, ASK_MOVE, ASK_PLACE, ASK_REMOVE, ASK_REMOVE_OWN, ASK_REPLACE, ASK_WHETHER, DESTINATIONS, EFFECT_FLAGS,
    FROM_OUT_OF_PLAY, MOVING_FROM, PIECES_LEFT, PLACE_EITHER, PLACE_MODE, TARGET_SPACES, WHETHER_OUT_OF_PLAY,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import (
    all_discs_placed, move_cube, place_cube, place_disc, remove_disc, return_cube, supply,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.targets import (
    allow, cubes_of, disc_targets, discs_of, move_destinations, move_sources, place_targets, replace_targets,
)  # fmt: skip


@rule
def optional(frame: Any) -> bool:
    """True if the side may stop: "up to" or "may"."""
    return int(frame[EFFECT_FLAGS]) & (UP_TO | MAY) != 0


@rule
def moves_disc(s: Any, frame: Any, kind: int) -> bool:
    """True if a disc event begins with the disc to move: both discs of the side are on the map (R10)."""
    return kind == ASK_DISC and frame[MOVING_FROM] == 0 and all_discs_placed(s, int(frame[FRAME_SIDE]))


@rule
def effect_targets(s: Any, frame: Any, kind: int) -> int:
    """The spaces that can be chosen in the pending effect; none ends it."""
    side = int(frame[FRAME_SIDE])
    spaces = int(frame[TARGET_SPACES])
    if frame[PIECES_LEFT] <= 0:
        return 0

    if kind == ASK_PLACE:
        return place_targets(s, side, spaces, int(frame[FROM_OUT_OF_PLAY]))
    if kind == ASK_REMOVE:
        return cubes_of(s, enemy_of(side), spaces)
    if kind == ASK_REPLACE:
        return replace_targets(s, side, spaces)
    if kind == ASK_REMOVE_OWN:
        return cubes_of(s, side, spaces)
    if kind == ASK_MOVE and frame[MOVING_FROM] > 0:
        return move_destinations(s, side, int(frame[MOVING_FROM]) - 1, int(frame[DESTINATIONS]))
    if kind == ASK_MOVE:
        return move_sources(s, side, spaces, int(frame[DESTINATIONS]))
    if kind == ASK_DISC:
        targets = disc_targets(s, spaces)
        return discs_of(s, side) if targets != 0 and moves_disc(s, frame, kind) else targets
    s.fault = 1
    return 0


@rule
def effect_action(s: Any, frame: Any, kind: int) -> int:
    """The first action id of what the pending effect asks for; + space."""
    if kind == ASK_PLACE:
        return PLACE_IN
    if kind == ASK_REMOVE:
        return REMOVE_FROM
    if kind == ASK_REPLACE:
        return REPLACE_IN
    if kind == ASK_REMOVE_OWN:
        return TAKE_FROM
    if kind == ASK_MOVE:
        return PLACE_IN if frame[MOVING_FROM] > 0 else TAKE_FROM
    if kind == ASK_DISC:
        return TAKE_FROM if moves_disc(s, frame, kind) else DISC_IN
    s.fault = 1
    return 0


@rule
def can_stop_effect(s: Any, frame: Any, kind: int) -> bool:
    """True if "done" is legal: never between the two halves of a move; moving a disc is optional (R10)."""
    if (kind == ASK_MOVE or kind == ASK_DISC) and frame[MOVING_FROM] > 0:
        return False
    return optional(frame) or moves_disc(s, frame, kind)


@rule
def legal_effect(s: Any, frame: Any, kind: int, mask: Any) -> None:
    """Allow the targets of the effect, and to stop where that is possible."""
    targets = effect_targets(s, frame, kind)
    allow(mask, effect_action(s, frame, kind), targets)
    if can_stop_effect(s, frame, kind):
        mask[DONE] = True


@rule
def answer_effect(s: Any, c: Any, frame: Any, kind: int, action: int) -> None:
    """Carry out an effect on one space."""
    if action == DONE:
        pop(s)
        return

    side = int(frame[FRAME_SIDE])
    space = action - effect_action(s, frame, kind)
    if kind == ASK_MOVE or kind == ASK_DISC:
        answer_two_step(s, frame, kind, space)
        return

    # One piece less, and with "different spaces" one space less.
    frame[PIECES_LEFT] -= 1
    if int(frame[EFFECT_FLAGS]) & DIFFERENT:
        frame[TARGET_SPACES] &= ~bit(space)

    # A replacement removes before it places.
    if kind == ASK_REMOVE or kind == ASK_REPLACE:
        return_cube(s, c, enemy_of(side), space)
    if kind == ASK_REMOVE_OWN:
        return_cube(s, c, side, space)
    if kind == ASK_PLACE or kind == ASK_REPLACE:
        place_cube(s, c, side, space, kind == ASK_PLACE and frame[FROM_OUT_OF_PLAY] == 1)

    if kind == ASK_PLACE and frame[PLACE_MODE] == PLACE_EITHER:
        ask_source(s, frame)


@rule
def answer_two_step(s: Any, frame: Any, kind: int, space: int) -> None:
    """Move a piece: first where from, then where to. A disc has no first half while one is still off the map."""
    side = int(frame[FRAME_SIDE])
    source = int(frame[MOVING_FROM]) - 1
    if source < 0 and (kind == ASK_MOVE or all_discs_placed(s, side)):
        frame[MOVING_FROM] = space + 1
        return

    frame[MOVING_FROM] = 0
    frame[PIECES_LEFT] -= 1
    if kind == ASK_MOVE:
        move_cube(s, side, source, space)
        return
    if source >= 0:
        remove_disc(s, side, source)
    place_disc(s, side, space)


@rule
def ask_source(s: Any, frame: Any) -> None:
    """Ask if the next cube is one of those removed from play, where there is a choice (R28)."""
    side = int(frame[FRAME_SIDE])
    frame[FROM_OUT_OF_PLAY] = int(supply(s, side) == 0)
    if s.out_of_play[side] > 0 and supply(s, side) > 0 and effect_targets(s, frame, ASK_PLACE) != 0:
        push(s, ASK_WHETHER, side, WHETHER_OUT_OF_PLAY)
