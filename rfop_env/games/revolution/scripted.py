"""The scripted player: for every counter and space it judges the position after the placement, and takes the best.

Choosing the counter and choosing its space rest on the same judgement, so that the second carries out what the first
had in mind. Buildings are placed at random.
"""

from __future__ import annotations

from typing import Any

from rfop_env.core.legal_actions import random_legal
from rfop_env.core.random_stream import BOT, random_below
from rfop_env.core.rule import rule, small_rule
from rfop_env.games.revolution.actions import COUNTER, SPACE
from rfop_env.games.revolution.board import (
    BUILDINGS, COUNTERS, FIRST_BUILDING, FLAG, MOST_NEIGHBOURS, NOTRE_DAME, NOWHERE, NO_PIECE, REACHES, SPACES,
)  # fmt: skip
from rfop_env.games.revolution.state import ASK_COUNTER, ASK_SPACE

NEVER = -1_000_000
WIN = 100_000  # capturing the flag; losing the own one is as bad
DANGER = 20_000  # the enemy's next placement could capture the own flag
SPACE_WON = 100  # a number or a building for certain
SAFE_FLAG = 150
FLAG_LEAD = 12  # for each point of influence ahead on an open space with a flag
BUILDING_LEAD = 6
NUMBER_LEAD = 4
EMPTY_LEAD = 3  # on every empty space
FARTHEST_LEAD = 12  # a longer lead is worth no more
COST = 15  # of each point of influence spent


@rule
def advise(s: Any, c: Any, mask: Any, n: int) -> int:
    """The scripted player's action; equal ones are drawn from stream BOT."""
    if s.question == ASK_COUNTER:
        return COUNTER + best_counter(s, c, mask)
    if s.question == ASK_SPACE:
        return SPACE + best_space(s, c, int(s.held) % COUNTERS)
    return random_legal(s, BOT, mask)


@rule
def best_counter(s: Any, c: Any, mask: Any) -> int:
    """The counter of the best placement."""
    best, chosen, equals = NEVER, 0, 0
    for counter in range(COUNTERS):
        if mask[COUNTER + counter]:
            worth = NEVER
            for x in range(SPACES):
                if s.on[x] == NO_PIECE:
                    worth = max(worth, worth_of(s, c, counter, x))
            if worth > best:
                best, equals = worth, 0
            if worth == best:
                equals += 1
                if random_below(s, BOT, equals) == 0:
                    chosen = counter
    return chosen


@rule
def best_space(s: Any, c: Any, counter: int) -> int:
    """The best space for a counter."""
    best, chosen, equals = NEVER, 0, 0
    for x in range(SPACES):
        if s.on[x] == NO_PIECE:
            worth = worth_of(s, c, counter, x)
            if worth > best:
                best, equals = worth, 0
            if worth == best:
                equals += 1
                if random_below(s, BOT, equals) == 0:
                    chosen = x
    return chosen


@rule
def worth_of(s: Any, c: Any, counter: int, target: int) -> int:
    """What placing a counter on a space is worth to the side that decides: every space, judged as it will be."""
    side, value = int(s.player), int(c.value[counter])
    before = rank(s, c, side, counter)
    worth, markers, buildings = -COST * value, 0, 0
    for x in range(SPACES):
        piece = COUNTERS * side + counter if x == target else int(s.on[x])
        near = int(REACHES[target, x])
        own, enemy = int(s.influence[side, x]) + near * value, int(s.influence[1 - side, x])
        if piece == NO_PIECE:
            worth += EMPTY_LEAD * (own - enemy)
            continue
        verdict = int(s.controls[side, x]) - int(s.controls[1 - side, x])
        if verdict == 0:
            k = int(s.empties[x]) - int(near == 1 and x != target)
            hostile = int(s.reach[1 - side, k])
            # A counter among the k highest unplayed ones is no longer to come, and the next one takes its place.
            spent = before < k and k < MOST_NEIGHBOURS
            coming = int(s.reach[side, k + 1]) - value if spent else int(s.reach[side, k])
            verdict = foreseen(side, piece, own, own + coming, enemy, enemy + hostile, k)
            worth += worth_of_space(s, side, piece, verdict, own - enemy, k)
        if verdict == 1 and s.marked[side, x] == 0:
            markers += int(piece == NOTRE_DAME or (piece < FIRST_BUILDING and piece % COUNTERS != FLAG))
        buildings += int(verdict == 1 and piece >= FIRST_BUILDING)
    flag_stands = counter == FLAG or s.at[COUNTERS * side + FLAG] != NOWHERE
    if buildings == BUILDINGS or (flag_stands and markers >= s.left[side]):
        worth += WIN
    return worth


@rule
def rank(s: Any, c: Any, side: int, counter: int) -> int:
    """How many unplayed counters of a side come before one, from the highest."""
    before = 0
    for i in range(COUNTERS):
        other = int(c.by_value[i])
        if other == counter:
            break
        before += int(s.at[COUNTERS * side + other] == NOWHERE)
    return before


@small_rule
def foreseen(side: int, piece: int, own: int, own_most: int, enemy: int, enemy_most: int, k: int) -> int:
    """Who will control a space for certain: 1 the own side, -1 the enemy, 0 open (as in control.py)."""
    if piece == NOTRE_DAME:
        return 1 if own_most < enemy else -1 if enemy_most < own or k == 0 else 0
    tie = 0 if piece >= FIRST_BUILDING else 1 if piece // COUNTERS == side else -1  # whose an equal number would be
    if own > enemy_most or (own == enemy_most and tie == 1):
        return 1
    return -1 if enemy > own_most or (enemy == own_most and tie == -1) else 0


@small_rule
def worth_of_space(s: Any, side: int, piece: int, verdict: int, ahead: int, k: int) -> int:
    """What a space with a piece is worth, by the verdict foreseen or, while it is open, by the lead in influence."""
    lead = max(-FARTHEST_LEAD, min(FARTHEST_LEAD, ahead))
    if piece >= FIRST_BUILDING:
        if verdict != 0:
            return verdict * SPACE_WON
        return -BUILDING_LEAD * lead if piece == NOTRE_DAME else BUILDING_LEAD * lead
    if piece % COUNTERS != FLAG:
        return verdict * SPACE_WON + NUMBER_LEAD * lead * int(verdict == 0)
    if piece // COUNTERS != side:
        return WIN if verdict == 1 else verdict * SAFE_FLAG + FLAG_LEAD * lead * int(verdict == 0)
    if verdict != 0:
        return SAFE_FLAG if verdict == 1 else -WIN
    captured_next = -ahead + int(s.reach[1 - side, 1]) > int(s.reach[side, k - 1])
    return FLAG_LEAD * lead - DANGER * int(captured_next)
