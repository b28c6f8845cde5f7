"""Games in which agents take the seats of the opponents: for every interface with one learner in each game."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, act_for
from rfop_env.agent_names import parse_opponents
from rfop_env.core.advance import ANSWER, ASKED, BY_GAME, KEEP, RANDOM, REFRESH, RESET
from rfop_env.core.batch import GameBatch
from rfop_env.core.batch_arguments import opponent_number
from rfop_env.core.errors import BadArgument, RfopError, shown
from rfop_env.core.game import Game
from rfop_env.core.kernels import random_actions
from rfop_env.core.legal_actions import are_legal
from rfop_env.core.random_stream import POLICY
from rfop_env.core.record import record_bytes
from rfop_env.own_code import Act
from rfop_env.players import as_agent

PlayerArgument = str | Agent | Act  # what `as_agent` takes
OpponentArgument = PlayerArgument | Mapping[PlayerArgument, float] | None
MOST_AGENTS = 100  # of one batch


def new_batch(
    game: Game,
    num_games: int = 1,
    seed: int | Sequence[int] | None = None,
    *,
    opponent: OpponentArgument = None,
    **arguments: Any,
) -> GameBatch:
    """A batch in which any agent can be the opponent, or one drawn for each game by share.

    `opponent`: what `players.as_agent` takes, a text like "scripted=0.5,runs/mine=0.5", or a mapping from any of these
    to shares that add up to 1. Other `arguments` are those of `GameBatch`. Raises what that and `as_agent` raise.
    """
    shares = opponent_shares(opponent)
    if shares is None or _played_by_rules(shares, game):
        return GameBatch(game, num_games, seed, opponent=shares, **arguments)
    return AgentBatch(game, num_games, seed, opponent=shares, **arguments)


def opponent_shares(opponent: OpponentArgument) -> Mapping[Any, float] | None:
    """Players with their shares, from what names opponents; None where all seats are asked. Raises `BadArgument`."""
    if isinstance(opponent, str):
        return parse_opponents(opponent)
    if isinstance(opponent, Mapping):
        if not opponent or not all(isinstance(share, int | float) for share in opponent.values()):
            raise BadArgument(f"opponent: expected a mapping from players to shares, found {shown(opponent)}")
        return opponent
    if opponent is None:
        return None
    if not isinstance(opponent, Agent) and not callable(opponent):
        raise BadArgument(f"opponent: expected a name, an Agent, a function or shares of them, found {shown(opponent)}")
    return {opponent: 1.0}


def _played_by_rules(shares: Mapping[Any, float], game: Game) -> bool:
    """Whether the rules play all of them."""
    return set(shares) <= {opponent.name for opponent in game.opponents}


class AgentBatch(GameBatch):
    """A batch whose other seats agents take, inside every call that plays: as `GameBatch` with its own opponents.

    After a decision of the learner, agents act together in all games that wait for them, until each waits for the
    learner or is over; rewards of these decisions add up. An agent gets the observation of the seat that decides, and a
    search determinizations for it. Its random numbers follow from the games, so the same seed gives the same games.
    Agents are shared with copies of the batch, their memories are copied.

    Where an agent raises an error or chooses what is not legal (`RfopError`), the games are as they were before the
    call, but for seeds and numbers of episodes that a reset has set.
    """

    _agents: list[Agent]
    _view: GameBatch | None = None  # the games as agents see them: all seats are asked there
    _playable = False  # whether the records are games, since the first reset

    # -- who plays -----------------------------------------------------------------------------------------------------

    def _opponent_shares(self, game: Game, components: Any, opponent: Any) -> dict[int, float]:
        self._agents = []
        shares: dict[int, float] = {}
        for player, share in opponent.items():
            if not game.opponents or _played_by_rules({player: share}, game):
                number = opponent_number(game, player)
            else:
                number = ASKED - len(self._agents)
                self._agents.append(as_agent(player, game, components))
            shares[number] = share
        if len(self._agents) > MOST_AGENTS:
            raise BadArgument(f"opponent: at most {MOST_AGENTS} agents, found {len(self._agents)}")
        return shares

    def _opponent_name(self, number: int) -> str:
        return self._agents[ASKED - number].name if number <= ASKED else super()._opponent_name(number)

    # -- playing -------------------------------------------------------------------------------------------------------

    def _run(self, command: int, repeat: int = 1) -> int:
        """Carry out a command for every game, and let agents answer; returns how many games have ended."""
        records, opponents = record_bytes(self.states).copy(), self._opponents.copy()
        commands = self._command.copy() if command == BY_GAME else np.full(self.num_games, command, np.int8)
        self.answers = []
        num_ended = super()._run(command)
        try:
            num_ended += self._play_agents()
            for _ in range(repeat - 1 if command == RANDOM else 0):
                num_ended += self._step_random_again() + self._play_agents()
        except BaseException:
            self._go_back(records, opponents)
            raise
        self._playable = True
        self.rewards[np.isin(commands, (RESET, REFRESH)) & ~self.terminated] = 0  # nothing is paid for them
        return num_ended

    def _go_back(self, records: NDArray[np.uint8], opponents: NDArray[np.int8]) -> None:
        """Restore the games."""
        self._ready = self._playable
        if self._playable:
            record_bytes(self.states)[...] = records
            self._opponents[:] = opponents
            super()._run(REFRESH)

    def _play_agents(self) -> int:
        """Let agents act until no game waits for one; returns how many games have ended."""
        num_ended = 0
        states = self.states
        while True:
            running = (states["over"] == 0) & (self._opponents <= ASKED)
            games = np.flatnonzero(running & (states["player"] != states["learner"] - 1))
            if len(games) == 0:
                return num_ended
            self._actions[games] = actions = self._decisions(games)
            self.answers.append((games, actions))
            num_ended += self._go_on(games)

    def _go_on(self, games: NDArray[np.intp]) -> int:
        """Carry out `_actions` in some games, as a part of the call before; returns how many of them have ended."""
        self._command.fill(KEEP)
        self._command[games] = ANSWER
        return super()._run(BY_GAME)

    def _step_random_again(self) -> int:
        """One more random decision in every running game; returns how many have ended."""
        games = np.flatnonzero(self.states["over"] == 0)
        self.states["journal_size"][games] = 0
        self.states["journal"][games] = 0
        self._actions[:] = random_actions(self.game, self.states, self._mask, POLICY)
        return self._go_on(games)

    def _decisions(self, games: NDArray[np.intp]) -> NDArray[np.int64]:
        """The agents' actions, int64 [n], in some games, int [n], that wait for them."""
        view = self._view_of_agents(games)
        actions = np.zeros(len(games), np.int64)
        for number in np.unique(self._opponents[games]):
            rows = self._opponents[games] == number
            agent = self._agents[ASKED - int(number)]
            actions[rows] = _legal_actions(agent, view, games[rows])
        return actions

    def _view_of_agents(self, games: NDArray[np.intp]) -> GameBatch:
        """The batch that agents see, in which some games are up to date."""
        if self._view is None or self._view.given_options != self.given_options:
            self._view = GameBatch(
                self.game, self.num_games, options=self.given_options, components=self.components, threads=self.threads
            )
            games = np.arange(self.num_games)
        self._view._restore(self._gather(games), games)
        return self._view

    # -- copying -------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """The contents of a batch, and the memories of its agents."""
        state = super().__getstate__()
        view = state["attributes"].pop("_view", None)
        state["attributes"]["answers"] = [(games.copy(), actions.copy()) for games, actions in self.answers]
        state["memories"] = [] if view is None else [[array.copy() for array in a.memories(view)] for a in self._agents]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become a copy of what `__getstate__` gave. Raises `VersionMismatch`."""
        super().__setstate__(state)
        if any(state["memories"]):
            view = self._view_of_agents(np.arange(self.num_games))
            for agent, memories in zip(self._agents, state["memories"], strict=True):
                for array, content in zip(agent.memories(view), memories, strict=True):
                    array[...] = content


def _legal_actions(agent: Agent, view: GameBatch, games: NDArray[np.intp]) -> NDArray[np.int64]:
    """The actions of an agent in some games, int64 [n]. Its random numbers follow from the positions."""
    states = view.states
    place = np.column_stack([states[name][games] for name in ("seed", "episode", "decisions")]).astype(np.int64)
    rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(place.tobytes(), digest_size=16).digest()))
    actions = np.asarray(act_for(agent, view, games, rng))

    shape, mask = (len(games),), view.action_mask[games]
    if actions.shape != shape or actions.dtype.kind not in "iu":
        raise RfopError(f"{agent.name}: expected {len(games)} integers, found {actions.dtype} {list(actions.shape)}")
    if not are_legal(actions, mask).all():
        raise RfopError(f"{agent.name} chose an action that is not legal")
    return actions.astype(np.int64)
