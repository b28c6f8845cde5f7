"""Armies on their tracks: advances against Liberation markers, retreats, entries and removals, rotation, disarray."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.core.random_stream import DICE, random_below
from rfop_env.games.levee_en_masse import board, journal, state, tracks
from rfop_env.games.levee_en_masse.components import Components
from rfop_env.games.levee_en_masse.state import State


@rule
def roll_die(s: State) -> int:
    """A natural die, 1 to 6."""
    return random_below(s, DICE, 6) + 1


@small_rule
def rotated(s: State, army: int) -> bool:
    """True if this is the Prussian army, rotated by a card: it stays out of France (5.5.2), and 10.6 passes it over."""
    return army == board.PRUSSIAN and s.rotated == 1


@rule
def move(s: State, army: int, box: int) -> None:
    """Put an army into another box of its track."""
    note(s, journal.NOTE_MOVED, army, s.box[army], box)
    s.box[army] = box


@rule
def set_disarray(s: State, army: int, level: int) -> None:
    """Turn an army by 90 degrees or back, never beyond Routed (10.6.1)."""
    if level <= state.ROUTED and level != s.disarray[army]:
        s.disarray[army] = level
        note(s, journal.NOTE_DISARRAY, army, level, 0)


@rule
def advance(s: State, c: Components, army: int) -> None:
    """Advance one box towards Paris (5.1) unless a Liberation marker stops it; in disarray recover instead (10.6.1)."""
    # Armies that do not move.
    if not tracks.on_map(s, army) or army >= board.FIRST_STATIONARY:  # inactive, or stationary (L40)
        return
    if s.disarray[army] > 0:
        set_disarray(s, army, s.disarray[army] - 1)
        return
    if s.box[army] == board.PARIS:  # L7
        return

    # The box ahead.
    track = board.TRACK_OF[army]
    box = s.box[army] - 1
    if rotated(s, army) and (box == board.PARIS or c.square_space[track, box] == 1):  # L5
        return
    if s.liberated[track, box] == 0 or defeats_marker(s, c, army):
        move(s, army, box)


@rule
def defeats_marker(s: State, c: Components, army: int) -> bool:
    """True if the raw die beats the marker's Battle Value (5.1, L9); the marker stays until Housekeeping (L10)."""
    die = roll_die(s)
    entered = die > c.liberation_value
    note(s, journal.NOTE_DEFENDED, army, die, int(entered))
    return entered


@rule
def retreat(s: State, army: int, boxes: int) -> None:
    """Move an army away from Paris, never beyond the start (5.1, L11)."""
    if not tracks.on_map(s, army) or army >= board.FIRST_STATIONARY:
        return
    box = min(board.START, s.box[army] + boxes)
    if box != s.box[army]:
        move(s, army, box)


@rule
def enter(s: State, army: int, box: int) -> None:
    """Place an army that is off the map; British Support is placed there wherever it was."""
    if tracks.on_map(s, army) and army != board.BRITISH_SUPPORT:
        return
    s.box[army] = box
    note(s, journal.NOTE_PLACED, army, box, 0)


@rule
def remove(s: State, army: int) -> None:
    """Take an army off the map, and Napoleon with it to the Holding Box (L43)."""
    if not tracks.on_map(s, army):
        return
    s.box[army] = board.OFF_MAP
    s.disarray[army] = 0
    note(s, journal.NOTE_REMOVED, army, 0, 0)
    if army == board.PRUSSIAN:
        s.rotated = 0
    if s.napoleon_army == army:
        recall_napoleon(s)


@rule
def recall_napoleon(s: State) -> None:
    """Put Napoleon back into the Holding Box, not to be used again before the next turn."""
    s.napoleon = state.NAPOLEON_TRAVELLING
    s.napoleon_army = state.NO_ARMY
    note(s, journal.NOTE_NAPOLEON, state.NO_ARMY, 0, 0)


@rule
def assign_napoleon(s: State, army: int) -> None:
    """Send Napoleon against an army, at no cost."""
    s.napoleon = state.NAPOLEON_ASSIGNED
    s.napoleon_army = army
    note(s, journal.NOTE_NAPOLEON, army, 0, 0)


@rule
def rotate(s: State) -> None:
    """Turn the Prussian counter by 180 degrees, which leaves no disarray on it (5.5.2)."""
    if tracks.on_map(s, board.PRUSSIAN) and s.rotated == 0:
        s.rotated = 1
        s.disarray[board.PRUSSIAN] = 0
        note(s, journal.NOTE_ROTATED, 1, 0, 0)


@rule
def lift_rotation(s: State) -> None:
    """Turn the Prussian counter back to normal (5.5.2)."""
    if s.rotated == 1:
        s.rotated = 0
        note(s, journal.NOTE_ROTATED, 0, 0, 0)
