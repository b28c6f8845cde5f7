"""The Actions that fight no army: Political, Liberation and Restore Order, and the levée en masse."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse import battle, board, journal, movement, politics, state, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

FROM_HOLDING_BOX = -1  # the "track" of a Liberation marker that is not on the map
FIRM_REPUBLIC = 3  # reigning from this box on, the Republic restores order without a roll (7.5)


@small_rule
def can_shift(s: State, marker: int) -> bool:
    """True unless a marker stands at the end of its track towards which an Action would push it (L20)."""
    return s.politics[marker] < board.HIGHEST if marker == board.REPUBLIC else s.politics[marker] > board.LOWEST


@small_rule
def political_drm(s: State, c: Components) -> int:
    """The DRM of Political Actions: the card's, and -1 while Napoleon is assigned (L43)."""
    return c.headline[s.headline, HEAD.political] - int(s.napoleon == state.NAPOLEON_ASSIGNED)


@rule
def political_action(s: State, c: Components, marker: int) -> None:
    """Carry out a Political Action: beat the marker's own box number (7.1)."""
    s.actions_left -= 1
    die = movement.roll_die(s)
    drm = political_drm(s, c)
    note(s, journal.NOTE_POLITICAL, marker, die, drm)
    if battle.succeeds(die, drm, s.politics[marker]):
        politics.shift(s, c, marker, 1 if marker == board.REPUBLIC else -1)


@small_rule
def can_liberate(s: State, c: Components, track: int, box: int) -> bool:
    """True for a round space under French control without a marker, with one in the Holding Box (7.4, L15)."""
    free = c.round_space[track, box] == 1 and s.liberated[track, box] == 0
    return s.markers_held > 0 and free and box < tracks.front(s, track)


@rule
def liberation_action(s: State, c: Components, track: int, box: int) -> None:
    """Carry out a Liberation Action: beat the marker's own Battle Value (7.4)."""
    s.actions_left -= 1
    die = movement.roll_die(s)
    drm = c.headline[s.headline, HEAD.liberation]
    note(s, journal.NOTE_LIBERATION, die, drm, 0)
    if battle.succeeds(die, drm, c.liberation_value):
        s.markers_held -= 1
        s.liberated[track, box] = 1
        note(s, journal.NOTE_LIBERATED, track, box, 0)


@small_rule
def firm_republic(s: State) -> bool:
    """True if the Republic reigns at box 3 or 4 (L19)."""
    return tracks.reigning(s) == board.REPUBLIC and s.politics[board.REPUBLIC] >= FIRM_REPUBLIC


@rule
def restore_order_action(s: State, c: Components) -> None:
    """Carry out a Restore Order Action: beat Disorder's Battle Value, unless the Republic stands firm (7.5)."""
    s.actions_left -= 1
    drm = c.headline[s.headline, HEAD.order]
    die = 0 if firm_republic(s) else movement.roll_die(s)
    note(s, journal.NOTE_RESTORE, die, drm, 0)
    if die == 0 or battle.succeeds(die, drm, c.disorder_value):
        politics.set_disorder(s, 0)


@rule
def call_levee(s: State, track: int, box: int) -> None:
    """Give up a Liberation marker for an emergency Military Action (10.1); `track` can be FROM_HOLDING_BOX."""
    if track == FROM_HOLDING_BOX:
        s.markers_held -= 1
    else:
        s.liberated[track, box] = 0
    s.emergency += 1
    note(s, journal.NOTE_LEVEE, track, box, 0)
