"""The Housekeeping Phase (rules 8.0), in its strict order (L30)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.games.levee_en_masse.battle import hold_marker
from rfop_env.games.levee_en_masse.board import ARMIES, AUSTRIAN, BLUE, PARIS, REPUBLIC, TRACK_OF, VENDEE, WHITE, on_map
from rfop_env.games.levee_en_masse.components import HEAD_COLOUR
from rfop_env.games.levee_en_masse.politics import shift
from rfop_env.games.levee_en_masse.scoring import CRUSHING_SCORE, DECISIVE_SCORE, end_by_fall, end_game
from rfop_env.games.levee_en_masse.setup import clear_action_phase
from rfop_env.games.levee_en_masse.state import CRUSHING_DEFEAT, DECISIVE_DEFEAT


@rule
def housekeep(s: Any, c: Any) -> None:
    """Carry out the phase: the fall of Paris, disorder, conquest, resets; the game stops where it ends."""
    # The end (8.1).
    if paris_fallen(s):
        end_by_fall(s, c)
    elif s.early_defeats == 1:
        check_early_defeats(s, c)
    if s.over == 1:
        return

    # Disorder and conquest (8.2, 8.3).
    if s.disorder == 1:
        shift(s, c, REPUBLIC, -1)
    conquer(s)

    # Resets (8.4, 10.4).
    s.french_army = 0
    s.reserves_penalty = int(s.reserves_used)
    clear_action_phase(s)


@rule
def paris_fallen(s: Any) -> bool:
    """True if an army is in Paris (8.1)."""
    for army in range(ARMIES):
        if s.box[army] == PARIS:
            return True
    return False


@rule
def check_early_defeats(s: Any, c: Any) -> None:
    """End the game if the Vendée army is next to Paris under blue, or the Austrian one under white (9.1, 9.2, L39)."""
    colour = int(c.headline[s.headline, HEAD_COLOUR])
    if colour == BLUE and s.box[VENDEE] == 1:
        end_game(s, CRUSHING_DEFEAT, CRUSHING_SCORE)
    elif colour == WHITE and s.box[AUSTRIAN] == 1:
        end_game(s, DECISIVE_DEFEAT, DECISIVE_SCORE)


@rule
def conquer(s: Any) -> None:
    """Put the Liberation markers under armies into the Holding Box (8.3)."""
    for army in range(ARMIES):
        if on_map(s, army) and s.liberated[TRACK_OF[army], s.box[army]] == 1:
            hold_marker(s, TRACK_OF[army], int(s.box[army]))
