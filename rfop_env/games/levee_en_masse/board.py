"""The board of Levée en Masse: named numbers, the tracks, control, and the reigning government.

              5 start    4      3      2      1
    British      <        .      .      .      .  \
    Prussian     <        .      .      .      .   \
    Austrian     <        .      .      .      .    0 Paris
    Piedmont     <        .      .      .      .   /
    Vendée       <        .      .      .      .  /

An army stands in a box of its track, OFF_MAP or in Paris, which is box 0 of every track. Which spaces are round, square
or bordered is component data.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import small_rule


TRACKS = 5
BRITISH_TRACK, PRUSSIAN_TRACK, AUSTRIAN_TRACK, PIEDMONT_TRACK, VENDEE_TRACK = range(TRACKS)
TRACK_NAMES = ("British", "Prussian", "Austrian", "Piedmont", "Vendée")

BOXES = 6
INNER_BOXES = BOXES - 2  # the boxes 1 to 4 of a track, between Paris and the start
PARIS, START = 0, 5
OFF_MAP = -1

# The army of a track has the number of that track; the four others come with the Expansion Kit.
ARMIES = 9
BRITISH, PRUSSIAN, AUSTRIAN, PIEDMONT, VENDEE, SPANISH, SUVOROV, KORSAKOV, BRITISH_SUPPORT = range(ARMIES)
ARMY_NAMES = (*TRACK_NAMES, "Spanish", "Suvorov", "Korsakov", "British Support")
TRACK_OF = (*range(TRACKS), VENDEE_TRACK, PIEDMONT_TRACK, AUSTRIAN_TRACK, VENDEE_TRACK)  # the track of each army
FIRST_STATIONARY = SUVOROV  # from here on the Battle Value is bracketed: the army never moves (L40)

POLITICS = 3
MONARCHY, DESPOTISM, REPUBLIC = range(POLITICS)
POLITICS_NAMES = ("Monarchy", "Despotism", "Republic")
LOWEST, HIGHEST = -1, 4  # the ends of the political tracks
NO_GOVERNMENT = -1  # nobody reigns: the highest box is shared (L24)

BASE_MARKERS, ALL_MARKERS = 2, 3  # Liberation markers without and with the expansion

NO_COLOUR, BLUE, WHITE, RED = range(4)
COLOUR_NAMES = ("none", "blue", "white", "red")


@small_rule
def clamp(x: int, low: int, high: int) -> int:
    """The number nearest to x from low to high."""
    return min(max(x, low), high)


@small_rule
def inner_boxes() -> Any:
    """The boxes 1 to 4 of a track, one after the other."""
    return range(1, START)


@small_rule
def space_index(track: int, box: int) -> int:
    """The number of a space among those of the boxes 1 to 4, which Liberation markers can hold."""
    return track * INNER_BOXES + box - 1


@small_rule
def track_of_space(index: int) -> int:
    """The track of a space numbered by `space_index`."""
    return index // INNER_BOXES


@small_rule
def box_of_space(index: int) -> int:
    """The box of a space numbered by `space_index`."""
    return index % INNER_BOXES + 1
