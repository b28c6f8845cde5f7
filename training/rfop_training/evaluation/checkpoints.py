"""Counts of observation values at chosen moments of an agent's games.

A moment is the first decision at which an entry of the observation is set, such as `headline=46` in Levée en Masse, or
the end of the game. The counts are of the values of pieces of the observation, such as `politics` and `disorder`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, AgentAround
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.core.observation_layout import Piece

AT_END = "end"


@dataclass(frozen=True)
class CheckpointCount:
    """The number of games in which an entry of the observation had a value at a moment."""

    agent: str
    at: str  # "headline=46"; "end"
    entry: str  # "Monarchy"; the name of the piece where it has one entry
    value: int
    games: int
    env: str
    options: str  # "scenario=extended"
    components: str  # digest of the set
    deals: int  # starting with deal 0; a game that never reached the moment is in no count
    seed: int
    git: str


@dataclass(frozen=True)
class Watch:
    """What to count and when, as indices into the observation [D] of a game."""

    moments: tuple[str, ...]  # "headline=46", ...
    set_at: tuple[int, ...]  # the index of the entry that is 1 at each of these moments
    entries: tuple[str, ...]
    columns: tuple[int, ...]  # the index of each entry

    @classmethod
    def of(cls, game: Game, moments: Sequence[str], pieces: Sequence[str]) -> Watch:
        """Moments and pieces by name. Raises `RfopError` for one that the game does not have."""
        indices = [_index(game, moment) for moment in moments]
        entries: list[str] = []
        columns: list[int] = []
        for name in pieces:
            piece = _piece(game, name)
            entries += piece.entries or ([name] if piece.size == 1 else [f"{name} {k}" for k in range(piece.size)])
            columns += [game.observation.start(name) + k for k in range(piece.size)]
        return cls(tuple(moments), tuple(indices), tuple(entries), tuple(columns))


def _piece(game: Game, name: str) -> Piece:
    for piece in game.observation.pieces:
        if piece.name == name:
            return piece
    raise UnknownName(f"piece of the observation of {game.id}", name, [p.name for p in game.observation.pieces])


def _index(game: Game, moment: str) -> int:
    """The index in the observation of an entry such as `headline=46`."""
    name, _, entry = moment.partition("=")
    piece = _piece(game, name)
    if (piece.low, piece.high) != (0, 1) or not piece.entries:
        raise RfopError(f"a moment is an entry that is 0 or 1, as in headline=46; {name} has none")
    if entry not in piece.entries:
        raise UnknownName(f"entry of {name}", entry, list(piece.entries))
    return game.observation.start(name) + piece.entries.index(entry)


class WatchedAgent(AgentAround):
    """An agent whose observations are counted while it plays."""

    def __init__(self, agent: Agent, watch: Watch):
        super().__init__(agent)
        self.remembers = True  # so that `follow` is called with the games of each decision
        self._watch = watch
        self._ended: Counter[tuple[str, str, int]] = Counter()  # of the batches before the last
        self._batch: GameBatch | None = None
        self._seen = np.zeros((0, 0), np.bool_)  # of the batch, [moments, n]: which moments were reached
        self._values = np.zeros((0, 0, 0), np.int8)  # of the batch, [moments, n, entries]

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """Store the values of games that reach a moment now."""
        if self.inner.remembers:
            super().follow(batch, games)
        if batch is not self._batch:
            self._ended += self._of_batch()
            shape = len(self._watch.moments), batch.num_games
            self._batch = batch
            self._seen = np.zeros(shape, np.bool_)
            self._values = np.zeros((*shape, len(self._watch.columns)), np.int8)
        for k, index in enumerate(self._watch.set_at):
            reached = games[(batch.observation[games, index] == 1) & ~self._seen[k, games]]
            self._seen[k, reached] = True
            self._values[k, reached] = batch.observation[np.ix_(reached, self._watch.columns)]

    def _of_batch(self) -> Counter[tuple[str, str, int]]:
        """The counts of the batch, whose games have ended; none before the first one."""
        counts: Counter[tuple[str, str, int]] = Counter()
        if self._batch is None:
            return counts
        last = self._batch.observation[:, list(self._watch.columns)]
        parts = [(at, self._values[k][self._seen[k]]) for k, at in enumerate(self._watch.moments)]
        for at, reached in [*parts, (AT_END, last)]:
            for k, entry in enumerate(self._watch.entries):
                counts.update((at, entry, value) for value in reached[:, k].tolist())
        return counts

    def counts(self) -> dict[tuple[str, str, int], int]:
        """The number of games by moment, entry and value, in this order; call it after the games have ended."""
        counts = self._ended + self._of_batch()
        moments, entries = [*self._watch.moments, AT_END], self._watch.entries
        order = sorted(counts, key=lambda key: (moments.index(key[0]), entries.index(key[1]), key[2]))
        return {key: counts[key] for key in order}


# -- what the counts say -----------------------------------------------------------------------------------------------


def moments_of(counts: Sequence[CheckpointCount]) -> list[str]:
    """The moments of some counts, in order."""
    return list(dict.fromkeys(count.at for count in counts))


def shares(counts: Sequence[CheckpointCount], at: str, entry: str) -> dict[int, float]:
    """The shares of the values of an entry, among games that reached a moment; empty if none did."""
    games_by_value = {count.value: count.games for count in counts if (count.at, count.entry) == (at, entry)}
    return {value: games / sum(games_by_value.values()) for value, games in games_by_value.items()}


def reached_share(counts: Sequence[CheckpointCount], at: str) -> float:
    """The share of the games that reached a moment."""
    at_moment = [count for count in counts if count.at == at]
    if not at_moment:
        return 0.0
    return sum(count.games for count in at_moment if count.entry == at_moment[0].entry) / at_moment[0].deals


def commonest(counts: Sequence[CheckpointCount], at: str, entry: str) -> str:
    """The most frequent value of an entry at a moment, and its share: "3 (45.1%)"."""
    by_value = shares(counts, at, entry)
    if not by_value:
        return "-"
    value = max(by_value, key=lambda v: by_value[v])
    return f"{value} ({by_value[value]:.1%})"


def counts_table(counts: Sequence[CheckpointCount]) -> str:
    """All values at all moments in Markdown, a line for each agent, moment and entry."""
    lines = ["| agent | at | games | entry | values |", "|---|---|---:|---|---|"]
    for agent in dict.fromkeys(count.agent for count in counts):
        own = [count for count in counts if count.agent == agent]
        for at, entry in dict.fromkeys((count.at, count.entry) for count in own):
            values = ", ".join(f"{value}: {share:.1%}" for value, share in shares(own, at, entry).items())
            lines.append(f"| {agent} | {at} | {reached_share(own, at):.1%} | {entry} | {values} |")
    return "\n".join(lines)
