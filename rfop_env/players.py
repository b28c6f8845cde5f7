"""Players of seats by name: agents of this package and of installed ones, for every command and interface.

The random player, the scripted players of a game and functions of a user's own file come with this package. All others
(searches, networks) come from installed packages with an entry point in the group `rfop.players`: an object with
`names(game)`, the names to choose from, and `load(name, game, components, typed, any_components)`, which raises
`UnknownName` for any other name. It may have `page_program(name, game, components)` too: the `PageProgram` that plays
as the agent does in a page without a server.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env import own_code
from rfop_env.agent import Agent, RandomAgent, ScriptedAgent, act_for
from rfop_env.agent_names import FUNCTION, RANDOM, AgentSpec, NotTyped, parse_opponents
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import component_set
from rfop_env.core.errors import BadArgument, UnknownName, shown
from rfop_env.core.game import Game
from rfop_env.own_code import Act, FunctionAgent
from rfop_env.plugins import load_plugins

GROUP = "rfop.players"
Stop = Callable[[], bool]  # whether the thinking has to end


@functools.cache
def _packages() -> list[Any]:
    """The agents of installed packages."""
    return list(load_plugins(GROUP, _misfit).values())


def _misfit(package: Any) -> str:
    """The problem of an object that offers agents, if it has one."""
    lacking = [name for name in ("names", "load") if not callable(getattr(package, name, None))]
    return f"expected the functions names and load, found no {lacking[0]}" if lacking else ""


def agent_names(game: Game) -> list[str]:
    """The names to choose from in a game; there are further ones: budgets of searches, paths, functions."""
    names = [RANDOM, *(player.name for player in game.scripted)]
    return list(dict.fromkeys([*names, *(name for package in _packages() for name in package.names(game))]))


def load_agent(
    name: str, game: Game, components: Any = None, typed: bool = False, any_components: bool = False
) -> Agent:
    """An agent of a game by name, or by the path of a model file or a run's folder.

    `rfop_env.agent_names` has the forms of names, and docs/evaluate.md a table of them. A network plays its most
    likely action, or samples where a temperature follows.

    `components` is the component set of the games; None: the shipped one. `typed`: the name was typed by the user of
    this process. Only then may it be a function in a Python file, as in `my_agent.py:act`, which runs the file, or a
    language model. `any_components`: a network may have been trained for another component set; its name says so.
    Raises `UnknownName`, `NotTyped`, `VersionMismatch` for a model of another environment version or component set, and
    `RfopError` for a damaged one.
    """
    if name == RANDOM:
        return RandomAgent()
    if name in [player.name for player in game.scripted]:
        return ScriptedAgent(game, name)
    if AgentSpec.parse(name).kind == FUNCTION:
        if not typed:
            raise NotTyped(name)
        return own_code.load(name)

    unknown: UnknownName | None = None
    for package in _packages():
        try:
            agent: Agent = package.load(name, game, components, typed, any_components)
            return agent
        except UnknownName as error:
            unknown = unknown or error
    raise unknown or UnknownName("agent", name, agent_names(game))


def page_program(name: str, game: Game, components: Any) -> Any:
    """What plays as an agent does in a page without a server (`rfop_env.browser.page.PageProgram`).

    Raises `UnknownName` for an agent that no page can run, and what `load_agent` raises.
    """
    for package in _packages():
        if hasattr(package, "page_program"):
            with contextlib.suppress(UnknownName):
                return package.page_program(name, game, components)
    raise UnknownName(
        "program of a page", name, agent_names(game), "a network, search-N, search-2s or search-N+NETWORK"
    )


def as_agent(
    player: str | Agent | Act, game: Game, components: Any = None, typed: bool = True, any_components: bool = False
) -> Agent:
    """An agent from its name, from itself, or from a function `act(observation, action_mask)`.

    The function takes int8 [n, D] and bool [n, A], and returns the actions, integers [n]. `components` is the set of
    the games: a path, a loaded set, or None for the shipped one. The rest is as in `load_agent`. Raises `BadArgument`
    for anything else, and what `load_agent` raises.
    """
    if isinstance(player, Agent):
        return player
    if isinstance(player, str):
        return load_agent(player, game, component_set(game, components), typed, any_components)
    if callable(player):
        return FunctionAgent.of(player)
    raise BadArgument(
        f"agent: expected a name, an Agent, or a function of observation and action_mask, found {shown(player)}"
    )


# -- in a single game --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Thought:
    """An agent's evaluation of a position, for the seat that decides; None where it has none."""

    action: int
    value: float | None = None  # the return that it expects
    visits: NDArray[np.int64] | None = None  # [A]: how often each action was tried
    values: NDArray[np.float64] | None = None  # [A]: the mean return of each
    probs: NDArray[np.float64] | None = None  # [A]: the probability of each in its policy


class SeatedAgent:
    """An `Agent` in a seat of a single game, with its own random numbers; it acts in batches of one game."""

    def __init__(self, agent: Agent, rng: np.random.Generator) -> None:
        self._agent, self._rng = agent, rng
        self.gives_values = agent.gives_values

    def act(self, batch: GameBatch, stop: Stop) -> int:
        """A legal action. A search ends early when `stop` says so, with the best action so far."""
        self._agent.stopped = stop
        return int(act_for(self._agent, batch, np.array([0]), self._rng)[0])

    def think(self, batch: GameBatch, stop: Stop) -> Thought:
        """Its action, with its evaluation: visits and values of a search, probabilities and a value of a network."""
        self._agent.stopped = stop
        thoughts = self._agent.think(batch, np.array([0]), self._rng)
        arrays = (thoughts.values, thoughts.visits, thoughts.action_values, thoughts.probs)
        return Thought(int(thoughts.actions[0]), *(None if array is None else array[0] for array in arrays))


class AgentLoader:
    """Loads agents by name for the seats of single games.

    All chance of the agents follows from `seed` and from the order in which they are loaded; None: a random seed.
    `typed` and `any_components`: as in `load_agent`. A saved game, a page or a language model types nothing. `check` is
    called with every name before it is loaded, and raises an error for those that are not offered.
    """

    def __init__(
        self,
        seed: int | None = None,
        typed: bool = False,
        any_components: bool = False,
        check: Callable[[AgentSpec], None] | None = None,
    ) -> None:
        self._typed, self._any_components, self._check = typed, any_components, check
        self._seeds = np.random.SeedSequence(seed)

    def names(self, game: Game) -> list[str]:
        """The names to choose from."""
        return agent_names(game)

    def load(self, name: str, game: Game, components: Any) -> SeatedAgent:
        """A new agent of a name, or of one sampled from several with shares; raises what `load_agent` raises."""
        rng = np.random.default_rng(self._seeds.spawn(1)[0])
        shares = parse_opponents(name)
        number = 0
        if len(shares) > 1:
            number = int(np.searchsorted(np.cumsum(list(shares.values()))[:-1], rng.random(), side="right"))
        if self._check is not None:
            for spec in map(AgentSpec.parse, shares):
                self._check(spec)
        agents = [load_agent(agent, game, components, self._typed, self._any_components) for agent in shares]
        return SeatedAgent(agents[number], rng)
