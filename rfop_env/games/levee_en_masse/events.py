"""The current Headline card: its activities in the order in which cards list them (5.0, L6)."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import note
from rfop_env.games.levee_en_masse.board import ARMIES, MONARCHY, POLITICS
from rfop_env.games.levee_en_masse.components import (
    HEAD_JOURNEE, HEAD_MARKERS, HEAD_MONARCHY, HEAD_NAPOLEON, HEAD_REACTION, ORDER_ENTER, ORDER_LIFT, ORDER_MOVE,
    ORDER_REMOVE, ORDER_ROTATE,
)  # fmt: skip
from rfop_env.games.levee_en_masse.journal import NOTE_MARKER_HELD, NOTE_NAPOLEON
from rfop_env.games.levee_en_masse.movement import advance, enter, lift_rotation, remove, retreat, rotate
from rfop_env.games.levee_en_masse.politics import react, set_disorder, shift
from rfop_env.games.levee_en_masse.state import NAPOLEON_ASIDE, NAPOLEON_HELD, NO_ARMY


@rule
def carry_out_headline(s: Any, c: Any) -> None:
    """Carry out the card: military activities, then politics, the journée, and what comes into the Holding Box."""
    row = c.headline[s.headline]

    # Military activities.
    for army in range(ARMIES):
        carry_out_order(s, c, army, c.army_order[s.headline, army])

    # Politics.
    if row[HEAD_REACTION] == 1:
        react(s, c)
    for marker in range(POLITICS):
        shift(s, c, marker, int(row[HEAD_MONARCHY + marker - MONARCHY]))
    if row[HEAD_JOURNEE] == 1:
        set_disorder(s, 1)

    # Liberation markers and Napoleon.
    for _ in range(min(int(row[HEAD_MARKERS]), int(s.markers_aside))):
        s.markers_aside -= 1
        s.markers_held += 1
        note(s, NOTE_MARKER_HELD, -1, 0, 0)
    if row[HEAD_NAPOLEON] == 1 and s.napoleon == NAPOLEON_ASIDE:
        s.napoleon = NAPOLEON_HELD
        note(s, NOTE_NAPOLEON, NO_ARMY, 0, 0)


@rule
def carry_out_order(s: Any, c: Any, army: int, order: Any) -> None:
    """Carry out a card's order to one army, each step of an advance by itself (L8)."""
    if order[ORDER_REMOVE] == 1:
        remove(s, army)
    if order[ORDER_ENTER] > 0:
        enter(s, army, int(order[ORDER_ENTER]))
    if order[ORDER_LIFT] == 1:
        lift_rotation(s)
    for _ in range(int(order[ORDER_MOVE])):
        advance(s, c, army)
    if order[ORDER_MOVE] < 0:
        retreat(s, army, -int(order[ORDER_MOVE]))
    if order[ORDER_ROTATE] == 1:
        rotate(s)
