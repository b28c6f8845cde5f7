"""Agents by name, or by the path of a trained model."""

from __future__ import annotations

import hashlib
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

MOST_TEMPERATURE = 100  # of a network's policy: equal chances for all actions in all but name


def names(game: Game) -> list[str]:
    """The names of the ready-made agents for a game."""
    greedy = ["greedy"] if game.folder.name in GAMES else []
    return ["random", *greedy, *(player.name for player in game.scripted), "search-400", *baselines.names(game)]


def load(name: str, game: Game, components: Any = None) -> Agent:
    """An agent by name, a named baseline included, or a trained model by the path of its file or of its run's folder.

    `search-400`, or another number: so many simulations a decision; `search-2s`: seconds; `search-400-random`: a search
    without the scripted player; `search-100+revolution/ppo-1`, or a path: one guided by a network. A network plays its
    most likely action; `runs/x@1` draws from its policy, `runs/x@0.5` from a sharper one. The agent's `name` is what
    tables show; for a model of a file it ends with a digest of the content, `x#3f2a1c`.
    `components`: the set that will be played with (default: the shipped one). Raises `UnknownName`, `VersionMismatch`
    for a model of another environment version or component set, and `RfopError` for a damaged one. Models are data:
    nothing in the files or folders that are named here is run.
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
        return _searching(game, budget, bool(plain), network)
    return _trained(name, game, components)


def _searching(game: Game, budget: str, plain: bool, network: NetworkAgent | None) -> Agent:
    """A search by simulations or seconds: with the scripted player, without, or with a network in its place."""
    given: dict[str, Any] = {"seconds": float(budget[:-1])} if budget.endswith("s") else {"simulations": int(budget)}
    kind = "-random" if plain else f"+{network.name}" if network else ""
    settings = replace(PLAIN if plain else settings_of(game), **given)
    return SearchAgent(game, settings, network=network, name=f"search-{budget}{kind}")


def _trained(name: str, game: Game, components: Any) -> NetworkAgent:
    """A baseline, or the model of a file or of a run's folder; `@T` after a network: drawn at temperature T."""
    place, at, temperature = name.rpartition("@") if re.search(r"@(\d+\.?\d*|\.\d+)$", name) else (name, "", "1")
    if at and float(temperature) > MOST_TEMPERATURE:
        raise RfopError(f"{name}: a temperature is from 0 to {MOST_TEMPERATURE}, found {temperature}")
    if baselines.is_baseline(place):
        baseline = baselines.load(place, game, components, float(temperature) if at else None)
        baseline.name += f"{at}{temperature}" if at else ""
        return baseline
    found = [path for path in (Path(place), Path(place, MODEL)) if path.is_file()]
    if not found or found[0].suffix == ".zip":
        _refuse_pickles(Path(place))
        raise UnknownName("agent", name, [*names(game), "path/to/model.safetensors"])
    agent = NetworkAgent(found[0], game, components, sample=bool(at), temperature=float(temperature))
    weights = [part for key, w in sorted(agent.weights.items()) for part in (f"{key} {w.shape}".encode(), w.tobytes())]
    agent.name = _called(found[0], *weights) + (f"{at}{temperature}" if at else "")
    return agent


def _refuse_pickles(place: Path) -> None:
    """Raise `RfopError` for a .zip of Stable-Baselines3, the file itself or one in a run's folder."""
    zips = [path for path in (place, place / "model.zip") if path.suffix == ".zip" and path.is_file()]
    if zips:
        raise RfopError(
            f"{zips[0]} is not opened: a .zip of Stable-Baselines3 can run any code of whoever made it; "
            f"python -m training.sb3_export {zips[0]} makes a {MODEL} of its weights alone"
        )


def _called(path: Path, *content: bytes) -> str:
    """What tables call a model: its file's or folder's name, and six digits of a digest of its content.

    So two models of one name have rows of their own, and so has a model that was trained further: `mine#3f2a1c`.
    """
    digest = hashlib.sha256()
    for part in content:
        digest.update(part)
    name = path.stem if path.stem != "model" else path.resolve().parent.name
    return f"{name}#{digest.hexdigest()[:6]}"
