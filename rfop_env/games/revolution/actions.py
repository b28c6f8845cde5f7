"""The action table of Revolution: one choice of one side, 39 ids."""

from __future__ import annotations

from rfop_env.core.action_table import ActionTable
from rfop_env.games.revolution.board import BUILDING_NAMES, COUNTER_NAMES, SPACE_NAMES

ACTIONS = ActionTable(
    [
        ("counter", "choose your counter {} to place", COUNTER_NAMES),
        ("building", "choose {} to place", BUILDING_NAMES),
        ("space", "place the chosen piece on {}", SPACE_NAMES),
    ]
)

COUNTER, BUILDING, SPACE = (ACTIONS.first(kind) for kind in ACTIONS.kinds)  # + counter, building from 0, space
