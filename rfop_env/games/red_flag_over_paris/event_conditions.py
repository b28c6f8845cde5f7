"""Conditions of card events: the "if" and the "must" of their rows (R9; "Event")."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.games.red_flag_over_paris.board import (
    MOMENTUM_LIMIT, NEUTRAL, POLITICAL_SPACES, bit, controls, enemy_of, presence,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.cards import in_hand, is_final_card
from rfop_env.games.red_flag_over_paris.components import (
    END, IF_CONTROL, IF_ENEMY_MOMENTUM, IF_OWN_MOMENTUM, MAX_STEPS, MOMENTUM, MOVE, MUST, OPERATIONS, OPERATIONS_BOTH,
    PLACE, PLACE_DISC, PLACE_OUT_OF_PLAY, REMOVE, REMOVE_OWN, REPLACE, STEP_CONDITION, STEP_CONDITION_ARGUMENT,
    STEP_COUNT, STEP_FLAGS, STEP_OPERATION, STEP_OPTION, STEP_SECOND, STEP_SPACES, STRATEGY_CARDS, SWAP_CARD,
    USE_ANY_DISCARD, WHERE_PRESENT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.operations import acting_spaces, placement_spaces, removal_spaces
from rfop_env.games.red_flag_over_paris.pieces import supply
from rfop_env.games.red_flag_over_paris.state import DISCARDED
from rfop_env.games.red_flag_over_paris.targets import (
    cubes_of, disc_targets, move_sources, place_targets, replace_targets,
)  # fmt: skip


# -- single rows ---------------------------------------------------------------------------------------------------


@rule
def row_spaces(s: Any, c: Any, side: int, step: Any) -> int:
    """The spaces of a row, narrowed to the side's presence where the card says so (assessed once)."""
    spaces = int(step[STEP_SPACES])
    return spaces & presence(s, c, side) if int(step[STEP_FLAGS]) & WHERE_PRESENT else spaces


@rule
def condition_holds(s: Any, side: int, step: Any) -> bool:
    """True if the "if" of a row is met for a side."""
    condition = int(step[STEP_CONDITION])
    argument = int(step[STEP_CONDITION_ARGUMENT])
    if condition == IF_CONTROL:
        return controls(s, side, argument)
    if condition == IF_OWN_MOMENTUM:
        return s.momentum[side] >= argument
    if condition == IF_ENEMY_MOMENTUM:
        return s.momentum[enemy_of(side)] >= argument
    return True


@small_rule
def momentum_track(side: int, step: Any) -> int:
    """The side whose momentum a MOMENTUM row of a side's event changes."""
    return side if step[STEP_SECOND] == 0 else enemy_of(side)


@rule
def momentum_can_change(s: Any, side: int, step: Any) -> bool:
    """True if a MOMENTUM row can be carried out."""
    value = int(s.momentum[momentum_track(side, step)]) + int(step[STEP_COUNT])
    return value >= 0 and value <= MOMENTUM_LIMIT


@rule
def operations_possible(s: Any, c: Any, side: int, points: int, spaces: int) -> bool:
    """True if a side could remove or place anything in a set of spaces with that many points."""
    spaces &= acting_spaces(s, c, side)
    if removal_spaces(s, side, spaces, points) != 0:
        return True
    return supply(s, side) > 0 and placement_spaces(s, side, spaces, points) != 0


@rule
def card_row_possible(s: Any, c: Any, side: int, card: int, operation: int) -> bool:
    """True if the event of `card` finds a card to swap, other than itself, or a discard to use."""
    for other in range(1, STRATEGY_CARDS + 1):
        if operation == SWAP_CARD and other != card and can_swap(s, side, other):
            return True
        if operation == USE_ANY_DISCARD and discard_offers_event(s, c, side, other):
            return True
    return False


@rule
def row_possible(s: Any, c: Any, side: int, card: int, step: Any) -> bool:
    """True if a row of a card's event could do anything for a side now, by the rules for players."""
    operation = int(step[STEP_OPERATION])
    spaces = row_spaces(s, c, side, step)

    # Momentum.
    if operation == MOMENTUM:
        return momentum_can_change(s, side, step)

    # Cubes and discs.
    if operation == PLACE or operation == PLACE_OUT_OF_PLAY:
        return place_targets(s, side, spaces, int(operation == PLACE_OUT_OF_PLAY)) != 0
    if operation == REMOVE:
        return cubes_of(s, enemy_of(side), spaces) != 0
    if operation == REPLACE:
        return replace_targets(s, side, spaces) != 0
    if operation == REMOVE_OWN:
        return cubes_of(s, side, spaces) != 0
    if operation == MOVE:
        return move_sources(s, side, spaces, int(step[STEP_SECOND])) != 0
    if operation == PLACE_DISC:
        return disc_targets(s, spaces) != 0

    # Operations Points.
    if operation == OPERATIONS:
        return operations_possible(s, c, side, int(step[STEP_COUNT]), spaces)
    if operation == OPERATIONS_BOTH:
        political = operations_possible(s, c, side, int(step[STEP_SECOND]), POLITICAL_SPACES)
        return political or operations_possible(s, c, side, int(step[STEP_COUNT]), spaces)

    # Cards; looking at them is always possible.
    if operation == SWAP_CARD or operation == USE_ANY_DISCARD:
        return card_row_possible(s, c, side, card, operation)
    return operation != END


@rule
def can_swap(s: Any, side: int, card: int) -> bool:
    """True if a card can go to the top of the deck: a hand card, never a Final Crisis card, and a deck is there."""
    return s.deck_size > 0 and in_hand(s, side, card) and not is_final_card(card)


@rule
def discard_offers_event(s: Any, c: Any, side: int, card: int) -> bool:
    """True for a card of a side, or neutral, discarded this round; not one whose event would choose again."""
    if s.zone[card] != DISCARDED or s.discarded_round[card] != s.round_number or c.side[card] == enemy_of(side):
        return False
    for k in range(MAX_STEPS):
        if c.program[card, k, STEP_OPERATION] == USE_ANY_DISCARD:
            return False
    return True


# -- whole events --------------------------------------------------------------------------------------------------


@rule
def musts_met(s: Any, c: Any, side: int, card: int, option: int) -> bool:
    """True if every "must" among an option's rows can be met; option 0: among the rows outside options (R9)."""
    for k in range(MAX_STEPS):
        step = c.program[card, k]
        must = int(step[STEP_FLAGS]) & MUST != 0 and step[STEP_OPTION] == option and condition_holds(s, side, step)
        if must and not row_possible(s, c, side, card, step):
            return False
    return True


@rule
def usable_options(s: Any, c: Any, side: int, card: int) -> int:
    """The options (bits) of an event whose every "must" can be met."""
    options = 0
    for k in range(MAX_STEPS):
        option = int(c.program[card, k, STEP_OPTION])
        if option > 0 and musts_met(s, c, side, card, option):
            options |= bit(option)
    return options


@rule
def has_options(c: Any, card: int) -> bool:
    """True if an event has exclusive options."""
    for k in range(MAX_STEPS):
        if c.program[card, k, STEP_OPTION] > 0:
            return True
    return False


@rule
def event_usable(s: Any, c: Any, side: int, card: int) -> bool:
    """True if an "if" that opens the event is met, and every "must", in one option at least (R9)."""
    first = c.program[card, 0]
    if first[STEP_OPTION] == 0 and not condition_holds(s, side, first):
        return False
    if has_options(c, card) and usable_options(s, c, side, card) == 0:
        return False
    return musts_met(s, c, side, card, 0)


@rule
def event_allowed(s: Any, c: Any, side: int, card: int) -> bool:
    """True if a side may use the event at all: of its colour or neutral, and usable."""
    return (c.side[card] == side or c.side[card] == NEUTRAL) and event_usable(s, c, side, card)
