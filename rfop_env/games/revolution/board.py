"""The board and the pieces of Revolution: named integers, and which spaces are next to each other."""

from __future__ import annotations


import numpy as np

from rfop_env.compiler import small_rule


SIDES = 2
ROYALISTS, JACOBINS, NEUTRAL = range(3)  # blue, red, nobody's (buildings)
SIDE_NAMES = ("Royalists", "Jacobins")
NOBODY = -1

# 25 spaces in rows of five:   a1  b1  c1  d1  e1      0  1  2  3  4
#                              a2  b2  ...             5  6  ...
WIDTH = 5
SPACES = WIDTH * WIDTH
NOWHERE = SPACES  # where an unplayed piece is
NOT_IN_PLAY = SPACES + 1  # where a piece is that a component set leaves out
SPACE_NAMES = tuple(f"{'abcde'[x % WIDTH]}{x // WIDTH + 1}" for x in range(SPACES))

# 25 pieces, as many as spaces: the counters of both sides and the buildings.
COUNTERS = 11  # of a side: the numbers 0 to 9 and the flag
FLAG = 10
BUILDINGS = 3
FIRST_BUILDING = SIDES * COUNTERS
BASTILLE, VERSAILLES, NOTRE_DAME = range(FIRST_BUILDING, FIRST_BUILDING + BUILDINGS)
PIECES = FIRST_BUILDING + BUILDINGS
NO_PIECE = PIECES  # what an empty space holds
NO_SPACE = PIECES + 1  # what a space holds that a component set leaves out
COUNTER_NAMES = (*(str(n) for n in range(FLAG)), "flag")
BUILDING_NAMES = ("Bastille", "Versailles", "Notre Dame")

MOST_NEIGHBOURS = 4


def _neighbours(x: int) -> list[int]:
    """The spaces that share a side with one (V3)."""
    row, column = divmod(x, WIDTH)
    steps = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * WIDTH + k for r, k in steps if 0 <= r < WIDTH and 0 <= k < WIDTH]


DEGREE = np.array([len(_neighbours(x)) for x in range(SPACES)], np.int64)
NEIGHBOURS = np.array([(_neighbours(x) + [NOWHERE] * 2)[:MOST_NEIGHBOURS] for x in range(SPACES)], np.int64)
REACHES = np.array([[int(y == x or y in _neighbours(x)) for y in range(SPACES)] for x in range(SPACES)], np.int64)


@small_rule
def enemy(side: int) -> int:
    """The enemy of a side."""
    return 1 - side


@small_rule
def counter_piece(side: int, counter: int) -> int:
    """The piece that is a side's counter: a number from 0 to 9, or FLAG."""
    return COUNTERS * side + counter


@small_rule
def is_space(x: int) -> bool:
    """True for a space, false for NOWHERE and NOT_IN_PLAY."""
    return x < SPACES


def piece_name(piece: int) -> str:
    """A piece in words.

    >>> piece_name(9), piece_name(COUNTERS + FLAG), piece_name(BASTILLE)
    ('Royalists 9', 'Jacobins flag', 'Bastille')
    """
    if piece >= FIRST_BUILDING:
        return BUILDING_NAMES[piece - FIRST_BUILDING]
    return f"{SIDE_NAMES[piece // COUNTERS]} {COUNTER_NAMES[piece % COUNTERS]}"
