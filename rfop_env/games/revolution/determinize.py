"""Determinization of Revolution, in which nothing is hidden and nothing left to chance."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.games.revolution.components import Components
from rfop_env.games.revolution.state import State


@rule
def determinize(s: State, c: Components, seat: int) -> None:
    """Leave the record as it is."""
