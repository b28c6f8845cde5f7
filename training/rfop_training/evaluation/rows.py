"""Rows of result tables: from games, as Markdown, and in CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent
from rfop_env.agent_names import AgentSpec
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_training.evaluation.games import SeatResults, play
from rfop_training.evaluation.statistics import clustered, wilson

ALL = "all"  # the side of a row about all seats
NO_OPPONENT = "-"  # in a game of one seat
PUBLISHED = 10_000  # minimum number of games of a published row
SEARCHED = 1_000  # the same where an agent searches, which takes long


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The last columns of a published row: how to play its games again."""

    env: str
    options: str  # "players=3 screens=open"
    components: str  # digest of the set
    opening: int  # random decisions that started each game
    first_deal: int
    deals: int
    seed: int  # of the agents' own random numbers
    git: str


@dataclass(frozen=True)
class Row:
    """One line of a result table; shares and intervals are between 0 and 1."""

    agent: str
    opponent: str  # who has all other seats; "-" in a game of one seat
    side: str  # the agent's; "all" for all seats together
    games: int
    wins: float  # a shared win counts as its share
    win_rate: float
    low: float
    high: float
    undecided: float  # share of draws, and of games that no victory condition decided
    points: float  # mean of the game's points (`Game.points`), from the agent's side
    decisions: float  # mean decisions of the whole game


@dataclass(frozen=True, kw_only=True)
class RecordedRow(Row, Provenance):
    """A row with everything needed to play it again."""

    rounding: str  # digest of how the machine rounds sums (`rfop_training.common.provenance`); "" where it is not known
    check: str  # the results of a few deals, played separately (`check_text`); "" where the row cannot be played again

    @property
    def subject(self) -> tuple[object, ...]:
        """What the row is about: a newer row of the same subject replaces it in a file."""
        return self.env, self.options, self.components, self.agent, self.opponent, self.side


Recorded = TypeVar("Recorded", bound=RecordedRow)

# -- from games to rows ------------------------------------------------------------------------------------------------


def alone(
    game: Game, agent: Agent, deals: Sequence[int], *, options: Mapping[str, object] | None = None, **settings: Any
) -> list[Row]:
    """A row for each side that an agent can play in a game of one seat. `settings` are those of `play_seated`."""
    return [
        row_alone(game, agent.name, side, play(game, [agent], deals, options=side, **settings))
        for side in playable_sides(game, options or {})
    ]


def pair(game: Game, first: Agent, second: Agent, deals: Sequence[int], **settings: Any) -> list[Row]:
    """The first agent in each seat on the same deals, the second in all others: a row for each seat and one for all.

    `settings` are those of `play_seated`.
    """
    options = settings.get("options") or {}
    seats = game.under(options).spec.players
    results = []
    for seat in range(seats):
        lineup = [second] * seats
        lineup[seat] = first
        results.append(play(game, lineup, deals, seat, **settings))
    return pair_rows(game, first.name, second.name, options, results)


def playable_sides(game: Game, options: Mapping[str, object]) -> list[dict[str, object]]:
    """The options, with each playable side in turn where a game has sides and no side is given."""
    sides = [o.values for o in game.options if o.name == "side" and o.name not in options]
    return [{**options, "side": side} for side in sides[0] if side != "random"] if sides else [dict(options)]


def row_alone(game: Game, agent: str, options: Mapping[str, object], games: SeatResults) -> Row:
    """The row of an agent in a game of one seat."""
    side = side_alone(game, options)
    return _row(game, agent, NO_OPPONENT, side, games, wilson(float(games.won.sum()), len(games.won)))


def pair_rows(
    game: Game, first: str, second: str, options: Mapping[str, object], seats: Sequence[SeatResults]
) -> list[Row]:
    """A row for each seat in which the first agent played these games, on the same deals, and one for all seats."""
    rows = [
        _row(game, first, second, side, games, wilson(float(games.won.sum()), len(games.won)))
        for side, games in zip(side_names(game.under(options)), seats, strict=True)
    ]
    even = 1 / len(seats) if first == second else None
    interval = clustered(wins_per_deal(seats), even)
    return [*rows, _row(game, first, second, ALL, SeatResults.concatenate(seats), interval)]


def wins_per_deal(seats: Sequence[SeatResults]) -> NDArray[np.float64]:
    """The mean share of wins over the seats on each deal: float64 [n]."""
    means: NDArray[np.float64] = np.mean([games.won for games in seats], axis=0)
    return means


def side_alone(game: Game, options: Mapping[str, object]) -> str:
    """The side of the agent in a game of one seat: that of the options, or the name of the seat."""
    return str(options.get("side", game.spec.seats[0].rsplit("_", 1)[0]))


def side_names(game: Game) -> list[str]:
    """The names of the seats of a game, without numbers where the names are different without them."""
    short = [seat.rsplit("_", 1)[0] for seat in game.spec.seats]
    return short if len(set(short)) == len(short) else list(game.spec.seats)


def _row(game: Game, agent: str, opponent: str, side: str, games: SeatResults, interval: tuple[float, float]) -> Row:
    undecided = [i for i, reason in enumerate(game.end_reasons) if reason.startswith(("tie", "draw"))]
    return Row(
        agent, opponent, side, len(games.won), float(games.won.sum()), float(games.won.mean()), *interval,
        float(np.isin(games.end_reason, undecided).mean()), float(games.points.mean()), float(games.decisions.mean()),
    )  # fmt: skip


# -- tables ------------------------------------------------------------------------------------------------------------


def rows_table(rows: Sequence[Row]) -> str:
    """A Markdown table of rows, with a remark below it if they have fewer games than a published row needs."""
    titles = ("agent", "opponent", "side", "games", "wins", "95 % interval", "undecided", "mean points")
    cells = []
    for r in rows:
        shares = f"{r.win_rate:.1%}", f"{r.low:.1%} to {r.high:.1%}", f"{r.undecided:.1%}"
        cells.append([r.agent, r.opponent, r.side, str(r.games), *shares, f"{r.points:+.2f}"])
    remarks = [
        remark(row.games, (row.agent, row.opponent))
        for row in sorted(rows, key=lambda row: row.games)
        if row.side == ALL or row.opponent == NO_OPPONENT
    ]
    return "\n\n".join([markdown_table(titles, cells), *list(filter(None, remarks))[:1]])


def records_table(rows: Sequence[RecordedRow]) -> str:
    """A Markdown table of recorded rows of any game: those for all seats, or for each side in games of one seat."""
    titles = ("environment", "agent", "opponent or side", "games", "wins", "95 % interval", "mean points")
    cells = []
    for r in rows:
        if r.side == ALL or r.opponent == NO_OPPONENT:
            env = f"{r.env} {r.options}".strip()
            opponent = r.side if r.opponent == NO_OPPONENT else r.opponent
            shares = f"{r.games:,}", f"{r.win_rate:.1%}", f"{r.low:.1%} to {r.high:.1%}"
            cells.append([env, r.agent, opponent, *shares, f"{r.points:+.2f}"])
    return markdown_table(titles, cells, right=(3, 4, 6))


def remark(games: int, agents: Iterable[str]) -> str:
    """The remark on figures from too few games of these agents; "" where there are enough."""
    least = least_games(agents)
    if games >= least:
        return ""
    return f"Not for publication: {games:,} games, where a published figure has at least {least:,}."


def least_games(agents: Iterable[str]) -> int:
    """The minimum number of games of a published figure of these agents."""
    return SEARCHED if any(map(is_search, agents)) else PUBLISHED


def is_search(name: str) -> bool:
    """Whether an agent of this name looks ahead."""
    return AgentSpec.parse(name).looks_ahead
