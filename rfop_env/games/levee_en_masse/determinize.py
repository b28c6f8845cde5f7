"""Determinization of Levée en Masse: the order of the cards to come, which is all that is hidden."""

from __future__ import annotations

from rfop_env.compiler import rule
from rfop_env.core.random_stream import DETERMINIZE
from rfop_env.games.levee_en_masse import setup
from rfop_env.games.levee_en_masse.components import Components
from rfop_env.games.levee_en_masse.state import State


@rule
def determinize(s: State, c: Components, seat: int) -> None:
    """Shuffle the cards to come as far as their order is unknown: each colour's middle, all of one pile, or nothing."""
    setup.shuffle_undrawn(s, c, DETERMINIZE)
