"""Hand-made values of positions, one file a game: what the greedy agent maximises."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game

GAMES = ("red_flag_over_paris",)


def value_rule(game: Game) -> Callable[..., Any]:
    """The compiled rule value(s, c, seat) -> int of a game; raises `RfopError` if the game has none."""
    if game.rules_name not in GAMES:
        raise RfopError(f"greedy: {game.id} has no hand-made value, only Red Flag Over Paris has one")
    value: Callable[..., Any] = import_module(f"rfop_agents.values.{game.rules_name}").value
    return value
