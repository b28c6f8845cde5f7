"""Chains of decisions: what one seat saw, did and was paid from its first decision of a game to its last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.decisions import NOBODY

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Chain:
    """A part of a chain: m consecutive decisions of one seat in one game."""

    game: int
    seat: int
    episode: int  # number of the game's episodes before this one
    decisions: Arrays  # [m, ...]: what was recorded of each
    rewards: NDArray[np.float64]  # [m]: the seat's rewards from each decision to its next one
    following: Arrays | None  # what was recorded of the seat's next decision; None if the game has ended


class ChainRecorder:
    """Records steps of N games of P seats, and cuts them into chains.

    The reward of a decision is the sum of its seat's rewards until the seat's next decision. A decision without a
    successor stays open and belongs to the next call of `take`. So every decision is in exactly one chain, and no value
    is needed of a seat that is not to move.
    """

    def __init__(self, num_games: int, seats: int):
        self.num_games = num_games
        self.seats = seats
        self.completed = 0  # decisions that `take` will give
        self._open = np.zeros((num_games, seats), np.bool_)  # the last decision of this seat waits for its successor
        self._episodes = np.zeros(num_games, np.int64)
        self._rows: list[Arrays] = []
        self._deciders: list[NDArray[np.int64]] = []
        self._rewards: list[NDArray[np.float64]] = []
        self._ended: list[NDArray[np.bool_]] = []

    def add(
        self,
        decider: NDArray[np.integer[Any]],
        decisions: Mapping[str, NDArray[Any]],
        rewards: NDArray[np.floating[Any]],
        terminated: NDArray[np.bool_],
    ) -> None:
        """Record a step of all games.

        `decider`: the seats that decided, [N]. `decisions`: what to record, arrays [N, ...] that stay as they are.
        `rewards`: what the step paid, [N, P]. `terminated`: bool [N], the games that it ended.
        """
        games = np.arange(self.num_games)
        self.completed += int(self._open[games, decider].sum())
        self._open[games, decider] = True
        self.completed += int(self._open[terminated].sum())
        self._open[terminated] = False

        self._deciders.append(decider.astype(np.int64))
        self._rows.append(dict(decisions))
        self._rewards.append(rewards.astype(np.float64))
        self._ended.append(terminated.copy())

    def take(self) -> list[Chain]:
        """The chains of all decisions that are complete; the open ones stay."""
        if not self._rows:
            return []
        deciders, terminated = np.stack(self._deciders), np.stack(self._ended)
        rewards = np.cumsum(np.stack(self._rewards), axis=0)
        returns = np.concatenate([np.zeros((1, self.num_games, self.seats)), rewards])

        # Every decision by game, seat and episode, in the order of time.
        episodes: NDArray[np.int64] = np.cumsum(terminated, axis=0) - terminated  # that ended in the rows above
        row, game = np.nonzero(deciders != NOBODY)
        order = np.lexsort((row, episodes[row, game], deciders[row, game], game))
        row, game = row[order], game[order]
        seat: NDArray[np.int64] = deciders[row, game]
        episode: NDArray[np.int64] = episodes[row, game]
        recorded = {name: np.stack([step[name] for step in self._rows])[row, game] for name in self._rows[0]}

        # The row at which each decision is complete: that of the next one, or the one after the end of the game.
        last = np.ones(len(row), np.bool_)
        last[:-1] = (np.diff(game) != 0) | (np.diff(seat) != 0) | (np.diff(episode) != 0)
        until = np.append(row[1:], 0)
        until[last] = self._rows_after_end(terminated)[game[last], episode[last]]
        rewards = returns[until, game, seat] - returns[row, game, seat]

        # Chains, without the decisions that are still open.
        chains, opened = [], []
        finished = episode < terminated.sum(axis=0)[game]
        low = 0
        for high in (np.flatnonzero(last) + 1).tolist():
            end = high if finished[low] else high - 1
            if end > low:
                chains.append(
                    Chain(
                        int(game[low]),
                        int(seat[low]),
                        int(self._episodes[game[low]] + episode[low]),
                        {name: values[low:end] for name, values in recorded.items()},
                        rewards[low:end],
                        None if end == high else {name: values[end] for name, values in recorded.items()},
                    )
                )
            if end < high:
                opened.append(end)
            low = high

        self._episodes += terminated.sum(axis=0)
        self._keep(game[opened], seat[opened], {name: v[opened] for name, v in recorded.items()}, rewards[opened])
        return chains

    def _rows_after_end(self, terminated: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The row after the end of each game's episode k, int [N, episodes]; the number of rows if it has not ended."""
        rows, games = terminated.shape
        following = np.full((games, int(terminated.sum(axis=0).max()) + 1), rows, np.int64)
        game, row = np.nonzero(terminated.T)
        number = np.arange(len(game)) - np.searchsorted(game, game)
        following[game, number] = row + 1
        return following

    def _keep(
        self, game: NDArray[np.int64], seat: NDArray[np.int64], recorded: Arrays, sums: NDArray[np.float64]
    ) -> None:
        """Start the next rows with these open decisions and what they were paid: a row for each seat."""
        self._rows, self._deciders, self._rewards, self._ended = [], [], [], []
        self.completed = 0
        for k in range(self.seats):
            mine = seat == k
            if not mine.any():
                continue
            decider = np.full(self.num_games, NOBODY, np.int64)
            decider[game[mine]] = k
            row = {name: np.zeros((self.num_games, *v.shape[1:]), v.dtype) for name, v in recorded.items()}
            for name, values in recorded.items():
                row[name][game[mine]] = values[mine]
            rewards = np.zeros((self.num_games, self.seats))
            rewards[game[mine], k] = sums[mine]
            self._rows.append(row)
            self._deciders.append(decider)
            self._rewards.append(rewards)
            self._ended.append(np.zeros(self.num_games, np.bool_))
