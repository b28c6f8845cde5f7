"""Determinization of Levée en Masse: the order of the cards to come, which is all that is hidden."""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule
from rfop_env.core.random_stream import DETERMINIZE
from rfop_env.games.levee_en_masse.setup import shuffle_undrawn


@rule
def determinize(s: Any, c: Any, seat: int) -> None:
    """Shuffle the cards to come as far as their order is unknown: each colour's middle, all of one pile, or nothing."""
    shuffle_undrawn(s, c, DETERMINIZE)
