"""The Solo Opponent's answers: the Aid tables asked about every question that the rules put to the bot (R20 to R26).

The bot answers the same questions as a player, through the same rules; `advise` gives its answer to the question on top
of the stack. It reads what lies open on the table and its own objective, never a hand or a deck.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.decisions import FRAME_KIND, FRAME_SIDE
from rfop_env.games.red_flag_over_paris.actions import DONE, FIRST
from rfop_env.games.red_flag_over_paris.board import COMMUNE, MOMENTUM_LIMIT, VERSAILLES, enemy_of
from rfop_env.games.red_flag_over_paris.frames import (
    ASK_BONUS, ASK_DE_ESCALATE, ASK_DISC, ASK_INITIATIVE, ASK_OPERATION, ASK_OPTION, ASK_PLACE, ASK_WHETHER,
)  # fmt: skip
from rfop_env.games.red_flag_over_paris.solo_bonus_actions import advise_bonus, advise_de_escalate
from rfop_env.games.red_flag_over_paris.solo_definitions import available
from rfop_env.games.red_flag_over_paris.solo_events import advise_effect, advise_option, advise_whether
from rfop_env.games.red_flag_over_paris.solo_operations import advise_operation


@rule
def advise(s: Any, c: Any, frame: Any) -> int:
    """The Aid's answer to the question on top of the stack; what concerns a hand or the discards it declines."""
    kind = int(frame[FRAME_KIND])
    side = int(frame[FRAME_SIDE])

    # Operations and events.
    if kind == ASK_OPERATION:
        return advise_operation(s, c, side, frame)
    if ASK_PLACE <= kind <= ASK_DISC:
        return advise_effect(s, c, side, frame, kind)
    if kind == ASK_WHETHER:
        return advise_whether(s, c, side, frame)
    if kind == ASK_OPTION:
        return advise_option(s, c, side, frame)

    # The end of a round, and who plays first.
    if kind == ASK_BONUS:
        return advise_bonus(s, side, frame)
    if kind == ASK_DE_ESCALATE:
        return advise_de_escalate(s, c, side, frame)
    if kind == ASK_INITIATIVE:
        return FIRST + enemy_of(side)  # solo step 3: it plays second
    return DONE


@rule
def wants_momentum(s: Any, c: Any, side: int) -> bool:
    """True if the Momentum Increase Check says to raise momentum (solo step 4a, R20)."""
    if s.momentum[side] >= MOMENTUM_LIMIT:
        return False
    if side == VERSAILLES:
        return available(s, side) < 3
    free_places = int(c.pool_places[s.momentum[COMMUNE]]) - int(s.pool[COMMUNE])
    return free_places < 2
