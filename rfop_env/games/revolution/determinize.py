"""Determinization of Revolution, in which nothing is hidden and nothing left to chance."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule


@rule
def determinize(s: Any, c: Any, seat: int) -> None:
    """Leave the record as it is."""
