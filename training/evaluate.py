"""Play agents against each other, or a game of one seat by themselves, on a fixed public list of deals.

    python -m training.evaluate --env RedFlagOverParisSolo-v0 random greedy runs/demo
    python -m training.evaluate --env Revolution-v0 random scripted --workers 2
    python -m training.evaluate --env Paris-v0 random scripted --option players=4

Deal number i is the seed 2**40 + i, which no trainer of this package reaches. In a game of several seats each deal is
played once with the first agent in every seat, the second agent in all others; intervals are 95 % and, for such games,
computed over deals, since the games of a deal are not independent. A shared win counts as its share, a draw as if all
shared it. A trained model that does not fit the environment's version is refused.

A game without chance and secrets would be the same on every deal, and agents that never draw would play one game over
and over. There a deal is an opening: a tenth of the longest game in random decisions, the same for every seating.

Deals are played in blocks of 500 side by side. An agent's chances are drawn from `--seed`, its seat and the number of
the block: the same block gives the same games whatever else is played, in any number of processes, and an agent against
itself scores exactly one half (one third, one quarter with 3 and 4 seats).
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import agents
from agents.agent import Agent, act_for
from rfop_env.command_line import command
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.core.legal_actions import NO_ACTION
from rfop_env.options import add_option, parse_options
from rfop_env.registry import get_game
from training.arguments import Parser, whole
from training.provenance import revision
from training.records import LOCK, WAIT, locked, read_records, require_writable, write_records

FIRST_DEAL = 2**40
MOST_DEALS = 10_000_000
BLOCK = 500  # deals played side by side
PUBLISHED = 10_000  # games that a published row is made of, at least
ALL = "all"  # the side of a row about all seats
NOBODY = "-"  # the opponent in a game of one seat
CHECKED, MANY_CHECKED, MANY_DEALS = 4, 40, 1000  # deals of a row that its check plays again, and from when on many
Z = 1.959964  # 95 %


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


@dataclass(frozen=True)
class RecordedRow(Row):
    """A row with what it was made from."""

    env: str
    options: str  # "players=3 screens=open"
    components: str  # digest of the set
    opening: int  # random decisions that began each game
    first_deal: int
    deals: int
    seed: int  # of the agents' own chances
    git: str
    check: str  # what happened on a few of the deals, played by themselves (`check_of`); "" where nobody can play again


Recorded = TypeVar("Recorded", bound=RecordedRow)


@dataclass(frozen=True)
class Games:
    """What happened in n games, from the side of one seat: arrays [n]."""

    won: NDArray[np.float64]  # 1, 0, or the share of a shared win
    points: NDArray[np.float64]
    end_reason: NDArray[np.int32]
    decisions: NDArray[np.int32]


@dataclass(frozen=True)
class Results:
    """What happened in n games of P seats."""

    won: NDArray[np.float64]  # [n, P]: 1, 0, or the share of a shared win
    points: NDArray[np.float64]  # [n, P]
    end_reason: NDArray[np.int32]  # [n]
    decisions: NDArray[np.int32]  # [n]

    def of(self, seat: int) -> Games:
        """The games from the side of a seat."""
        return Games(self.won[:, seat], self.points[:, seat], self.end_reason, self.decisions)

    @classmethod
    def joined(cls, parts: Sequence[Results]) -> Results:
        """Several results as one, in their order."""
        return cls(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls)))


def wilson(wins: float, games: int) -> tuple[float, float]:
    """The 95 % score interval of a share of independent games."""
    p, z2 = wins / games, Z * Z
    centre = (p + z2 / (2 * games)) / (1 + z2 / games)
    half = Z * math.sqrt(p * (1 - p) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    low, high = centre - half, centre + half
    return (0.0 if wins == 0 else low), (1.0 if wins == games else high)


def clustered(per_deal: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of a mean whose independent units are deals: normal, over the deals' means.

    Where every game was won, or every one lost, it is Wilson's of as many games as there are deals.
    """
    mean = float(per_deal.mean())
    if mean in (0.0, 1.0):
        return wilson(mean * len(per_deal), len(per_deal))
    half = Z * float(per_deal.std(ddof=1)) / math.sqrt(len(per_deal)) if len(per_deal) > 1 else 1.0
    return max(0.0, mean - half), min(1.0, mean + half)


def play(game: Game, seats: Sequence[Agent], deals: Sequence[int], seat: int = 0, **told: Any) -> Games:
    """Play one game on each deal, `seats[k]` in seat k, and look at it from `seat`; `told` is for `play_seated`."""
    seating = np.tile(np.arange(len(seats)), (len(deals), 1))
    return play_seated(game, seats, seating, deals, **told).of(seat)


def play_seated(
    game: Game,
    players: Sequence[Agent],
    seating: NDArray[np.integer[Any]],
    deals: Sequence[int],
    *,
    options: Mapping[str, object] | None = None,
    components: Any = None,
    seed: int = 0,
    threads: int = 1,
    reward: str | None = None,
    opening: int | None = None,
) -> Results:
    """Play one game on each deal n, `players[seating[n, k]]` in seat k; `seating` is an integer array [n, P].

    `reward` is the kind whose unscaled values are the points (default: the game's own points). `opening`: so many
    random decisions begin each game (default: `opening_of`).
    """
    game, parts = game.under(options or {}), []
    begin = opening_of(game) if opening is None else opening
    rest: dict[str, Any] = {"options": dict(options or {}), "components": components, "threads": threads}
    for lo, hi in blocks(deals):
        batch = GameBatch(game, hi - lo, reward=reward or game.points, **rest)
        batch.reset([FIRST_DEAL + d for d in deals[lo:hi]])
        parts.append(play_out(batch, players, seating[lo:hi], [seed, deals[lo] // BLOCK], begin))
    return Results.joined(parts)


def opening_of(game: Game) -> int:
    """How many random decisions begin a game: a tenth of the longest one's without chance and secrets, else none."""
    return 0 if game.spec.chance or game.spec.hidden_information else game.spec.max_decisions // 10


def blocks(deals: Sequence[int]) -> list[tuple[int, int]]:
    """Where the blocks of a list of deals begin and end: deals in a row of the same `deal // BLOCK`."""
    edges = [k for k in range(1, len(deals)) if deals[k] // BLOCK != deals[k - 1] // BLOCK]
    return list(itertools.pairwise([0, *edges, len(deals)]))


def play_out(
    batch: GameBatch,
    players: Sequence[Agent],
    seating: NDArray[np.integer[Any]],
    chances: Sequence[int],
    opening: int = 0,
) -> Results:
    """Play the games of a batch to their ends, the first `opening` decisions at random.

    The chances of seat k are drawn from `chances` and k, those of the opening from the games' own streams.
    """
    n, seats = batch.rewards.shape
    rngs = [np.random.default_rng([*chances, k]) for k in range(seats)]
    points, reasons = np.zeros((n, seats)), np.zeros(n, np.int32)
    running = np.ones(n, np.bool_)
    if opening:
        batch.step_random(opening)
    while True:
        ended = running & batch.terminated
        points[ended] = batch.rewards[ended] / (batch.reward.scale * batch.reward.per_point)
        reasons[ended] = batch.end_reason[ended]
        running &= ~ended
        if not running.any():
            break
        actions = np.full(n, NO_ACTION, np.int64)
        for k, (p, player) in itertools.product(range(seats), enumerate(players)):
            mine = np.flatnonzero(running & (batch.current_player == k) & (seating[:, k] == p))
            if len(mine):
                actions[mine] = act_for(player, batch, mine, rngs[k])
        batch.step(actions)
    winners = [batch.game.winners(batch.record(i)) for i in range(n)]
    won = np.array([[_share(found, k) for k in range(seats)] for found in winners])
    return Results(won, points, reasons, np.array(batch.states["decisions"]))


def _share(winners: Sequence[bool], seat: int) -> float:
    """How much of the win a seat has: all, a part of a shared one, and the same part for all of a draw."""
    if not any(winners):
        return 1 / len(winners) if len(winners) > 1 else 0.0
    return winners[seat] / sum(winners)


def alone(
    game: Game, agent: Agent, deals: Sequence[int], *, options: Mapping[str, object] | None = None, **told: Any
) -> list[Row]:
    """A row for each side that an agent can play in a game of one seat; the rest of `told` is for `play_seated`."""
    return [
        row_alone(game, agent.name, given, play(game, [agent], deals, options=given, **told))
        for given in sides_of(game, options or {})
    ]


def pair(game: Game, first: Agent, second: Agent, deals: Sequence[int], **told: Any) -> list[Row]:
    """The first agent in every seat on the same deals, the second in all others: a row for each seat, and for all.

    `told` is for `play_seated`.
    """
    seats = range(game.under(told.get("options") or {}).spec.players)
    seated = [[first if k == seat else second for k in seats] for seat in seats]
    played = [play(game, seated[seat], deals, seat, **told) for seat in seats]
    return rows_of_pair(game, first.name, second.name, told.get("options") or {}, played)


def sides_of(game: Game, options: Mapping[str, object]) -> list[dict[str, object]]:
    """The options, once for each side that can be played where a game has sides and none is given."""
    sides = [o.values for o in game.options if o.name == "side" and o.name not in options]
    return [{**options, "side": side} for side in sides[0] if side != "random"] if sides else [dict(options)]


def row_alone(game: Game, agent: str, options: Mapping[str, object], games: Games) -> Row:
    """The row of an agent in a game of one seat; the side is that of the options, or the seat's name."""
    side = str(options.get("side", game.spec.seats[0].rsplit("_", 1)[0]))
    return _row(game, agent, NOBODY, side, games, wilson(float(games.won.sum()), len(games.won)))


def rows_of_pair(
    game: Game, first: str, second: str, options: Mapping[str, object], played: Sequence[Games]
) -> list[Row]:
    """A row for each seat in which the first agent played these games (on the same deals), and a row for all."""
    rows = [
        _row(game, first, second, side, games, wilson(float(games.won.sum()), len(games.won)))
        for side, games in zip(side_names(game.under(options)), played, strict=True)
    ]
    return [*rows, _row(game, first, second, ALL, together(played), clustered(by_deal(played)))]


def together(played: Sequence[Games]) -> Games:
    """Several games as one, in their order."""
    return Games(*(np.concatenate([getattr(games, f.name) for games in played]) for f in fields(Games)))


def by_deal(played: Sequence[Games]) -> NDArray[np.float64]:
    """The mean share of wins on each deal, [n], of games on the same deals."""
    means: NDArray[np.float64] = np.mean([games.won for games in played], axis=0)
    return means


def side_names(game: Game) -> list[str]:
    """The seats of a game, without their numbers where the names differ by themselves."""
    short = [seat.rsplit("_", 1)[0] for seat in game.spec.seats]
    return short if len(set(short)) == len(short) else list(game.spec.seats)


def _row(game: Game, agent: str, opponent: str, side: str, games: Games, interval: tuple[float, float]) -> Row:
    undecided = [i for i, reason in enumerate(game.end_reasons) if reason.startswith(("tie", "draw"))]
    return Row(
        agent, opponent, side, len(games.won), float(games.won.sum()), float(games.won.mean()), *interval,
        float(np.isin(games.end_reason, undecided).mean()), float(games.points.mean()), float(games.decisions.mean()),
    )  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table, with a remark below where they have fewer games than a published row needs."""
    titles = ("agent", "opponent", "side", "games", "wins", "95 % interval", "undecided", "mean points")
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for r in rows:
        shares = f"{r.win_rate:.1%} | {r.low:.1%} to {r.high:.1%} | {r.undecided:.1%}"
        lines.append(f"| {r.agent} | {r.opponent} | {r.side} | {r.games} | {shares} | {r.points:+.2f} |")
    few = min((r.games for r in rows if r.side == ALL or r.opponent == NOBODY), default=PUBLISHED)
    return "\n".join(lines) + (f"\n\n{remark(few)}" if few < PUBLISHED else "")


def table_of_records(rows: Sequence[RecordedRow]) -> str:
    """Recorded rows of any games as a Markdown table: those for all seats, or for each side where there is one seat."""
    titles = ("environment", "agent", "opponent or side", "games", "wins", "95 % interval", "mean points")
    lines = ["| " + " | ".join(titles) + " |", "|---|---|---|---:|---:|---|---:|"]
    for r in rows:
        if r.side == ALL or r.opponent == NOBODY:
            env, other = f"{r.env} {r.options}".strip(), r.side if r.opponent == NOBODY else r.opponent
            shares = f"{r.games:,} | {r.win_rate:.1%} | {r.low:.1%} to {r.high:.1%}"
            lines.append(f"| {env} | {r.agent} | {other} | {shares} | {r.points:+.2f} |")
    return "\n".join(lines)


def remark(games: int) -> str:
    """What is said of figures from too few games."""
    return f"Not for publication: {games:,} games, where a published figure has at least {PUBLISHED:,}."


def recorded(path: Path, kind: type[Recorded]) -> list[Recorded]:
    """The rows that a file has so far; none without the file. Raises `RfopError`."""
    return read_records(path, kind) if path.exists() else []


def record(rows: Sequence[Recorded], path: Path, kind: type[Recorded]) -> None:
    """Write rows into a CSV file: in the place of those of the same agents, side and setting, else at its end.

    Several processes can write to one file: each reads it again before, while the others wait.
    """
    with locked(path.with_name(path.name + LOCK), f"{path} is being written by another process", wait=WAIT):
        kept, new = recorded(path, kind), {_subject(row) for row in rows}
        write_records(path, [*(row for row in kept if _subject(row) not in new), *rows], kind)


def _subject(row: RecordedRow) -> tuple[str, ...]:
    return row.env, row.options, row.components, row.agent, row.opponent, row.side


# -- named agents, in several processes --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """What the games of an evaluation share, in words: a worker process finds everything by them."""

    env: str
    options: tuple[tuple[str, object], ...] = ()
    components: str | None = None  # a file; None: the shipped set
    seed: int = 0  # of the agents' own chances
    threads: int = 1  # of the environment
    opening: int | None = None  # random decisions that begin each game; None: `opening_of` the game

    @property
    def game(self) -> Game:
        """The game, with the seats it has under the options."""
        return _game(self)[0]

    @property
    def begin(self) -> int:
        """How many random decisions begin each game."""
        return opening_of(self.game) if self.opening is None else self.opening

    def provenance(self, deals: range) -> dict[str, Any]:
        """What recorded rows of these deals are made from: fields of `RecordedRow` beyond `Row`, without `check`."""
        return {
            "env": self.env,
            "options": " ".join(f"{name}={value}" for name, value in sorted(self.options)),
            "components": self.game.load_components(self.components).digest,
            "opening": self.begin,
            "first_deal": deals.start,
            "deals": len(deals),
            "seed": self.seed,
            "git": revision(),
        }

    def agent(self, name: str) -> Agent:
        """An agent by name, loaded once in a process."""
        return _agent(self, name)

    def play(
        self,
        names: Sequence[str],
        seating: NDArray[np.integer[Any]],
        deals: Sequence[int],
        reward: str | None = None,
    ) -> Results:
        """One game on each deal n, the agent `names[seating[n, k]]` in seat k."""
        game, components = _game(self)
        players = [self.agent(name) for name in names]
        return play_seated(
            game,
            players,
            seating,
            deals,
            options=dict(self.options),
            components=components,
            seed=self.seed,
            threads=self.threads,
            reward=reward,
            opening=self.begin,
        )


@cache
def _game(setting: Setting) -> tuple[Game, Any]:
    game = get_game(setting.env)
    return game.under(dict(setting.options)), game.load_components(setting.components)


@cache
def _agent(setting: Setting, name: str) -> Agent:
    game, components = _game(setting)
    return agents.load(name, game, components)


def called(setting: Setting, names: Sequence[str]) -> dict[str, str]:
    """What agents call themselves, by the names they are asked for.

    Loads them anew, since a model's file may have changed meanwhile; refuses wrong names, and two agents that call
    themselves the same, before any game is played.
    """
    _agent.cache_clear()
    shown = {name: setting.agent(name).name for name in names}
    require_different(names, shown)
    return shown


def require_different(names: Sequence[str], shown: Mapping[str, str]) -> None:
    """Raise `RfopError` where two agents of one evaluation would have the same name in its rows."""
    for first, second in itertools.combinations(names, 2):
        if shown[first] == shown[second]:
            both = f"{first} is given twice" if first == second else f"{first} and {second} are one agent"
            raise RfopError(f"{both}, called {shown[first]}: give each agent once")


@dataclass(frozen=True)
class Task:
    """A block of games, for any process."""

    setting: Setting
    names: tuple[str, ...]
    called: tuple[str, ...]  # what the agents of these names call themselves where the task was made
    seating: NDArray[np.integer[Any]]  # [n, P]: who of `names` has each seat
    deals: tuple[int, ...]
    reward: str | None = None


def tasks_of(setting: Setting, seats: Sequence[str], deals: Sequence[int]) -> list[Task]:
    """A task for each block of deals, `seats[k]` in seat k."""
    return tasks_seated(setting, seats, np.tile(np.arange(len(seats)), (len(deals), 1)), deals)


def tasks_seated(
    setting: Setting,
    names: Sequence[str],
    seating: NDArray[np.integer[Any]],
    deals: Sequence[int],
    reward: str | None = None,
) -> list[Task]:
    """A task for each block of deals, the agent `names[seating[n, k]]` in seat k on deal n."""
    shown = tuple(setting.agent(name).name for name in names)
    return [Task(setting, tuple(names), shown, seating[lo:hi], tuple(deals[lo:hi]), reward) for lo, hi in blocks(deals)]


def play_task(task: Task) -> Results:
    """Play the games of a task; `RfopError` if a model's file has changed since the task was made."""
    for name, shown in zip(task.names, task.called, strict=True):
        if (now := task.setting.agent(name).name) != shown:
            raise RfopError(f"{name} was {shown} and is now {now}: evaluate a copy of a model that is being trained")
    return task.setting.play(task.names, task.seating, task.deals, task.reward)


def play_tasks(tasks: Sequence[Task], workers: int = 1) -> Iterator[Results]:
    """The results of tasks in their order, from so many processes, with a progress bar on a terminal."""
    from tqdm import tqdm

    bar = {"total": len(tasks), "unit": "block", "disable": None, "leave": False}
    if workers == 1 or len(tasks) == 1:
        yield from tqdm(map(play_task, tasks), **bar)
    else:
        for first in {name: task for task in tasks for name in task.names}.values():
            play_task(replace(first, seating=first.seating[:1], deals=first.deals[:1]))  # compiles before workers do
        pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=get_context("spawn"))
        try:
            yield from tqdm(pool.map(play_task, tasks), **bar)
        finally:
            pool.shutdown(cancel_futures=True)


def play_lineups(
    lineups: Iterable[tuple[Setting, Sequence[str]]], deals: Sequence[int], workers: int = 1
) -> list[Results]:
    """The results of each lineup, a setting and who has each seat, on the same deals."""
    tasks = [tasks_of(setting, seats, deals) for setting, seats in lineups]
    played = play_tasks([task for one in tasks for task in one], workers)
    return [Results.joined(list(itertools.islice(played, len(one)))) for one in tasks]


def lineups_of_pair(setting: Setting, first: str, second: str) -> list[tuple[Setting, list[str]]]:
    """The first agent in each seat in turn, the second in all others."""
    seats = range(setting.game.spec.players)
    return [(setting, [first if k == seat else second for k in seats]) for seat in seats]


@dataclass(frozen=True)
class Meeting:
    """An agent by itself, or in each seat in turn with another in all others; both as they are asked for."""

    setting: Setting
    agent: str
    opponent: str = NOBODY

    @property
    def lineups(self) -> list[tuple[Setting, list[str]]]:
        """Who has each seat, once for each seat of the agent."""
        if self.opponent == NOBODY:
            return [(self.setting, [self.agent])]
        return lineups_of_pair(self.setting, self.agent, self.opponent)

    def rows(self, shown: Mapping[str, str], played: Sequence[Games]) -> list[Row]:
        """The rows of the meeting, from its games as `play_meetings` gives them."""
        game, options = self.setting.game, dict(self.setting.options)
        if self.opponent == NOBODY:
            return [row_alone(game, shown[self.agent], options, played[0])]
        return rows_of_pair(game, shown[self.agent], shown[self.opponent], options, played[:-1])


def meetings_of(setting: Setting, names: Sequence[str]) -> list[Meeting]:
    """Who meets whom: each agent on each side of a game of one seat, or each pair, or a lone agent and itself."""
    if setting.game.spec.players == 1:
        sides = sides_of(setting.game, dict(setting.options))
        return [Meeting(replace(setting, options=tuple(side.items())), name) for name in names for side in sides]
    chosen = itertools.combinations(names, 2) if len(names) > 1 else [(names[0], names[0])]
    return [Meeting(setting, *pair) for pair in chosen]


def play_meetings(meetings: Sequence[Meeting], deals: Sequence[int], workers: int = 1) -> list[list[Games]]:
    """The games of each meeting by rows: one for each seat of the agent, and in a game of several all of them."""
    results = iter(play_lineups([one for meeting in meetings for one in meeting.lineups], deals, workers))
    played = [[next(results).of(seat) for seat in range(len(meeting.lineups))] for meeting in meetings]
    return [games if len(games) == 1 else [*games, together(games)] for games in played]


def spread(deals: range) -> list[int]:
    """A few deals of a row, from its first to its last: more of a long row, whose games are quickly played."""
    few = min(len(deals), MANY_CHECKED if len(deals) >= MANY_DEALS else CHECKED)
    return sorted({deals[k] for k in np.linspace(0, len(deals) - 1, few).astype(int)})


def check_of(games: Games) -> str:
    """What happened in some games, in a line: share of the win, points, and decisions of each, "1/4/132"."""
    return " ".join(
        f"{won:g}/{points:g}/{decisions}"
        for won, points, decisions in zip(games.won, games.points, games.decisions, strict=True)
    )


def evaluate(
    game: Game,
    names: Sequence[str],
    deals: range,
    *,
    options: Mapping[str, object] | None = None,
    components: str | None = None,
    seed: int = 0,
    threads: int = 1,
    workers: int = 1,
    opening: int | None = None,
    checked: bool = False,
) -> list[RecordedRow]:
    """All rows for the named agents: each alone in a game of one seat, or each pair of them.

    `checked`: also play a few of the deals by themselves, for the `check` of rows that are written into a file.
    """
    setting = Setting(game.id, tuple((options or {}).items()), components, seed, threads, opening)
    shown, told = called(setting, names), setting.provenance(deals)
    meetings = meetings_of(setting, names)
    played = play_meetings(meetings, deals, workers)
    again = [[check_of(few) for few in games] for games in play_meetings(meetings, spread(deals))] if checked else []
    rows = [row for meeting, games in zip(meetings, played, strict=True) for row in meeting.rows(shown, games)]
    checks = [check for meeting in again for check in meeting] or [""] * len(rows)
    return [RecordedRow(**asdict(row), **told, check=check) for row, check in zip(rows, checks, strict=True)]


def deals_for(setting: Setting, games: int = PUBLISHED) -> int:
    """How many deals give a row at least so many games."""
    return math.ceil(games / setting.game.spec.players)


def add_arguments(parser: argparse.ArgumentParser, env: str) -> None:
    """The options that every command about games on public deals has."""
    parser.add_argument(
        "agents", nargs="+", help="random, scripted, ... (a wrong name lists them), a model's file or its run's folder"
    )
    parser.add_argument("--env", default=env, help="environment id (default %(default)s)")
    parser.add_argument("--deals", type=whole(1, MOST_DEALS), help=f"how many (default: {PUBLISHED:,} games a row)")
    parser.add_argument(
        "--first-deal", type=whole(0, FIRST_DEAL), default=0, help="number of the first deal (default %(default)s)"
    )
    parser.add_argument(
        "--opening", type=whole(0), help="random decisions that begin each game (default: none, if deals differ)"
    )
    parser.add_argument("--seed", type=whole(0), default=0, help="of the agents' own chances (default %(default)s)")
    parser.add_argument("--workers", type=whole(1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--threads", type=whole(1), default=1, help="threads of each environment (default %(default)s)")
    add_option(parser)
    parser.add_argument("--components", help="a component file (default: the shipped set)")


def asked(told: argparse.Namespace) -> tuple[Setting, range]:
    """The setting and the deals of a parsed command line; raises `RfopError`."""
    options = parse_options(told.option)
    setting = Setting(told.env, tuple(options.items()), told.components, told.seed, told.threads, told.opening)
    longest = setting.game.spec.max_decisions
    if setting.begin >= longest:
        raise RfopError(f"--opening: below {longest}, the decisions of the longest game, found {setting.begin}")
    return setting, range(told.first_deal, told.first_deal + (told.deals or deals_for(setting)))


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.evaluate", __doc__)
    add_arguments(parser, "RedFlagOverParisSolo-v0")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")
    told = parser.parse_args(arguments)
    setting, deals = asked(told)
    if told.csv:
        require_writable(told.csv, "--csv")
        recorded(told.csv, RecordedRow)  # refuses another file before anything is played
    rows = evaluate(
        get_game(told.env), told.agents, deals, components=told.components, seed=told.seed, threads=told.threads,
        options=dict(setting.options), workers=told.workers, opening=told.opening, checked=told.csv is not None,
    )  # fmt: skip
    print(table(rows))
    if told.csv:
        record(rows, told.csv, RecordedRow)
    return 0


if __name__ == "__main__":
    sys.exit(main())
