"""Agents by name, or by the path of a trained model."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents import baselines
from agents.agent import Agent
from agents.greedy import GreedyAgent
from agents.network import MODEL, NetworkAgent
from agents.random_agent import RandomAgent
from agents.scripted import ScriptedAgent
from agents.search import PLAIN, SearchAgent, settings_of
from agents.values import GAMES
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game


def names(game: Game) -> list[str]:
    """The names of the ready-made agents for a game."""
    greedy = ["greedy"] if game.folder.name in GAMES else []
    return ["random", *greedy, *(player.name for player in game.scripted), "search-400", *baselines.names(game)]


def load(name: str, game: Game, components: Any = None) -> Agent:
    """An agent by name, a named baseline included, or a trained model by the path of its file or of its run's folder.

    `search-400`, or another number: so many simulations a decision; `search-2s`: seconds; `search-400-random`: a search
    without the scripted player; `search-100+revolution/ppo-1`, or a path: one guided by a network. A network plays its
    most likely action; `runs/x@1` draws from its policy, `runs/x@0.5` from a sharper one.
    `components`: the set that will be played with (default: the shipped one). Raises `UnknownName` and, for a model of
    another environment version or component set, `VersionMismatch`.
    """
    if name == "random":
        return RandomAgent()
    if name == "greedy":
        return GreedyAgent(game)
    if name in [player.name for player in game.scripted]:
        return ScriptedAgent(game, name)
    components = components if components is not None else game.load_components(None)
    if search := re.fullmatch(r"search-(\d+(?:\.\d+)?s|\d+)(?:-(random)|\+(.+))?", name):
        budget, plain, guide = search.groups()
        network = _trained(guide, game, components) if guide else None
        if network is not None and not isinstance(network, NetworkAgent):
            raise RfopError(f"{name}: only networks of training/ppo_self_play.py can guide a search, {guide} is none")
        return _searching(game, budget, bool(plain), network)
    return _trained(name, game, components)


def _searching(game: Game, budget: str, plain: bool, network: NetworkAgent | None) -> Agent:
    """A search by simulations or seconds: with the scripted player, without, or with a network in its place."""
    given: dict[str, Any] = {"seconds": float(budget[:-1])} if budget.endswith("s") else {"simulations": int(budget)}
    kind = "-random" if plain else f"+{network.name}" if network else ""
    settings = replace(PLAIN if plain else settings_of(game), **given)
    return SearchAgent(game, settings, network=network, name=f"search-{budget}{kind}")


def _trained(name: str, game: Game, components: Any) -> Agent:
    """A baseline, or the model of a file or of a run's folder; `@T` after a network: drawn at temperature T."""
    place, at, temperature = name.rpartition("@") if re.search(r"@[\d.]+$", name) else (name, "", "1")
    if baselines.is_baseline(place):
        return baselines.load(place, game, components, float(temperature) if at else None)
    found = [path for path in (Path(place), Path(place, MODEL), Path(place, "model.zip")) if path.is_file()]
    if not found:
        raise UnknownName("agent", name, [*names(game), "path/to/model.safetensors", "path/to/model.zip"])
    if found[0].suffix == ".zip":
        from agents.policy import PolicyAgent  # brings torch

        return PolicyAgent(found[0], game, components)
    agent = NetworkAgent(found[0], game, components, sample=bool(at), temperature=float(temperature))
    agent.name += f"{at}{temperature}" if at else ""
    return agent
