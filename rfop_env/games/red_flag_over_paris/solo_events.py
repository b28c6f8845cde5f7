"""The Solo Opponent's events: which it uses, and how it carries them out ("Performing Events"; R20 to R22, R26)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.games.red_flag_over_paris.actions import DONE, OPTION, REMOVE_FROM, REPLACE_IN, TAKE_FROM, YES
from rfop_env.games.red_flag_over_paris.board import POLITICAL_SPACES, enemy_of, has
from rfop_env.games.red_flag_over_paris.components import (
    END, MAX_STEPS, MOMENTUM, MOVE, OPERATIONS, OPERATIONS_BOTH, PLACE, PLACE_DISC, PLACE_OUT_OF_PLAY, REMOVE,
    REMOVE_OWN, REPLACE, STEP_COUNT, STEP_OPERATION, STEP_OPTION, STEP_SECOND,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.effects import effect_action, effect_targets
from rfop_env.games.red_flag_over_paris.event_conditions import (
    condition_holds, event_usable, momentum_can_change, row_spaces, usable_options,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_DISC, ASK_MOVE, ASK_PLACE, ASK_REMOVE, ASK_REMOVE_OWN, ASK_REPLACE, BY_TURNCOAT, EVENT_CARD, FIRST_OPTION_ROW,
    MOMENTUM_STEP, PLACE_GIFT, PLACE_MODE, WHETHER_ABOUT, WHETHER_CODE, WHETHER_ENEMY_EVENT, WHETHER_MOMENTUM,
    WHETHER_OBJECTIVE_EVENT, WHETHER_OUT_OF_PLAY,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import all_discs_placed
from rfop_env.games.red_flag_over_paris.solo_bonus_actions import advise_move, turncoat_targets
from rfop_env.games.red_flag_over_paris.solo_definitions import available, room
from rfop_env.games.red_flag_over_paris.solo_operations import operations_have_effect
from rfop_env.games.red_flag_over_paris.solo_selection import (
    FOR_PLACEMENT, FOR_REPLACEMENT, any_of, select_place, select_remove,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.targets import cubes_of, disc_targets, move_sources, replace_targets


@rule
def bot_targets(s: Any, side: int, frame: Any, kind: int) -> int:
    """The spaces where the bot lets an effect apply: only Available cubes, and for events only spaces with Room.

    A cube for the player's momentum is no event: there Room is but a row of the Place table (R26).
    """
    targets = effect_targets(s, frame, kind)
    if kind != ASK_PLACE and kind != ASK_REPLACE:
        return targets
    if available(s, side) == 0:
        return 0

    gift = kind == ASK_PLACE and frame[PLACE_MODE] == PLACE_GIFT
    return targets if gift else room(s, side, targets)


@rule
def row_has_effect(s: Any, c: Any, side: int, step: Any) -> bool:
    """True if a row would have an effect for the bot, other than raising the player's momentum (R20)."""
    operation = int(step[STEP_OPERATION])
    spaces = row_spaces(s, c, side, step)
    can_place = available(s, side) > 0

    # Cubes and discs.
    if operation == PLACE or operation == PLACE_OUT_OF_PLAY:
        return can_place and room(s, side, spaces) != 0
    if operation == REPLACE:
        return can_place and room(s, side, replace_targets(s, side, spaces)) != 0
    if operation == REMOVE:
        return cubes_of(s, enemy_of(side), spaces) != 0
    if operation == PLACE_DISC:
        return disc_targets(s, spaces) != 0 and not all_discs_placed(s, side)
    if operation == MOVE:
        return move_sources(s, side, spaces, int(step[STEP_SECOND])) != 0
    if operation == REMOVE_OWN:
        return cubes_of(s, side, spaces) != 0

    # Operations Points.
    if operation == OPERATIONS:
        return operations_have_effect(s, c, side, spaces, int(step[STEP_COUNT]))
    if operation == OPERATIONS_BOTH:
        political = operations_have_effect(s, c, side, POLITICAL_SPACES, int(step[STEP_SECOND]))
        return political or operations_have_effect(s, c, side, spaces, int(step[STEP_COUNT]))

    # Momentum, unless the bot would lose by it. Cards are no effect: it holds none.
    if operation == MOMENTUM:
        raises_player = step[STEP_SECOND] == 1 and step[STEP_COUNT] > 0
        lowers_own = step[STEP_SECOND] == 0 and step[STEP_COUNT] < 0
        return momentum_can_change(s, side, step) and not raises_player and not lowers_own
    return False


@rule
def event_has_effect(s: Any, c: Any, side: int, card: int) -> bool:
    """True if the bot uses an event: its conditions are met and some row has an effect."""
    if not event_usable(s, c, side, card):
        return False
    for k in range(MAX_STEPS):
        step = c.program[card, k]
        if step[STEP_OPERATION] == END:
            return False
        if condition_holds(s, side, step) and row_has_effect(s, c, side, step):
            return True
    return False


@rule
def advise_option(s: Any, c: Any, side: int, frame: Any) -> int:
    """Choose the first option that would have an effect; never one whose "must" cannot be met."""
    card = int(frame[EVENT_CARD])
    usable = usable_options(s, c, side, card)
    first = 0
    for row in range(int(frame[FIRST_OPTION_ROW]), MAX_STEPS):
        step = c.program[card, row]
        option = int(step[STEP_OPTION])
        if option == 0 or not has(usable, option):
            continue
        if first == 0:
            first = option
        if condition_holds(s, side, step) and row_has_effect(s, c, side, step):
            return OPTION + option
    return OPTION + first


@rule
def advise_effect(s: Any, c: Any, side: int, frame: Any, kind: int) -> int:
    """Carry an event out as completely as possible ("Performing Events")."""
    # A Turncoat has targets of its own; a disc is not moved, as no table says which.
    if kind == ASK_REPLACE and frame[BY_TURNCOAT] == 1:
        targets = turncoat_targets(s, side, effect_targets(s, frame, kind))
        return REPLACE_IN + select_place(s, c, side, targets, FOR_REPLACEMENT)
    if kind == ASK_DISC and all_discs_placed(s, side):
        return DONE

    targets = bot_targets(s, side, frame, kind)
    if targets == 0:
        return DONE
    if kind == ASK_MOVE:
        return advise_move(s, c, side, frame, targets)
    if kind == ASK_REMOVE:
        return REMOVE_FROM + select_remove(s, c, side, targets)
    if kind == ASK_REMOVE_OWN:
        return TAKE_FROM + any_of(s, targets)
    if kind == ASK_REPLACE:
        return REPLACE_IN + select_place(s, c, side, targets, FOR_REPLACEMENT)
    return effect_action(s, frame, kind) + select_place(s, c, side, targets, FOR_PLACEMENT)


@rule
def advise_whether(s: Any, c: Any, side: int, frame: Any) -> int:
    """Use events with an effect; never raise the player's momentum, nor lower the bot's own, by choice."""
    question = int(frame[WHETHER_CODE])
    about = int(frame[WHETHER_ABOUT])
    change = int(frame[MOMENTUM_STEP])
    if question == WHETHER_ENEMY_EVENT or question == WHETHER_OBJECTIVE_EVENT:
        return YES if event_has_effect(s, c, side, about) else DONE
    if question == WHETHER_MOMENTUM:
        return YES if (change > 0) == (about == side) else DONE
    return DONE if question == WHETHER_OUT_OF_PLAY else YES  # cubes out of play are not Available (R21)
