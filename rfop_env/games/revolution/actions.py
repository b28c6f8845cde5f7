"""The action table of Revolution: one choice of one side, 39 ids."""

from __future__ import annotations

from rfop_env.core.action_table import ActionTable
from rfop_env.games.revolution import board

ACTIONS = ActionTable(
    [
        ("counter", "choose your counter {} to place", board.COUNTER_NAMES),
        ("building", "choose {} to place", board.BUILDING_NAMES),
        ("space", "place the chosen piece on {}", board.SPACE_NAMES),
    ]
)

COUNTER, BUILDING, SPACE = (ACTIONS.first(kind) for kind in ACTIONS.kinds)  # + counter, building from 0, space
