"""The Solo Opponent: the Aid tables that answer every question, and its turn by the solo sequence of play (R20 to R26).

The bot answers the same questions as a player, through the same rules; `advise` gives its answer to the question on top
of the stack. It reads what lies open on the table and its own objective, never a hand or a deck.
"""

from __future__ import annotations

from typing import Any

from rfop_env.core.decisions import FRAME_A, FRAME_B, FRAME_C, FRAME_D, FRAME_E, FRAME_F, FRAME_KIND, FRAME_SIDE, note
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.core.rule import rule, small_rule
from rfop_env.games.red_flag_over_paris.actions import (
    DE_ESCALATE, DONE, FIRST, OPTION, PLACE_IN, REMOVE_FROM, REPLACE_IN, SPREAD, STORM, TAKE_FROM, TURNCOAT,
    YES,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.board import (
    COMMUNE, CUBE_LIMIT, FINAL_CRISIS, FORTS, MOMENTUM_LIMIT, PIVOTAL_SPACES, POLITICAL, PUBLIC_OPINION, SPACES,
    VERSAILLES, bit, controlled, controls, controls_dimension, count_bits, dimension_of, dimension_spaces, has,
    pieces, sphere_of,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.components import (
    AID_ROWS, CHOOSE_HOME_DIMENSION, CHOOSE_NO_CUBES, CHOOSE_NO_ROOM, CHOOSE_PLACE,
    CHOOSE_TAKES_KEY_SPACE, END, MAX_STEPS, MOMENTUM, MOVE, OPERATIONS, OPERATIONS_BOTH, PLACE, PLACE_DISC,
    PLACE_OUT_OF_PLAY, REMOVE, REMOVE_OWN, REPLACE, SELECT_ADDS_CONTROL, SELECT_ADDS_KEY_CONTROL,
    SELECT_BREAKS_CONTROL, SELECT_BREAKS_DIMENSION, SELECT_BREAKS_KEY_CONTROL, SELECT_CERTAIN,
    SELECT_COMPLETES_DIMENSION, SELECT_FEWEST_CUBES, SELECT_ISOLATED, SELECT_NOT_ISOLATED, SELECT_OWN_SPHERE,
    SELECT_ROOM, SELECT_STRONGEST_DIMENSION, STEP_COUNT, STEP_OPERATION, STEP_OPTION, STEP_SECOND,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.events import (
    condition_holds, cubes_of, disc_targets, effect_action, effect_targets, event_usable, momentum_can_change,
    move_sources, replace_targets, row_spaces,
    usable_options,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_DE_ESCALATE, ASK_DISC, ASK_INITIATIVE, ASK_MOVE, ASK_OPERATION, ASK_OPTION, ASK_PLACE,
    ASK_REMOVE_OWN, ASK_REPLACE, ASK_REMOVE, ASK_WHETHER, PLACE_GIFT, WHETHER_ENEMY_EVENT, WHETHER_MOMENTUM,
    WHETHER_OBJECTIVE_EVENT, WHETHER_OUT_OF_PLAY,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.journal import NOTE_CHOICE
from rfop_env.games.red_flag_over_paris.operations import (
    SURE_STRENGTH, acting_spaces, can_storm, operation_removals, placement_spaces, removal_spaces, strength,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.pieces import all_discs_placed, supply
from rfop_env.games.red_flag_over_paris.state import NO_CARD, NOBODY

AID_CHOOSE, AID_PLACE, AID_REMOVE = 1, 2, 3

# -- what the definitions call by name -----------------------------------------------------------------------------


@rule
def available(s: Any, side: int) -> int:
    """R21: pool and crisis track; the Final Crisis zone only late, once either side has breached its own."""
    late = s.round_number >= 3 and s.first_final_breach != NOBODY
    return supply(s, side) - (0 if late else int(s.track[side, FINAL_CRISIS]))


@rule
def has_room(s: Any, side: int, space: int) -> bool:
    """R22: at most one more bot cube than player cubes afterwards, two more in a pivotal space, never a fifth."""
    lead = int(s.cubes[side, space]) - int(s.cubes[1 - side, space])
    return s.cubes[side, space] < CUBE_LIMIT and lead <= int(has(PIVOTAL_SPACES, space))


@rule
def room(s: Any, side: int, spaces: int) -> int:
    """The spaces of a set with Room."""
    found = 0
    for x in range(SPACES):
        if has(spaces, x) and has_room(s, side, x):
            found |= bit(x)
    return found


@rule
def isolated(s: Any, c: Any, side: int, space: int) -> bool:
    """R23: not adjacent to a space that the side controls; some spaces never are."""
    return not has(int(c.never_isolated[side]), space) and int(c.adjacent[space]) & controlled(s, side) == 0


@small_rule
def key_space(s: Any, c: Any, side: int, space: int) -> bool:
    """A pivotal space, or the target of the bot's own objective."""
    return has(PIVOTAL_SPACES, space) or (s.objective[side] != NO_CARD and c.target[s.objective[side]] == space)


@small_rule
def lead(s: Any, side: int, space: int) -> int:
    """Own pieces less enemy pieces."""
    return pieces(s, side, space) - pieces(s, 1 - side, space)


@small_rule
def adds_control(s: Any, side: int, space: int, gain: int) -> bool:
    """Shifting the balance by `gain` gives the side control that it lacks."""
    return lead(s, side, space) <= 0 and lead(s, side, space) + gain > 0


@small_rule
def breaks_control(s: Any, side: int, space: int, gain: int) -> bool:
    """Shifting the balance by `gain` ends the enemy's control."""
    return lead(s, side, space) < 0 and lead(s, side, space) + gain >= 0


@rule
def completes_dimension(s: Any, side: int, space: int, gain: int) -> bool:
    """The side then controls all three spaces of the dimension."""
    if not adds_control(s, side, space, gain):
        return False
    first = 3 * dimension_of(space)
    for x in range(first, first + 3):
        if x != space and not controls(s, side, x):
            return False
    return True


@rule
def breaks_dimension(s: Any, side: int, space: int, gain: int) -> bool:
    """The enemy then no longer controls the whole dimension."""
    return controls_dimension(s, 1 - side, dimension_of(space)) and breaks_control(s, side, space, gain)


@rule
def certain(s: Any, c: Any, side: int, space: int) -> bool:
    """A removal that needs no draw: political, strong enough, or by an event or bonus action, where no one attempts."""
    attempted = s.stack[s.depth - 1, FRAME_KIND] == ASK_OPERATION
    return not attempted or sphere_of(space) == POLITICAL or strength(s, c, side, space) >= SURE_STRENGTH


@small_rule
def home_sphere(side: int) -> int:
    """Military for a Versailles bot, political for a Commune bot."""
    return side


# -- selecting a space ---------------------------------------------------------------------------------------------


@rule
def meets(s: Any, c: Any, side: int, row: int, space: int, gain: int) -> bool:
    """Whether a space meets the condition of a row of the Space Selection tables."""
    if row == SELECT_ROOM:
        return has_room(s, side, space)
    if row == SELECT_COMPLETES_DIMENSION:
        return completes_dimension(s, side, space, gain)
    if row == SELECT_ADDS_KEY_CONTROL:
        return key_space(s, c, side, space) and adds_control(s, side, space, gain)
    if row == SELECT_BREAKS_CONTROL:
        return breaks_control(s, side, space, gain)
    if row == SELECT_ADDS_CONTROL:
        return adds_control(s, side, space, gain)
    if row == SELECT_OWN_SPHERE:
        return sphere_of(space) == home_sphere(side)
    if row == SELECT_NOT_ISOLATED:
        return not isolated(s, c, side, space)
    if row == SELECT_CERTAIN:
        return certain(s, c, side, space)
    if row == SELECT_BREAKS_DIMENSION:
        return breaks_dimension(s, side, space, gain)
    if row == SELECT_BREAKS_KEY_CONTROL:
        return key_space(s, c, side, space) and breaks_control(s, side, space, gain)
    if row == SELECT_ISOLATED:
        return isolated(s, c, 1 - side, space)
    return False


@rule
def rank(s: Any, c: Any, side: int, row: int, space: int) -> int:
    """How well a space does in a row that compares spaces; higher stays."""
    if row == SELECT_FEWEST_CUBES:
        return -int(s.cubes[1 - side, space])
    if row == SELECT_CERTAIN:
        return strength(s, c, side, space)
    if row == SELECT_STRONGEST_DIMENSION:
        return count_bits(controlled(s, side) & dimension_spaces(dimension_of(space)))
    return 0


@rule
def best_ranked(s: Any, c: Any, side: int, row: int, spaces: int) -> int:
    """The spaces of a set with the highest rank."""
    best, found = -99, 0
    for x in range(SPACES):
        if has(spaces, x):
            value = rank(s, c, side, row, x)
            if value > best:
                best, found = value, 0
            if value == best:
                found |= bit(x)
    return found


@rule
def eliminate(s: Any, c: Any, side: int, row: int, spaces: int, gain: int) -> int:
    """The spaces that a row leaves; all of them if it would leave none."""
    if row == SELECT_FEWEST_CUBES or row == SELECT_STRONGEST_DIMENSION:
        return best_ranked(s, c, side, row, spaces)
    found = 0
    for x in range(SPACES):
        if has(spaces, x) and meets(s, c, side, row, x, gain):
            found |= bit(x)
    if found == 0 and row == SELECT_CERTAIN:
        return best_ranked(s, c, side, row, spaces)
    return found if found != 0 else spaces


@rule
def any_of(s: Any, spaces: int) -> int:
    """A space of a set by the die (stream BOT)."""
    n = count_bits(spaces)
    k = random_below(s, BOT, n) if n > 1 else 0
    for x in range(SPACES):
        if has(spaces, x):
            if k == 0:
                return x
            k -= 1
    return 0


@rule
def select(s: Any, c: Any, side: int, table: Any, aid: int, spaces: int, gain: int) -> int:
    """Select a space: eliminate row by row until one is left, then the die ("Selecting Spaces")."""
    row = 0
    while row < AID_ROWS - 1 and table[row] != 0 and spaces & (spaces - 1) != 0:
        spaces = eliminate(s, c, side, int(table[row]), spaces, gain)
        row += 1
    space = any_of(s, spaces)
    note(s, NOTE_CHOICE, aid, row, space)
    return space


@rule
def select_place(s: Any, c: Any, side: int, spaces: int, gain: int) -> int:
    """By the table "where to place or replace"; gain 1 for a placement, 2 for a replacement."""
    return select(s, c, side, c.place_table[side], AID_PLACE, spaces, gain)


@rule
def select_remove(s: Any, c: Any, side: int, spaces: int) -> int:
    """By the table "where to remove"."""
    return select(s, c, side, c.remove_table[side], AID_REMOVE, spaces, 1)


# -- operations ----------------------------------------------------------------------------------------------------


@rule
def row_says_remove(s: Any, c: Any, side: int, row: int, removals: int, placements: int) -> bool:
    """Whether a row of the table "place or remove" holds."""
    if row == CHOOSE_NO_CUBES:
        return available(s, side) == 0
    if row == CHOOSE_NO_ROOM:
        return placements == 0
    if row == CHOOSE_HOME_DIMENSION:
        home = FORTS if side == VERSAILLES else PUBLIC_OPINION
        return cubes_of(s, 1 - side, dimension_spaces(home)) != 0
    for x in range(SPACES):
        if not has(removals, x):
            continue
        if row == CHOOSE_TAKES_KEY_SPACE:
            if key_space(s, c, side, x) and breaks_control(s, side, x, 1) and certain(s, c, side, x):
                return True
        elif completes_dimension(s, side, x, 1) or breaks_dimension(s, side, x, 1):
            return True
    return False


@rule
def wants_removal(s: Any, c: Any, side: int, removals: int, placements: int) -> bool:
    """Read the table "place or remove" from the top (R24)."""
    if removals == 0:
        return False
    for k in range(AID_ROWS):
        row = int(c.choose_table[side, k])
        if row == 0 or row == CHOOSE_PLACE:
            note(s, NOTE_CHOICE, AID_CHOOSE, k + 1, 0)
            return False
        if row_says_remove(s, c, side, row, removals, placements):
            note(s, NOTE_CHOICE, AID_CHOOSE, k + 1, 1)
            return True
    return False


@rule
def bot_placements(s: Any, c: Any, side: int, frame: Any) -> int:
    """Where the bot may place with its points: legal spaces with Room, while cubes are available."""
    if available(s, side) == 0:
        return 0
    spaces = int(frame[FRAME_D]) if frame[FRAME_E] == 1 else acting_spaces(s, c, side)
    return room(s, side, placement_spaces(s, side, int(frame[FRAME_B]) & spaces, int(frame[FRAME_A])))


@rule
def advise_operation(s: Any, c: Any, side: int, frame: Any) -> int:
    """Spend the next point: remove while the table says so, then place ("Placing and Removing Cubes")."""
    removals, placements = operation_removals(s, frame), bot_placements(s, c, side, frame)
    if wants_removal(s, c, side, removals, placements):
        space = select_remove(s, c, side, removals)
        weak = sphere_of(space) != POLITICAL and strength(s, c, side, space) == 1
        if weak and can_storm(s, c, side, space, int(frame[FRAME_A])):
            return STORM + space
        return REMOVE_FROM + space
    if placements != 0:
        return PLACE_IN + select_place(s, c, side, placements, 1)
    return DONE


# -- events --------------------------------------------------------------------------------------------------------


@rule
def bot_targets(s: Any, side: int, frame: Any, kind: int) -> int:
    """Where an effect can apply under the bot's guidelines: only Available cubes, and for events only spaces with Room.

    A cube for the player's momentum is no event: there Room is but a row of the Place table (R26).
    """
    targets = effect_targets(s, frame, kind)
    if kind != ASK_PLACE and kind != ASK_REPLACE:
        return targets
    if available(s, side) == 0:
        return 0
    gift = kind == ASK_PLACE and frame[FRAME_E] == PLACE_GIFT
    return targets if gift else room(s, side, targets)


@rule
def row_has_effect(s: Any, c: Any, side: int, step: Any) -> bool:
    """Whether a row would have an effect for the bot, other than raising the player's momentum (R20)."""
    operation, spaces = int(step[STEP_OPERATION]), row_spaces(s, c, side, step)
    can_place = available(s, side) > 0
    if operation == PLACE or operation == PLACE_OUT_OF_PLAY:
        return can_place and room(s, side, spaces) != 0
    if operation == REPLACE:
        return can_place and room(s, side, replace_targets(s, side, spaces)) != 0
    if operation == REMOVE:
        return cubes_of(s, 1 - side, spaces) != 0
    if operation == PLACE_DISC:
        return disc_targets(s, spaces) != 0 and not all_discs_placed(s, side)
    if operation == OPERATIONS:
        return operations_have_effect(s, c, side, spaces, int(step[STEP_COUNT]))
    if operation == OPERATIONS_BOTH:
        political = dimension_spaces(0) | dimension_spaces(1)
        return operations_have_effect(s, c, side, spaces, int(step[STEP_COUNT])) or operations_have_effect(
            s, c, side, political, int(step[STEP_SECOND])
        )
    if operation == MOMENTUM:
        raises_player = step[STEP_SECOND] == 1 and step[STEP_COUNT] > 0
        lowers_own = step[STEP_SECOND] == 0 and step[STEP_COUNT] < 0
        return momentum_can_change(s, side, step) and not raises_player and not lowers_own
    if operation == MOVE:
        return move_sources(s, side, spaces, int(step[STEP_SECOND])) != 0
    return operation == REMOVE_OWN and cubes_of(s, side, spaces) != 0


@rule
def operations_have_effect(s: Any, c: Any, side: int, spaces: int, points: int) -> bool:
    """Whether the bot could remove or place anything with that many points."""
    spaces &= acting_spaces(s, c, side)
    if removal_spaces(s, side, spaces, points) != 0:
        return True
    return available(s, side) > 0 and room(s, side, placement_spaces(s, side, spaces, points)) != 0


@rule
def event_has_effect(s: Any, c: Any, side: int, card: int) -> bool:
    """Whether the bot uses an event: its conditions are met and some row has an effect."""
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
    """The first option that would have an effect; never one whose "must" cannot be met."""
    first, usable = 0, usable_options(s, c, side, int(frame[FRAME_A]))
    for k in range(int(frame[FRAME_B]), MAX_STEPS):
        step = c.program[frame[FRAME_A], k]
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
    if kind == ASK_REPLACE and frame[FRAME_D] == 1:
        targets = turncoat_targets(s, side, effect_targets(s, frame, kind))
        return REPLACE_IN + select_place(s, c, side, targets, 2)
    targets = bot_targets(s, side, frame, kind)
    if kind == ASK_DISC and all_discs_placed(s, side):
        return DONE  # no table says which disc should move
    if targets == 0:
        return DONE
    if kind == ASK_MOVE:
        return advise_move(s, c, side, frame, targets)
    if kind == ASK_REMOVE:
        return REMOVE_FROM + select_remove(s, c, side, targets)
    if kind == ASK_REMOVE_OWN:
        return TAKE_FROM + any_of(s, targets)
    if kind == ASK_REPLACE:
        return REPLACE_IN + select_place(s, c, side, targets, 2)
    return effect_action(s, frame, kind) + select_place(s, c, side, targets, 1)


@rule
def advise_whether(s: Any, c: Any, side: int, frame: Any) -> int:
    """Events with an effect are used; the player's momentum is never raised and the own one never lowered by choice."""
    question, argument, change = int(frame[FRAME_A]), int(frame[FRAME_B]), int(frame[FRAME_C])
    if question == WHETHER_ENEMY_EVENT or question == WHETHER_OBJECTIVE_EVENT:
        return YES if event_has_effect(s, c, side, argument) else DONE
    if question == WHETHER_MOMENTUM:
        return YES if (change > 0) == (argument == side) else DONE
    return DONE if question == WHETHER_OUT_OF_PLAY else YES  # cubes out of play are not Available (R21)


# -- pivotal bonus actions -----------------------------------------------------------------------------------------


@rule
def after_moves(s: Any, side: int, space: int, f1: int, t1: int, f2: int, t2: int) -> int:
    """The side's lead in a space after one or two moves (no second move: f2 = t2)."""
    change = int(space == t1) - int(space == f1) + int(space == t2) - int(space == f2)
    return lead(s, side, space) + change


@rule
def spread_gain(s: Any, side: int, dimension: int, f1: int, t1: int, f2: int, t2: int) -> int:
    """Spaces of the dimension whose control is added by the moves; -1 if any is lost or a move is impossible."""
    if s.cubes[side, f1] == 0 or s.cubes[side, t1] >= CUBE_LIMIT:
        return -1
    if f2 != t2:
        left = int(s.cubes[side, f2]) - int(f2 == f1) + int(f2 == t1)
        there = int(s.cubes[side, t2]) + int(t2 == t1) - int(t2 == f1)
        if left <= 0 or there >= CUBE_LIMIT:
            return -1
    gained = 0
    for x in range(3 * dimension, 3 * dimension + 3):
        before, after = lead(s, side, x), after_moves(s, side, x, f1, t1, f2, t2)
        if before > 0 and after <= 0:
            return -1
        gained += int(before <= 0 and after > 0)
    return gained


@rule
def plan_exists(s: Any, side: int, dimension: int, f1: int, t1: int, moves: int, want: int) -> bool:
    """Whether moving from f1 to t1 first, with `moves` moves in all, adds control of `want` spaces."""
    if moves == 1:
        return spread_gain(s, side, dimension, f1, t1, 0, 0) >= want
    for f2 in range(3 * dimension, 3 * dimension + 3):
        for t2 in range(3 * dimension, 3 * dimension + 3):
            if f2 != t2 and spread_gain(s, side, dimension, f1, t1, f2, t2) >= want:
                return True
    return False


@rule
def spread_moves(s: Any, side: int, dimension: int, source: int, moves: int, want: int) -> int:
    """First halves of plans: destinations reachable from `source`, or with source -1 from any source."""
    found = 0
    for f in range(3 * dimension, 3 * dimension + 3):
        for t in range(3 * dimension, 3 * dimension + 3):
            if f != t and (source < 0 or source == f) and plan_exists(s, side, dimension, f, t, moves, want):
                found |= bit(t)
    return found


@rule
def spread_possible(s: Any, side: int, dimension: int, moves: int, want: int) -> int:
    """With how few moves (at most `moves`) a Spread adds control of `want` spaces without losing any; 0: it cannot."""
    for n in range(1, moves + 1):
        if spread_moves(s, side, dimension, -1, n, want) != 0:
            return n
    return 0


@rule
def advise_move(s: Any, c: Any, side: int, frame: Any, targets: int) -> int:
    """Spread: follow a plan for two spaces, else for one; other moves: by the Place table, from any source."""
    left, source, planned = int(frame[FRAME_A]), int(frame[FRAME_E]) - 1, int(frame[FRAME_F]) - 1
    if planned >= 0:
        frame[FRAME_F] = 0
        return PLACE_IN + planned
    dimension = -1
    for d in range(4):
        if frame[FRAME_B] == dimension_spaces(d) and frame[FRAME_D] == dimension_spaces(d):
            dimension = d
    if dimension < 0:
        if source >= 0:
            return PLACE_IN + select_place(s, c, side, targets, 1)
        return TAKE_FROM + any_of(s, targets)
    for want in (2, 1):
        moves = spread_possible(s, side, dimension, left, want)
        if moves == 0:
            continue
        destination = select_place(s, c, side, spread_moves(s, side, dimension, -1, moves, want), 1)
        sources = 0
        for f in range(3 * dimension, 3 * dimension + 3):
            if f != destination and has(spread_moves(s, side, dimension, f, moves, want), destination):
                sources |= bit(f)
        frame[FRAME_F] = destination + 1  # where the cube goes is selected before where it comes from, and only once
        return TAKE_FROM + any_of(s, sources)
    return DONE


@rule
def turncoat_adds(s: Any, side: int, dimension: int) -> int:
    """Spaces where a Turncoat adds the bot's control."""
    found, targets = 0, bot_replacements(s, side, dimension)
    for x in range(SPACES):
        if has(targets, x) and adds_control(s, side, x, 2):
            found |= bit(x)
    return found


@rule
def turncoat_breaks(s: Any, side: int, dimension: int) -> int:
    """Spaces where a Turncoat ends the player's control."""
    found, targets = 0, bot_replacements(s, side, dimension)
    for x in range(SPACES):
        if has(targets, x) and breaks_control(s, side, x, 2):
            found |= bit(x)
    return found


@rule
def bot_replacements(s: Any, side: int, dimension: int) -> int:
    """Where the bot could carry out a Turncoat."""
    return replace_targets(s, side, dimension_spaces(dimension)) if available(s, side) > 0 else 0


@rule
def turncoat_targets(s: Any, side: int, targets: int) -> int:
    """The spaces for which the Turncoat was chosen."""
    for x in range(SPACES):
        if has(targets, x):
            adds = turncoat_adds(s, side, dimension_of(x))
            return adds if adds != 0 else turncoat_breaks(s, side, dimension_of(x))
    return targets


@rule
def surplus_spaces(s: Any, side: int, dimension: int) -> int:
    """De-escalate: spaces with at least 2 more bot cubes than player cubes, 3 more in a pivotal space."""
    found = 0
    for x in range(3 * dimension, 3 * dimension + 3):
        if int(s.cubes[side, x]) - int(s.cubes[1 - side, x]) >= 2 + int(has(PIVOTAL_SPACES, x)):
            found |= bit(x)
    return found


@rule
def advise_bonus(s: Any, side: int, frame: Any) -> int:
    """The first bonus action of the list that applies ("Pivotal Space Bonus Actions", solo)."""
    dimension = int(frame[FRAME_A])
    if spread_possible(s, side, dimension, 2, 2) != 0:
        return SPREAD
    if turncoat_adds(s, side, dimension) != 0:
        return TURNCOAT
    if spread_possible(s, side, dimension, 2, 1) != 0:
        return SPREAD
    if surplus_spaces(s, side, dimension) != 0:
        return DE_ESCALATE
    if turncoat_breaks(s, side, dimension) != 0:
        return TURNCOAT
    return DONE


@rule
def advise_de_escalate(s: Any, c: Any, side: int, frame: Any) -> int:
    """First a surplus bot cube by the die, then a player cube to add control, else where the player leads least."""
    dimension = int(frame[FRAME_A])
    if frame[FRAME_B] == 0:
        surplus = surplus_spaces(s, side, dimension)
        return TAKE_FROM + any_of(s, surplus) if surplus != 0 else DONE
    enemy = cubes_of(s, 1 - side, dimension_spaces(dimension))
    if enemy == 0:
        return DONE
    adding, level = 0, 0
    for x in range(SPACES):
        if has(enemy, x) and adds_control(s, side, x, 1):
            adding |= bit(x)
        if has(enemy, x) and s.cubes[1 - side, x] == s.cubes[side, x] + 1:
            level |= bit(x)
    if adding != 0:
        return REMOVE_FROM + select_remove(s, c, side, adding)
    if level == 0:
        level = best_ranked(s, c, side, SELECT_FEWEST_CUBES, enemy)
    return REMOVE_FROM + select_remove(s, c, side, level)


# -- one door ------------------------------------------------------------------------------------------------------


@rule
def advise(s: Any, c: Any, frame: Any) -> int:
    """The Aid's answer to the question on top of the stack; what concerns a hand or the discards it declines."""
    kind, side = int(frame[FRAME_KIND]), int(frame[FRAME_SIDE])
    if kind == ASK_OPERATION:
        return advise_operation(s, c, side, frame)
    if kind >= ASK_PLACE and kind <= ASK_DISC:
        return advise_effect(s, c, side, frame, kind)
    if kind == ASK_WHETHER:
        return advise_whether(s, c, side, frame)
    if kind == ASK_OPTION:
        return advise_option(s, c, side, frame)
    if kind == ASK_BONUS:
        return advise_bonus(s, side, frame)
    if kind == ASK_DE_ESCALATE:
        return advise_de_escalate(s, c, side, frame)
    if kind == ASK_INITIATIVE:
        return FIRST + 1 - side  # solo step 3: it plays second
    return DONE


@rule
def wants_momentum(s: Any, c: Any, side: int) -> bool:
    """The Momentum Increase Check (solo step 4a)."""
    if s.momentum[side] >= MOMENTUM_LIMIT:
        return False
    if side == VERSAILLES:
        return available(s, side) < 3
    return int(c.pool_places[s.momentum[COMMUNE]]) - int(s.pool[COMMUNE]) < 2
