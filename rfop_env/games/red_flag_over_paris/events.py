"""The interpreter of card events: a card's program, one row after the other (R9, R10; "Event")."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_SIDE, note, pop, push
from rfop_env.games.red_flag_over_paris.actions import OPTION
from rfop_env.games.red_flag_over_paris.board import MILITARY_SPACES, POLITICAL_SPACES, enemy_of, has
from rfop_env.games.red_flag_over_paris.cards import in_hand
from rfop_env.games.red_flag_over_paris.components import (
    END, MAX_STEPS, MAY, MOMENTUM, MOVE, OPERATIONS, OPERATIONS_BOTH, PLACE, PLACE_DISC, PLACE_OUT_OF_PLAY, REMOVE,
    REMOVE_OWN, REPLACE, REVEAL_HAND, REVEAL_OBJECTIVE, STEP_COUNT, STEP_FLAGS, STEP_OPERATION, STEP_OPTION,
    STEP_SECOND, STRATEGY_CARDS, SWAP_CARD, USE_ANY_DISCARD,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.effects import ask_source
from rfop_env.games.red_flag_over_paris.event_conditions import (
    condition_holds, event_usable, momentum_can_change, momentum_track, row_possible, row_spaces, usable_options,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_DISC, ASK_DISCARD_EVENT, ASK_MOVE, ASK_OPTION, ASK_PLACE, ASK_REMOVE, ASK_REMOVE_OWN, ASK_REPLACE, ASK_SWAP,
    ASK_WHETHER, DO_EVENT, EVENT_CARD, EVENT_OPTION, FIRST_OPTION_ROW, NEXT_ROW, PLACE_EITHER, WHETHER_MOMENTUM,
    WHETHER_STEP,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_EVENT, NOTE_SECRET
from rfop_env.games.red_flag_over_paris.operations import begin_operations
from rfop_env.games.red_flag_over_paris.pieces import change_momentum


NO_OPTION = -1  # the option of an event none of whose options can be used any more


@rule
def begin_event(s: Any, side: int, card: int) -> None:
    """Put the event of a card on the stack for a side."""
    note(s, NOTE_EVENT, side, card, 0)
    push(s, DO_EVENT, side, card)


@rule
def carry_on_event(s: Any, c: Any, frame: Any) -> None:
    """Carry out the next row of the event on top of the stack, or end it."""
    side = int(frame[FRAME_SIDE])
    card = int(frame[EVENT_CARD])
    row = int(frame[NEXT_ROW])
    option = int(frame[EVENT_OPTION])

    # The event is over, or cannot be used at all.
    if row >= MAX_STEPS or c.program[card, row, STEP_OPERATION] == END:
        pop(s)
        return
    step = c.program[card, row]
    if row == 0 and not event_usable(s, c, side, card):
        pop(s)  # R9, R16: in the Final Crisis such a card has no effect
        return

    # The first row of an option asks which one is used.
    if step[STEP_OPTION] > 0 and option == 0:
        if usable_options(s, c, side, card) == 0:
            frame[EVENT_OPTION] = NO_OPTION
        else:
            push(s, ASK_OPTION, side, card, row)
        return

    # Rows of other options, and those whose "if" is not met, are passed over.
    frame[NEXT_ROW] = row + 1
    if step[STEP_OPTION] != option and step[STEP_OPTION] > 0:
        return
    if condition_holds(s, side, step):
        begin_row(s, c, side, card, step)


@rule
def begin_row(s: Any, c: Any, side: int, card: int, step: Any) -> None:
    """Carry out one row: at once, or by asking."""
    operation = int(step[STEP_OPERATION])
    count = int(step[STEP_COUNT])
    flags = int(step[STEP_FLAGS])
    second = int(step[STEP_SECOND])
    spaces = row_spaces(s, c, side, step)

    # Cubes and discs.
    if operation == PLACE:
        push(s, ASK_PLACE, side, count, spaces, flags)
    elif operation == PLACE_OUT_OF_PLAY:
        begin_place_out_of_play(s, side, count, spaces, flags)
    elif operation == REMOVE:
        push(s, ASK_REMOVE, side, count, spaces, flags)
    elif operation == REPLACE:
        push(s, ASK_REPLACE, side, count, spaces, flags)
    elif operation == MOVE:
        push(s, ASK_MOVE, side, count, spaces, flags, second)
    elif operation == REMOVE_OWN:
        push(s, ASK_REMOVE_OWN, side, count, spaces, flags)
    elif operation == PLACE_DISC:
        push(s, ASK_DISC, side, 1, spaces & MILITARY_SPACES, flags)

    # Operations Points. Spheres are never adjacent, so the parts of OPERATIONS_BOTH cannot touch each other's legality.
    elif operation == OPERATIONS:
        begin_operations(s, c, side, count, spaces)
    elif operation == OPERATIONS_BOTH:
        begin_operations(s, c, side, second, POLITICAL_SPACES)
        begin_operations(s, c, side, count, spaces)

    # Momentum, and what concerns cards.
    elif operation == MOMENTUM:
        begin_momentum(s, c, side, step)
    elif operation == REVEAL_HAND or operation == REVEAL_OBJECTIVE:
        begin_reveal(s, side, operation, flags)
    elif operation == SWAP_CARD:
        push(s, ASK_SWAP, side, 1, 0, flags)
    elif operation == USE_ANY_DISCARD:
        push(s, ASK_DISCARD_EVENT, side, 1, 0, flags)
    else:
        s.fault = 1


@rule
def begin_place_out_of_play(s: Any, side: int, count: int, spaces: int, flags: int) -> None:
    """Ask where to place cubes of which each may be one of those removed from play (card 23)."""
    push(s, ASK_PLACE, side, count, spaces, flags, 0, PLACE_EITHER)
    ask_source(s, s.stack[s.depth - 1])


@rule
def begin_momentum(s: Any, c: Any, side: int, step: Any) -> None:
    """Carry out a momentum row: asked when the card says "may", otherwise done if it can be."""
    if not momentum_can_change(s, side, step):
        return

    track = momentum_track(side, step)
    change = int(step[STEP_COUNT])
    if int(step[STEP_FLAGS]) & MAY:
        push(s, ASK_WHETHER, side, WHETHER_MOMENTUM, track, change)
    else:
        change_momentum(s, c, track, change)


@rule
def begin_reveal(s: Any, side: int, operation: int, flags: int) -> None:
    """Carry out a row that looks at the enemy's cards: asked when the card says "may"."""
    if flags & MAY:
        push(s, ASK_WHETHER, side, WHETHER_STEP, operation)
    else:
        reveal(s, side, operation)


@rule
def reveal(s: Any, side: int, operation: int) -> None:
    """Show a side its enemy's hand, or the enemy's objective."""
    enemy = enemy_of(side)
    note(s, NOTE_SECRET, side, 1 if operation == REVEAL_HAND else 2, 0)
    if operation == REVEAL_OBJECTIVE:
        s.objective_known[enemy] = 1
        return
    for card in range(1, STRATEGY_CARDS + 1):
        if in_hand(s, enemy, card):
            s.known[side, card] = 1


# -- options -------------------------------------------------------------------------------------------------------


@rule
def legal_option(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """Allow the usable options of which some row could do something; all usable ones if none could."""
    side = int(frame[FRAME_SIDE])
    card = int(frame[EVENT_CARD])
    usable = usable_options(s, c, side, card)
    found = False
    for attempt in range(2):
        for row in range(int(frame[FIRST_OPTION_ROW]), MAX_STEPS):
            step = c.program[card, row]
            option = int(step[STEP_OPTION])
            does = attempt == 1 or (condition_holds(s, side, step) and row_possible(s, c, side, card, step))
            if option > 0 and has(usable, option) and does:
                mask[OPTION + option] = True
                found = True
        if found:
            return


@rule
def answer_option(s: Any, action: int) -> None:
    """Remember the option in the event's frame."""
    pop(s)
    s.stack[s.depth - 1, EVENT_OPTION] = action - OPTION
