"""Armies on their tracks: advances against Liberation markers, retreats, entries and removals, rotation, disarray."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.core.random_stream import DICE, random_below
from rfop_env.games.levee_en_masse.board import (
    BRITISH_SUPPORT, FIRST_STATIONARY, OFF_MAP, PARIS, PRUSSIAN, START, TRACK_OF, on_map,
)  # fmt: skip
from rfop_env.games.levee_en_masse.journal import (
    NOTE_DEFENDED, NOTE_DISARRAY, NOTE_MOVED, NOTE_NAPOLEON, NOTE_PLACED, NOTE_REMOVED, NOTE_ROTATED,
)  # fmt: skip
from rfop_env.games.levee_en_masse.state import NAPOLEON_ASSIGNED, NAPOLEON_TRAVELLING, NO_ARMY, ROUTED


@rule
def roll_die(s: Any) -> int:
    """A natural die, 1 to 6."""
    return random_below(s, DICE, 6) + 1


@small_rule
def rotated(s: Any, army: int) -> bool:
    """True if this is the Prussian army, rotated by a card: it stays out of France (5.5.2), and 10.6 passes it over."""
    return army == PRUSSIAN and s.rotated == 1


@rule
def move(s: Any, army: int, box: int) -> None:
    """Put an army into another box of its track."""
    note(s, NOTE_MOVED, army, int(s.box[army]), box)
    s.box[army] = box


@rule
def set_disarray(s: Any, army: int, level: int) -> None:
    """Turn an army by 90 degrees or back, never beyond Routed (10.6.1)."""
    if level <= ROUTED and level != s.disarray[army]:
        s.disarray[army] = level
        note(s, NOTE_DISARRAY, army, level, 0)


@rule
def advance(s: Any, c: Any, army: int) -> None:
    """Advance one box towards Paris (5.1) unless a Liberation marker stops it; in disarray recover instead (10.6.1)."""
    # Armies that do not move.
    if not on_map(s, army) or army >= FIRST_STATIONARY:  # inactive, or stationary (L40)
        return
    if s.disarray[army] > 0:
        set_disarray(s, army, int(s.disarray[army]) - 1)
        return
    if s.box[army] == PARIS:  # L7
        return

    # The box ahead.
    track = TRACK_OF[army]
    box = int(s.box[army]) - 1
    if rotated(s, army) and (box == PARIS or c.square_space[track, box] == 1):  # L5
        return
    if s.liberated[track, box] == 0 or defeats_marker(s, c, army):
        move(s, army, box)


@rule
def defeats_marker(s: Any, c: Any, army: int) -> bool:
    """True if the raw die beats the marker's Battle Value (5.1, L9); the marker stays until Housekeeping (L10)."""
    die = roll_die(s)
    entered = die > c.liberation_value
    note(s, NOTE_DEFENDED, army, die, int(entered))
    return entered


@rule
def retreat(s: Any, army: int, boxes: int) -> None:
    """Move an army away from Paris, never beyond the start (5.1, L11)."""
    if not on_map(s, army) or army >= FIRST_STATIONARY:
        return
    box = min(START, int(s.box[army]) + boxes)
    if box != s.box[army]:
        move(s, army, box)


@rule
def enter(s: Any, army: int, box: int) -> None:
    """Place an army that is off the map; British Support is placed there wherever it was."""
    if on_map(s, army) and army != BRITISH_SUPPORT:
        return
    s.box[army] = box
    note(s, NOTE_PLACED, army, box, 0)


@rule
def remove(s: Any, army: int) -> None:
    """Take an army off the map, and Napoleon with it to the Holding Box (L43)."""
    if not on_map(s, army):
        return
    s.box[army] = OFF_MAP
    s.disarray[army] = 0
    note(s, NOTE_REMOVED, army, 0, 0)
    if army == PRUSSIAN:
        s.rotated = 0
    if s.napoleon_army == army:
        recall_napoleon(s)


@rule
def recall_napoleon(s: Any) -> None:
    """Put Napoleon back into the Holding Box, not to be used again before the next turn."""
    s.napoleon = NAPOLEON_TRAVELLING
    s.napoleon_army = NO_ARMY
    note(s, NOTE_NAPOLEON, NO_ARMY, 0, 0)


@rule
def assign_napoleon(s: Any, army: int) -> None:
    """Send Napoleon against an army, at no cost."""
    s.napoleon = NAPOLEON_ASSIGNED
    s.napoleon_army = army
    note(s, NOTE_NAPOLEON, army, 0, 0)


@rule
def rotate(s: Any) -> None:
    """Turn the Prussian counter by 180 degrees, which leaves no disarray on it (5.5.2)."""
    if on_map(s, PRUSSIAN) and s.rotated == 0:
        s.rotated = 1
        s.disarray[PRUSSIAN] = 0
        note(s, NOTE_ROTATED, 1, 0, 0)


@rule
def lift_rotation(s: Any) -> None:
    """Turn the Prussian counter back to normal (5.5.2)."""
    if s.rotated == 1:
        s.rotated = 0
        note(s, NOTE_ROTATED, 0, 0, 0)
