"""The three political tracks and the French Army's die roll modifier that hangs on them."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse import board, journal, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

ARMY_LIMIT = 2  # the French Army's DRM never exceeds it either way (6.0)


@rule
def shift(s: State, c: Components, marker: int, boxes: int) -> None:
    """Move a political marker within its track; the French Army follows at once (6.2, 7.1)."""
    box = board.clamp(s.politics[marker] + boxes, board.LOWEST, board.HIGHEST)
    if box != s.politics[marker]:
        s.politics[marker] = box
        note(s, journal.NOTE_POLITICS, marker, box, 0)
        adjust_french_army(s, c)


@rule
def adjust_french_army(s: State, c: Components) -> None:
    """Set the DRM to that of card and government together, within +-2; a capped excess is not forgotten (L22, L44)."""
    government = tracks.reigning(s)
    drm = c.headline[s.headline, HEAD.military] + int(government == board.REPUBLIC) - int(government == board.MONARCHY)
    s.french_army = board.clamp(drm - s.reserves_penalty, -ARMY_LIMIT, ARMY_LIMIT)


@rule
def lowest(s: State) -> int:
    """The only marker in the lowest box, or NO_GOVERNMENT."""
    for marker in range(board.POLITICS):
        alone = True
        for rival in range(board.POLITICS):
            if rival != marker and s.politics[rival] <= s.politics[marker]:
                alone = False
        if alone:
            return marker
    return board.NO_GOVERNMENT


@rule
def react(s: State, c: Components) -> None:
    """Carry out Reaction! (5.2): the highest falls, then the lowest of the new positions rises; ties stay (L25)."""
    top = tracks.reigning(s)
    if top != board.NO_GOVERNMENT:
        shift(s, c, top, -1)
    bottom = lowest(s)
    if bottom != board.NO_GOVERNMENT:
        shift(s, c, bottom, 1)


@rule
def set_disorder(s: State, in_paris: int) -> None:
    """Put the Disorder marker into Paris, or back into the Holding Box."""
    if s.disorder != in_paris:
        s.disorder = in_paris
        note(s, journal.NOTE_DISORDER, in_paris, 0, 0)
