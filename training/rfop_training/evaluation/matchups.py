"""Matchups: an agent alone or against another one in every seat, block by block, and their rows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from rfop_env.core.game import Game
from rfop_training.common.provenance import rounding
from rfop_training.evaluation import rows as result_rows
from rfop_training.evaluation import setting as settings
from rfop_training.evaluation import tasks
from rfop_training.evaluation.games import GameResults, SeatResults
from rfop_training.evaluation.recorded import Replays
from rfop_training.evaluation.rows import NO_OPPONENT, RecordedRow, Row
from rfop_training.evaluation.setting import Player, Players, Setting

CHECKED = 4  # deals that the check of a row plays again
MANY_CHECKED = 40  # the same for a row of at least MANY_DEALS deals
MANY_DEALS = 1000


@dataclass(frozen=True)
class Matchup:
    """An agent alone, or in each seat in turn with another in all others; both as the user named them."""

    setting: Setting
    agent: Player
    opponent: Player = NO_OPPONENT

    @property
    def lineups(self) -> list[list[Player]]:
        """The agent of each seat, for each seat of `agent` in turn."""
        if self.opponent == NO_OPPONENT:
            return [[self.agent]]
        seats = range(self.setting.game.spec.players)
        lineups = [[self.opponent] * len(seats) for _ in seats]
        for seat in seats:
            lineups[seat][seat] = self.agent
        return lineups

    def seat_results(self, lineups: Sequence[GameResults]) -> list[SeatResults]:
        """The results of the agent in each seat, and those of all seats together where there are several."""
        seats = [results.from_seat(seat) for seat, results in enumerate(lineups)]
        return seats if len(seats) == 1 else [*seats, SeatResults.concatenate(seats)]

    def rows(self, displayed: Mapping[Player, str], results: Sequence[SeatResults]) -> list[Row]:
        """The rows of the matchup, from display names and `seat_results`."""
        game, options = self.setting.game, dict(self.setting.options)
        agent = displayed[self.agent]
        if self.opponent == NO_OPPONENT:
            return [result_rows.row_alone(game, agent, options, results[0])]
        return result_rows.pair_rows(game, agent, displayed[self.opponent], options, results[:-1])


def make_matchups(setting: Setting, names: Sequence[Player]) -> list[Matchup]:
    """The matchups of agents: each agent on each side in a game of one seat, else each pair, or one with itself."""
    if setting.game.spec.players == 1:
        sides = result_rows.playable_sides(setting.game, dict(setting.options))
        side_settings = [replace(setting, options=tuple(side.items())) for side in sides]
        return [Matchup(side_setting, name) for name in names for side_setting in side_settings]
    pairs = itertools.combinations(names, 2) if len(names) > 1 else [(names[0], names[0])]
    return [Matchup(setting, first, second) for first, second in pairs]


class MatchupGames:
    """The games of matchups on the same deals. Blocks that have been played stay when play is interrupted."""

    def __init__(self, matchups: Sequence[Matchup], deals: Sequence[int], replays: Replays | None = None):
        self.matchups = matchups
        self._tasks = [
            [tasks.make_tasks(matchup.setting, seats, deals, replays) for seats in matchup.lineups]
            for matchup in matchups
        ]
        self._parts: list[list[list[GameResults]]] = [[[] for _ in matchup.lineups] for matchup in matchups]

    def play(self, workers: tasks.Workers = 1, progress: bool | None = None) -> None:
        """Play all games: the first block of every lineup, then the second."""
        lineups = [lineup for lineups in self._tasks for lineup in lineups]
        parts = [part for parts in self._parts for part in parts]
        longest = max(map(len, lineups), default=0)
        order = [(k, lineup) for k in range(longest) for lineup in range(len(lineups)) if k < len(lineups[lineup])]
        results = tasks.play_tasks([lineups[lineup][k] for k, lineup in order], workers, progress)
        for (_, lineup), block in zip(order, results, strict=True):
            parts[lineup].append(block)

    def results(self) -> list[list[SeatResults]]:
        """The results of each matchup on the deals that were played in every seat; an empty list without such deals."""
        matchups = zip(self.matchups, self._parts, strict=True)
        return [self._matchup_results(matchup, parts) for matchup, parts in matchups]

    def _matchup_results(self, matchup: Matchup, parts: Sequence[Sequence[GameResults]]) -> list[SeatResults]:
        if not all(parts):
            return []
        lineups = [GameResults.concatenate(part) for part in parts]
        deals = min(len(results.won) for results in lineups)
        return matchup.seat_results([results.first(deals) for results in lineups])

    def rows(self, displayed: Mapping[Player, str]) -> list[Row]:
        """The rows of all matchups that have results."""
        rows: list[Row] = []
        for matchup, results in zip(self.matchups, self.results(), strict=True):
            if results:
                rows += matchup.rows(displayed, results)
        return rows


def play_matchups(
    matchups: Sequence[Matchup], deals: Sequence[int], workers: tasks.Workers = 1, progress: bool | None = None
) -> list[list[SeatResults]]:
    """The results of each matchup: one for each seat of the agent, and in a game of several seats one for all."""
    games = MatchupGames(matchups, deals)
    games.play(workers, progress)
    return games.results()


# -- checks ------------------------------------------------------------------------------------------------------------


def deals_to_check(deals: range) -> list[int]:
    """A few evenly spaced deals of a row: more of a long row, whose games are quickly played."""
    count = min(len(deals), MANY_CHECKED if len(deals) >= MANY_DEALS else CHECKED)
    return sorted({deals[k] for k in np.linspace(0, len(deals) - 1, count).astype(int)})


def play_checks(matchups: Sequence[Matchup], deals: range, progress: bool | None = None) -> list[str]:
    """The `check` of each row of the matchups: the results of a few of their deals."""
    results = play_matchups(matchups, deals_to_check(deals), progress=progress)
    return [check_text(games) for matchup in results for games in matchup]


def check_text(results: SeatResults) -> str:
    """The results of games as text: share of the win, points and decisions of each, "1/4/132"."""
    columns = zip(results.won, results.points, results.decisions, strict=True)
    return " ".join(f"{won:g}/{points:g}/{decisions}" for won, points, decisions in columns)


def record_rows(rows: Sequence[Row], provenance: Mapping[str, Any], checks: Sequence[str]) -> list[RecordedRow]:
    """Rows with what is needed to play them again: their `Setting.provenance` and the check of each."""
    return [
        RecordedRow(**asdict(row), **provenance, rounding=rounding(), check=check)
        for row, check in zip(rows, checks, strict=True)
    ]


# -- evaluations -------------------------------------------------------------------------------------------------------


class Tournament:
    """An evaluation of agents. Rows of the games so far are there also after an interruption.

    Args:
        players: names or agents; each pair of them plays, or each alone in a game of one seat.
        replays: where the first games of each lineup are recorded.
    """

    def __init__(self, setting: Setting, players: Sequence[Player], deals: range, replays: Replays | None = None):
        self.deals = deals
        self._displayed = settings.display_names(setting, players)
        self._provenance = setting.provenance(deals)
        self._matchups = make_matchups(setting, players)
        self._games = MatchupGames(self._matchups, deals, replays)
        self._checks: list[str] = []
        self.complete = False  # whether all games were played, without those of the checks

    def play(self, workers: tasks.Workers = 1, progress: bool | None = None) -> None:
        """Play all games."""
        self._games.play(workers, progress)
        self.complete = True

    def check(self, progress: bool | None = None) -> None:
        """Play a few of the deals separately, for the `check` of the rows."""
        self._checks = play_checks(self._matchups, self.deals, progress)

    def rows(self) -> list[Row]:
        """The rows of the games that have been played so far."""
        return self._games.rows(self._displayed)

    def recorded_rows(self) -> list[RecordedRow]:
        """The rows of all games with what is needed to play them again."""
        rows = self.rows()
        return record_rows(rows, self._provenance, self._checks or [""] * len(rows))


def evaluate(
    env: str | Game,
    agents: Players,
    deals: int | range | None = None,
    *,
    options: Mapping[str, object] | None = None,
    components: str | None = None,
    seed: int = 0,
    threads: int = 1,
    workers: tasks.Workers = 1,
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
    `pandas.DataFrame(rows)` is a table. Raises `RfopError` and its subclasses for what cannot be played. A
    `Tournament` also has the rows of the games before Ctrl-C.
    """
    setting = Setting(
        settings.environment_id(env), tuple((options or {}).items()), components, seed, threads, opening, any_components
    )
    players = settings.list_players(agents, workers)
    tournament = Tournament(setting, players, settings.deal_range(setting, deals), replays)
    tournament.play(workers, progress)
    if checked:
        tournament.check(progress)
    return tournament.recorded_rows()
