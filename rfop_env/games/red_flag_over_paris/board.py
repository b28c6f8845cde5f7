"""The board of Red Flag Over Paris: named numbers and the map.

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

from rfop_env.compiler import small_rule


COMMUNE, VERSAILLES, NEUTRAL = range(3)
SIDES = 2

SPACES = 12
SPACES_A_SPHERE, SPACES_A_DIMENSION = 6, 3
VERSAILLES_HQ, OCCUPIED_TERRITORY = 12, 13
PLACES = 14
ROYALISTS, NATIONAL_ASSEMBLY, REPUBLICANS, CATHOLIC_CHURCH, PRESS, SOCIAL_MOVEMENTS = range(6)
MONT_VALERIEN, FORT_ISSY, VINCENNES, MONTMARTRE, BUTTE_CAILLES, PERE_LACHAISE = range(6, 12)
FIRST_MILITARY_SPACE = MONT_VALERIEN

SPACE_NAMES = (
    "Royalists",
    "National Assembly",
    "Republicans",
    "Catholic Church",
    "Press",
    "Social Movements",
    "Mont-Valérien",
    "Fort d'Issy",
    "Château de Vincennes",
    "Butte Montmartre",
    "Butte-aux-Cailles",
    "Père Lachaise",
)
PLACE_NAMES = (*SPACE_NAMES, "Versailles HQ", "Prussian Occupied Territory")
MILITARY_NAMES = SPACE_NAMES[FIRST_MILITARY_SPACE:]

INSTITUTIONAL, PUBLIC_OPINION, FORTS, PARIS = range(4)
DIMENSIONS = 4
DIMENSION_NAMES = ("Institutional", "Public Opinion", "Forts", "Paris")
POLITICAL, MILITARY = range(2)
SPHERES, DIMENSIONS_A_SPHERE = 2, 2
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
CUBE_LIMIT = 4  # of a side in a space
DISCS = 2  # a side
NO_DISC = 0
MOMENTUM_LIMIT = 3
VP_LIMIT = 5


@small_rule
def enemy(side: int) -> int:
    """The enemy of a side."""
    return 1 - side


@small_rule
def bit(space: int) -> int:
    """The set that holds one space."""
    return 1 << space


@small_rule
def bit_if(holds: bool, space: int) -> int:
    """The set that holds one space if a condition holds, else none: unlike an `if` it leaves nothing to mispredict."""
    return int(holds) << space


@small_rule
def has(spaces: int, space: int) -> bool:
    """True if a set holds a space."""
    return (spaces >> space) & 1 == 1


@small_rule
def holds_all(spaces: int, subset: int) -> bool:
    """True if a set holds all spaces of another."""
    return subset & ~spaces == 0


@small_rule
def dimension(space: int) -> int:
    """The Crisis Dimension of a space."""
    return space // SPACES_A_DIMENSION


@small_rule
def sphere(space: int) -> int:
    """Political or military."""
    return space // SPACES_A_SPHERE


@small_rule
def home_sphere(side: int) -> int:
    """The sphere whose VP decide for a side: political for the Commune, military for Versailles (R17)."""
    return POLITICAL if side == COMMUNE else MILITARY


@small_rule
def dimension_spaces(dimension: int) -> int:
    """The set of the three spaces of a Crisis Dimension."""
    return 0b111 << (SPACES_A_DIMENSION * dimension)


@small_rule
def spaces_in(dimension: int) -> Any:
    """The three spaces of a Crisis Dimension, one after the other."""
    first = SPACES_A_DIMENSION * dimension
    return range(first, first + SPACES_A_DIMENSION)


@small_rule
def sphere_spaces(sphere: int) -> int:
    """The set of the six spaces of a sphere."""
    return 0b111111 << (SPACES_A_SPHERE * sphere)


@small_rule
def dimensions_in(sphere: int) -> Any:
    """The two Crisis Dimensions of a sphere, one after the other."""
    first = DIMENSIONS_A_SPHERE * sphere
    return range(first, first + DIMENSIONS_A_SPHERE)


@small_rule
def military_spaces() -> Any:
    """The six military spaces, one after the other; only they hold discs."""
    return range(FIRST_MILITARY_SPACE, SPACES)


@small_rule
def disc_value(side: int) -> int:
    """The value of the field `disc` for a side's disc; NO_DISC is a space without one."""
    return side + 1


@small_rule
def count_bits(spaces: int) -> int:
    """The number of spaces, or of other numbers, in a set."""
    n = 0
    while spaces:
        spaces &= spaces - 1
        n += 1
    return n
