"""Agents by name, or by the path of a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.agent import Agent
from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game


def names(game: Game) -> list[str]:
    """The names of the ready-made agents for a game."""
    return ["random", "greedy", "solo-opponent"] if game.folder.name == "red_flag_over_paris" else ["random"]


def load(name: str, game: Game, components: Any = None) -> Agent:
    """An agent by name, or a trained model by the path of its .zip or of its run's folder.

    `components`: the set that will be played with (default: the shipped one). Raises `UnknownName` and, for a model of
    another environment version or component set, `VersionMismatch`.
    """
    if name == "random":
        from agents.random_agent import RandomAgent

        return RandomAgent()
    if name == "greedy":
        from agents.greedy import GreedyAgent

        return GreedyAgent(game)
    if name == "solo-opponent":
        from agents.solo_tables import SoloTablesAgent

        return SoloTablesAgent(game)
    path = Path(name)
    if path.is_dir():
        path = path / "model.zip"
    if path.suffix != ".zip" and not path.exists():
        raise UnknownName("agent", name, [*names(game), "path/to/model.zip"])
    from agents.policy import PolicyAgent

    return PolicyAgent(path, game, components if components is not None else game.load_components(None))
