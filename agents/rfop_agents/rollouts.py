"""Rollouts of a network: each likely action is played on the same determinizations, and the end is evaluated.

This is a policy improvement by rollouts (Tesauro and Galperin, *On-line Policy Improvement using Monte-Carlo Search*,
1996), with common random numbers: what is hidden and all chance to come are drawn anew several times, and every action
meets the same draws. Actions are then compared draw by draw, which leaves little noise: after a few decisions most
games differ by their first action alone. There is no tree: nobody tries what the network would not play, so an action
is not judged by mistakes that follow it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from rfop_env.agent import Actions, Agent, Masks, Obs, Positions, Thoughts, act_for, copy_games
from rfop_agents.belief import Belief
from rfop_agents.network import Evaluator, shares
from rfop_agents.fixed_opponent import OpponentPolicy, opponent_policy, require_fixed_opponent
from rfop_agents.search.forest import seat_returns
from rfop_agents.search.gumbel import OFFSET
from rfop_agents.search.settings import require_number
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION

MOST_GAMES = 16_384  # rolled out at a time
RANGES: dict[str, tuple[float, float]] = {  # of the settings, both ends included
    "draws": (1, 10_000),
    "length": (0, 10_000),
    "considered": (2, 1_000),
    "least": (0, 1),
    "doubt": (0, 100),
    "q_scale": (0, 10_000),
}
COUNTS = ("draws", "length", "considered")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RolloutSettings:
    """The settings of rollouts. Raises `RfopError` for one that is out of its range."""

    draws: int = 16  # of what is hidden and of all chance to come, for each position; every action meets them all
    length: int = 16  # decisions of all seats that the network plays on, before it judges
    considered: int = 8  # actions at most: the most likely ones
    least: float = 0.001  # an action of a lower probability is not considered
    doubt: float = 1.0  # an action must be better than the most likely one by so many standard errors
    q_scale: float = 1.0  # how much leads count against logits in the improved policy, as in `search/gumbel.py`

    def __post_init__(self) -> None:
        for name, between in RANGES.items():
            require_number(name, getattr(self, name), between, integer=name in COUNTS)


# In Red Flag Over Paris networks give many good actions less than 0.001. Levée en Masse has much chance: most of the
# actions that seem a little better there are no better. In Paris a longer rollout gains more than more draws.
_OWN = {
    "red_flag_over_paris": RolloutSettings(least=1e-5),
    "levee_en_masse": RolloutSettings(considered=4, least=0.01, doubt=2.0),
    "paris": RolloutSettings(draws=8, length=24),
}


def rollout_settings(game: Game) -> RolloutSettings:
    """The settings that suit a game."""
    return _OWN.get(game.rules_name, RolloutSettings())


class RolloutResult(NamedTuple):
    """What was found in n positions."""

    leads: Floats  # [n, A]: how much more an action returns than the most likely one; 0 where it was not tried
    errors: Floats  # [n, A]: the standard errors of these leads; 0 for a single draw, which tells nothing of them
    returns: Floats  # [n, A]: the mean return of each action that was tried; 0 elsewhere
    tried: NDArray[np.bool_]  # [n, A]; all false where only one action is likely
    policy: Floats  # [n, A]: an improved policy to learn from
    actions: NDArray[np.int64]  # [n]: the actions to play


class RolloutNetwork(Evaluator, Protocol):
    """A network that plays on and judges, as `rfop_agents.network.NetworkAgent` does."""

    def logits(self, observation: NDArray[np.int8], action_mask: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
        """The logits of `evaluate` alone, [n, A]."""


class RolloutAgent(Agent):
    """Plays the action whose rollouts return most; where only one action is likely, that one.

    `network` gives the likely actions, plays on for all seats, and judges where the rollouts end. `last` is the result
    of the last `act`.

    `opponent` is the agent that has all other seats: it plays on for them, so the rollouts look for a best response to
    it. It is a scripted player, or one that needs no positions. None: the network plays on for all seats.

    `belief` gives the draws of what is hidden. None: each deal with the same probability.

    Raises `RfopError` for a network with a memory, because rollouts are parts of games, and for an `opponent` that
    needs positions or has a memory.
    """

    needs_positions = True
    gives_values = True
    finds = ("policy",)

    def __init__(
        self,
        game: Game,
        network: RolloutNetwork,
        settings: RolloutSettings | None = None,
        *,
        opponent: Agent | None = None,
        belief: Belief | None = None,
        name: str | None = None,
    ):
        self.settings = settings or rollout_settings(game)
        self._belief = belief
        if belief is not None:
            self.needs_history, self.most_games = belief.needs_history, belief.most_games
        if network.remembers:
            raise RfopError("network: one with a memory cannot judge positions out of a game: give one without a core")
        if opponent is not None:
            require_fixed_opponent(opponent, game)
        self._network = network
        self._opponent = opponent
        self._rewards = dict(network.rewards) or {game.rewards[0].name: 1.0}
        self.name = name or f"rollout-{self.settings.draws}x{self.settings.length}"
        self.last: RolloutResult | None = None

    def act(self, observation: Obs, action_mask: Masks, rng: Generator, positions: Positions | None = None) -> Actions:
        """The best action of each position, int64 [n]."""
        assert positions is not None, "rollouts play on from positions"
        settings = self.settings
        logits = self._network.logits(observation, action_mask).astype(np.float64)
        probs = shares(logits, action_mask)
        candidates, likely = self._candidates(probs)

        # Try them.
        opponent = opponent_policy(self._opponent, positions, rng) if self._opponent is not None else None
        draws = self._draws(positions, rng)
        leads, errors, means = np.zeros(probs.shape), np.zeros(probs.shape), np.zeros(probs.shape)
        tried = np.zeros(probs.shape, np.bool_)
        for rows in self._stretches(likely):
            position, place = np.nonzero(likely[rows])
            action = candidates[rows[position], place]
            returns = self._roll_out(draws(rows), position, action, opponent)
            lead = returns - returns[np.searchsorted(position, position)]  # the most likely action is the first
            at = rows[position], action
            leads[at], means[at], tried[at] = lead.mean(axis=1), returns.mean(axis=1), True
            if settings.draws > 1:
                errors[at] = lead.std(axis=1, ddof=1) / settings.draws**0.5

        # Choose the most likely action, unless another is better beyond doubt.
        better = np.where(tried, leads - settings.doubt * errors, 0.0)
        actions = np.where((better > 0.0).any(axis=1), better.argmax(axis=1), candidates[:, 0]).astype(np.int64)
        policy = self._improved(logits, probs, leads, tried)
        self.last = RolloutResult(leads, errors, means, tried, policy, actions)
        return actions

    def think(self, batch: GameBatch, games: NDArray[np.intp], rng: np.random.Generator) -> Thoughts:
        """The actions of `act`, with the mean returns of what was tried; where only one is likely, its own rollouts."""
        actions, every = act_for(self, batch, games, rng), np.arange(len(games))
        assert self.last is not None, "it has just acted"
        tried, returns = self.last.tried.copy(), self.last.returns.copy()
        clear = np.flatnonzero(~tried.any(axis=1))
        if len(clear):
            positions = Positions(batch, games, rng)
            opponent = opponent_policy(self._opponent, positions, rng) if self._opponent is not None else None
            draws = self._draws(positions, rng)(clear)
            action_returns = self._roll_out(draws, np.arange(len(clear)), actions[clear], opponent)
            tried[clear, actions[clear]], returns[clear, actions[clear]] = True, action_returns.mean(axis=1)
        return Thoughts(actions, returns[every, actions], tried * self.settings.draws, returns)

    def _candidates(self, probs: Floats) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The actions by falling probability, [n, K], and which of them are likely; none where only one is."""
        order = np.argsort(-probs, axis=1, kind="stable")[:, : self.settings.considered]
        likely = np.take_along_axis(probs, order, axis=1) >= max(self.settings.least, np.finfo(np.float64).tiny)
        likely &= likely.sum(axis=1, keepdims=True) > 1
        return order, likely

    def _stretches(self, likely: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
        """The positions in which actions are tried, as many at a time as `MOST_GAMES` allows."""
        rows = np.flatnonzero(likely.any(axis=1))
        games = np.cumsum(likely[rows].sum(axis=1)) * self.settings.draws
        return [part for part in np.split(rows, np.flatnonzero(np.diff(games // MOST_GAMES)) + 1) if len(part)]

    def _draws(self, positions: Positions, rng: Generator) -> Callable[[NDArray[np.intp]], GameBatch]:
        """What gives the draws of some positions, int [k], as a batch: those of a position are neighbours."""
        draws = self.settings.draws
        if self._belief is None:
            return lambda rows: positions.sample(rows, draws)
        samples = self._belief.sample(positions, draws, rng)
        return lambda rows: positions.to_batch(samples[:, rows].T.reshape(-1))

    def _roll_out(
        self, samples: GameBatch, position: NDArray[np.intp], action: NDArray[np.int64],
        opponent: OpponentPolicy | None,
    ) -> Floats:  # fmt: skip
        """The returns of actions [k] on the draws of positions [k] of `samples`, for who decides there: [k, draws]."""
        draws = self.settings.draws
        which = (position[:, None] * draws + np.arange(draws)).reshape(-1)
        batch = copy_games(samples, which)
        seat = batch.current_player.copy()

        batch.step(np.repeat(action, draws))
        for _ in range(self.settings.length):
            running = np.flatnonzero(batch.action_mask.any(axis=1))
            if not len(running) or (self.stopped is not None and self.stopped()):
                break
            batch.step(self._play_on(batch, running, seat, opponent))
        return self._expected(batch, seat).reshape(len(action), draws)

    def _play_on(
        self, batch: GameBatch, running: NDArray[np.intp], seat: NDArray[np.int32], opponent: OpponentPolicy | None
    ) -> NDArray[np.int64]:
        """An action for each running game: that of `opponent` where not `seat` decides, else the network's."""
        actions, own = np.full(len(seat), NO_ACTION), running
        if opponent is not None:
            decides = batch.current_player[running] != seat[running]
            own, rows = running[~decides], running[decides]
            if len(rows):
                actions[rows] = opponent(batch.observation[rows], batch.action_mask[rows], batch.states[rows])

        if len(own):
            mask = batch.action_mask[own]
            actions[own] = np.where(mask, self._network.logits(batch.observation[own], mask), -np.inf).argmax(axis=1)
        return actions

    def _expected(self, batch: GameBatch, seat: NDArray[np.int32]) -> Floats:
        """The return of a seat of each game: what it was paid, and what the network expects from here on."""
        returns = np.zeros(batch.rewards.shape)
        for kind, weight in self._rewards.items():
            returns += batch.game_returns(kind, weight)
        running = np.flatnonzero(batch.action_mask.any(axis=1))
        if len(running):
            values = self._network.evaluate(batch.observation[running], batch.action_mask[running])[1]
            if values.ndim == 1:
                values = seat_returns(values, batch.current_player[running], batch.game.spec.players)
            returns[running] += values
        return returns[np.arange(len(seat)), seat]

    def _improved(self, logits: Floats, probs: Floats, leads: Floats, tried: NDArray[np.bool_]) -> Floats:
        """The network's policy, in which actions that were tried gain by their lead over the mean of those tried."""
        weights = np.where(tried, probs, 0.0)
        mean = (weights * leads).sum(axis=1, keepdims=True) / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
        scale = (OFFSET + self.settings.draws) * self.settings.q_scale
        return shares(logits + np.where(tried, scale * (leads - mean), 0.0), probs > 0)
