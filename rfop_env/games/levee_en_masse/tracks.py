"""Where armies stand on the tracks, and who reigns."""

from __future__ import annotations

from rfop_env.compiler import rule, small_rule
from rfop_env.games.levee_en_masse import board
from rfop_env.games.levee_en_masse.state import State


@small_rule
def on_map(s: State, army: int) -> bool:
    """True if an army stands on its track, its start hexagon or Paris included."""
    return s.box[army] != board.OFF_MAP


@rule
def front(s: State, track: int) -> int:
    """The box nearest Paris that an army of this track occupies; one beyond START if there is none (L13, L14)."""
    nearest = board.START + 1
    for army in range(board.ARMIES):
        if board.TRACK_OF[army] == track and on_map(s, army) and s.box[army] < nearest:
            nearest = s.box[army]
    return nearest


@small_rule
def reigning(s: State) -> int:
    """The reigning government: the strictly highest of the three, or NO_GOVERNMENT (rules 6.2, L24)."""
    monarchy = s.politics[board.MONARCHY]
    despotism = s.politics[board.DESPOTISM]
    republic = s.politics[board.REPUBLIC]
    if monarchy > despotism and monarchy > republic:
        return board.MONARCHY
    if despotism > monarchy and despotism > republic:
        return board.DESPOTISM
    return board.REPUBLIC if republic > monarchy and republic > despotism else board.NO_GOVERNMENT
