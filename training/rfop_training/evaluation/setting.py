"""The setting of an evaluation: environment, options, agents and deals, checked before anything is played."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env import game_setup, own_code, players, registry
from rfop_env.agent import Agent
from rfop_env.core import errors
from rfop_env.core.game import Game
from rfop_training.common.provenance import revision
from rfop_training.evaluation import games
from rfop_training.evaluation.recorded import Replays
from rfop_training.evaluation.rows import PUBLISHED

Player = str | Agent  # an agent, or its name
Players = Player | own_code.Act | Sequence[Player | own_code.Act]


@dataclass(frozen=True)
class Setting:
    """The settings of all games of an evaluation, as plain values, so that a worker process can rebuild them."""

    env: str
    options: tuple[tuple[str, object], ...] = ()
    components: str | None = None  # a file; None: the shipped set
    seed: int = 0  # of the agents' own random numbers
    threads: int = 1  # of the environment
    opening: int | None = None  # random decisions that start each game; None: the default of the game
    any_components: bool = False  # whether networks may have been trained for another component set

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise errors.BadArgument(f"seed: expected 0 or more, found {self.seed}")

    @classmethod
    def parse(cls, env: str, option: str | Sequence[str], **settings: Any) -> Setting:
        """A setting with the options of a text like "players=3,screens=open", or of several texts. Raises `RfopError`.

        `settings` are the other fields.
        """
        return cls(env, tuple(game_setup.parse_options(option).items()), **settings)

    @property
    def game(self) -> Game:
        """The game, with the seats it has under the options."""
        return _load_game(self)[0]

    @property
    def opening_decisions(self) -> int:
        """The number of random decisions that start each game."""
        return games.default_opening(self.game) if self.opening is None else self.opening

    @property
    def digest(self) -> str:
        """The digest of the component set."""
        digest: str = self.game.load_components(self.components).digest
        return digest

    def provenance(self, deals: range) -> dict[str, Any]:
        """The fields of a `Provenance` for games on these deals."""
        return {
            "env": self.env,
            "options": " ".join(f"{name}={value}" for name, value in sorted(self.options)),
            "components": self.digest,
            "opening": self.opening_decisions,
            "first_deal": deals.start,
            "deals": len(deals),
            "seed": self.seed,
            "git": revision(),
        }

    def agent(self, name: Player) -> Agent:
        """An agent by name, loaded once per process; an agent itself as it is."""
        return name if isinstance(name, Agent) else _load_agent(self, name)

    def play(
        self,
        names: Sequence[Player],
        seating: NDArray[np.integer[Any]],
        deals: Sequence[int],
        reward: str | None = None,
        replays: Replays | None = None,
        on_step: games.StepCallback | None = None,
    ) -> games.GameResults:
        """Play one game on each deal n, the agent `names[seating[n, k]]` in seat k; record the first for `replays`."""
        game, components = _load_game(self)
        return games.play_seated(
            game,
            [self.agent(name) for name in names],
            seating,
            deals,
            options=dict(self.options),
            components=components,
            seed=self.seed,
            threads=self.threads,
            reward=reward,
            opening=self.opening_decisions,
            replays=replays,
            on_step=on_step,
        )

    def self_play(self, player: Player, deals: Sequence[int]) -> games.GameResults:
        """Play one game on each deal with an agent in every seat."""
        return self.play([player], np.zeros((len(deals), self.game.spec.players), np.intp), deals)


@cache
def _load_game(setting: Setting) -> tuple[Game, Any]:
    game = registry.get_game(setting.env)
    components = game.load_components(setting.components)
    return game.under(dict(setting.options), components), components


@cache
def _load_agent(setting: Setting, name: str) -> Agent:
    game, components = _load_game(setting)
    return players.load_agent(name, game, components, typed=True, any_components=setting.any_components)


# -- agents ------------------------------------------------------------------------------------------------------------


def environment_id(env: str | Game) -> str:
    """The id of an environment, given as that or as its game, which is registered. Raises what `register` raises."""
    return registry.register(env) if isinstance(env, Game) else env


def list_players(agents: Players, workers: object = 1) -> list[Player]:
    """The agents of an evaluation as a list. Raises `BadArgument` for none, and for objects in other processes."""
    listing: list[Any] = [agents] if isinstance(agents, str | Agent) or callable(agents) else list(agents)
    for k, player in enumerate(listing):
        if callable(player) and not isinstance(player, Agent):
            listing[k] = own_code.FunctionAgent.of(player)

    misfits = [player for player in listing if not isinstance(player, str | Agent)]
    if misfits or not listing:
        example = errors.shown(misfits[0] if misfits else agents)
        raise errors.BadArgument(f"agents: expected names or agents, one at least, found {example}")
    if isinstance(workers, int) and workers < 1:
        raise errors.BadArgument(f"workers: expected 1 or more, found {workers}")
    if workers != 1 and not all(isinstance(player, str) for player in listing):
        raise errors.BadArgument("workers: an agent that is no name plays in this process alone: leave workers out")
    return listing


def display_names(setting: Setting, names: Sequence[Player]) -> dict[Player, str]:
    """The display names of agents, by the user's names.

    Loads the agents again, because a model's file may have changed. Raises `RfopError` before any game is played for an
    unknown name, and for two agents with one display name.
    """
    _load_agent.cache_clear()
    displayed = {name: setting.agent(name).name for name in names}
    require_different(names, displayed)
    return displayed


def require_different(names: Sequence[Player], displayed: Mapping[Player, str]) -> None:
    """Raise `RfopError` where two agents of one evaluation have the same display name."""
    for first, second in itertools.combinations(names, 2):
        if displayed[first] == displayed[second]:
            titles = [player if isinstance(player, str) else player.name for player in (first, second)]
            sentence = (
                f"{titles[0]} is given twice" if titles[0] == titles[1] else f"{' and '.join(titles)} are one agent"
            )
            raise errors.RfopError(f"{sentence}, called {displayed[first]}: give each agent once")


# -- deals -------------------------------------------------------------------------------------------------------------


def deal_range(setting: Setting, deals: int | range | None) -> range:
    """The deals that a number or a range means; None: as many as a published row has.

    Raises `BadArgument` for other deals than those from 0 to `FIRST_DEAL`, and for an opening as long as the game.
    """
    longest = setting.game.spec.max_decisions
    if not 0 <= setting.opening_decisions < longest:
        raise errors.BadArgument(
            f"opening: from 0, below {longest}, the decisions of the longest game; found {setting.opening_decisions}"
        )
    if isinstance(deals, range):
        numbers = deals
    else:
        numbers = range(number_of_deals(setting) if deals is None else deals)
    if not 1 <= len(numbers) <= games.MAX_DEALS or numbers.step != 1 or not 0 <= numbers.start <= games.FIRST_DEAL:
        raise errors.BadArgument(
            f"deals: expected a number from 1 to {games.MAX_DEALS:,} or a range of as many, found {deals!r}"
        )
    return numbers


def number_of_deals(setting: Setting, least_games: int = PUBLISHED) -> int:
    """The number of deals that gives a row at least this many games."""
    return math.ceil(least_games / setting.game.spec.players)
