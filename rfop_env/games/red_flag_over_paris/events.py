"""The interpreter of card events: a card's program, one row after the other (R9, R10; "Event")."""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import (
    FRAME_A, FRAME_B, FRAME_C, FRAME_D, FRAME_E, FRAME_SIDE, note, pop, push,
)  # fmt: skip
from rfop_env.core.rule import rule
from rfop_env.games.red_flag_over_paris.actions import (
    CHOOSE_CARD, DISC_IN, DONE, OPTION, PLACE_IN, REMOVE_FROM, REPLACE_IN, TAKE_FROM, YES,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.board import (
    CUBE_LIMIT, MILITARY_SPACES, MOMENTUM_LIMIT, NEUTRAL, POLITICAL_SPACES, SPACES, bit, controls, has, presence,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.cards import forget_hand, in_hand, is_final_card
from rfop_env.games.red_flag_over_paris.components import (
    DIFFERENT, END, IF_CONTROL, IF_ENEMY_MOMENTUM, IF_OWN_MOMENTUM, MAX_STEPS, MAY, MOMENTUM, MOVE, MUST, OPERATIONS,
    OPERATIONS_BOTH, PLACE, PLACE_DISC, PLACE_OUT_OF_PLAY, REMOVE, REMOVE_OWN, REPLACE, REVEAL_HAND, REVEAL_OBJECTIVE,
    STEP_CONDITION, STEP_CONDITION_ARGUMENT, STEP_COUNT, STEP_FLAGS, STEP_OPERATION, STEP_OPTION, STEP_SECOND,
    STEP_SPACES, STRATEGY_CARDS, SWAP_CARD, UP_TO, USE_ANY_DISCARD, WHERE_PRESENT,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_DISC, ASK_DISCARD_EVENT, ASK_MOVE, ASK_OPTION, ASK_PLACE, ASK_REMOVE, ASK_REMOVE_OWN, ASK_REPLACE, ASK_SWAP,
    ASK_WHETHER, DO_EVENT, PLACE_EITHER, WHETHER_MOMENTUM, WHETHER_OUT_OF_PLAY, WHETHER_STEP,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_EVENT, NOTE_SECRET
from rfop_env.games.red_flag_over_paris.operations import (
    acting_spaces, begin_operations, placement_spaces, removal_spaces,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import (
    all_discs_placed, change_momentum, move_cube, place_cube, place_disc, remove_disc, return_cube, supply,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.state import DISCARDED, IN_DECK, IN_HAND_COMMUNE

NO_OPTION = -1  # the option of an event none of whose options can be used any more

# -- may this event be used? ---------------------------------------------------------------------------------------


@rule
def condition_holds(s: Any, side: int, step: Any) -> bool:
    """Whether the "if" of a row is met for a side."""
    condition, argument = int(step[STEP_CONDITION]), int(step[STEP_CONDITION_ARGUMENT])
    if condition == IF_CONTROL:
        return controls(s, side, argument)
    if condition == IF_OWN_MOMENTUM:
        return s.momentum[side] >= argument
    if condition == IF_ENEMY_MOMENTUM:
        return s.momentum[1 - side] >= argument
    return True


@rule
def momentum_can_change(s: Any, side: int, step: Any) -> bool:
    """Whether a MOMENTUM row can be carried out."""
    track = side if step[STEP_SECOND] == 0 else 1 - side
    value = int(s.momentum[track]) + int(step[STEP_COUNT])
    return value >= 0 and value <= MOMENTUM_LIMIT


@rule
def operations_possible(s: Any, c: Any, side: int, points: int, spaces: int) -> bool:
    """Whether a side could remove or place anything in a set of spaces with that many points."""
    spaces &= acting_spaces(s, c, side)
    if removal_spaces(s, side, spaces, points) != 0:
        return True
    return supply(s, side) > 0 and placement_spaces(s, side, spaces, points) != 0


@rule
def card_row_possible(s: Any, c: Any, side: int, card: int, operation: int) -> bool:
    """Whether the event of `card` finds a card to swap, other than itself, or a discard to use."""
    for other in range(1, STRATEGY_CARDS + 1):
        if operation == SWAP_CARD and other != card and can_swap(s, side, other):
            return True
        if operation == USE_ANY_DISCARD and discard_offers_event(s, c, side, other):
            return True
    return False


@rule
def row_possible(s: Any, c: Any, side: int, card: int, step: Any) -> bool:
    """Whether a row of a card's event could do anything for a side now, by the rules for players."""
    operation, spaces = int(step[STEP_OPERATION]), row_spaces(s, c, side, step)
    if operation == MOMENTUM:
        return momentum_can_change(s, side, step)
    if operation == PLACE or operation == PLACE_OUT_OF_PLAY:
        return place_targets(s, side, spaces, int(operation == PLACE_OUT_OF_PLAY)) != 0
    if operation == REMOVE:
        return cubes_of(s, 1 - side, spaces) != 0
    if operation == REPLACE:
        return replace_targets(s, side, spaces) != 0
    if operation == REMOVE_OWN:
        return cubes_of(s, side, spaces) != 0
    if operation == MOVE:
        return move_sources(s, side, spaces, int(step[STEP_SECOND])) != 0
    if operation == PLACE_DISC:
        return disc_targets(s, spaces) != 0
    if operation == OPERATIONS:
        return operations_possible(s, c, side, int(step[STEP_COUNT]), spaces)
    if operation == OPERATIONS_BOTH:
        political = operations_possible(s, c, side, int(step[STEP_SECOND]), POLITICAL_SPACES)
        return political or operations_possible(s, c, side, int(step[STEP_COUNT]), spaces)
    if operation == SWAP_CARD or operation == USE_ANY_DISCARD:
        return card_row_possible(s, c, side, card, operation)
    return operation != END


@rule
def musts_met(s: Any, c: Any, side: int, card: int, option: int) -> bool:
    """R9: every "must" among an option's rows can be met; option 0: among the rows outside options."""
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
    """Whether an event has exclusive options."""
    for k in range(MAX_STEPS):
        if c.program[card, k, STEP_OPTION] > 0:
            return True
    return False


@rule
def event_usable(s: Any, c: Any, side: int, card: int) -> bool:
    """R9: every "must" of the event, in one option at least, and an "if" that opens it can be met."""
    first = c.program[card, 0]
    if first[STEP_OPTION] == 0 and not condition_holds(s, side, first):
        return False
    if has_options(c, card) and usable_options(s, c, side, card) == 0:
        return False
    return musts_met(s, c, side, card, 0)


@rule
def event_allowed(s: Any, c: Any, side: int, card: int) -> bool:
    """Whether a side may use the event at all: own colour or neutral, and usable."""
    return (c.side[card] == side or c.side[card] == NEUTRAL) and event_usable(s, c, side, card)


# -- where an effect can apply -------------------------------------------------------------------------------------


@rule
def row_spaces(s: Any, c: Any, side: int, step: Any) -> int:
    """The spaces of a row, narrowed to the side's presence where the card says so (assessed once)."""
    spaces = int(step[STEP_SPACES])
    return spaces & presence(s, c, side) if int(step[STEP_FLAGS]) & WHERE_PRESENT else spaces


@rule
def place_targets(s: Any, side: int, spaces: int, out_of_play: int) -> int:
    """Where an event can place an own cube: under the limit of 4, and only with a cube in stock (R5, R9)."""
    if supply(s, side) == 0 and (out_of_play == 0 or s.out_of_play[side] == 0):
        return 0
    return spaces & ~full_spaces(s, side)


@rule
def full_spaces(s: Any, side: int) -> int:
    """Spaces with 4 own cubes."""
    found = 0
    for x in range(SPACES):
        if s.cubes[side, x] >= CUBE_LIMIT:
            found |= bit(x)
    return found


@rule
def cubes_of(s: Any, side: int, spaces: int) -> int:
    """The spaces of a set that hold a side's cubes."""
    found = 0
    for x in range(SPACES):
        if has(spaces, x) and s.cubes[side, x] > 0:
            found |= bit(x)
    return found


@rule
def replace_targets(s: Any, side: int, spaces: int) -> int:
    """Where an enemy cube can give way to an own one."""
    if supply(s, side) == 0:
        return 0
    return cubes_of(s, 1 - side, spaces) & ~full_spaces(s, side)


@rule
def disc_targets(s: Any, spaces: int) -> int:
    """Military spaces without a disc of either colour (R10)."""
    found = 0
    for x in range(6, SPACES):
        if has(spaces, x) and s.disc[x] == 0:
            found |= bit(x)
    return found


@rule
def discs_of(s: Any, side: int) -> int:
    """The spaces of a side's discs."""
    found = 0
    for x in range(6, SPACES):
        if s.disc[x] == side + 1:
            found |= bit(x)
    return found


@rule
def move_destinations(s: Any, side: int, source: int, spaces: int) -> int:
    """Where a cube from `source` can go."""
    return spaces & ~full_spaces(s, side) & ~bit(source)


@rule
def move_sources(s: Any, side: int, spaces: int, destinations: int) -> int:
    """Own cubes that can move to another space of `destinations`."""
    sources = cubes_of(s, side, spaces)
    for x in range(SPACES):
        if has(sources, x) and move_destinations(s, side, x, destinations) == 0:
            sources &= ~bit(x)
    return sources


# -- carrying an event out -----------------------------------------------------------------------------------------


@rule
def begin_event(s: Any, side: int, card: int) -> None:
    """Put the event of a card on the stack for a side."""
    note(s, NOTE_EVENT, side, card, 0)
    push(s, DO_EVENT, side, card, 0, 0, 0)


@rule
def carry_on_event(s: Any, c: Any, frame: Any) -> None:
    """Carry out the next row of the event on top of the stack, or end it."""
    side, card, k, option = int(frame[FRAME_SIDE]), int(frame[FRAME_A]), int(frame[FRAME_B]), int(frame[FRAME_C])
    if k >= MAX_STEPS or c.program[card, k, STEP_OPERATION] == END:
        pop(s)
        return
    step = c.program[card, k]
    if k == 0 and not event_usable(s, c, side, card):
        pop(s)  # R9, R16: in the Final Crisis such a card has no effect
        return
    if step[STEP_OPTION] > 0 and option == 0:
        if usable_options(s, c, side, card) == 0:
            frame[FRAME_C] = NO_OPTION
        else:
            push(s, ASK_OPTION, side, card, k, 0, 0)
        return
    frame[FRAME_B] = k + 1
    if step[STEP_OPTION] != option and step[STEP_OPTION] > 0:
        return
    if condition_holds(s, side, step):
        begin_row(s, c, side, card, step)


@rule
def begin_row(s: Any, c: Any, side: int, card: int, step: Any) -> None:
    """Carry out one row: at once, or by asking."""
    operation, count, flags = int(step[STEP_OPERATION]), int(step[STEP_COUNT]), int(step[STEP_FLAGS])
    spaces, second = row_spaces(s, c, side, step), int(step[STEP_SECOND])
    if operation == PLACE:
        push(s, ASK_PLACE, side, count, spaces, flags, 0)
    elif operation == PLACE_OUT_OF_PLAY:
        begin_place_out_of_play(s, side, count, spaces, flags)
    elif operation == REMOVE:
        push(s, ASK_REMOVE, side, count, spaces, flags, 0)
    elif operation == REPLACE:
        push(s, ASK_REPLACE, side, count, spaces, flags, 0)
    elif operation == MOVE:
        push(s, ASK_MOVE, side, count, spaces, flags, second)
    elif operation == REMOVE_OWN:
        push(s, ASK_REMOVE_OWN, side, count, spaces, flags, 0)
    elif operation == PLACE_DISC:
        push(s, ASK_DISC, side, 1, spaces & MILITARY_SPACES, flags, 0)
    elif operation == OPERATIONS:
        begin_operations(s, c, side, count, spaces)
    elif operation == OPERATIONS_BOTH:
        # Spheres are never adjacent, so the two parts cannot touch each other's legality.
        begin_operations(s, c, side, second, POLITICAL_SPACES)
        begin_operations(s, c, side, count, spaces)
    elif operation == MOMENTUM:
        begin_momentum(s, c, side, step)
    else:
        begin_card_row(s, side, operation, flags)


@rule
def begin_place_out_of_play(s: Any, side: int, count: int, spaces: int, flags: int) -> None:
    """Card 23: cubes removed from play may be used as well."""
    push(s, ASK_PLACE, side, count, spaces, flags, 0)
    frame = s.stack[s.depth - 1]
    frame[FRAME_E] = PLACE_EITHER
    ask_source(s, frame)


@rule
def ask_source(s: Any, frame: Any) -> None:
    """R28: ask of the next cube whether it is one of those removed from play, where there is a choice."""
    side = int(frame[FRAME_SIDE])
    frame[FRAME_D] = int(supply(s, side) == 0)
    if s.out_of_play[side] > 0 and supply(s, side) > 0 and effect_targets(s, frame, ASK_PLACE) != 0:
        push(s, ASK_WHETHER, side, WHETHER_OUT_OF_PLAY, 0, 0, 0)


@rule
def begin_momentum(s: Any, c: Any, side: int, step: Any) -> None:
    """A momentum row: asked when the card says "may", otherwise done if it can be."""
    if not momentum_can_change(s, side, step):
        return
    track = side if step[STEP_SECOND] == 0 else 1 - side
    if int(step[STEP_FLAGS]) & MAY:
        push(s, ASK_WHETHER, side, WHETHER_MOMENTUM, track, int(step[STEP_COUNT]), 0)
    else:
        change_momentum(s, c, track, int(step[STEP_COUNT]))


@rule
def begin_card_row(s: Any, side: int, operation: int, flags: int) -> None:
    """Rows that look at or exchange cards."""
    if operation == REVEAL_HAND or operation == REVEAL_OBJECTIVE:
        if flags & MAY:
            push(s, ASK_WHETHER, side, WHETHER_STEP, operation, 0, 0)
        else:
            reveal(s, side, operation)
    elif operation == SWAP_CARD:
        push(s, ASK_SWAP, side, 1, 0, flags, 0)
    elif operation == USE_ANY_DISCARD:
        push(s, ASK_DISCARD_EVENT, side, 1, 0, flags, 0)


@rule
def reveal(s: Any, side: int, operation: int) -> None:
    """Show a side its enemy's hand, or the enemy's objective."""
    note(s, NOTE_SECRET, side, 1 if operation == REVEAL_HAND else 2, 0)
    if operation == REVEAL_OBJECTIVE:
        s.objective_known[1 - side] = 1
        return
    for card in range(1, STRATEGY_CARDS + 1):
        if in_hand(s, 1 - side, card):
            s.known[side, card] = 1


# -- the questions of an event -------------------------------------------------------------------------------------


@rule
def optional(frame: Any) -> bool:
    """Whether the side may stop: "up to" or "may"."""
    return int(frame[FRAME_C]) & (UP_TO | MAY) != 0


@rule
def effect_targets(s: Any, frame: Any, kind: int) -> int:
    """Spaces that can be chosen in the pending effect; 0 ends it."""
    side, spaces = int(frame[FRAME_SIDE]), int(frame[FRAME_B])
    if frame[FRAME_A] <= 0:
        return 0
    if kind == ASK_PLACE:
        return place_targets(s, side, spaces, int(frame[FRAME_D]))
    if kind == ASK_REMOVE:
        return cubes_of(s, 1 - side, spaces)
    if kind == ASK_REPLACE:
        return replace_targets(s, side, spaces)
    if kind == ASK_REMOVE_OWN:
        return cubes_of(s, side, spaces)
    if kind == ASK_MOVE:
        if frame[FRAME_E] > 0:
            return move_destinations(s, side, int(frame[FRAME_E]) - 1, int(frame[FRAME_D]))
        return move_sources(s, side, spaces, int(frame[FRAME_D]))
    targets = disc_targets(s, spaces)
    if targets != 0 and frame[FRAME_E] == 0 and all_discs_placed(s, side):
        return discs_of(s, side)
    return targets


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
        return PLACE_IN if frame[FRAME_E] > 0 else TAKE_FROM
    if frame[FRAME_E] == 0 and all_discs_placed(s, int(frame[FRAME_SIDE])):
        return TAKE_FROM
    return DISC_IN


@rule
def can_stop_effect(s: Any, frame: Any, kind: int) -> bool:
    """Whether "done" is legal: never between the two halves of a move; moving a disc is optional (R10)."""
    if (kind == ASK_MOVE or kind == ASK_DISC) and frame[FRAME_E] > 0:
        return False
    return optional(frame) or (kind == ASK_DISC and all_discs_placed(s, int(frame[FRAME_SIDE])))


@rule
def legal_effect(s: Any, frame: Any, kind: int, mask: Any) -> None:
    """Legal answers to an effect on spaces."""
    targets, first = effect_targets(s, frame, kind), effect_action(s, frame, kind)
    for x in range(SPACES):
        if has(targets, x):
            mask[first + x] = True
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
    frame[FRAME_A] -= 1
    if int(frame[FRAME_C]) & DIFFERENT:
        frame[FRAME_B] &= ~bit(space)
    if kind == ASK_REMOVE or kind == ASK_REPLACE:
        return_cube(s, c, 1 - side, space)
    if kind == ASK_REMOVE_OWN:
        return_cube(s, c, side, space)
    if kind == ASK_PLACE or kind == ASK_REPLACE:
        place_cube(s, c, side, space, kind == ASK_PLACE and frame[FRAME_D] == 1)
    if kind == ASK_PLACE and frame[FRAME_E] == PLACE_EITHER:
        ask_source(s, frame)


@rule
def answer_two_step(s: Any, frame: Any, kind: int, space: int) -> None:
    """Moves: first where from, then where to. A disc has no first half while one is still off the map."""
    side, source = int(frame[FRAME_SIDE]), int(frame[FRAME_E]) - 1
    if source < 0 and (kind == ASK_MOVE or all_discs_placed(s, side)):
        frame[FRAME_E] = space + 1
        return
    frame[FRAME_E] = 0
    frame[FRAME_A] -= 1
    if kind == ASK_MOVE:
        move_cube(s, side, source, space)
        return
    if source >= 0:
        remove_disc(s, side, source)
    place_disc(s, side, space)


@rule
def legal_option(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """Usable options of which some row could do something; all usable ones if none could."""
    side, card, k = int(frame[FRAME_SIDE]), int(frame[FRAME_A]), int(frame[FRAME_B])
    usable = usable_options(s, c, side, card)
    found = False
    for attempt in range(2):
        for j in range(k, MAX_STEPS):
            step = c.program[card, j]
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
    s.stack[s.depth - 1, FRAME_C] = action - OPTION


@rule
def can_swap(s: Any, side: int, card: int) -> bool:
    """Whether a card can go to the top of the deck: a hand card, never a Final Crisis card, and a deck is there."""
    return s.deck_size > 0 and in_hand(s, side, card) and not is_final_card(card)


@rule
def legal_swap(s: Any, frame: Any, mask: Any) -> None:
    """Hand cards that can go to the deck."""
    for card in range(1, STRATEGY_CARDS + 1):
        if can_swap(s, int(frame[FRAME_SIDE]), card):
            mask[CHOOSE_CARD + card] = True
    if optional(frame):
        mask[DONE] = True


@rule
def answer_swap(s: Any, frame: Any, action: int) -> None:
    """Exchange a hand card with the top of the deck; the side knows what it left there."""
    side = int(frame[FRAME_SIDE])
    pop(s)
    if action == DONE:
        return
    card, top = action - CHOOSE_CARD, int(s.deck[s.deck_size - 1])
    s.deck[s.deck_size - 1] = card
    s.zone[card] = IN_DECK
    forget_hand(s, side)
    s.zone[top] = IN_HAND_COMMUNE + side
    s.known[side, card] = 1
    s.known[1 - side, card] = 0
    note(s, NOTE_SECRET, side, 3, 0)


@rule
def discard_offers_event(s: Any, c: Any, side: int, card: int) -> bool:
    """A card of a side, or neutral, discarded this round; not one whose event would choose again."""
    if s.zone[card] != DISCARDED or s.discarded_round[card] != s.round_number or c.side[card] == 1 - side:
        return False
    for k in range(MAX_STEPS):
        if c.program[card, k, STEP_OPERATION] == USE_ANY_DISCARD:
            return False
    return True


@rule
def discard_event_usable(s: Any, c: Any, side: int, card: int) -> bool:
    """A discard whose event a side may use now."""
    return discard_offers_event(s, c, side, card) and event_usable(s, c, side, card)


@rule
def legal_discard_event(s: Any, c: Any, frame: Any, mask: Any) -> None:
    """The discarded cards whose event can be used."""
    for card in range(1, STRATEGY_CARDS + 1):
        if discard_event_usable(s, c, int(frame[FRAME_SIDE]), card):
            mask[CHOOSE_CARD + card] = True
    if optional(frame):
        mask[DONE] = True


@rule
def answer_discard_event(s: Any, frame: Any, action: int) -> None:
    """Use the chosen discard's event."""
    side = int(frame[FRAME_SIDE])
    pop(s)
    if action != DONE:
        begin_event(s, side, action - CHOOSE_CARD)


@rule
def card_question_possible(s: Any, c: Any, frame: Any, swap: bool) -> bool:
    """Whether the pending swap, or use of a discard, has any card to choose."""
    side = int(frame[FRAME_SIDE])
    for card in range(1, STRATEGY_CARDS + 1):
        if can_swap(s, side, card) if swap else discard_event_usable(s, c, side, card):
            return True
    return False


@rule
def answer_event_whether(s: Any, c: Any, side: int, question: int, b: int, change: int, action: int) -> None:
    """A yes or no inside an event."""
    if action != YES:
        return
    if question == WHETHER_MOMENTUM:
        change_momentum(s, c, b, change)
    elif question == WHETHER_OUT_OF_PLAY:
        s.stack[s.depth - 1, FRAME_D] = 1
    elif question == WHETHER_STEP:
        reveal(s, side, b)
