"""The scripted player: it judges the position after every possible placement of a counter, and takes the best.

The counter and its space are chosen by the same judgement, so that the second decision completes the first. Buildings
are placed at random.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rfop_env.compiler import rule, small_rule
from rfop_env.core.legal_actions import random_legal, tie_count
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.revolution import actions, board, control, state
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State

NEVER = -1_000_000
WIN = 100_000  # capturing the flag; losing its own one is as bad
DANGER = 20_000  # the enemy's next placement could capture its flag
SPACE_WON = 100  # a number or a building for certain
SAFE_FLAG = 150
FLAG_LEAD = 12  # for each point of influence ahead on an open space with a flag
BUILDING_LEAD = 6
NUMBER_LEAD = 4
EMPTY_LEAD = 3  # on every empty space
FARTHEST_LEAD = 12  # a longer lead is worth no more
COST = 15  # of each point of influence spent


class Judgement(NamedTuple):
    """What spaces are worth to a side."""

    worth: int
    markers: int  # that the side can place there
    buildings: int  # that it controls there


@rule
def advise(s: State, c: Components, mask: Any, n: int) -> int:
    """The scripted player's action; equal ones are drawn from stream BOT."""
    if s.question == state.ASK_COUNTER:
        return actions.COUNTER + best_counter(s, c, mask)
    if s.question == state.ASK_SPACE:
        return actions.SPACE + best_space(s, c, s.held % board.COUNTERS)
    return random_legal(s, BOT, mask)


@rule
def best_counter(s: State, c: Components, mask: Any) -> int:
    """The counter of the best placement."""
    best = NEVER
    choice = 0
    ties = 0
    for counter in range(board.COUNTERS):
        if mask[actions.COUNTER + counter]:
            place = rank(s, c, s.player, counter)
            standing = judge_board(s, c, counter, place)
            worth = NEVER
            for x in range(board.SPACES):
                if s.on[x] == board.NO_PIECE:
                    worth = max(worth, placement_worth(s, c, counter, place, x, standing))

            ties = tie_count(worth, best, ties)
            best = max(best, worth)
            if worth == best and random_below(s, BOT, ties) == 0:
                choice = counter
    return choice


@rule
def best_space(s: State, c: Components, counter: int) -> int:
    """The best space for a counter."""
    place = rank(s, c, s.player, counter)
    standing = judge_board(s, c, counter, place)
    best = NEVER
    choice = 0
    ties = 0
    for x in range(board.SPACES):
        if s.on[x] == board.NO_PIECE:
            worth = placement_worth(s, c, counter, place, x, standing)
            ties = tie_count(worth, best, ties)
            best = max(best, worth)
            if worth == best and random_below(s, BOT, ties) == 0:
                choice = x
    return choice


@rule
def judge_board(s: State, c: Components, counter: int, place: int) -> Judgement:
    """All spaces as they are, for the side that decides and is about to place a counter; `place` is its `rank`."""
    worth = 0
    markers = 0
    buildings = 0
    for x in range(board.SPACES):
        space = judge_space(s, s.player, x, int(s.on[x]), s.empties[x], 0, c.value[counter], place)
        worth += space.worth
        markers += space.markers
        buildings += space.buildings
    return Judgement(worth, markers, buildings)


@rule
def placement_worth(s: State, c: Components, counter: int, place: int, target: int, standing: Judgement) -> int:
    """The worth of placing a counter on a space to the side that decides.

    Only that space and those next to it change what they are worth; `standing` is the judgement of the board.
    """
    side = s.player
    value = c.value[counter]
    worth, markers, buildings = standing
    for i in range(board.DEGREE[target] + 1):
        x = target if i == board.DEGREE[target] else board.NEIGHBOURS[target, i]
        piece = int(s.on[x])
        k = s.empties[x]
        old = judge_space(s, side, x, piece, k, 0, value, place)
        if x == target:
            piece = board.counter_piece(side, counter)
        else:
            k -= 1
        new = judge_space(s, side, x, piece, k, value, value, place)
        worth += new.worth - old.worth
        markers += new.markers - old.markers
        buildings += new.buildings - old.buildings

    flag_stands = counter == board.FLAG or control.counter_space(s, side, board.FLAG) != board.NOWHERE
    if buildings == board.BUILDINGS or (flag_stands and markers >= s.left[side]):
        worth += WIN
    return worth - COST * value


@small_rule
def judge_space(s: State, side: int, x: int, piece: int, k: int, gain: int, value: int, place: int) -> Judgement:
    """A space with a piece and k empty spaces next to it, where the side will have `gain` more influence.

    The side is about to place the counter of `value`, or has done so; `place` is its `rank`.
    """
    foe = board.enemy(side)
    own = s.influence[side, x] + gain
    enemy = s.influence[foe, x]
    if piece == board.NO_PIECE:
        return Judgement(EMPTY_LEAD * (own - enemy), 0, 0)
    if piece > board.NO_PIECE:
        return Judgement(0, 0, 0)

    # Who controls the space: for certain, or as far as can be foreseen.
    worth = 0
    verdict = int(s.controls[side, x]) - int(s.controls[foe, x])
    if verdict == 0:
        hostile = s.reach[foe, k]
        # A counter among the k highest unplayed ones is no longer to come, and the next one takes its place.
        spent = place < k and k < board.MOST_NEIGHBOURS
        coming = s.reach[side, k + 1] - value if spent else s.reach[side, k]
        verdict = foreseen(side, piece, own, own + coming, enemy, enemy + hostile, k)
        worth = space_worth(s, side, piece, verdict, own - enemy, k)

    # What counts for victory.
    is_marked = piece == board.NOTRE_DAME or (piece < board.FIRST_BUILDING and piece % board.COUNTERS != board.FLAG)
    marker = int(verdict == 1 and is_marked and s.marked[side, x] == 0)
    return Judgement(worth, marker, int(verdict == 1 and piece >= board.FIRST_BUILDING))


@rule
def rank(s: State, c: Components, side: int, counter: int) -> int:
    """The number of unplayed counters of a side that have a higher value than one, or come first at the same value."""
    count = 0
    for i in range(board.COUNTERS):
        if c.by_value[i] == counter:
            break
        count += int(control.counter_space(s, side, c.by_value[i]) == board.NOWHERE)
    return count


@small_rule
def foreseen(side: int, piece: int, own: int, own_most: int, enemy: int, enemy_most: int, k: int) -> int:
    """The side that will control a space for certain: 1 `side`, -1 its enemy, 0 open (as in control.py)."""
    if piece == board.NOTRE_DAME:
        if own_most < enemy:
            return 1
        return -1 if enemy_most < own or k == 0 else 0

    # An equal number is the owner's; a building has none.
    own_tie = piece < board.FIRST_BUILDING and piece // board.COUNTERS == side
    enemy_tie = piece < board.FIRST_BUILDING and piece // board.COUNTERS != side
    if own > enemy_most or (own == enemy_most and own_tie):
        return 1
    return -1 if enemy > own_most or (enemy == own_most and enemy_tie) else 0


@small_rule
def space_worth(s: State, side: int, piece: int, verdict: int, ahead: int, k: int) -> int:
    """The worth of a space with a piece, by the verdict foreseen or, while it is open, by the lead in influence."""
    lead = max(-FARTHEST_LEAD, min(FARTHEST_LEAD, ahead))
    if piece >= board.FIRST_BUILDING:
        if verdict != 0:
            return verdict * SPACE_WON
        return -BUILDING_LEAD * lead if piece == board.NOTRE_DAME else BUILDING_LEAD * lead

    # Numbers, the enemy's flag, the side's own flag.
    if piece % board.COUNTERS != board.FLAG:
        return verdict * SPACE_WON + NUMBER_LEAD * lead * int(verdict == 0)
    if piece // board.COUNTERS != side:
        return WIN if verdict == 1 else verdict * SAFE_FLAG + FLAG_LEAD * lead * int(verdict == 0)
    if verdict != 0:
        return SAFE_FLAG if verdict == 1 else -WIN
    captured_next = -ahead + s.reach[board.enemy(side), 1] > s.reach[side, k - 1]
    return FLAG_LEAD * lead - DANGER * int(captured_next)
