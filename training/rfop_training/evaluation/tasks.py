"""Evaluation of named agents in several processes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from multiprocessing import get_context
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent import Agent, NoAnswer
from rfop_env.core.errors import BadArgument, RfopError, shown
from rfop_env.core.game import Game
from rfop_env.game_setup import parse_options
from rfop_env.own_code import Act, FunctionAgent
from rfop_env.players import load_agent
from rfop_env.process_pool import process_pool, shared_memory
from rfop_env.registry import get_game, register
from rfop_training.common.provenance import revision, rounding
from rfop_training.evaluation.games import (
    FIRST_DEAL,
    MAX_DEALS,
    GameResults,
    SeatResults,
    Tell,
    blocks,
    most_at_once,
    opening_of,
    play_seated,
)
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.recorded import Replays
from rfop_training.evaluation.rows import (
    NO_OPPONENT,
    PUBLISHED,
    RecordedRow,
    Row,
    row_alone,
    rows_of_pair,
    sides_of,
    together,
)

CHECKED = 4  # deals that the check of a row plays again
MANY_CHECKED = 40  # the same for a row of at least MANY_DEALS deals
MANY_DEALS = 1000
Player = str | Agent  # who plays: an agent, or its name
LOOK_AFTER = 0.3  # seconds between two looks at the games that worker processes have played


@dataclass(frozen=True)
class Setting:
    """The settings of all games of an evaluation, as plain values, so that a worker process can rebuild them."""

    env: str
    options: tuple[tuple[str, object], ...] = ()
    components: str | None = None  # a file; None: the shipped set
    seed: int = 0  # of the agents' own random numbers
    threads: int = 1  # of the environment
    opening: int | None = None  # random decisions that start each game; None: `opening_of` the game
    any_components: bool = False  # whether networks may have been trained for another component set

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise BadArgument(f"seed: expected 0 or more, found {self.seed}")

    @classmethod
    def parse(cls, env: str, option: str | Sequence[str], **settings: Any) -> Setting:
        """A setting with the options of a text like "players=3,screens=open", or of several texts. Raises `RfopError`.

        `settings` are the other fields.
        """
        return cls(env, tuple(parse_options(option).items()), **settings)

    @property
    def game(self) -> Game:
        """The game, with the seats it has under the options."""
        return _game(self)[0]

    @property
    def opening_decisions(self) -> int:
        """The number of random decisions that start each game."""
        return opening_of(self.game) if self.opening is None else self.opening

    @property
    def digest(self) -> str:
        """The digest of the component set."""
        digest: str = self.game.load_components(self.components).digest
        return digest

    def provenance(self, deals: range) -> dict[str, Any]:
        """The fields of a `RecordedRow` that say how to play these deals again, without `check`."""
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
        return name if isinstance(name, Agent) else _agent(self, name)

    def play(
        self,
        names: Sequence[Player],
        seating: NDArray[np.integer[Any]],
        deals: Sequence[int],
        reward: str | None = None,
        replays: Replays | None = None,
        tell: Tell | None = None,
    ) -> GameResults:
        """Play one game on each deal n, the agent `names[seating[n, k]]` in seat k; record the first for `replays`.

        `tell` is told what each step has played.
        """
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
            opening=self.opening_decisions,
            replays=replays,
            tell=tell,
        )


@cache
def _game(setting: Setting) -> tuple[Game, Any]:
    game = get_game(setting.env)
    components = game.load_components(setting.components)
    return game.under(dict(setting.options), components), components


@cache
def _agent(setting: Setting, name: str) -> Agent:
    return load_agent(name, *_game(setting), typed=True, any_components=setting.any_components)


def display_names(setting: Setting, names: Sequence[Player]) -> dict[Player, str]:
    """The display names of agents, by what the user gave.

    Loads the agents anew, because a model's file may have changed. Raises `RfopError` before any game is played for an
    unknown name, and for two agents with one display name.
    """
    _agent.cache_clear()
    displayed = {name: setting.agent(name).name for name in names}
    require_different(names, displayed)
    return displayed


def require_different(names: Sequence[Player], displayed: Mapping[Player, str]) -> None:
    """Raise `RfopError` where two agents of one evaluation have the same display name."""
    for first, second in itertools.combinations(names, 2):
        if displayed[first] == displayed[second]:
            one, other = (who if isinstance(who, str) else who.name for who in (first, second))
            both = f"{one} is given twice" if one == other else f"{one} and {other} are one agent"
            raise RfopError(f"{both}, called {displayed[first]}: give each agent once")


# -- blocks of games, for any process ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A block of games that any process can play."""

    setting: Setting
    names: tuple[Player, ...]
    displayed: tuple[str, ...]  # the display names of these agents when the task was made
    seating: NDArray[np.integer[Any]]  # [n, P]: which of `names` has each seat
    deals: tuple[int, ...]
    reward: str | None = None
    replays: Replays | None = None


def tasks_of(
    setting: Setting, seats: Sequence[Player], deals: Sequence[int], replays: Replays | None = None
) -> list[Task]:
    """A task for each block of deals, `seats[k]` in seat k; the first games are recorded for `replays`."""
    return tasks_seated(setting, seats, np.tile(np.arange(len(seats)), (len(deals), 1)), deals, replays=replays)


def tasks_seated(
    setting: Setting,
    names: Sequence[Player],
    seating: NDArray[np.integer[Any]],
    deals: Sequence[int],
    reward: str | None = None,
    replays: Replays | None = None,
) -> list[Task]:
    """A task for each block of deals, the agent `names[seating[n, k]]` in seat k on deal n."""
    players = [setting.agent(name) for name in names]
    displayed = tuple(player.name for player in players)
    return [
        Task(
            setting,
            tuple(names),
            displayed,
            seating[low:high],
            tuple(deals[low:high]),
            reward,
            replays and replays.after(low),
        )
        for low, high in blocks(deals, most_at_once(players))
    ]


def play_task(task: Task, tell: Tell | None = None) -> GameResults:
    """Play the games of a task; `tell` is told what each step has played.

    Raises `RfopError` if a model's file has changed since the task was made.
    """
    for name, displayed in zip(task.names, task.displayed, strict=True):
        if (now := task.setting.agent(name).name) != displayed:
            raise RfopError(
                f"{name} was {displayed} and is now {now}: evaluate a copy of a model that is being trained"
            )
    return task.setting.play(task.names, task.seating, task.deals, task.reward, task.replays, tell)


class TaskPlayer(Protocol):
    """Plays tasks elsewhere than in processes of this machine."""

    def play(self, tasks: Sequence[Task], bar: Progress) -> Iterator[GameResults]:
        """The results of tasks in order; the bar is told what has been played."""


Workers = int | TaskPlayer  # the number of processes on this machine, or what plays elsewhere


def play_tasks(tasks: Sequence[Task], workers: Workers = 1, progress: bool | None = None) -> Iterator[GameResults]:
    """The results of tasks in order, played by `workers`. They do not depend on where and how many these are.

    `progress`: whether a bar on stderr counts the games (None: if that is a terminal).
    """
    bar = Progress(sum(len(task.deals) for task in tasks), progress)
    with closing(bar):
        for task, results in zip(tasks, _played(tasks, workers, bar), strict=True):
            bar.add(task.displayed, task.seating, results)
            yield results


def _played(tasks: Sequence[Task], workers: Workers, bar: Progress) -> Iterator[GameResults]:
    if not isinstance(workers, int):
        return workers.play(tasks, bar)
    return _play_here(tasks, bar) if workers == 1 or len(tasks) == 1 else _play_in_pool(tasks, workers, bar)


def _play_here(tasks: Sequence[Task], bar: Progress) -> Iterator[GameResults]:
    for task in tasks:
        yield play_task(task, bar.played)


def _play_in_pool(tasks: Sequence[Task], workers: int, bar: Progress) -> Iterator[GameResults]:
    # Compile everything once, before the workers need it.
    for first in {name: task for task in tasks for name in task.names}.values():
        play_task(replace(first, seating=first.seating[:1], deals=first.deals[:1], replays=None))

    with shared_memory():
        counts = get_context("spawn").Array("q", 2)
    with process_pool(min(workers, len(tasks)), _share_counts, counts) as pool:
        for future in [pool.submit(_play_in_worker, task) for task in tasks]:
            yield _result(future, counts, bar)


def _result(future: Future[GameResults], counts: Any, bar: Progress) -> GameResults:
    """The result of a task; while it is played, the bar shows what all processes have played."""
    while not wait([future], LOOK_AFTER).done:
        bar.move_to(*counts)
    bar.move_to(*counts)
    return future.result()


_counts: Any = None  # in a worker process: how many games have ended and decisions were made in all of them


def _share_counts(counts: Any) -> None:
    """Share the counts of games and decisions with a worker process."""
    global _counts
    _counts = counts


def _play_in_worker(task: Task) -> GameResults:
    return play_task(task, _count)


def _count(games: int, decisions: int) -> None:
    with _counts.get_lock():
        _counts[0] += games
        _counts[1] += decisions


class LineupsStopped(KeyboardInterrupt):
    """Ctrl-C, or an agent that gives no answer; `played` are the whole blocks of each so far, on its first deals."""

    def __init__(self, played: Sequence[GameResults | None], problem: NoAnswer | None = None):
        super().__init__()
        self.played = played  # None for a lineup without a whole block
        self.problem = problem  # None for Ctrl-C


def play_lineups(
    lineups: Iterable[tuple[Setting, Sequence[Player]]],
    deals: Sequence[int],
    workers: Workers = 1,
    replays: Replays | None = None,
    progress: bool | None = None,
) -> list[GameResults]:
    """The results of lineups on the same deals; a lineup is a setting and the agent of each seat.

    The first games of each lineup are recorded for `replays`. `progress` is that of `play_tasks`. Raises
    `LineupsStopped` on Ctrl-C and where an agent gives no answer.
    """
    # The first block of every lineup, then the second: what is done when Ctrl-C comes is about all of them.
    tasks = [tasks_of(setting, seats, deals, replays) for setting, seats in lineups]
    longest = max(map(len, tasks), default=0)
    order = [(block, lineup) for block in range(longest) for lineup in range(len(tasks)) if block < len(tasks[lineup])]
    parts: list[list[GameResults]] = [[] for _ in tasks]
    try:
        played = play_tasks([tasks[lineup][block] for block, lineup in order], workers, progress)
        for (_, lineup), results in zip(order, played, strict=True):
            parts[lineup].append(results)
    except (KeyboardInterrupt, NoAnswer) as stop:
        whole = [GameResults.concatenate(of_one) if of_one else None for of_one in parts]
        raise LineupsStopped(whole, stop if isinstance(stop, NoAnswer) else None) from None
    return [GameResults.concatenate(of_one) for of_one in parts]


def lineups_of_pair(setting: Setting, first: Player, second: Player) -> list[tuple[Setting, list[Player]]]:
    """The first agent in each seat in turn, the second in all others."""
    seats = range(setting.game.spec.players)
    return [(setting, [first if k == seat else second for k in seats]) for seat in seats]


# -- matchups ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Matchup:
    """An agent alone, or in each seat in turn with another in all others; both as the user gave them."""

    setting: Setting
    agent: Player
    opponent: Player = NO_OPPONENT

    @property
    def lineups(self) -> list[tuple[Setting, list[Player]]]:
        """The agent of each seat, for each seat of `agent` in turn."""
        if self.opponent == NO_OPPONENT:
            return [(self.setting, [self.agent])]
        return lineups_of_pair(self.setting, self.agent, self.opponent)

    def rows(self, displayed: Mapping[Player, str], played: Sequence[SeatResults]) -> list[Row]:
        """The rows of the matchup, from display names and the results of `play_matchups`."""
        game, options = self.setting.game, dict(self.setting.options)
        if self.opponent == NO_OPPONENT:
            return [row_alone(game, displayed[self.agent], options, played[0])]
        return rows_of_pair(game, displayed[self.agent], displayed[self.opponent], options, played[:-1])


def matchups_of(setting: Setting, names: Sequence[Player]) -> list[Matchup]:
    """The matchups of agents: each agent on each side in a game of one seat, else each pair, or one with itself."""
    if setting.game.spec.players == 1:
        sides = sides_of(setting.game, dict(setting.options))
        return [Matchup(replace(setting, options=tuple(side.items())), name) for name in names for side in sides]
    chosen = itertools.combinations(names, 2) if len(names) > 1 else [(names[0], names[0])]
    return [Matchup(setting, *pair) for pair in chosen]


def play_matchups(
    matchups: Sequence[Matchup],
    deals: Sequence[int],
    workers: Workers = 1,
    replays: Replays | None = None,
    progress: bool | None = None,
) -> list[list[SeatResults]]:
    """The results of each matchup: one for each seat of the agent, and in a game of several seats one for all.

    `progress` is that of `play_tasks`. Raises `LineupsStopped` on Ctrl-C and where an agent gives no answer.
    """
    lineups = [one for matchup in matchups for one in matchup.lineups]
    results = iter(play_lineups(lineups, deals, workers, replays, progress))
    return [_from_seats([next(results) for _ in matchup.lineups]) for matchup in matchups]


def _from_seats(lineups: Sequence[GameResults]) -> list[SeatResults]:
    """The results of a matchup from those of its lineups, in which the agent has each seat in turn."""
    games = [results.from_seat(seat) for seat, results in enumerate(lineups)]
    return games if len(games) == 1 else [*games, together(games)]


def deals_to_check(deals: range) -> list[int]:
    """A few evenly spaced deals of a row: more of a long row, whose games are quickly played."""
    count = min(len(deals), MANY_CHECKED if len(deals) >= MANY_DEALS else CHECKED)
    return sorted({deals[k] for k in np.linspace(0, len(deals) - 1, count).astype(int)})


def check_of(games: SeatResults) -> str:
    """The results of some games as text: share of the win, points and decisions of each, "1/4/132"."""
    return " ".join(
        f"{won:g}/{points:g}/{decisions}"
        for won, points, decisions in zip(games.won, games.points, games.decisions, strict=True)
    )


def id_of(env: str | Game) -> str:
    """The id of an environment, given as that or as its game, which is registered. Raises what `register` raises."""
    return register(env) if isinstance(env, Game) else env


def evaluate(
    env: str | Game,
    agents: Player | Act | Sequence[Player | Act],
    deals: int | range | None = None,
    *,
    options: Mapping[str, object] | None = None,
    components: str | None = None,
    seed: int = 0,
    threads: int = 1,
    workers: Workers = 1,
    opening: int | None = None,
    checked: bool = False,
    replays: Replays | None = None,
    progress: bool | None = None,
    any_components: bool = False,
) -> list[RecordedRow]:
    """Play agents on public deals: each alone in a game of one seat, else each pair, or one agent against itself.

    `env` is the environment's id, or its game. `agents` are names, as of `rfop evaluate`, `Agent`s, or functions
    `act(observation, action_mask)`. `deals` is their number, from deal 0 on, or the range of them; None: enough for a
    published row, 10,000 games. `options` and `components` (a file, or the name of a shipped set) are those of the
    game. `seed` is that of the agents' own random numbers, `opening` the number of random decisions that start each
    game (None: as `rfop evaluate`), `threads` those of each environment. `workers` are the processes that play; only
    agents by name play in several.

    With `checked`, a few deals are also played separately, for the `check` of rows that go into a file. With `replays`,
    the first games of each line-up are recorded. `progress` is that of `play_tasks`. With `any_components` networks may
    have been trained for another component set.

    Returns a row for each agent and side, or pair and seat, and for both seats together: dataclasses, so that
    `pandas.DataFrame(rows)` is a table. Raises `RfopError` and its subclasses for what cannot be played, and
    `EvaluationStopped` on Ctrl-C and where an agent gives no answer.
    """
    setting = Setting(id_of(env), tuple((options or {}).items()), components, seed, threads, opening, any_components)
    names = players_of(agents, workers)
    deals = deals_of(setting, deals)
    displayed = display_names(setting, names)
    provenance = setting.provenance(deals)
    matchups = matchups_of(setting, names)
    try:
        played = play_matchups(matchups, deals, workers, replays, progress)
    except LineupsStopped as stopped:
        so_far = _rows_so_far(matchups, displayed, stopped.played)
        raise EvaluationStopped(so_far, complete=False, problem=stopped.problem) from None
    rows = [row for matchup, games in zip(matchups, played, strict=True) for row in matchup.rows(displayed, games)]

    checks = [""] * len(rows)
    if checked:
        try:
            few = play_matchups(matchups, deals_to_check(deals), progress=progress)
        except LineupsStopped as stopped:
            raise EvaluationStopped(rows, complete=True, problem=stopped.problem) from None
        checks = [check_of(results) for of_matchup in few for results in of_matchup]
    return recorded(rows, provenance, checks)


def recorded(rows: Sequence[Row], provenance: Mapping[str, Any], checks: Sequence[str]) -> list[RecordedRow]:
    """Rows with what is needed to play them again: their `Setting.provenance` and the check of each."""
    return [
        RecordedRow(**asdict(row), **provenance, rounding=rounding(), check=check)
        for row, check in zip(rows, checks, strict=True)
    ]


class EvaluationStopped(KeyboardInterrupt):
    """Ctrl-C during an evaluation, or an agent that gives no answer: `problem`, else None.

    `rows` are those of the games that are done, all of them if `complete`.
    """

    def __init__(self, rows: Sequence[Row], complete: bool, problem: NoAnswer | None = None):
        super().__init__()
        self.rows = rows
        self.complete = complete
        self.problem = problem


def _rows_so_far(
    matchups: Sequence[Matchup], displayed: Mapping[Player, str], played: Sequence[GameResults | None]
) -> list[Row]:
    """The rows of matchups of which only the first deals have been played, on those played in every seat."""
    rows: list[Row] = []
    results = iter(played)
    for matchup in matchups:
        lineups = len(matchup.lineups)
        done = [of_one for of_one in itertools.islice(results, lineups) if of_one is not None]
        if len(done) == lineups:
            deals = min(len(of_one.won) for of_one in done)
            rows += matchup.rows(displayed, _from_seats([of_one.first(deals) for of_one in done]))
    return rows


def players_of(agents: Player | Act | Sequence[Player | Act], workers: Workers = 1) -> list[Player]:
    """The agents of an evaluation as a list. Raises `BadArgument` for none, and for objects in other processes."""
    several = [agents] if isinstance(agents, str | Agent) or callable(agents) else list(agents)
    players: list[Player] = [
        FunctionAgent.of(player) if callable(player) and not isinstance(player, Agent) else player for player in several
    ]
    misfits = [player for player in players if not isinstance(player, str | Agent)]
    if misfits or not players:
        example = shown(misfits[0] if misfits else agents)
        raise BadArgument(f"agents: expected names or agents, one at least, found {example}")
    if isinstance(workers, int) and workers < 1:
        raise BadArgument(f"workers: expected 1 or more, found {workers}")
    if workers != 1 and not all(isinstance(player, str) for player in players):
        raise BadArgument("workers: an agent that is no name plays in this process alone: leave workers out")
    return players


def deals_of(setting: Setting, deals: int | range | None) -> range:
    """The deals that a number or a range means; None: as many as a published row has.

    Raises `BadArgument` for other deals than those from 0 to `FIRST_DEAL`, and for an opening as long as the game.
    """
    longest = setting.game.spec.max_decisions
    if not 0 <= setting.opening_decisions < longest:
        raise BadArgument(
            f"opening: from 0, below {longest}, the decisions of the longest game; found {setting.opening_decisions}"
        )
    numbers = range(deals_for(setting) if deals is None else deals) if not isinstance(deals, range) else deals
    if not 1 <= len(numbers) <= MAX_DEALS or numbers.step != 1 or not 0 <= numbers.start <= FIRST_DEAL:
        raise BadArgument(f"deals: expected a number from 1 to {MAX_DEALS:,} or a range of as many, found {deals!r}")
    return numbers


def deals_for(setting: Setting, games: int = PUBLISHED) -> int:
    """The number of deals that gives a row at least this many games."""
    return math.ceil(games / setting.game.spec.players)
