"""The Housekeeping Phase (rules 8.0), in its strict order (L30)."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.games.levee_en_masse import battle, board, politics, scoring, setup, state, tracks
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State


@rule
def housekeep(s: State, c: Components) -> None:
    """Carry out the phase: the fall of Paris, disorder, conquest, resets; the game stops where it ends."""
    # The end (8.1).
    if paris_fallen(s):
        scoring.end_by_fall(s, c)
    elif s.early_defeats == 1:
        check_early_defeats(s, c)
    if s.over == 1:
        return

    # Disorder and conquest (8.2, 8.3).
    if s.disorder == 1:
        politics.shift(s, c, board.REPUBLIC, -1)
    conquer(s)

    # Resets (8.4, 10.4).
    s.french_army = 0
    s.reserves_penalty = s.reserves_used
    setup.clear_action_phase(s)


@rule
def paris_fallen(s: State) -> bool:
    """True if an army is in Paris (8.1)."""
    for army in range(board.ARMIES):
        if s.box[army] == board.PARIS:
            return True
    return False


@rule
def check_early_defeats(s: State, c: Components) -> None:
    """End the game if the Vendée army is next to Paris under blue, or the Austrian one under white (9.1, 9.2, L39)."""
    colour = c.headline[s.headline, HEAD.colour]
    if colour == board.BLUE and s.box[board.VENDEE] == 1:
        scoring.end_game(s, state.CRUSHING_DEFEAT, scoring.CRUSHING_SCORE)
    elif colour == board.WHITE and s.box[board.AUSTRIAN] == 1:
        scoring.end_game(s, state.DECISIVE_DEFEAT, scoring.DECISIVE_SCORE)


@rule
def conquer(s: State) -> None:
    """Put the Liberation markers under armies into the Holding Box (8.3)."""
    for army in range(board.ARMIES):
        if tracks.on_map(s, army) and s.liberated[board.TRACK_OF[army], s.box[army]] == 1:
            battle.hold_marker(s, board.TRACK_OF[army], s.box[army])
