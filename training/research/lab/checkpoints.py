"""Counts of observation values at chosen moments of an agent's games.

A moment is the first decision at which an entry of the observation is set, such as `headline=46` in Levée en Masse, or
the end of the game. The counts are of the values of pieces of the observation, such as `politics` and `disorder`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, AgentWrapper
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.core.observation_layout import Piece
from rfop_env.markdown import markdown_table
from rfop_training.figures import pictures

AT_END = "end"
MOMENT_NAMES = {  # in pictures and tables
    "round=2": "round 2",
    "round=3": "round 3",
    "round=Final Crisis": "Final Crisis",
    "headline=22": "first white card",
    "headline=46": "first red card",
    AT_END: "end",
}
RISING_COLOURS = "cividis"  # of values in order, dark for low ones

LABELLED = 0.09  # smallest share of a bar that has room for its value


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


class WatchedAgent(AgentWrapper):
    """An agent whose observations are counted while it plays."""

    def __init__(self, agent: Agent, watch: Watch):
        super().__init__(agent)
        self.remembers = True  # so that `follow` is called with the games of each decision
        self._watch = watch
        self._finished: Counter[tuple[str, str, int]] = Counter()  # of the batches before the last
        self._batch: GameBatch | None = None
        self._reached = np.zeros((0, 0), np.bool_)  # of the batch, [moments, n]: which moments were reached
        self._values = np.zeros((0, 0, 0), np.int8)  # of the batch, [moments, n, entries]

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """Store the values of games that reach a moment now."""
        if self.inner.remembers:
            super().follow(batch, games)
        if batch is not self._batch:
            self._finished += self._of_batch()
            shape = len(self._watch.moments), batch.num_games
            self._batch = batch
            self._reached = np.zeros(shape, np.bool_)
            self._values = np.zeros((*shape, len(self._watch.columns)), np.int8)
        for k, index in enumerate(self._watch.set_at):
            reached = games[(batch.observation[games, index] == 1) & ~self._reached[k, games]]
            self._reached[k, reached] = True
            self._values[k, reached] = batch.observation[np.ix_(reached, self._watch.columns)]

    def _of_batch(self) -> Counter[tuple[str, str, int]]:
        """The counts of the batch, whose games have ended; none before the first one."""
        counts: Counter[tuple[str, str, int]] = Counter()
        if self._batch is None:
            return counts
        last = self._batch.observation[:, list(self._watch.columns)]
        parts = [(at, self._values[k][self._reached[k]]) for k, at in enumerate(self._watch.moments)]
        for at, reached in [*parts, (AT_END, last)]:
            for k, entry in enumerate(self._watch.entries):
                counts.update((at, entry, value) for value in reached[:, k].tolist())
        return counts

    def counts(self) -> dict[tuple[str, str, int], int]:
        """The number of games by moment, entry and value, in this order; call it after the games have ended."""
        counts = self._finished + self._of_batch()
        moments, entries = [*self._watch.moments, AT_END], self._watch.entries
        order = sorted(counts, key=lambda key: (moments.index(key[0]), entries.index(key[1]), key[2]))
        return {key: counts[key] for key in order}


# -- what the counts say -----------------------------------------------------------------------------------------------


def checkpoint_moments(counts: Sequence[CheckpointCount]) -> list[str]:
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
    cells = []
    for agent in dict.fromkeys(count.agent for count in counts):
        own = [count for count in counts if count.agent == agent]
        for at, entry in dict.fromkeys((count.at, count.entry) for count in own):
            values = ", ".join(f"{value}: {share:.1%}" for value, share in shares(own, at, entry).items())
            cells.append([agent, at, f"{reached_share(own, at):.1%}", entry, values])
    return markdown_table(["agent", "at", "games", "entry", "values"], cells, right=(2,))


# -- drawing -----------------------------------------------------------------------------------------------------------


def draw_counts(counts: Sequence[CheckpointCount], out: Path, title: str = "") -> None:
    """Draw shares of values as bars: a row of axes for each setting and entry, a bar for each moment and agent."""
    settings, entries = list(dict.fromkeys(c.options for c in counts)), list(dict.fromkeys(c.entry for c in counts))
    lines = {option: _lines([c for c in counts if c.options == option]) for option in settings}
    panels = list(itertools.product(settings, entries))
    heights = [len(lines[option]) for option, _ in panels]
    lowest, highest = min(c.value for c in counts), max(c.value for c in counts)

    with pictures.picture(out, 1 + 0.19 * sum(heights) + 0.32 * len(panels), rows=heights, title=title) as (_, axes):
        for (option, entry), (ax,) in zip(panels, axes, strict=True):
            for y, (at, agent) in enumerate(lines[option]):
                own = [c for c in counts if (c.options, c.agent) == (option, agent)]
                _draw_bar(ax, y, shares(own, at, entry), (lowest, highest))

            names = [f"{MOMENT_NAMES.get(at, at)}, {agent}" for at, agent in lines[option]]
            ax.set_xlim(0, 1)
            ax.set_ylim(len(names) - 0.5, -0.5)
            ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            ax.set_yticks(range(len(names)), names, fontsize=7.5)
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            ax.set_title(f"{entry}, {option or 'default'}" if len(settings) > 1 else entry)


def _lines(counts: Sequence[CheckpointCount]) -> list[tuple[str, str]]:
    """The moments and agents of a setting, moment by moment."""
    agents = list(dict.fromkeys(count.agent for count in counts))
    present = {(count.at, count.agent) for count in counts}
    return [line for line in itertools.product(checkpoint_moments(counts), agents) if line in present]


def _draw_bar(axes: Any, y: int, shares_of_values: Mapping[int, float], ends: tuple[int, int]) -> None:
    """Draw the shares of values beside each other, large shares with their value; `ends` have the end colours."""
    import matplotlib

    colours, (lowest, highest), start = matplotlib.colormaps[RISING_COLOURS], ends, 0.0
    for value, share in shares_of_values.items():
        level = (value - lowest) / max(1, highest - lowest)
        axes.barh(y, share, left=start, height=0.82, color=colours(level), linewidth=0)
        if share > LABELLED:
            ink = pictures.PLAIN_LIGHT if level < 0.5 else pictures.PLAIN_DARK
            axes.text(start + share / 2, y, str(value), ha="center", va="center_baseline", fontsize=7, color=ink)
        start += share
