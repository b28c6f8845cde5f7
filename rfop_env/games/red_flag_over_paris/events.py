"""The interpreter of card events: a card's program, one row after the other (R9, R10; "Event")."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.core.record import Vector
from rfop_env.games.red_flag_over_paris import actions, board, components, frames, journal, state
from rfop_env.games.red_flag_over_paris import cards, effects, event_conditions, operations, pieces
from rfop_env.games.red_flag_over_paris.components import Components
from rfop_env.games.red_flag_over_paris.state import State


NO_OPTION = -1  # the option of an event none of whose options can be used any more


@rule
def begin_event(s: State, side: int, card: int) -> None:
    """Put the event of a card on the stack for a side."""
    note(s, journal.NOTE_EVENT, side, card, 0)
    push(s, frames.DO_EVENT, side, card)


@rule
def carry_on_event(s: State, c: Components, frame: Vector) -> None:
    """Carry out the next row of the event on top of the stack, or end it."""
    side = frame[FRAME_SIDE]
    card = frame[frames.do_event.card]
    row = frame[frames.do_event.next_row]
    option = frame[frames.do_event.option]

    # The event is over, or cannot be used at all.
    if row >= components.MAX_STEPS or c.program[card, row, components.STEP_OPERATION] == components.END:
        pop(s)
        return
    step = c.program[card, row]
    if row == 0 and not event_conditions.event_usable(s, c, side, card):
        pop(s)  # R9, R16: in the Final Crisis such a card has no effect
        return

    # The first row of an option asks which one is used.
    if step[components.STEP_OPTION] > 0 and option == 0:
        if event_conditions.usable_options(s, c, side, card) == 0:
            frame[frames.do_event.option] = NO_OPTION
        else:
            push(s, frames.ASK_OPTION, side, card, row)
        return

    # Rows of other options, and those whose "if" is not met, are passed over.
    frame[frames.do_event.next_row] = row + 1
    if step[components.STEP_OPTION] != option and step[components.STEP_OPTION] > 0:
        return
    if event_conditions.condition_holds(s, side, step):
        begin_row(s, c, side, card, step)


@rule
def begin_row(s: State, c: Components, side: int, card: int, step: Vector) -> None:
    """Carry out one row: at once, or by asking."""
    operation = step[components.STEP_OPERATION]
    count = step[components.STEP_COUNT]
    flags = step[components.STEP_FLAGS]
    second = step[components.STEP_SECOND]
    spaces = event_conditions.row_spaces(s, c, side, step)

    # Cubes and discs.
    if operation == components.PLACE:
        push(s, frames.ASK_PLACE, side, count, spaces, flags)
    elif operation == components.PLACE_OUT_OF_PLAY:
        begin_place_out_of_play(s, side, count, spaces, flags)
    elif operation == components.REMOVE:
        push(s, frames.ASK_REMOVE, side, count, spaces, flags)
    elif operation == components.REPLACE:
        push(s, frames.ASK_REPLACE, side, count, spaces, flags)
    elif operation == components.MOVE:
        push(s, frames.ASK_MOVE, side, count, spaces, flags, second)
    elif operation == components.REMOVE_OWN:
        push(s, frames.ASK_REMOVE_OWN, side, count, spaces, flags)
    elif operation == components.PLACE_DISC:
        push(s, frames.ASK_DISC, side, 1, spaces & board.MILITARY_SPACES, flags)

    # Operations Points. Spheres are never adjacent, so the parts of OPERATIONS_BOTH cannot touch each other's legality.
    elif operation == components.OPERATIONS:
        operations.begin_operations(s, c, side, count, spaces)
    elif operation == components.OPERATIONS_BOTH:
        operations.begin_operations(s, c, side, second, board.POLITICAL_SPACES)
        operations.begin_operations(s, c, side, count, spaces)

    # Momentum, and what concerns cards.
    elif operation == components.MOMENTUM:
        begin_momentum(s, c, side, step)
    elif operation == components.REVEAL_HAND or operation == components.REVEAL_OBJECTIVE:
        begin_reveal(s, side, operation, flags)
    elif operation == components.SWAP_CARD:
        push(s, frames.ASK_SWAP, side, 1, 0, flags)
    elif operation == components.USE_ANY_DISCARD:
        push(s, frames.ASK_DISCARD_EVENT, side, 1, 0, flags)
    else:
        s.fault = 1


@rule
def begin_place_out_of_play(s: State, side: int, count: int, spaces: int, flags: int) -> None:
    """Ask where to place cubes of which each may be one of those removed from play (card 23)."""
    push(s, frames.ASK_PLACE, side, count, spaces, flags, 0, frames.PLACE_EITHER)
    effects.ask_source(s, s.stack[s.depth - 1])


@rule
def begin_momentum(s: State, c: Components, side: int, step: Vector) -> None:
    """Carry out a momentum row: asked when the card says "may", otherwise done if it can be."""
    if not event_conditions.momentum_can_change(s, side, step):
        return

    track = event_conditions.momentum_track(side, step)
    change = step[components.STEP_COUNT]
    if step[components.STEP_FLAGS] & components.MAY:
        push(s, frames.ASK_WHETHER, side, frames.WHETHER_MOMENTUM, track, change)
    else:
        pieces.change_momentum(s, c, track, change)


@rule
def begin_reveal(s: State, side: int, operation: int, flags: int) -> None:
    """Carry out a row that looks at the enemy's cards: asked when the card says "may"."""
    if flags & components.MAY:
        push(s, frames.ASK_WHETHER, side, frames.WHETHER_STEP, operation)
    else:
        reveal(s, side, operation)


@rule
def reveal(s: State, side: int, operation: int) -> None:
    """Show a side its enemy's hand, or the enemy's objective."""
    enemy = board.enemy(side)
    note(s, journal.NOTE_SECRET, side, 1 if operation == components.REVEAL_HAND else 2, 0)
    if operation == components.REVEAL_OBJECTIVE:
        s.objective_known[enemy] = 1
        return
    for card in range(1, components.STRATEGY_CARDS + 1):
        if cards.in_hand(s, enemy, card):
            s.known[side, card] = 1


# -- options -------------------------------------------------------------------------------------------------------


@rule
def legal_option(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Allow the usable options of which some row could do something; all usable ones if none could."""
    side = frame[FRAME_SIDE]
    card = frame[frames.do_event.card]
    usable = event_conditions.usable_options(s, c, side, card)
    any_legal = False
    for attempt in range(2):
        for row in range(frame[frames.ask_option.first_row], components.MAX_STEPS):
            step = c.program[card, row]
            option = step[components.STEP_OPTION]
            does = attempt == 1 or (
                event_conditions.condition_holds(s, side, step)
                and event_conditions.row_possible(s, c, side, card, step)
            )
            if option > 0 and board.has(usable, option) and does:
                mask[actions.OPTION + option] = True
                any_legal = True
        if any_legal:
            return


@rule
def answer_option(s: State, action: int) -> None:
    """Remember the option in the event's frame."""
    pop(s)
    s.stack[s.depth - 1, frames.do_event.option] = action - actions.OPTION


# -- cards that an event exchanges or uses -------------------------------------------------------------------------


@rule
def legal_swap(s: State, frame: Vector, mask: Any) -> None:
    """Allow the hand cards that can go to the deck."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        if event_conditions.can_swap(s, frame[FRAME_SIDE], card):
            mask[actions.CHOOSE_CARD + card] = True
    if effects.optional(frame):
        mask[actions.DONE] = True


@rule
def answer_swap(s: State, frame: Vector, action: int) -> None:
    """Exchange a hand card with the top of the deck; the side knows what it left there."""
    side = frame[FRAME_SIDE]
    pop(s)
    if action == actions.DONE:
        return

    # The cards change places.
    card = action - actions.CHOOSE_CARD
    top = int(s.deck[s.deck_size - 1])
    s.deck[s.deck_size - 1] = card
    s.zone[card] = state.IN_DECK
    cards.forget_hand(s, side)
    s.zone[top] = state.IN_HAND_COMMUNE + side

    # Only the side itself knows which card lies on the deck now.
    s.known[side, card] = 1
    s.known[board.enemy(side), card] = 0
    note(s, journal.NOTE_SECRET, side, 3, 0)


@rule
def discard_event_usable(s: State, c: Components, side: int, card: int) -> bool:
    """True for a discard whose event a side may use now."""
    return event_conditions.discard_offers_event(s, c, side, card) and event_conditions.event_usable(s, c, side, card)


@rule
def legal_discard_event(s: State, c: Components, frame: Vector, mask: Any) -> None:
    """Allow the discarded cards whose event can be used."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        if discard_event_usable(s, c, frame[FRAME_SIDE], card):
            mask[actions.CHOOSE_CARD + card] = True
    if effects.optional(frame):
        mask[actions.DONE] = True


@rule
def answer_discard_event(s: State, frame: Vector, action: int) -> None:
    """Use the chosen discard's event."""
    side = frame[FRAME_SIDE]
    pop(s)
    if action != actions.DONE:
        begin_event(s, side, action - actions.CHOOSE_CARD)


@rule
def no_swap(s: State, side: int) -> bool:
    """True if a side has no card for the pending swap."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        if event_conditions.can_swap(s, side, card):
            return False
    return True


@rule
def no_discard_event(s: State, c: Components, side: int) -> bool:
    """True if there is no discard whose event a side may use."""
    for card in range(1, components.STRATEGY_CARDS + 1):
        if discard_event_usable(s, c, side, card):
            return False
    return True
