"""What stands on the table at chosen moments of an agent's games; `training.distribution --at --watch` counts it.

A moment is the first decision at which an entry of the observation is set, such as `headline=46` in Levée en Masse;
the end of the game is the last one. What is counted there are the values of pieces of the observation, such as
`politics` and `disorder`.
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

from agents.agent import Agent, Positions
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.game import Game
from rfop_env.core.observation_layout import Piece
from training.pictures import begin_grid, write_picture

END = "end"


@dataclass(frozen=True)
class Count:
    """In how many games of an agent an entry of the observation had a value at a moment."""

    agent: str
    at: str  # "headline=46"; "end"
    entry: str  # "Monarchy"; the name of the piece where it has one entry
    value: int
    games: int
    env: str
    options: str  # "scenario=extended"
    components: str  # digest of the set
    deals: int  # from number 0 on; games that did not come so far are in no count
    seed: int
    git: str


@dataclass(frozen=True)
class Watch:
    """What to look at and when, by places in the observation [D] of a game."""

    moments: tuple[str, ...]  # "headline=46", ...
    set_at: tuple[int, ...]  # the entry that is 1 at each of these moments
    entries: tuple[str, ...]
    columns: tuple[int, ...]  # the place of each entry

    @classmethod
    def of(cls, game: Game, moments: Sequence[str], pieces: Sequence[str]) -> Watch:
        """The moments and pieces by their names; raises `RfopError` for one that the game does not have."""
        places = [_place(game, moment) for moment in moments]
        entries: list[str] = []
        columns: list[int] = []
        for name in pieces:
            piece = _piece(game, name)
            entries += piece.entries or ([name] if piece.size == 1 else [f"{name} {k}" for k in range(piece.size)])
            columns += [game.observation.start(name) + k for k in range(piece.size)]
        return cls(tuple(moments), tuple(places), tuple(entries), tuple(columns))


def _piece(game: Game, name: str) -> Piece:
    for piece in game.observation.pieces:
        if piece.name == name:
            return piece
    raise UnknownName(f"piece of the observation of {game.id}", name, [p.name for p in game.observation.pieces])


def _place(game: Game, moment: str) -> int:
    """The place in the observation of an entry such as `headline=46`."""
    name, _, entry = moment.partition("=")
    piece = _piece(game, name)
    if (piece.low, piece.high) != (0, 1) or not piece.entries:
        raise RfopError(f"a moment is an entry that is 0 or 1, as in headline=46; {name} has none")
    if entry not in piece.entries:
        raise UnknownName(f"entry of {name}", entry, list(piece.entries))
    return game.observation.start(name) + piece.entries.index(entry)


class Watched(Agent):
    """An agent whose games are looked at while it plays them."""

    remembers = True  # so that it is told which games it decides in

    def __init__(self, agent: Agent, watch: Watch):
        self.name, self.needs_positions = agent.name, agent.needs_positions
        self._agent, self._watch = agent, watch
        self._batches: list[GameBatch] = []
        self._seen: list[NDArray[np.bool_]] = []  # of each batch, [moments, n]: which moments have come
        self._values: list[NDArray[np.int8]] = []  # of each batch, [moments, n, entries]

    def follow(self, batch: GameBatch, games: NDArray[np.intp]) -> None:
        """Look at these games before the agent decides in them."""
        if self._agent.remembers:
            self._agent.follow(batch, games)
        if not self._batches or batch is not self._batches[-1]:
            shape = len(self._watch.moments), batch.num_games
            self._batches.append(batch)
            self._seen.append(np.zeros(shape, np.bool_))
            self._values.append(np.zeros((*shape, len(self._watch.columns)), np.int8))
        for k, place in enumerate(self._watch.set_at):
            here = games[(batch.observation[games, place] == 1) & ~self._seen[-1][k, games]]
            self._seen[-1][k, here] = True
            self._values[-1][k, here] = batch.observation[np.ix_(here, self._watch.columns)]

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """What the agent does."""
        return self._agent.act(observation, action_mask, rng, positions)

    def counts(self) -> dict[tuple[str, str, int], int]:
        """Games by moment, entry and value, once they are played out; in the order of moments, entries and values."""
        found: Counter[tuple[str, str, int]] = Counter()
        for batch, seen, values in zip(self._batches, self._seen, self._values, strict=True):
            last = batch.observation[:, list(self._watch.columns)]
            parts = [(at, values[k][seen[k]]) for k, at in enumerate(self._watch.moments)]
            for at, there in [*parts, (END, last)]:
                for k, entry in enumerate(self._watch.entries):
                    found.update((at, entry, value) for value in there[:, k].tolist())
        moments, entries = [*self._watch.moments, END], self._watch.entries
        order = sorted(found, key=lambda key: (moments.index(key[0]), entries.index(key[1]), key[2]))
        return {key: found[key] for key in order}


# -- what the counts of an agent and a setting say ---------------------------------------------------------------------


def moments_of(counts: Sequence[Count]) -> list[str]:
    """The moments of some counts, in their order."""
    return list(dict.fromkeys(count.at for count in counts))


def shares(counts: Sequence[Count], at: str, entry: str) -> dict[int, float]:
    """By values of an entry: the share of the games that came to a moment, which is empty if none did."""
    there = {count.value: count.games for count in counts if (count.at, count.entry) == (at, entry)}
    return {value: games / sum(there.values()) for value, games in there.items()}


def alive(counts: Sequence[Count], at: str) -> float:
    """The share of the games that came to a moment."""
    here = [count for count in counts if count.at == at]
    return sum(count.games for count in here if count.entry == here[0].entry) / here[0].deals if here else 0.0


def commonest(counts: Sequence[Count], at: str, entry: str) -> str:
    """The commonest value of an entry at a moment and its share: "3 (45.1%)"."""
    found = shares(counts, at, entry)
    if not found:
        return "-"
    value = max(found, key=lambda v: found[v])
    return f"{value} ({found[value]:.1%})"


def table(counts: Sequence[Count]) -> str:
    """All values at all moments as Markdown, a line for each agent, moment and entry."""
    lines = ["| agent | at | games | entry | values |", "|---|---|---:|---|---|"]
    for agent in dict.fromkeys(count.agent for count in counts):
        own = [count for count in counts if count.agent == agent]
        for at, entry in dict.fromkeys((count.at, count.entry) for count in own):
            found = shares(own, at, entry).items()
            values = ", ".join(f"{value}: {share:.1%}" for value, share in found)
            lines.append(f"| {agent} | {at} | {alive(own, at):.1%} | {entry} | {values} |")
    return "\n".join(lines)


def draw(counts: Sequence[Count], out: Path) -> None:
    """A row of bars for each setting and a column for each entry: the shares of its values, by moment and agent."""
    settings, entries = list(dict.fromkeys(c.options for c in counts)), list(dict.fromkeys(c.entry for c in counts))
    lines = {option: list(dict.fromkeys((c.at, c.agent) for c in counts if c.options == option)) for option in settings}
    heights = [len(lines[option]) for option in settings]
    figure, axes = begin_grid(3 + 2 * len(entries), 1 + 0.2 * sum(heights), heights, len(entries))

    # The bars: dark for high values.
    lowest, highest = min(c.value for c in counts), max(c.value for c in counts)
    for (row, option), (column, entry) in itertools.product(enumerate(settings), enumerate(entries)):
        for y, (at, agent) in enumerate(lines[option]):
            own = [c for c in counts if (c.options, c.agent) == (option, agent)]
            grey = {v: 0.95 - 0.85 * (v - lowest) / max(1, highest - lowest) for v in range(lowest, highest + 1)}
            _draw_bar(axes[row][column], y, shares(own, at, entry), grey)

    # What they are of.
    for (row, option), (column, entry) in itertools.product(enumerate(settings), enumerate(entries)):
        ax = axes[row][column]
        names = [f"{at}, {agent}" for at, agent in lines[option]]
        ax.set_xlim(0, 1)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"], fontsize=7)
        ax.set_yticks(range(len(names)), names if column == 0 else [""] * len(names), fontsize=7)
        ax.set_title(entry if row == 0 else "", fontsize=9)
        ax.set_ylabel((option or "default") if column == 0 else "", fontsize=8)
    write_picture(figure, out)


def _draw_bar(axes: Any, y: int, found: Mapping[int, float], grey: Mapping[int, float]) -> None:
    """The shares of values side by side, the larger ones with their value."""
    left = 0.0
    for value, share in found.items():
        axes.barh(y, share, left=left, height=0.8, color=str(grey[value]), edgecolor="k", linewidth=0.3, clip_on=False)
        if share > 0.1:
            ink = "k" if grey[value] > 0.5 else "w"
            axes.text(left + share / 2, y, str(value), ha="center", va="center", fontsize=6, color=ink)
        left += share
