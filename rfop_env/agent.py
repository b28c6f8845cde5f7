"""Agents: functions from observations to actions, for many games at once. Here are the random and the scripted ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.record import record_bytes

Obs = NDArray[np.int8]  # [n, D]
Masks = NDArray[np.bool_]  # [n, A]
Actions = NDArray[np.int64]  # [n]


class NoAnswer(RfopError):
    """An agent that lies elsewhere (a command, an endpoint) gives no answer. The games are as they were."""


class Positions:
    """Positions that an agent may search: what its seat cannot see, and all chance to come, has been determinized.

    `determinize(copies)` gives records [copies, n]: as many independent samples of each of the n positions. They hold
    the same information as the observation, in the form that the rules can play on from.
    """

    def __init__(self, batch: GameBatch, games: NDArray[np.intp], rng: Generator):
        self.game: Game = batch.game
        self.components: Any = batch.components
        self.games = games  # their numbers in the batch, int [n]
        self.batch = batch  # the games as they are, with all that is hidden: no choice may depend on that
        self._rng = rng

    def determinize(self, copies: int = 1) -> NDArray[Any]:
        """Records, structured [copies, n]."""
        return np.stack([self.determinized_batch().get_state()[self.games] for _ in range(copies)])

    def determinized_batch(self) -> GameBatch:
        """A copy of the batch, every game determinized for the seat that decides; the positions are its `games`."""
        batch = self.batch.clone()
        batch.determinize(batch.current_player, self._rng.integers(0, 2**32, batch.num_games))
        return batch

    def to_batch(self, records: NDArray[Any]) -> GameBatch:
        """A batch of determinizations of these positions, or what follows them: records [m]."""
        samples = copy_games(self.batch, np.repeat(self.games[:1], len(records)))
        record_bytes(samples.states)[...] = record_bytes(records)
        samples.refresh()
        return samples

    def sample(self, rows: NDArray[np.intp], copies: int) -> GameBatch:
        """A batch of independent samples of some positions, `rows`, int [k]: copies of a position are neighbours."""
        samples = copy_games(self.batch, np.repeat(self.games[rows], copies))
        samples.determinize(samples.current_player, self._rng.integers(0, 2**32, samples.num_games))
        return samples


@dataclass(frozen=True)
class Thoughts:
    """An agent's evaluation of n positions, for the seats that decide; None where it has none."""

    actions: NDArray[np.int64]  # [n]
    values: NDArray[np.float64] | None = None  # [n]: the returns that it expects of the whole games
    visits: NDArray[np.int64] | None = None  # [n, A]: how often each action was tried
    action_values: NDArray[np.float64] | None = None  # [n, A]: the mean return of each, 0 where it was not tried
    probs: NDArray[np.float64] | None = None  # [n, A]: the probability of each in its policy


class Agent(ABC):
    """Chooses actions for n positions at once.

    Where it `remembers`, `follow` has to be called before `act`. A search calls `stopped` now and then, and ends early
    where it is true.
    """

    name: str = "agent"  # in tables
    needs_positions: bool = False  # `act` needs its argument `positions`: the agent searches
    needs_history: bool = False  # `GameBatch.keep_history` should be called when the games begin
    remembers: bool = False  # recurrent networks
    most_games: int | None = None  # that an evaluation plays at once, for slow agents; None: any number
    fingerprint: str | None = None  # identifies the agent's play in a matrix; None: a few games are played for it
    finds: tuple[str, ...] = ()  # the arrays [n, A] of `last` that a data set stores
    last: Any = None  # the result of the last search
    gives_values: bool = False  # whether `think` gives expected returns
    stopped: Callable[[], bool] | None = None

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:  # noqa: B027 - most agents do not remember
        """The positions of the next `act` are those of these games of the batch: int [n]."""

    def memories(self, batch: GameBatch) -> Sequence[NDArray[Any]]:
        """The arrays in which it remembers the games of a batch, an entry for each game; they may be read and written.

        Empty where it does not remember.
        """
        return ()

    @abstractmethod
    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """A legal action for each position: int64 [n] from int8 [n, D] and bool [n, A]."""

    def probabilities(self, observation: Obs, action_mask: Masks) -> NDArray[np.float64] | None:
        """The probability of every action, float64 [n, A], if `act` samples from known ones; otherwise None.

        Every position has a legal action.
        """
        return None

    def think(self, batch: GameBatch, games: NDArray[np.intp], rng: Generator) -> Thoughts:
        """Its actions in these games of a batch, int [n], with its evaluation.

        Every game waits for a decision. What the deciding seats cannot see has no influence.
        """
        return Thoughts(act_for(self, batch, games, rng))


class AgentWrapper(Agent):
    """A wrapper: an agent that plays as another one, `inner`."""

    def __init__(self, inner: Agent):
        self.inner = inner
        self.name = inner.name
        self.needs_positions = inner.needs_positions
        self.needs_history = inner.needs_history
        self.remembers = inner.remembers
        self.most_games = inner.most_games
        self.fingerprint = inner.fingerprint
        self.finds = inner.finds
        self.gives_values = inner.gives_values

    @property
    def last(self) -> Any:
        """Of the inner agent."""
        return self.inner.last

    @property
    def stopped(self) -> Callable[[], bool] | None:
        """Of the inner agent."""
        return self.inner.stopped

    @stopped.setter
    def stopped(self, stopped: Callable[[], bool] | None) -> None:
        self.inner.stopped = stopped

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """Call the inner agent."""
        self.inner.follow(batch, games)

    def memories(self, batch: GameBatch) -> Sequence[NDArray[Any]]:
        """Those of the inner agent."""
        return self.inner.memories(batch)

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The actions of the inner agent."""
        return self.inner.act(observation, action_mask, rng, positions)

    def probabilities(self, observation: Obs, action_mask: Masks) -> NDArray[np.float64] | None:
        """Those of the inner agent."""
        return self.inner.probabilities(observation, action_mask)

    def think(self, batch: GameBatch, games: NDArray[np.intp], rng: Generator) -> Thoughts:
        """The evaluation of the inner agent."""
        return self.inner.think(batch, games, rng)


def copy_games(batch: GameBatch, games: NDArray[np.intp]) -> GameBatch:
    """A new batch of some games, int [n], without opponents. A game may be there several times."""
    copies = GameBatch(batch.game, len(games), options=batch.given_options, components=batch.components)
    copies.copy_from(batch, games)
    return copies


def random_legal(action_mask: NDArray[np.bool_], rng: Generator) -> NDArray[np.int64]:
    """A uniformly random legal action for each row of bool [n, A]: int64 [n]."""
    draws = rng.random(action_mask.shape, dtype=np.float32)
    return np.where(action_mask, draws, -1.0).argmax(axis=1).astype(np.int64)


def act_for(agent: Agent, batch: GameBatch, games: NDArray[np.intp], rng: Generator) -> NDArray[np.int64]:
    """Let an agent act in some games of a batch: int64 [len(games)]."""
    if agent.needs_history and batch.history is None:
        batch.keep_history()
    positions = Positions(batch, games, rng) if agent.needs_positions else None
    if agent.remembers:
        agent.follow(batch, games)
    return agent.act(batch.observation[games], batch.action_mask[games], rng, positions)


# -- agents that every game has ---------------------------------------------------------------------------------------


class RandomAgent(Agent):
    """Every legal action with the same chance."""

    name = "random"

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """A random legal action for each position."""
        return random_legal(action_mask, rng)

    def probabilities(self, observation: Obs, action_mask: Masks) -> NDArray[np.float64]:
        """The same for every legal action."""
        return action_mask / action_mask.sum(axis=1, keepdims=True)


class ScriptedAgent(Agent):
    """A scripted player of a game (`game.scripted`), by name; its random choices come from the positions."""

    needs_positions = True

    def __init__(self, game: Game, name: str):
        names = [player.name for player in game.scripted]
        if name not in names:
            raise UnknownName(f"scripted player of {game.id}", name, names)
        self.name = name

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The script's action for each position."""
        assert positions is not None, "a scripted player reads a position"
        states = positions.determinize()[0].view(np.recarray)
        return scripted_actions(positions.game, states, positions.components, action_mask, self.name)
