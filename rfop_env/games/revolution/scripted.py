"""The scripted player: it judges the position after every possible placement of a counter, and takes the best.

The counter and its space are chosen by the same judgement, so that the second decision completes the first. Buildings
are placed at random.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.legal_actions import random_legal
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.games.revolution import actions, board, state
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State

Judgement = tuple[int, int, int]  # the worth of spaces, markers that can be placed there, buildings controlled there

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
    chosen = 0
    equals = 0
    for counter in range(board.COUNTERS):
        if mask[actions.COUNTER + counter]:
            before = rank(s, c, s.player, counter)
            standing = judge_board(s, c, counter, before)
            worth = NEVER
            for x in range(board.SPACES):
                if s.on[x] == board.NO_PIECE:
                    worth = max(worth, worth_of(s, c, counter, before, x, standing))

            if worth > best:
                best = worth
                equals = 0
            if worth == best:
                equals += 1
                if random_below(s, BOT, equals) == 0:
                    chosen = counter
    return chosen


@rule
def best_space(s: State, c: Components, counter: int) -> int:
    """The best space for a counter."""
    before = rank(s, c, s.player, counter)
    standing = judge_board(s, c, counter, before)
    best = NEVER
    chosen = 0
    equals = 0
    for x in range(board.SPACES):
        if s.on[x] == board.NO_PIECE:
            worth = worth_of(s, c, counter, before, x, standing)
            if worth > best:
                best = worth
                equals = 0
            if worth == best:
                equals += 1
                if random_below(s, BOT, equals) == 0:
                    chosen = x
    return chosen


@rule
def judge_board(s: State, c: Components, counter: int, before: int) -> Judgement:
    """All spaces as they are, for the side that decides and is about to place a counter."""
    side = s.player
    value = c.value[counter]
    worth = 0
    markers = 0
    buildings = 0
    for x in range(board.SPACES):
        one = judge_space(s, side, x, int(s.on[x]), s.empties[x], 0, value, before)
        worth += one[0]
        markers += one[1]
        buildings += one[2]
    return worth, markers, buildings


@rule
def worth_of(s: State, c: Components, counter: int, before: int, target: int, standing: Judgement) -> int:
    """The worth of placing a counter on a space to the side that decides.

    Only that space and those next to it will be judged otherwise than the `standing` is.
    """
    side = s.player
    value = c.value[counter]
    worth, markers, buildings = standing
    for i in range(board.DEGREE[target] + 1):
        x = target if i == board.DEGREE[target] else board.NEIGHBOURS[target, i]
        piece = int(s.on[x])
        k = s.empties[x]
        now = judge_space(s, side, x, piece, k, 0, value, before)
        if x == target:
            piece = board.counter_of(side, counter)
        else:
            k -= 1
        then = judge_space(s, side, x, piece, k, value, value, before)
        worth += then[0] - now[0]
        markers += then[1] - now[1]
        buildings += then[2] - now[2]

    flag_stands = counter == board.FLAG or board.place_of(s, side, board.FLAG) != board.NOWHERE
    if buildings == board.BUILDINGS or (flag_stands and markers >= s.left[side]):
        worth += WIN
    return worth - COST * value


@small_rule
def judge_space(s: State, side: int, x: int, piece: int, k: int, gained: int, value: int, before: int) -> Judgement:
    """A space with a piece and k empty spaces next to it, where the side will have `gained` influence.

    The side is about to place the counter of `value`, or has done so; `before` is its rank.
    """
    enemy_side = board.enemy_of(side)
    own = s.influence[side, x] + gained
    enemy = s.influence[enemy_side, x]
    if piece == board.NO_PIECE:
        return EMPTY_LEAD * (own - enemy), 0, 0
    if piece > board.NO_PIECE:
        return 0, 0, 0

    # Who controls the space: for certain, or as far as can be foreseen.
    worth = 0
    verdict = int(s.controls[side, x]) - int(s.controls[enemy_side, x])
    if verdict == 0:
        hostile = s.reach[enemy_side, k]
        # A counter among the k highest unplayed ones is no longer to come, and the next one takes its place.
        spent = before < k and k < board.MOST_NEIGHBOURS
        coming = s.reach[side, k + 1] - value if spent else s.reach[side, k]
        verdict = foreseen(side, piece, own, own + coming, enemy, enemy + hostile, k)
        worth = worth_of_space(s, side, piece, verdict, own - enemy, k)

    # What counts for victory.
    is_marked = piece == board.NOTRE_DAME or (piece < board.FIRST_BUILDING and piece % board.COUNTERS != board.FLAG)
    marker = int(verdict == 1 and is_marked and s.marked[side, x] == 0)
    return worth, marker, int(verdict == 1 and piece >= board.FIRST_BUILDING)


@rule
def rank(s: State, c: Components, side: int, counter: int) -> int:
    """The number of unplayed counters of a side before one, from the highest."""
    before = 0
    for i in range(board.COUNTERS):
        other = c.by_value[i]
        if other == counter:
            break
        before += int(board.place_of(s, side, other) == board.NOWHERE)
    return before


@small_rule
def foreseen(side: int, piece: int, own: int, own_most: int, enemy: int, enemy_most: int, k: int) -> int:
    """The side that will control a space for certain: 1 `side`, -1 its enemy, 0 open (as in control.py)."""
    if piece == board.NOTRE_DAME:
        return 1 if own_most < enemy else -1 if enemy_most < own or k == 0 else 0
    tie = (
        0 if piece >= board.FIRST_BUILDING else 1 if piece // board.COUNTERS == side else -1
    )  # whose an equal number would be
    if own > enemy_most or (own == enemy_most and tie == 1):
        return 1
    return -1 if enemy > own_most or (enemy == own_most and tie == -1) else 0


@small_rule
def worth_of_space(s: State, side: int, piece: int, verdict: int, ahead: int, k: int) -> int:
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
    captured_next = -ahead + s.reach[board.enemy_of(side), 1] > s.reach[side, k - 1]
    return FLAG_LEAD * lead - DANGER * int(captured_next)
