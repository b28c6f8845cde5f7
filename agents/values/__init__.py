"""Hand-made values of positions, one file a game: what the greedy agent maximises."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game

GAMES = ("red_flag_over_paris",)


def value_of(game: Game) -> Callable[..., Any]:
    """The compiled rule value(s, c, seat) -> int of a game; `UnknownName` if the game has none."""
    if game.folder.name not in GAMES:
        raise UnknownName("game with a hand-made value", game.folder.name, GAMES)
    value: Callable[..., Any] = import_module(f"agents.values.{game.folder.name}").value
    return value
