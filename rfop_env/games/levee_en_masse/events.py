"""The current Headline card: its activities in the order in which cards list them (5.0, L6)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse import board, journal, movement, politics, state
from rfop_env.games.levee_en_masse.components import HEAD, ORDER, Components
from rfop_env.games.levee_en_masse.state import State


@rule
def carry_out_headline(s: State, c: Components) -> None:
    """Carry out the card: military activities, then politics, the journée, and what comes into the Holding Box."""
    row = c.headline[s.headline]

    # Military activities.
    for army in range(board.ARMIES):
        carry_out_order(s, c, army, c.army_order[s.headline, army])

    # Politics.
    if row[HEAD.reaction] == 1:
        politics.react(s, c)
    for marker in range(board.POLITICS):
        politics.shift(s, c, marker, int(row[HEAD.monarchy + marker - board.MONARCHY]))
    if row[HEAD.journee] == 1:
        politics.set_disorder(s, 1)

    # Liberation markers and Napoleon.
    for _ in range(min(int(row[HEAD.markers]), s.markers_aside)):
        s.markers_aside -= 1
        s.markers_held += 1
        note(s, journal.NOTE_MARKER_HELD, -1, 0, 0)
    if row[HEAD.napoleon] == 1 and s.napoleon == state.NAPOLEON_ASIDE:
        s.napoleon = state.NAPOLEON_HELD
        note(s, journal.NOTE_NAPOLEON, state.NO_ARMY, 0, 0)


@rule
def carry_out_order(s: State, c: Components, army: int, order: Any) -> None:
    """Carry out a card's order to one army, each step of an advance by itself (L8)."""
    if order[ORDER.remove] == 1:
        movement.remove(s, army)
    if order[ORDER.enter] > 0:
        movement.enter(s, army, int(order[ORDER.enter]))
    if order[ORDER.lift] == 1:
        movement.lift_rotation(s)
    for _ in range(int(order[ORDER.move])):
        movement.advance(s, c, army)
    if order[ORDER.move] < 0:
        movement.retreat(s, army, -int(order[ORDER.move]))
    if order[ORDER.rotate] == 1:
        movement.rotate(s)
