"""Agents by name, or by the path of a trained model."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from rfop_agents import baselines, language_model
from rfop_env.agent import Agent
from rfop_agents.greedy import GreedyAgent
from rfop_agents.network import MODEL, NetworkAgent
from rfop_env.agent import RandomAgent
from rfop_agents.rollouts import RolloutAgent, rollouts_of
from rfop_env.agent import ScriptedAgent
from rfop_agents.search import PLAIN, SearchAgent, settings_of
from rfop_agents.search.settings import GUMBEL
from rfop_agents.symmetric import SymmetricAgent
from rfop_agents.values import GAMES
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.player_names import NotTyped, is_language_model

SYMMETRIC = "symmetric+"
HALVING: dict[str, Any] = {"root": GUMBEL, "rollout_mix": 0.0}  # settings of searches by sequential halving
MAX_TEMPERATURE = 100  # of a network's policy: practically equal probabilities for all actions


def names(game: Game) -> list[str]:
    """The names of the ready-made agents for a game."""
    greedy = ["greedy"] if game.rules_name in GAMES else []
    return ["random", *greedy, *(player.name for player in game.scripted), "search-400", *baselines.names(game)]


def load(name: str, game: Game, components: Any = None, typed: bool = False) -> Agent:
    """An agent by the name of a ready-made agent or a baseline, or by the path of a model file or a run's folder.

    `search-400` is a search with 400 simulations per decision, `search-2s` one with two seconds per decision,
    `search-400-random` one without the scripted player, `search-100+revolution/ppo-2` one guided by a network, and
    `search-100x8+revolution/ppo-2` such a search whose network judges eight leaves in one call.
    `gumbel-` in place of `search-` selects at the root by sequential halving, without rollouts beside a network.
    `rollout-16+red-flag/solo-5` lets the network play on from its likely actions, on 16 redraws that are the same for
    all of them; `rollout-16x8+red-flag/solo-5` for 8 decisions.
    `response-100:scripted` is a search that knows its opponent and looks for a best response to it;
    `response-100+revolution/ppo-2:scripted` is guided by a network, `response-100:revolution/ppo-2` by its opponent.
    `rollout-16x8+paris/ppo-7:scripted` and `rollout-16x8:paris/ppo-7` are rollouts that know their opponent.

    A network plays its most likely action. `runs/x@1` samples from its policy, `runs/x@0.5` from a sharper one.
    `symmetric+revolution/ppo-2` judges a position from all sides of the board; it guides searches as well.

    Tables show the `name` of the agent. For a model of a file it ends with a digest of the content, as in `x#3f2a1c`.

    `components` is the component set of the environment (default: the shipped one). Raises `UnknownName`,
    `VersionMismatch` for a model of another environment version or component set, and `RfopError` for a damaged one.
    Models are data: nothing in their files or folders is run. A language model is loaded only where `typed` says that a
    user of this process has typed its name.
    """
    if name == "random":
        return RandomAgent()
    if name == "greedy":
        return GreedyAgent(game)
    if name in [player.name for player in game.scripted]:
        return ScriptedAgent(game, name)
    if is_language_model(name):
        if not typed:
            raise NotTyped(name)
        return language_model.load(name)
    components = components if components is not None else game.load_components(None)
    if rollout := re.fullmatch(r"rollout-(\d+(?:x\d+)?)(?=[+:])(?:\+([^:]+))?(?::(.+))?", name):
        budget, guide, opponent = rollout.groups()
        return _rolling_out(game, components, budget, guide, opponent)
    if response := re.fullmatch(r"response-(\d+)(?:\+([^:]+))?:(.+)", name):
        simulations, guide, opponent = response.groups()
        return _responding(game, components, int(simulations), guide, opponent)
    if search := re.fullmatch(r"(search|gumbel)-(\d+(?:\.\d+)?s|\d+)(?:x(\d+))?(?:-(random)|\+(.+))?", name):
        kind, budget, leaves, plain, guide = search.groups()
        network = _trained(guide, game, components) if guide else None
        return _searching(game, kind, budget, int(leaves or 1), bool(plain), network)
    return _trained(name, game, components)


def _searching(
    game: Game, kind: str, budget: str, leaves: int, plain: bool, network: NetworkAgent | SymmetricAgent | None
) -> Agent:
    """A search by simulations or seconds: with the scripted player, without it, or with a network in its place."""
    limits: dict[str, Any] = {"seconds": float(budget[:-1])} if budget.endswith("s") else {"simulations": int(budget)}
    together = f"x{leaves}" if leaves > 1 else ""
    rest = "-random" if plain else f"+{network.name}" if network else ""
    if kind == GUMBEL:
        limits |= HALVING
    settings = replace(PLAIN if plain else settings_of(game), **limits, leaves=leaves)
    return SearchAgent(game, settings, network=network, name=f"{kind}-{budget}{together}{rest}")


def _rolling_out(game: Game, components: Any, budget: str, guide: str | None, opponent: str | None) -> Agent:
    """Rollouts of a network: of `guide`, or of the opponent that they know. `budget`: draws, or draws x length."""
    others = load(opponent, game, components) if opponent else None
    network = _guide_of(game, components, guide, others)
    if network is None:
        raise RfopError(f"rollout-{budget}:{opponent}: say which network plays: rollout-{budget}+NETWORK:{opponent}")
    draws, _, length = budget.partition("x")
    settings = rollouts_of(game)
    settings = replace(settings, draws=int(draws), length=int(length or settings.length))
    name = response_name(f"rollout-{budget}", network.name if guide else "", others.name if others else "")
    return RolloutAgent(game, network, settings, others=others, name=name)


def _responding(game: Game, components: Any, simulations: int, guide: str | None, opponent: str) -> Agent:
    """A search that knows who has the other seats, guided by a network: `guide`, or the opponent if it is one."""
    others = load(opponent, game, components)
    network = _guide_of(game, components, guide, others)
    name = response_name(f"response-{simulations}", network.name if network and guide else "", others.name)
    settings = replace(settings_of(game), simulations=simulations, **HALVING)
    return SearchAgent(game, settings, network=network, others=others, name=name)


def _guide_of(
    game: Game, components: Any, guide: str | None, others: Agent | None
) -> NetworkAgent | SymmetricAgent | None:
    """The network by the name of `guide`; without one the opponent, if it is a network."""
    if guide:
        return _trained(guide, game, components)
    return others if isinstance(others, NetworkAgent | SymmetricAgent) else None


def response_name(kind: str, guide: str, opponent: str) -> str:
    """The name of an agent that looks ahead; `kind`: "response-100" or "rollout-16x8", say.

    `guide` is the network that guides it, `opponent` the agent that it knows; "" for none.
    """
    return f"{kind}{f'+{guide}' if guide else ''}{f':{opponent}' if opponent else ''}"


def _trained(name: str, game: Game, components: Any) -> NetworkAgent | SymmetricAgent:
    """A network by name, which after "symmetric+" looks at the board from all sides."""
    if name.startswith(SYMMETRIC):
        return SymmetricAgent(_network(name.removeprefix(SYMMETRIC), game, components), game)
    return _network(name, game, components)


def _network(name: str, game: Game, components: Any) -> NetworkAgent:
    """A baseline, or the model of a file or of a run's folder; with `@T` it samples at temperature T."""
    place, at, temperature = name.rpartition("@") if re.search(r"@(\d+\.?\d*|\.\d+)$", name) else (name, "", "1")
    if at and float(temperature) > MAX_TEMPERATURE:
        raise RfopError(f"{name}: a temperature is from 0 to {MAX_TEMPERATURE}, found {temperature}")
    if baselines.is_baseline(place):
        baseline = baselines.load(place, game, components, float(temperature) if at else None)
        baseline.name += f"{at}{temperature}" if at else ""
        return baseline

    # A model file, or the newest model in the folder of a run.
    paths = [path for path in (Path(place), Path(place, MODEL)) if path.exists() and not path.is_dir()]
    if not paths or paths[0].suffix == ".zip":
        _refuse_pickles(Path(place))
        raise UnknownName("agent", name, [*names(game), "path/to/model.safetensors"])
    agent = NetworkAgent(paths[0], game, components, sample=bool(at), temperature=float(temperature))
    weights = [part for key, w in sorted(agent.weights.items()) for part in (f"{key} {w.shape}".encode(), w.tobytes())]
    agent.name = _display_name(paths[0], *weights) + (f"{at}{temperature}" if at else "")
    return agent


def _refuse_pickles(place: Path) -> None:
    """Raise `RfopError` for a .zip of Stable-Baselines3, given by its path or by the folder of a run."""
    zips = [path for path in (place, place / "model.zip") if path.suffix == ".zip" and path.is_file()]
    if zips:
        raise RfopError(
            f"{zips[0]} is not opened: a .zip of Stable-Baselines3 can run any code; "
            f"rfop export {zips[0]} makes a {MODEL} of its weights alone"
        )


def _display_name(path: Path, *content: bytes) -> str:
    """The display name of a model: the name of its file or folder, and six digits of a digest of its content.

    So two models of one name have separate rows, and so has a model that was trained further: `mine#3f2a1c`.
    """
    digest = hashlib.sha256()
    for part in content:
        digest.update(part)
    name = path.stem if path.stem != "model" else path.resolve().parent.name
    return f"{name}#{digest.hexdigest()[:6]}"
