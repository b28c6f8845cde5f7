"""The Solo Opponent's events: which it uses, and how it carries them out ("Performing Events"; R20 to R22, R26)."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, effects, event_conditions, frames
from rfop_env.games.red_flag_over_paris import pieces, solo_bonus_actions, solo_operations, solo_selection
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


@rule
def bot_targets(s: State, side: int, frame: Vector, kind: int) -> int:
    """The spaces where the bot lets an effect apply: only Available cubes, and for events only spaces with Room.

    A cube for the player's momentum is no event: there Room is but a row of the Place table (R26).
    """
    targets = effects.effect_targets(s, frame, kind)
    if kind != frames.ASK_PLACE and kind != frames.ASK_REPLACE:
        return targets
    if solo_selection.available(s, side) == 0:
        return 0

    gift = kind == frames.ASK_PLACE and frame[frames.ask_place.mode] == frames.PLACE_GIFT
    return targets if gift else solo_selection.room(s, side, targets)


@rule
def row_has_effect(s: State, c: Components, side: int, step: Vector) -> bool:
    """True if a row would have an effect for the bot, other than raising the player's momentum (R20, R31)."""
    operation = step[components.STEP_OPERATION]
    spaces = event_conditions.row_spaces(s, c, side, step)
    can_place = solo_selection.available(s, side) > 0

    # Cubes and discs.
    if operation == components.PLACE or operation == components.PLACE_OUT_OF_PLAY:
        return can_place and solo_selection.room(s, side, spaces) != 0
    if operation == components.REPLACE:
        return can_place and solo_selection.room(s, side, pieces.replace_targets(s, side, spaces)) != 0
    if operation == components.REMOVE:
        return pieces.cube_spaces(s, board.enemy(side), spaces) != 0
    if operation == components.PLACE_DISC:
        return pieces.disc_targets(s, spaces) != 0 and not pieces.all_discs_placed(s, side)
    if operation == components.MOVE:
        return pieces.move_sources(s, side, spaces, step[components.STEP_SECOND]) != 0
    if operation == components.REMOVE_OWN:
        return pieces.cube_spaces(s, side, spaces) != 0

    # Operations Points.
    if operation == components.OPERATIONS:
        return solo_operations.operations_have_effect(s, c, side, spaces, step[components.STEP_COUNT])
    if operation == components.OPERATIONS_BOTH:
        second = step[components.STEP_SECOND]
        political = solo_operations.operations_have_effect(s, c, side, board.POLITICAL_SPACES, second)
        return political or solo_operations.operations_have_effect(s, c, side, spaces, step[components.STEP_COUNT])

    # Momentum, its own downwards too (R31). Cards are no effect: it holds none.
    if operation == components.MOMENTUM:
        raises_player = step[components.STEP_SECOND] == 1 and step[components.STEP_COUNT] > 0
        return event_conditions.momentum_can_change(s, side, step) and not raises_player
    return False


@rule
def event_has_effect(s: State, c: Components, side: int, card: int) -> bool:
    """True if the bot uses an event: its conditions are met and some row has an effect."""
    if not event_conditions.event_usable(s, c, side, card):
        return False
    for k in range(components.MAX_STEPS):
        step = c.program[card, k]
        if step[components.STEP_OPERATION] == components.END:
            return False
        if event_conditions.condition_holds(s, side, step) and row_has_effect(s, c, side, step):
            return True
    return False


@rule
def advise_option(s: State, c: Components, side: int, frame: Vector) -> int:
    """Choose the first option that would have an effect; never one whose "must" cannot be met."""
    card = frame[frames.do_event.card]
    usable = event_conditions.usable_options(s, c, side, card)
    first = 0
    for row in range(frame[frames.ask_option.first_row], components.MAX_STEPS):
        step = c.program[card, row]
        option = step[components.STEP_OPTION]
        if option == 0 or not board.has(usable, option):
            continue
        if first == 0:
            first = option
        if event_conditions.condition_holds(s, side, step) and row_has_effect(s, c, side, step):
            return actions.OPTION + option
    return actions.OPTION + first


@rule
def advise_effect(s: State, c: Components, side: int, frame: Vector, kind: int) -> int:
    """Carry an event out as completely as possible ("Performing Events")."""
    # A Turncoat has targets of its own; a disc is not moved, as no table says which.
    if kind == frames.ASK_REPLACE and frame[frames.ask_replace.turncoat] == 1:
        targets = solo_bonus_actions.turncoat_targets(s, side, effects.effect_targets(s, frame, kind))
        return actions.REPLACE_IN + solo_selection.select_place(s, c, side, targets, solo_selection.FOR_REPLACEMENT)
    if kind == frames.ASK_DISC and pieces.all_discs_placed(s, side):
        return actions.DONE

    targets = bot_targets(s, side, frame, kind)
    if targets == 0:
        return actions.DONE
    if kind == frames.ASK_MOVE:
        return solo_bonus_actions.advise_move(s, c, side, frame, targets)
    if kind == frames.ASK_REMOVE:
        return actions.REMOVE_FROM + solo_selection.select_remove(s, c, side, targets)
    if kind == frames.ASK_REMOVE_OWN:
        return actions.TAKE_FROM + solo_selection.random_space(s, targets)
    if kind == frames.ASK_REPLACE:
        return actions.REPLACE_IN + solo_selection.select_place(s, c, side, targets, solo_selection.FOR_REPLACEMENT)
    space = solo_selection.select_place(s, c, side, targets, solo_selection.FOR_PLACEMENT)
    return effects.effect_action(s, frame, kind) + space


@rule
def advise_whether(s: State, c: Components, side: int, frame: Vector) -> int:
    """Use events with an effect, and all of them (R31); but never raise the player's momentum by choice."""
    question = frame[frames.ask_whether.code]
    about = frame[frames.ask_whether.about]
    change = frame[frames.ask_whether.step]
    if question == frames.WHETHER_ENEMY_EVENT or question == frames.WHETHER_OBJECTIVE_EVENT:
        return actions.YES if event_has_effect(s, c, side, about) else actions.DONE
    if question == frames.WHETHER_MOMENTUM:
        return actions.YES if about == side or change < 0 else actions.DONE
    if question == frames.WHETHER_OUT_OF_PLAY:
        return actions.DONE  # cubes out of play are not Available (R21)
    return actions.YES
