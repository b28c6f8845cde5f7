"""Conditions of card events: the "if" and the "must" of their rows (R9; "Event")."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import board, cards, components, control, operations, pieces
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


# -- single rows ---------------------------------------------------------------------------------------------------


@rule
def row_spaces(s: State, c: Components, side: int, step: Vector) -> int:
    """The spaces of a row, narrowed to the side's presence where the card says so (assessed once)."""
    spaces = step[components.STEP_SPACES]
    return spaces & control.presence(s, c, side) if step[components.STEP_FLAGS] & components.WHERE_PRESENT else spaces


@rule
def condition_holds(s: State, side: int, step: Vector) -> bool:
    """True if the "if" of a row is met for a side."""
    condition = step[components.STEP_CONDITION]
    argument = step[components.STEP_CONDITION_ARGUMENT]
    if condition == components.IF_CONTROL:
        return control.controls(s, side, argument)
    if condition == components.IF_OWN_MOMENTUM:
        return s.momentum[side] >= argument
    if condition == components.IF_ENEMY_MOMENTUM:
        return s.momentum[board.enemy(side)] >= argument
    return True


@small_rule
def momentum_track(side: int, step: Vector) -> int:
    """The side whose momentum a MOMENTUM row of a side's event changes."""
    return side if step[components.STEP_SECOND] == 0 else board.enemy(side)


@rule
def momentum_can_change(s: State, side: int, step: Vector) -> bool:
    """True if a MOMENTUM row can be carried out."""
    value = s.momentum[momentum_track(side, step)] + step[components.STEP_COUNT]
    return value >= 0 and value <= board.MOMENTUM_LIMIT


@rule
def operations_possible(s: State, c: Components, side: int, points: int, spaces: int) -> bool:
    """True if a side could remove or place anything in a set of spaces with that many points."""
    spaces &= operations.acting_spaces(s, c, side)
    if operations.removal_spaces(s, side, spaces, points) != 0:
        return True
    return pieces.supply(s, side) > 0 and operations.placement_spaces(s, side, spaces, points) != 0


@rule
def card_row_possible(s: State, c: Components, side: int, card: int, operation: int) -> bool:
    """True if the event of `card` finds a card to swap, other than itself, or a discard to use."""
    for candidate in range(1, components.STRATEGY_CARDS + 1):
        if operation == components.SWAP_CARD and candidate != card and can_swap(s, side, candidate):
            return True
        if operation == components.USE_ANY_DISCARD and discard_offers_event(s, c, side, candidate):
            return True
    return False


@rule
def row_possible(s: State, c: Components, side: int, card: int, step: Vector) -> bool:
    """True if a row of a card's event could do anything for a side now, by the rules for players."""
    operation = step[components.STEP_OPERATION]
    spaces = row_spaces(s, c, side, step)

    # Momentum.
    if operation == components.MOMENTUM:
        return momentum_can_change(s, side, step)

    # Cubes and discs.
    if operation == components.PLACE or operation == components.PLACE_OUT_OF_PLAY:
        return pieces.place_targets(s, side, spaces, int(operation == components.PLACE_OUT_OF_PLAY)) != 0
    if operation == components.REMOVE:
        return pieces.cube_spaces(s, board.enemy(side), spaces) != 0
    if operation == components.REPLACE:
        return pieces.replace_targets(s, side, spaces) != 0
    if operation == components.REMOVE_OWN:
        return pieces.cube_spaces(s, side, spaces) != 0
    if operation == components.MOVE:
        return pieces.move_sources(s, side, spaces, step[components.STEP_SECOND]) != 0
    if operation == components.PLACE_DISC:
        return pieces.disc_targets(s, spaces) != 0

    # Operations Points.
    if operation == components.OPERATIONS:
        return operations_possible(s, c, side, step[components.STEP_COUNT], spaces)
    if operation == components.OPERATIONS_BOTH:
        political = operations_possible(s, c, side, step[components.STEP_SECOND], board.POLITICAL_SPACES)
        return political or operations_possible(s, c, side, step[components.STEP_COUNT], spaces)

    # Cards; looking at them is always possible.
    if operation == components.SWAP_CARD or operation == components.USE_ANY_DISCARD:
        return card_row_possible(s, c, side, card, operation)
    return operation != components.END


@rule
def can_swap(s: State, side: int, card: int) -> bool:
    """True if a card can go to the top of the deck: a hand card, never a Final Crisis card, and a deck is there."""
    return s.deck_size > 0 and cards.in_hand(s, side, card) and not cards.is_final_card(card)


@rule
def discard_offers_event(s: State, c: Components, side: int, card: int) -> bool:
    """True for a card of a side, or neutral, discarded this round; not one whose event would choose again."""
    if not cards.fresh_discard(s, card) or c.side[card] == board.enemy(side):
        return False
    for k in range(components.MAX_STEPS):
        if c.program[card, k, components.STEP_OPERATION] == components.USE_ANY_DISCARD:
            return False
    return True


# -- whole events --------------------------------------------------------------------------------------------------


@rule
def musts_met(s: State, c: Components, side: int, card: int, option: int) -> bool:
    """True if every "must" among an option's rows can be met; option 0: among the rows outside options (R9)."""
    for k in range(components.MAX_STEPS):
        step = c.program[card, k]
        must = step[components.STEP_FLAGS] & components.MUST != 0 and step[components.STEP_OPTION] == option
        if must and condition_holds(s, side, step) and not row_possible(s, c, side, card, step):
            return False
    return True


@rule
def usable_options(s: State, c: Components, side: int, card: int) -> int:
    """The options (bits) of an event whose every "must" can be met."""
    options = 0
    for k in range(components.MAX_STEPS):
        option = c.program[card, k, components.STEP_OPTION]
        if option > 0 and musts_met(s, c, side, card, option):
            options |= board.bit(option)
    return options


@rule
def has_options(c: Components, card: int) -> bool:
    """True if an event has exclusive options."""
    for k in range(components.MAX_STEPS):
        if c.program[card, k, components.STEP_OPTION] > 0:
            return True
    return False


@rule
def event_usable(s: State, c: Components, side: int, card: int) -> bool:
    """True if an "if" that opens the event is met, and every "must", in one option at least (R9)."""
    first = c.program[card, 0]
    if first[components.STEP_OPTION] == 0 and not condition_holds(s, side, first):
        return False
    if has_options(c, card) and usable_options(s, c, side, card) == 0:
        return False
    return musts_met(s, c, side, card, 0)


@rule
def event_allowed(s: State, c: Components, side: int, card: int) -> bool:
    """True if a side may use the event at all: of its colour or neutral, and usable."""
    return (c.side[card] == side or c.side[card] == board.NEUTRAL) and event_usable(s, c, side, card)
