"""Influence, and who controls a space for certain.

A side's reach on a space is what its k highest unplayed numbers would add, k being the empty spaces next to it: the
worst that can still happen there (V8, V9). Placing counters only lowers the sum of influence and reach of either side,
and never lowers influence, so what is certain once stays so: verdicts are kept, and only open ones are judged again.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.games.revolution.board import (
    BASTILLE, COUNTERS, DEGREE, JACOBINS, MOST_NEIGHBOURS, NEIGHBOURS, NOTRE_DAME, NOWHERE, NO_SPACE, ROYALISTS, SIDES,
    VERSAILLES, enemy_of, is_space, place_of,
)  # fmt: skip


@rule
def put(s: Any, piece: int, x: int) -> None:
    """Put a piece on an empty space."""
    s.at[piece] = x
    s.on[x] = piece
    s.placed += 1
    for i in range(DEGREE[x]):
        near = NEIGHBOURS[x, i]
        if s.on[near] != NO_SPACE:
            s.empties[near] -= 1


@rule
def exert(s: Any, side: int, x: int, value: int) -> None:
    """Project the influence of a side's counter onto its space and the spaces next to it (rules, number counters)."""
    s.influence[side, x] += value
    for i in range(DEGREE[x]):
        near = NEIGHBOURS[x, i]
        if s.on[near] != NO_SPACE:
            s.influence[side, near] += value


@rule
def measure_reach(s: Any, c: Any, side: int) -> None:
    """Sum up the highest unplayed numbers of a side; with fewer than k left, all of them (V8)."""
    # By their number k, from the highest.
    k = 0
    total = 0
    for i in range(COUNTERS):
        counter = int(c.by_value[i])
        if k < MOST_NEIGHBOURS and place_of(s, side, counter) == NOWHERE:
            k += 1
            total += int(c.value[counter])
            s.reach[side, k] = total

    # There are no more.
    for more in range(k + 1, MOST_NEIGHBOURS + 1):
        s.reach[side, more] = total


@rule
def settle(s: Any, mover: int) -> None:
    """Judge every open space that holds a piece, after a placement by `mover`."""
    # Counters.
    for side in range(SIDES):
        for counter in range(COUNTERS):
            x = place_of(s, side, counter)
            if is_space(x) and is_open(s, x):
                judge_counter(s, x, side)

    # Buildings.
    for building in range(BASTILLE, VERSAILLES + 1):
        x = int(s.at[building])
        if is_space(x) and is_open(s, x):
            judge_building(s, x)
    x = int(s.at[NOTRE_DAME])
    if is_open(s, x):
        judge_notre_dame(s, x, mover)


@small_rule
def is_open(s: Any, x: int) -> bool:
    """True if neither side controls this space for certain yet."""
    return s.controls[ROYALISTS, x] == 0 and s.controls[JACOBINS, x] == 0


@small_rule
def judge_counter(s: Any, x: int, owner: int) -> None:
    """Judge a number or a flag: its owner needs as much as the enemy can reach, the enemy needs more (V10, V11)."""
    k = int(s.empties[x])
    enemy = enemy_of(owner)
    own = int(s.influence[owner, x])
    other = int(s.influence[enemy, x])
    if own >= other + int(s.reach[enemy, k]):
        s.controls[owner, x] = 1
    elif other > own + int(s.reach[owner, k]):
        s.controls[enemy, x] = 1


@small_rule
def judge_building(s: Any, x: int) -> None:
    """Judge Bastille or Versailles: more than the other side can reach; a full tie is nobody's (V14)."""
    k = int(s.empties[x])
    blue = int(s.influence[ROYALISTS, x])
    red = int(s.influence[JACOBINS, x])
    if blue > red + int(s.reach[JACOBINS, k]):
        s.controls[ROYALISTS, x] = 1
    elif red > blue + int(s.reach[ROYALISTS, k]):
        s.controls[JACOBINS, x] = 1


@small_rule
def judge_notre_dame(s: Any, x: int, mover: int) -> None:
    """Judge Notre Dame: less than the other side for certain; a full tie is for whoever did not fill it (V18, V19)."""
    k = int(s.empties[x])
    blue = int(s.influence[ROYALISTS, x])
    red = int(s.influence[JACOBINS, x])
    if blue + int(s.reach[ROYALISTS, k]) < red:
        s.controls[ROYALISTS, x] = 1
    elif red + int(s.reach[JACOBINS, k]) < blue:
        s.controls[JACOBINS, x] = 1
    elif k == 0:
        s.controls[enemy_of(mover), x] = 1
