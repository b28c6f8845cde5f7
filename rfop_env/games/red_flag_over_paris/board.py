"""The board of Red Flag Over Paris: named numbers, and the questions every rule asks of a position.

                 political sphere                          military sphere
    Institutional        Public Opinion            Forts                  Paris
     0 Royalists          3 Catholic Church         6 Mont-Valérien *      9 Butte Montmartre *
     1 National Ass. *    4 Press *                 7 Fort d'Issy         10 Butte-aux-Cailles
     2 Republicans        5 Social Movements        8 Ch. de Vincennes    11 Père Lachaise
    12 Versailles HQ and 13 Prussian Occupied Territory never hold pieces; * marks the pivotal spaces.

A set of spaces is an integer whose bit x stands for space x. What leads from where is component data (`c.adjacent`).
"""

from __future__ import annotations

from typing import Any

from rfop_env.core.rule import rule, small_rule

COMMUNE, VERSAILLES, NEUTRAL = range(3)
SIDES = 2

SPACES = 12
VERSAILLES_HQ, OCCUPIED_TERRITORY = 12, 13
PLACES = 14
ROYALISTS, NATIONAL_ASSEMBLY, REPUBLICANS, CATHOLIC_CHURCH, PRESS, SOCIAL_MOVEMENTS = range(6)
MONT_VALERIEN, FORT_ISSY, VINCENNES, MONTMARTRE, BUTTE_CAILLES, PERE_LACHAISE = range(6, 12)

SPACE_NAMES = (
    "Royalists", "National Assembly", "Republicans", "Catholic Church", "Press", "Social Movements",
    "Mont-Valérien", "Fort d'Issy", "Château de Vincennes", "Butte Montmartre", "Butte-aux-Cailles", "Père Lachaise",
)  # fmt: skip
PLACE_NAMES = (*SPACE_NAMES, "Versailles HQ", "Prussian Occupied Territory")
MILITARY_NAMES = SPACE_NAMES[6:]

INSTITUTIONAL, PUBLIC_OPINION, FORTS, PARIS = range(4)
DIMENSIONS = 4
DIMENSION_NAMES = ("Institutional", "Public Opinion", "Forts", "Paris")
POLITICAL, MILITARY = range(2)
SPHERE_NAMES = ("political", "military")
SIDE_NAMES = ("Commune", "Versailles", "Neutral")

ALL_SPACES = 0xFFF
POLITICAL_SPACES = 0x03F
MILITARY_SPACES = 0xFC0
PIVOTAL_SPACES = (1 << NATIONAL_ASSEMBLY) | (1 << PRESS) | (1 << MONT_VALERIEN) | (1 << MONTMARTRE)

STARTING, ESCALATION, TENSION, FINAL_CRISIS = range(4)  # zones of the crisis track
ZONES = 4
ZONE_NAMES = ("Starting", "Escalation", "Tension", "Final Crisis")

CUBES = 18  # a side
CUBE_LIMIT = 4  # own cubes a space
DISCS = 2  # a side
MOMENTUM_LIMIT = 3
VP_LIMIT = 5


@small_rule
def other(side: int) -> int:
    """The enemy of a side."""
    return 1 - side


@small_rule
def bit(space: int) -> int:
    """The set that holds one space."""
    return 1 << space


@small_rule
def has(spaces: int, space: int) -> bool:
    """Whether a set holds a space."""
    return (spaces >> space) & 1 == 1


@small_rule
def dimension_of(space: int) -> int:
    """The Crisis Dimension of a space."""
    return space // 3


@small_rule
def sphere_of(space: int) -> int:
    """Political or military."""
    return space // 6


@small_rule
def dimension_spaces(dimension: int) -> int:
    """The three spaces of a Crisis Dimension."""
    return 7 << (3 * dimension)


@small_rule
def sphere_spaces(sphere: int) -> int:
    """The six spaces of a sphere."""
    return 0x3F << (6 * sphere)


@small_rule
def pieces(s: Any, side: int, space: int) -> int:
    """Cubes and disc of a side in a space ("Pieces")."""
    return int(s.cubes[side, space]) + int(s.disc[space] == side + 1)


@small_rule
def present(s: Any, c: Any, side: int, space: int) -> bool:
    """Presence: a piece there, or a space where the side always is ("Presence and Control")."""
    return pieces(s, side, space) > 0 or has(int(c.always_present[side]), space)


@small_rule
def controls(s: Any, side: int, space: int) -> bool:
    """Control of a space that holds pieces: more of them than the enemy."""
    return pieces(s, side, space) > pieces(s, 1 - side, space)


@rule
def controlled(s: Any, side: int) -> int:
    """All spaces a side controls, with Versailles HQ and, at Prussian Collaboration 3, the Occupied Territory."""
    spaces = 0
    for x in range(SPACES):
        if controls(s, side, x):
            spaces |= bit(x)
    if side == VERSAILLES:
        spaces |= bit(VERSAILLES_HQ)
        if s.momentum[VERSAILLES] >= MOMENTUM_LIMIT:
            spaces |= bit(OCCUPIED_TERRITORY)
    return spaces


@rule
def presence(s: Any, c: Any, side: int) -> int:
    """All spaces where a side is present."""
    spaces = 0
    for x in range(SPACES):
        if present(s, c, side, x):
            spaces |= bit(x)
    return spaces


@small_rule
def count_bits(spaces: int) -> int:
    """How many spaces a set holds."""
    n = 0
    while spaces:
        spaces &= spaces - 1
        n += 1
    return n


@rule
def controls_dimension(s: Any, side: int, dimension: int) -> bool:
    """Control of all three spaces of a Crisis Dimension."""
    first = 3 * dimension
    return controls(s, side, first) and controls(s, side, first + 1) and controls(s, side, first + 2)


@rule
def neighbours(s: Any, c: Any, side: int, space: int, own: int) -> int:
    """How many of the controlled spaces `own` a space is adjacent to (arrows lead from the controlled space)."""
    return count_bits(int(c.adjacent[space]) & own)
