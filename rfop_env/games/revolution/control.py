"""Influence, and who controls a space for certain.

A side's reach on a space is what its k highest unplayed numbers would add, k being the empty spaces next to it: the
worst that can still happen there (V8, V9). Placing counters only lowers the sum of influence and reach of either side,
and never lowers influence, so what is certain once stays so: verdicts are kept, and only open ones are judged again.
"""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.games.revolution import board
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State


@small_rule
def counter_space(s: State, side: int, counter: int) -> int:
    """The space of a side's counter; NOWHERE while it is unplayed, NOT_IN_PLAY if it is left out."""
    return int(s.at[board.counter_piece(side, counter)])


@rule
def put(s: State, piece: int, x: int) -> None:
    """Put a piece on an empty space."""
    s.at[piece] = x
    s.on[x] = piece
    s.placed += 1
    for i in range(board.DEGREE[x]):
        near = board.NEIGHBOURS[x, i]
        if s.on[near] != board.NO_SPACE:
            s.empties[near] -= 1


@rule
def exert(s: State, side: int, x: int, value: int) -> None:
    """Project the influence of a side's counter onto its space and the spaces next to it (rules, number counters)."""
    s.influence[side, x] += value
    for i in range(board.DEGREE[x]):
        near = board.NEIGHBOURS[x, i]
        if s.on[near] != board.NO_SPACE:
            s.influence[side, near] += value


@rule
def measure_reach(s: State, c: Components, side: int) -> None:
    """Sum up the highest unplayed numbers of a side; with fewer than k left, all of them (V8)."""
    # By their number k, from the highest.
    k = 0
    total = 0
    for i in range(board.COUNTERS):
        counter = c.by_value[i]
        if k < board.MOST_NEIGHBOURS and counter_space(s, side, counter) == board.NOWHERE:
            k += 1
            total += c.value[counter]
            s.reach[side, k] = total

    # There are no more.
    for rank in range(k + 1, board.MOST_NEIGHBOURS + 1):
        s.reach[side, rank] = total


@rule
def settle(s: State, mover: int) -> None:
    """Judge every open space that holds a piece, after a placement by `mover`."""
    # Counters.
    for side in range(board.SIDES):
        for counter in range(board.COUNTERS):
            x = counter_space(s, side, counter)
            if board.is_space(x) and is_open(s, x):
                judge_counter(s, x, side)

    # Buildings.
    for building in range(board.BASTILLE, board.VERSAILLES + 1):
        x = int(s.at[building])
        if board.is_space(x) and is_open(s, x):
            judge_building(s, x)
    x = int(s.at[board.NOTRE_DAME])
    if is_open(s, x):
        judge_notre_dame(s, x, mover)


@small_rule
def is_open(s: State, x: int) -> bool:
    """True if neither side controls this space for certain yet."""
    return s.controls[board.ROYALISTS, x] == 0 and s.controls[board.JACOBINS, x] == 0


@small_rule
def judge_counter(s: State, x: int, owner: int) -> None:
    """Judge a number or a flag: its owner needs as much as the enemy can reach, the enemy needs more (V10, V11)."""
    k = s.empties[x]
    enemy = board.enemy(owner)
    own = s.influence[owner, x]
    foe = s.influence[enemy, x]
    if own >= foe + s.reach[enemy, k]:
        s.controls[owner, x] = 1
    elif foe > own + s.reach[owner, k]:
        s.controls[enemy, x] = 1


@small_rule
def judge_building(s: State, x: int) -> None:
    """Judge Bastille or Versailles: more than the other side can reach; a full tie is nobody's (V14)."""
    k = s.empties[x]
    blue = s.influence[board.ROYALISTS, x]
    red = s.influence[board.JACOBINS, x]
    if blue > red + s.reach[board.JACOBINS, k]:
        s.controls[board.ROYALISTS, x] = 1
    elif red > blue + s.reach[board.ROYALISTS, k]:
        s.controls[board.JACOBINS, x] = 1


@small_rule
def judge_notre_dame(s: State, x: int, mover: int) -> None:
    """Judge Notre Dame: less than the other side for certain; a full tie is for whoever did not fill it (V18, V19)."""
    k = s.empties[x]
    blue = s.influence[board.ROYALISTS, x]
    red = s.influence[board.JACOBINS, x]
    if blue + s.reach[board.ROYALISTS, k] < red:
        s.controls[board.ROYALISTS, x] = 1
    elif red + s.reach[board.JACOBINS, k] < blue:
        s.controls[board.JACOBINS, x] = 1
    elif k == 0:
        s.controls[board.enemy(mover), x] = 1
