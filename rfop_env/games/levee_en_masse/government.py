"""The Actions that fight no army: Political, Liberation and Restore Order, and the levée en masse."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse.battle import succeeds
from rfop_env.games.levee_en_masse.board import HIGHEST, LOWEST, REPUBLIC, french_controlled, reigning
from rfop_env.games.levee_en_masse.components import HEAD_LIBERATION, HEAD_ORDER, HEAD_POLITICAL
from rfop_env.games.levee_en_masse.journal import (
    NOTE_LEVEE, NOTE_LIBERATED, NOTE_LIBERATION, NOTE_POLITICAL, NOTE_RESTORE,
)  # fmt: skip
from rfop_env.games.levee_en_masse.movement import roll_die
from rfop_env.games.levee_en_masse.politics import set_disorder, shift
from rfop_env.games.levee_en_masse.state import NAPOLEON_ASSIGNED

FROM_HOLDING_BOX = -1  # the "track" of a Liberation marker that is not on the map
FIRM_REPUBLIC = 3  # reigning from this box on, the Republic restores order without a roll (7.5)


@small_rule
def can_shift(s: Any, marker: int) -> bool:
    """True unless a marker stands at the end of its track towards which an Action would push it (L20)."""
    return s.politics[marker] < HIGHEST if marker == REPUBLIC else s.politics[marker] > LOWEST


@small_rule
def political_drm(s: Any, c: Any) -> int:
    """The DRM of Political Actions: the card's, and -1 while Napoleon is assigned (L43)."""
    return int(c.headline[s.headline, HEAD_POLITICAL]) - int(s.napoleon == NAPOLEON_ASSIGNED)


@rule
def political_action(s: Any, c: Any, marker: int) -> None:
    """Carry out a Political Action: beat the marker's own box number (7.1)."""
    s.actions_left -= 1
    die = roll_die(s)
    drm = political_drm(s, c)
    note(s, NOTE_POLITICAL, marker, die, drm)
    if succeeds(die, drm, int(s.politics[marker])):
        shift(s, c, marker, 1 if marker == REPUBLIC else -1)


@small_rule
def can_liberate(s: Any, c: Any, track: int, box: int) -> bool:
    """True for a round space under French control without a marker, with one in the Holding Box (7.4, L15)."""
    free = c.round_space[track, box] == 1 and s.liberated[track, box] == 0
    return s.markers_held > 0 and free and french_controlled(s, track, box)


@rule
def liberation_action(s: Any, c: Any, track: int, box: int) -> None:
    """Carry out a Liberation Action: beat the marker's own Battle Value (7.4)."""
    s.actions_left -= 1
    die = roll_die(s)
    drm = int(c.headline[s.headline, HEAD_LIBERATION])
    note(s, NOTE_LIBERATION, die, drm, 0)
    if succeeds(die, drm, int(c.liberation_value)):
        s.markers_held -= 1
        s.liberated[track, box] = 1
        note(s, NOTE_LIBERATED, track, box, 0)


@small_rule
def firm_republic(s: Any) -> bool:
    """True if the Republic reigns at box 3 or 4 (L19)."""
    return reigning(s) == REPUBLIC and s.politics[REPUBLIC] >= FIRM_REPUBLIC


@rule
def restore_order_action(s: Any, c: Any) -> None:
    """Carry out a Restore Order Action: beat Disorder's Battle Value, unless the Republic stands firm (7.5)."""
    s.actions_left -= 1
    drm = int(c.headline[s.headline, HEAD_ORDER])
    die = 0 if firm_republic(s) else roll_die(s)
    note(s, NOTE_RESTORE, die, drm, 0)
    if die == 0 or succeeds(die, drm, int(c.disorder_value)):
        set_disorder(s, 0)


@rule
def call_levee(s: Any, track: int, box: int) -> None:
    """Give up a Liberation marker for an emergency Military Action (10.1); `track` can be FROM_HOLDING_BOX."""
    if track == FROM_HOLDING_BOX:
        s.markers_held -= 1
    else:
        s.liberated[track, box] = 0
    s.emergency += 1
    note(s, NOTE_LEVEE, track, box, 0)
