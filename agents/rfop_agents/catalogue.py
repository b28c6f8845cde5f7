"""The agents of this package, by name or by the path of a trained model: what it offers to `rfop_env.players`."""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rfop_agents import baselines, language_model
from rfop_agents.belief import Belief
from rfop_agents.greedy import GreedyAgent
from rfop_agents.head_belief import HeadBelief
from rfop_agents.network import MODEL, NetworkAgent, small_file
from rfop_agents.policy_belief import PolicyBelief
from rfop_agents.rollouts import RolloutAgent, rollout_settings
from rfop_agents.search.forest import payoff_scales
from rfop_agents.search import PLAIN, SearchAgent, search_settings
from rfop_agents.symmetric import SymmetricAgent
from rfop_agents.values import GAMES
from rfop_env.agent import Agent
from rfop_env.agent_names import (
    BELIEF,
    GUMBEL,
    HEAD,
    LANGUAGE_MODEL,
    NAMED,
    RESPONSE,
    ROLLOUT,
    SEARCH,
    AgentSpec,
    NotTyped,
)
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.players import AgentLevel, agent_names, load_agent

if TYPE_CHECKING:
    from rfop_env.browser.page import PageProgram

LEVELS = Path(__file__).parent / "levels.csv"
HALVING: dict[str, Any] = {"root": "gumbel", "rollout_mix": 0.0}  # settings of searches by sequential halving
MAX_TEMPERATURE = 100  # of a network's policy: practically equal probabilities for all actions


def names(game: Game) -> list[str]:
    """The names of the ready-made agents for a game."""
    greedy = ["greedy"] if game.rules_name in GAMES else []
    return [*greedy, "search-400", *baselines.names(game)]


def levels(game: Game) -> list[AgentLevel]:
    """The agents of a game whose published games have given them a rating (`levels.csv`)."""
    with LEVELS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["env"] == game.id]
    return [AgentLevel(row["agent"], row["options"], float(row["rating"]), row["unit"]) for row in rows]


def load(name: str, game: Game, components: Any, typed: bool, any_components: bool) -> Agent:
    """An agent by name, or by the path of a model file or a run's folder, for `rfop_env.players.load_agent`.

    Arguments and errors are those of that function. Tables show the `name` of the agent: for a model of a file it ends
    with a digest of the content, as in `x#3f2a1c`. Models are data: nothing in their files or folders is run.
    """
    return _Loader(game, components, typed, any_components).load(AgentSpec.parse(name))


def page_program(name: str, game: Game, components: Any) -> PageProgram:
    """What plays as an agent does in a page without a server: a network, or a search at whose root PUCT chooses.

    Raises `UnknownName` for other agents, and what `load` raises.
    """
    from rfop_agents.search.browser import describe_search, search_module  # a page alone needs the compiler for it
    from rfop_env.browser.page import PageProgram

    spec, loader = AgentSpec.parse(name), _Loader(game, components, typed=False, any_components=False)
    if spec.kind not in (NAMED, SEARCH) or spec.belief or spec.leaves or spec.symmetric or name == "greedy":
        raise UnknownName("program of a page", name, names(game))
    network_spec = spec if spec.kind == NAMED else spec.guide
    network = None
    entry: dict[str, Any] = {"name": name, "kind": spec.kind}
    files: dict[str, bytes] = {}
    networks: dict[str, bytes] = {}
    if network_spec is not None:
        network = loader.network(network_spec)
        assert isinstance(network, NetworkAgent), "a symmetric one is refused above"
        file = f"{re.sub(r'[^a-z0-9]+', '-', network.name.lower())}.safetensors"
        networks[file] = small_file(network, game, components)
        scales = payoff_scales(game, network.rewards)
        entry |= {"network": file, "temperature": network.temperature, "scales": scales}
    if spec.kind == SEARCH:
        settings = PLAIN if spec.plain else search_settings(game)
        files["search.wasm"] = search_module(game)
        entry["search"] = describe_search(game, settings, None if network is None else network.rewards)
        entry["search"] |= {"simulations": spec.simulations or settings.nodes, "seconds": spec.seconds}
        entry["search"]["turn"] = spec.per_turn
    return PageProgram(entry, files, networks)


@dataclass(frozen=True)
class _Loader:
    """Makes the agents of a game from what their names say."""

    game: Game
    components: Any  # the set that is played; None: the shipped one
    typed: bool
    any_components: bool

    def load(self, spec: AgentSpec) -> Agent:
        """The agent of a name. Raises as `load`."""
        name = str(spec)
        if name == "greedy":
            return GreedyAgent(self.game)
        if spec.kind == LANGUAGE_MODEL:
            if not self.typed:
                raise NotTyped(name)
            return language_model.load(name)
        if spec.kind == ROLLOUT:
            return self._rolling_out(spec)
        if spec.kind == RESPONSE:
            return self._responding(spec)
        return self._searching(spec) if spec.looks_ahead else self.network(spec)

    def _searching(self, spec: AgentSpec) -> Agent:
        """A search by simulations or seconds: with the scripted player, without it, or with a network in its place."""
        network = self.network(spec.guide) if spec.guide else None
        limits: dict[str, Any] = {"simulations": spec.simulations}
        if spec.seconds is not None:
            limits = {"seconds": spec.seconds}
        leaves = int(spec.leaves or 1)
        batch = f"x{leaves}" if leaves > 1 else ""
        guide = f"{spec.belief}+{network.name}" if network else ""
        if spec.plain:
            guide = "-random"
        if spec.kind == GUMBEL:
            limits |= HALVING
        settings = replace(PLAIN if spec.plain else search_settings(self.game), **limits, leaves=leaves)
        return SearchAgent(
            self.game,
            settings,
            network=network,
            belief=self._belief(spec, network, network),
            name=f"{spec.kind}-{spec.budget}{batch}{guide}",
            per_turn=spec.per_turn,
        )

    def _rolling_out(self, spec: AgentSpec) -> Agent:
        """Rollouts of a network: the guide, or the fixed opponent."""
        opponent = self._opponent(spec)
        budget = f"{spec.budget}x{spec.length}" if spec.length else f"{spec.budget}"
        network = self._guide(spec, opponent)
        if network is None:
            raise RfopError(f"{spec}: say which network plays: rollout-{budget}+NETWORK:{spec.opponent}")
        settings = rollout_settings(self.game)
        settings = replace(settings, draws=int(spec.budget), length=int(spec.length or settings.length))
        kind = f"rollout-{budget}{spec.belief}"
        name = response_name(kind, network.name if spec.guide else "", opponent.name if opponent else "")
        belief = self._belief(spec, opponent or network, network)
        return RolloutAgent(self.game, network, settings, opponent=opponent, belief=belief, name=name)

    def _responding(self, spec: AgentSpec) -> Agent:
        """A search against a fixed opponent, guided by a network: the guide, or the opponent if it is one."""
        opponent = self._opponent(spec)
        assert opponent is not None, "a response is one to an opponent"
        network = self._guide(spec, opponent)
        guide = network.name if network and spec.guide else ""
        name = response_name(f"response-{spec.budget}{spec.belief}", guide, opponent.name)
        settings = replace(search_settings(self.game), simulations=int(spec.budget), **HALVING)
        belief = self._belief(spec, opponent, network)
        return SearchAgent(self.game, settings, network=network, opponent=opponent, belief=belief, name=name)

    def _belief(self, spec: AgentSpec, policy: Agent | None, network: Agent | None) -> Belief | None:
        """The belief that a name asks for: that the others act by a policy, or what the head of a network says."""
        if spec.belief == BELIEF:
            assert policy is not None, "a belief is named with a guide or an opponent"
            return PolicyBelief(self.game, policy)
        if spec.belief == HEAD:
            if not isinstance(network, NetworkAgent):
                raise RfopError(f"{spec}: say whose head, as in {spec.kind}-{spec.budget}{HEAD}+red-flag/ppo-3")
            return HeadBelief(self.game, network)
        return None

    def _opponent(self, spec: AgentSpec) -> Agent | None:
        """The agent in the other seats, which may be of any package."""
        if spec.opponent is None:
            return None
        return load_agent(str(spec.opponent), self.game, self.components, self.typed, self.any_components)

    def _guide(self, spec: AgentSpec, opponent: Agent | None) -> NetworkAgent | SymmetricAgent | None:
        """The network that is named as the guide; without one the opponent, if it is a network."""
        if spec.guide:
            return self.network(spec.guide)
        return opponent if isinstance(opponent, NetworkAgent | SymmetricAgent) else None

    def network(self, spec: AgentSpec) -> NetworkAgent | SymmetricAgent:
        """A baseline, or the model of a file or of a run's folder; with `@T` it samples at temperature T."""
        game, temperature = self.game, float(spec.temperature or 1)
        if temperature > MAX_TEMPERATURE:
            raise RfopError(f"{spec}: a temperature is from 0 to {MAX_TEMPERATURE}, found {spec.temperature}")
        components = game.load_components(None) if self.components is None else self.components
        at = f"@{spec.temperature}" if spec.temperature else ""
        if spec.kind == NAMED and baselines.is_baseline(spec.path):
            sampled = temperature if at else None
            agent = baselines.load(spec.path, game, components, sampled, self.any_components)
            agent.call(f"{spec.path}{at}")
        else:
            path = self._file(spec)
            agent = NetworkAgent(path, game, components, bool(at), temperature, self.any_components)
            agent.call(f"{_display_name(path, agent)}{at}")
        return SymmetricAgent(agent, game) if spec.symmetric else agent

    def _file(self, spec: AgentSpec) -> Path:
        """A model file, or the newest model in the folder of a run."""
        paths = []
        if spec.kind == NAMED:
            place = Path(spec.path)
            paths = [path for path in (place, place / MODEL) if path.exists() and not path.is_dir()]
            if not paths or paths[0].suffix == ".zip":
                _refuse_pickles(place)
        if not paths:
            raise UnknownName("agent", str(spec), [*agent_names(self.game), "path/to/model.safetensors"])
        return paths[0]


def response_name(kind: str, guide: str, opponent: str) -> str:
    """The name of an agent that looks ahead; `kind`: "response-100" or "rollout-16x8", say.

    `guide` is the network that guides it, `opponent` the agent in the other seats; "" for none.
    """
    guide = f"+{guide}" if guide else ""
    opponent = f":{opponent}" if opponent else ""
    return f"{kind}{guide}{opponent}"


def _refuse_pickles(place: Path) -> None:
    """Raise `RfopError` for a .zip of Stable-Baselines3, given by its path or by the folder of a run."""
    zips = [path for path in (place, place / "model.zip") if path.suffix == ".zip" and path.is_file()]
    if zips:
        raise RfopError(
            f"{zips[0]} is not opened: a .zip of Stable-Baselines3 can run any code; "
            f"train it anew: rfop train maskable writes a {MODEL}"
        )


def _display_name(path: Path, agent: NetworkAgent) -> str:
    """The display name of a model: the name of its file or folder, and six digits of a digest of its weights.

    So two models of one name have separate rows, and so has a model that was trained further: `mine#3f2a1c`.
    """
    digest = hashlib.sha256()
    for key, weights in sorted(agent.weights.items()):
        digest.update(f"{key} {weights.shape}".encode())
        digest.update(weights.tobytes())
    name = path.stem if path.stem != "model" else path.resolve().parent.name
    return f"{name}#{digest.hexdigest()[:6]}"
