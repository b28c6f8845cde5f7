"""The board of Paris: named numbers, and where everything lies.

Every spot that can hold a key is a *place*:

     0 to 35   building spaces: 6 * district + index of the value (1, 2, 3, 4, 5, 8)
    36 to 43   landmarks, in order of value; in the supply until a key moves on to one
    44 to 49   banks, one a district
          50   Arc de Triomphe

Building tiles are numbered like the spaces that they are printed for: tile t belongs to space t, unless the variant of
the buildings is played. Tiles 36 to 43 are the landmarks.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import small_rule

SEATS = 4  # at most; two or three may play
PLAYER_COUNTS = (2, 3, 4)

BATIGNOLLES, BELLEVILLE, CHAILLOT, LA_VILLETTE, MONTMARTRE, SAINT_GERMAIN = range(6)
DISTRICTS = 6
DISTRICT_NAMES = ("Batignolles", "Belleville", "Chaillot", "La Villette", "Montmartre", "Saint-Germain")

# Building values; a value's index is its column within a district.
VALUES = (1, 2, 3, 4, 5, 8)
VALUE_COUNT = 6
ONE, TWO, THREE, FOUR, FIVE, EIGHT = range(6)

# Types of buildings; all landmarks share the seventh.
CAFE, HOTEL, THEATRE, NEWSSTAND, BOOKSHOP, RESIDENCE, LANDMARK_TYPE = range(7)
TYPES = 7
BUILDING_TYPES = 6
TYPE_NAMES = ("café", "hotel", "theatre", "newsstand", "bookshop", "residence", "landmark")

# Goods: three resources, then three prestige.
WOOD, MARBLE, GOLD, BRONZE, SILVER, GOLD_PRESTIGE = range(6)
RESOURCES = 3
GOODS = 6
GOOD_NAMES = ("wood", "marble", "gold", "bronze", "silver", "gold-prestige")
GOOD_TITLES = ("wood", "marble", "gold", "bronze prestige", "silver prestige", "gold prestige")
TOKENS_EACH = 6  # P42

# Landmarks in order of value.
TUILERIES, SACRE_COEUR, GRAND_PALAIS, OPERA, PANTHEON, NOTRE_DAME, LOUVRE, EIFFEL_TOWER = range(8)
LANDMARKS = 8
SECTIONS = 3  # at most, for prestige
LANDMARK_NAMES = (
    "Tuileries",
    "Sacré-Coeur",
    "Grand Palais",
    "Opéra",
    "Panthéon",
    "Notre-Dame",
    "Louvre",
    "Eiffel Tower",
)

SPACES = DISTRICTS * VALUE_COUNT  # building spaces, and building tiles
TILES = SPACES + LANDMARKS  # what a key can move on to
FIRST_LANDMARK = SPACES
FIRST_BANK = TILES
ARC = FIRST_BANK + DISTRICTS
PLACES = ARC + 1
SPACE_NAMES = tuple(f"{district} {value}" for district in DISTRICT_NAMES for value in VALUES)
PLACE_NAMES = (*SPACE_NAMES, *LANDMARK_NAMES, *(f"{district} bank" for district in DISTRICT_NAMES), "Arc de Triomphe")

VP_TILES = 6
PLACINGS = 3  # a VP tile pays the first, the second and the third

STACKS = 3
STACK_HEIGHT = 12

BONUS_TILES = 30  # numbers 1 to 30; row 0 of every table by number is unused
TRACK = 30  # spaces of the bonus track, 1 to 30; a meeple on 0 has not started
ZONE_NAMES = ("A", "B", "C")

# Bonus tiles that a rule names; the others only give the Francs or VP of their row in the component record.
FIRST_RESOURCE_TILE = 2  # + resource: 2 wood, 3 marble, 4 gold
VALUE_TILES = (6, 11, 15, 18, 26, 28)  # VP for each key on a building of value 1, 2, 3, 4, 5, 8
ANY_PRESTIGE, ANY_RESOURCE = 8, 10
TWO_PRESTIGE, TWO_RESOURCES = 19, 21
BESIDE_OWN, BESIDE_OTHERS = 9, 16  # the destination of a move may be occupied
KEY_FOR_TWO, KEY_FOR_ONE = 13, 14
ANY_TILE, TILE_BEHIND = 17, 25
PRESTIGE_PAIRS, RESOURCE_PAIRS = 23, 24
EACH_UNUSED, MONEY_AT_END, EACH_LANDMARK, EACH_TYPE = 20, 27, 29, 30

# Kinds of End Game tiles: one for each good (numbered like it), then these.
END_FRANCS, END_TWO_VP, END_ONE_VP = range(6, 9)
END_KINDS = 9
END_NAMES = (*GOOD_NAMES, "francs", "2-vp", "1-vp")
END_TILES = 12


@small_rule
def bit(x: int) -> int:
    """The set that holds one number."""
    return 1 << int(x)


@small_rule
def has(numbers: int, x: int) -> bool:
    """True if a set holds a number."""
    return (numbers >> int(x)) & 1 == 1


@small_rule
def building_space(district: int, index: int) -> int:
    """The building space of a district and the index of a value."""
    return district * VALUE_COUNT + index


@small_rule
def spaces_in(district: int) -> Any:
    """The building spaces of a district, one after the other."""
    first = building_space(district, ONE)
    return range(first, first + VALUE_COUNT)


@small_rule
def landmark_places() -> Any:
    """The places of the landmarks, one after the other."""
    return range(FIRST_LANDMARK, FIRST_LANDMARK + LANDMARKS)


@small_rule
def value_index(space: int) -> int:
    """The index of a building space's value: ONE to EIGHT."""
    return space % VALUE_COUNT


@small_rule
def building_value(index: int) -> int:
    """The value of an index: 1, 2, 3, 4, 5, 8."""
    return 8 if index == EIGHT else index + 1


@small_rule
def indices_up_to(value: int) -> int:
    """The set of indices of the building values that are not above a value."""
    return bit(min(value, FIVE + 1)) - 1 + (bit(EIGHT) if value >= building_value(EIGHT) else 0)


@small_rule
def place_value(c: Any, place: int) -> int:
    """The value of a place: a building's or a landmark's; 0 for banks and the Arc."""
    if place < SPACES:
        return building_value(value_index(place))
    if place < TILES:
        return c.landmark_value[place - FIRST_LANDMARK]
    return 0


@small_rule
def place_district(s: Any, place: int) -> int:
    """The district of a place; DISTRICTS for the Arc and for a landmark in the supply."""
    if place < SPACES:
        return place // VALUE_COUNT
    if place < TILES:
        return int(s.landmark_district[place - FIRST_LANDMARK])
    return place - FIRST_BANK
