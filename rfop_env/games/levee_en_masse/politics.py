"""The three political tracks and the French Army's die roll modifier that hangs on them."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse.board import (
    HIGHEST, LOWEST, MONARCHY, NO_GOVERNMENT, POLITICS, REPUBLIC, clamp, reigning,
)  # fmt: skip
from rfop_env.games.levee_en_masse.components import HEAD_MILITARY
from rfop_env.games.levee_en_masse.journal import NOTE_DISORDER, NOTE_POLITICS

ARMY_LIMIT = 2  # the French Army's DRM never exceeds it either way (6.0)


@rule
def shift(s: Any, c: Any, marker: int, boxes: int) -> None:
    """Move a political marker within its track; the French Army follows at once (6.2, 7.1)."""
    box = clamp(int(s.politics[marker]) + boxes, LOWEST, HIGHEST)
    if box != s.politics[marker]:
        s.politics[marker] = box
        note(s, NOTE_POLITICS, marker, box, 0)
        adjust_french_army(s, c)


@rule
def adjust_french_army(s: Any, c: Any) -> None:
    """Set the DRM to that of card and government together, within +-2; a capped excess is not forgotten (L22, L44)."""
    government = reigning(s)
    drm = int(c.headline[s.headline, HEAD_MILITARY]) + int(government == REPUBLIC) - int(government == MONARCHY)
    s.french_army = clamp(drm - int(s.reserves_penalty), -ARMY_LIMIT, ARMY_LIMIT)


@rule
def lowest(s: Any) -> int:
    """The only marker in the lowest box, or NO_GOVERNMENT."""
    for marker in range(POLITICS):
        alone = True
        for other in range(POLITICS):
            if other != marker and s.politics[other] <= s.politics[marker]:
                alone = False
        if alone:
            return marker
    return NO_GOVERNMENT


@rule
def react(s: Any, c: Any) -> None:
    """Carry out Reaction! (5.2): the highest falls, then the lowest of the new positions rises; ties stay (L25)."""
    top = reigning(s)
    if top != NO_GOVERNMENT:
        shift(s, c, top, -1)
    bottom = lowest(s)
    if bottom != NO_GOVERNMENT:
        shift(s, c, bottom, 1)


@rule
def set_disorder(s: Any, there: int) -> None:
    """Put the Disorder marker into Paris, or back into the Holding Box."""
    if s.disorder != there:
        s.disorder = there
        note(s, NOTE_DISORDER, there, 0, 0)
