"""Agents by name, or by the path of a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from agents.scripted import ScriptedAgent
from agents.values import GAMES
from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game


def names(game: Game) -> list[str]:
    """The names of the ready-made agents for a game."""
    greedy = ["greedy"] if game.folder.name in GAMES else []
    return ["random", *greedy, *(player.name for player in game.scripted)]


def load(name: str, game: Game, components: Any = None) -> Agent:
    """An agent by name, or a trained model by the path of its .zip or of its run's folder.

    `components`: the set that will be played with (default: the shipped one). Raises `UnknownName` and, for a model of
    another environment version or component set, `VersionMismatch`.
    """
    if name == "random":
        return RandomAgent()
    if name == "greedy":
        return GreedyAgent(game)
    if name in [player.name for player in game.scripted]:
        return ScriptedAgent(game, name)
    path = Path(name)
    if path.is_dir():
        path = path / "model.zip"
    if not path.exists():
        raise UnknownName("agent", name, [*names(game), "path/to/model.zip"])
    from agents.policy import PolicyAgent  # brings torch

    return PolicyAgent(path, game, components if components is not None else game.load_components(None))
