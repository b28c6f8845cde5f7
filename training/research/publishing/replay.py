"""Checks of published rows: a few deals of each are played again, and rows that have become stale are replaced.

The command is `python -m training.research reproduce --publish searches`.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rfop_agents import baselines
from rfop_agents.catalogue import LEVELS
from rfop_env.agent_names import RANDOM, require_data
from rfop_env.core import files
from rfop_env.core.errors import RfopError
from rfop_env.game_setup import parse_options
from rfop_env.registry import get_game
from rfop_training.common import records
from rfop_training.common.provenance import changed_since, revision, rounding
from rfop_training.evaluation import matrix, placements, ratings
from rfop_training.evaluation.leaderboard import LADDER
from rfop_training.evaluation.matchups import Matchup, check_text, deals_to_check, play_matchups, record_rows
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.placements import Finish
from rfop_training.evaluation.ratings import Placement, Rating
from rfop_training.evaluation.rows import NO_OPPONENT, Recorded, RecordedRow, is_search, least_games
from rfop_training.evaluation.setting import Setting, display_names
from training.research.lab import distribution
from training.research.lab.checkpoints import CheckpointCount, Watch
from training.research.lab.distribution import Outcome
from training.research.publishing.results import CONFIGS, RESULTS

MATRICES = CONFIGS / "matrices.toml"
MOST_BYTES = 2**20  # of a configuration
SEARCHES, ROLLOUTS, SCORES, FRESH, SPREAD, SEARCHED_RESPONSES = (
    RESULTS / f"{name}.csv" for name in ("search", "rollouts", "scores", "fresh", "distribution", "searched_responses")
)
SPREAD_ENV = "LeveeEnMasse-v0"  # its scores are also published by ending, and at checkpoints
CHECKPOINTS = RESULTS / "checkpoints.csv"
MOMENTS, WATCHED = ("headline=22", "headline=46"), ("politics", "disorder")  # first cards of the white and red decks
ROUNDING = 0.05  # share of games in which a network may play differently: machines round its sums differently


def row_deals(row: RecordedRow) -> range:
    """The deals of a row."""
    return range(row.first_deal, row.first_deal + row.deals)


def row_matchup(row: RecordedRow) -> Matchup:
    """The matchup of a row, with its setting.

    Raises `NotTyped` for a row that names what runs a program: a language model, or a function of a file.
    """
    require_data((row.agent, row.opponent))
    options = parse_options(row.options.split())
    setting = Setting(row.env, tuple(options.items()), seed=row.seed, opening=row.opening)
    if row.opponent == NO_OPPONENT and "side" in [option.name for option in setting.game.options]:
        setting = replace(setting, options=tuple((options | {"side": row.side}).items()))
    return Matchup(setting, row.agent, row.opponent)


def matchups_in(rows: Sequence[Recorded]) -> list[list[Recorded]]:
    """The rows of each matchup, in the order of the file."""
    return [
        list(of_matchup) for _, of_matchup in itertools.groupby(rows, lambda row: (row_matchup(row), row_deals(row)))
    ]


def present_checks(rows: Sequence[RecordedRow]) -> list[str]:
    """The checks of the rows of a matchup, as this code plays them."""
    games = play_matchups([row_matchup(rows[0])], deals_to_check(row_deals(rows[0])))[0]
    return [check_text(results) for results in games]


def agrees(row: RecordedRow, check_now: str) -> bool:
    """Whether the games of a check end as the row says.

    Where the row was played on a machine that rounds sums otherwise, nearly all games of a network need the same
    winner.
    """
    if not row.check:
        return False
    if rounds_alike(row):
        return row.check == check_now
    published, present = ([game.split("/")[0] for game in check.split()] for check in (row.check, check_now))
    differ = sum(a != b for a, b in zip(published, present, strict=False))
    return len(published) == len(present) and differ <= max(1.0, ROUNDING * len(published))


def rounds_alike(row: RecordedRow) -> bool:
    """Whether this machine rounds the sums that decide the games of a row, if any do, as the one that played it."""
    return row.rounding == rounding() or not (plays_network(row.agent) or plays_network(row.opponent))


def can_be_checked(row: RecordedRow) -> bool:
    """Whether a few games of a row tell if this code plays as it says.

    A search that asks a network decides by thousands of its answers. A machine that rounds sums otherwise plays other
    games with it.
    """
    asking = any(is_search(name) and plays_network(name) for name in (row.agent, row.opponent))
    return rounds_alike(row) or not asking


def plays_network(name: str) -> bool:
    """Whether an agent of this name uses a network: a baseline, a model of a file, or a guided search."""
    return "/" in name or "#" in name


def row_baselines(row: RecordedRow) -> list[Path]:
    """The files of the baselines that play in a row, also within searches: "response-100+red-flag/ppo-3:greedy"."""
    parts = [part for name in (row.agent, row.opponent) for part in re.split("[+:]", name)]
    names = dict.fromkeys(re.split("[@#]", part)[0] for part in parts)
    return [baselines.baseline_path(name) for name in names if baselines.is_baseline(name)]


def is_fresh(rows: Sequence[RecordedRow]) -> bool:
    """Whether this code, component set and baselines play the rows of a matchup, judged by a few of their deals.

    A new network of the same name is found by its file: it may win the same few deals. Rows that this machine cannot
    check count as fresh.
    """
    if not all(row.check for row in rows) or rows[0].components != component_digest(rows[0]):
        return False
    if changed_since(rows[0].git.rstrip("+"), row_baselines(rows[0])):
        return False
    same_code = rows[0].git == revision() or not can_be_checked(rows[0])
    return same_code or all(map(agrees, rows, present_checks(rows)))


def component_digest(row: RecordedRow) -> str:
    """The present digest of the component set of a row's environment."""
    return row_matchup(row).setting.digest


def refresh(path: Path, workers: int = 1, env: str = "") -> int:
    """Play the stale matchups of a file again, and write each one when it is complete; returns how many there were.

    With `env`, rows of other environments are left as they are. An interruption loses one matchup.
    """
    matchups = [rows for rows in matchups_in(records.read_records(path, RecordedRow)) if env in ("", rows[0].env)]
    print(f"{path.name}: checking {len(matchups)} matchups", file=sys.stderr)
    stale = [rows for rows in matchups if not is_fresh(rows)]
    for number, rows in enumerate(stale, 1):
        start = time.monotonic()
        title = f"[{number}/{len(stale)}] {rows[0].env} {rows[0].agent} - {rows[0].opponent}"
        print(f"{title}: {rows[0].games:,} games per row", file=sys.stderr)

        new = play_again(rows[0], workers)
        replace_rows(path, rows, new)

        old_rate, new_rate, seconds = rows[-1].win_rate, new[-1].win_rate, time.monotonic() - start
        print(f"{title}: {old_rate:.1%} before, {new_rate:.1%} now, {seconds:.0f} s", file=sys.stderr)
    return len(stale)


def replace_rows(path: Path, old: Sequence[RecordedRow], new: Sequence[RecordedRow]) -> None:
    """Write new rows into a file in place of the old ones, unless another process has replaced those meanwhile."""
    with records.writing(path):
        rows = records.read_records(path, RecordedRow)
        if old[0] in rows:
            at = rows.index(old[0])
            records.write_records(path, [*rows[:at], *new, *(row for row in rows[at:] if row not in old)], RecordedRow)


def play_again(row: RecordedRow, workers: int = 1) -> list[RecordedRow]:
    """The rows of the matchup of a row, as this code plays it on the same deals."""
    matchup, deals = row_matchup(row), row_deals(row)
    names = list(dict.fromkeys([matchup.agent, *([] if matchup.opponent == NO_OPPONENT else [matchup.opponent])]))
    displayed = display_names(matchup.setting, names)
    provenance = matchup.setting.provenance(deals) | {"options": row.options}
    rows = matchup.rows(displayed, play_matchups([matchup], deals, workers)[0])
    checks = [check_text(results) for results in play_matchups([matchup], deals_to_check(deals))[0]]
    return record_rows(rows, provenance, checks)


# -- matrices and mixed tables -----------------------------------------------------------------------------------------


def matrices() -> list[Path]:
    """The files of the published matrices."""
    return sorted(path for path in RESULTS.glob("matrix_*.csv") if not path.stem.endswith(".part"))


def tables() -> list[Path]:
    """The files of the published mixed tables."""
    return sorted(RESULTS.glob("placements_*.csv"))


def table_env(path: Path) -> str:
    """The environment that a file of mixed tables is about."""
    return placements.read_finishes(path)[0].env


@dataclass(frozen=True)
class PublishedMatrix:
    """A published matrix as `training/configs/matrices.toml` lists it."""

    name: str  # "red_flag": of the file matrix_red_flag.csv
    env: str
    agents: list[str]
    deals: int
    slow_deals: int  # of pairs in which an agent searches or rolls out

    @property
    def path(self) -> Path:
        """The file of its rows."""
        return RESULTS / f"matrix_{self.name}.csv"


def list_matrices(path: Path = MATRICES) -> list[PublishedMatrix]:
    """The matrices of a configuration. Raises `RfopError` for wrong keys and names."""
    configured = []
    for entry in files.read_toml(path, MOST_BYTES).get("matrix", []):
        try:
            configured.append(PublishedMatrix(**entry))
            get_game(configured[-1].env)
            require_data(configured[-1].agents)
        except TypeError as error:
            raise RfopError(f"{path}: matrix {entry.get('name', '?')!r}: {error}") from error
    return configured


def refresh_matrix(entry: PublishedMatrix, workers: int = 1) -> None:
    """Play the pairs of a matrix that are missing or stale.

    New pairs go into a file of their own, whose name ends in ".part.csv", until all are complete. An interruption loses
    one pair.
    """
    path = entry.path
    lines, part = records.read_rows(path, MatrixRow), path.with_suffix(".part.csv")
    fresh = [line for rows in matchups_in(lines) if is_fresh(rows) for line in rows]
    pairs = {frozenset((line.agent, line.opponent)) for line in fresh}
    missing = any(frozenset(pair) not in pairs for pair in itertools.combinations(entry.agents, 2))
    if missing or len(fresh) < len(lines):
        if not part.exists():
            records.write_records(part, fresh, MatrixRow)
        matrix.fill(Setting(entry.env), entry.agents, range(entry.deals), part, workers, slow_deals=entry.slow_deals)
        part.replace(path)


def present_orders(finishes: Sequence[Finish]) -> dict[str, int]:
    """The finishing orders of the checked deals of mixed tables, as this code plays them."""
    names, setting = placements.entrants(finishes)
    first = finishes[0].first_deal
    return placements.count_orders(setting, names, range(first, first + placements.checked_deals(finishes[0].deals)))


def table_agrees(finishes: Sequence[Finish]) -> bool:
    """Whether the checked deals of mixed tables end as their file says.

    Where they were played on a machine that rounds sums otherwise, and networks play, nearly all of them need to.
    """
    published, present = {x.order: x.check for x in finishes if x.check}, present_orders(finishes)
    differ = sum(abs(published.get(order, 0) - present.get(order, 0)) for order in {*published, *present}) / 2
    rounded = finishes[0].rounding != rounding() and any(map(plays_network, placements.entrants(finishes)[0]))
    return differ <= (ROUNDING * sum(present.values()) if rounded else 0)


def set_of_table(finishes: Sequence[Finish]) -> str:
    """The present digest of the component set of mixed tables."""
    return placements.entrants(finishes)[1].digest


def refresh_table(path: Path, workers: int = 1) -> None:
    """Play mixed tables again if they are stale."""
    finishes = placements.read_finishes(path)
    if finishes[0].components != set_of_table(finishes) or not table_agrees(finishes):
        names, setting = placements.entrants(finishes)
        first = finishes[0].first_deal
        deals = range(first, first + finishes[0].deals)
        records.write_records(path, placements.play_mixed_tables(setting, names, deals, workers), Finish)


# -- how games of Levée en Masse go and end ----------------------------------------------------------------------------


def row_outcomes(row: RecordedRow, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of the agent and setting of a score."""
    return [x for x in outcomes if (x.agent, x.env, x.options) == (row.agent, row.env, row.options)]


def same_games(row: RecordedRow, outcomes: Sequence[Outcome]) -> bool:
    """Whether outcomes are of the same games as a score: as many, with the same mean of points."""
    games = sum(x.games for x in outcomes)
    return games == row.games and math.isclose(
        sum(x.games * x.points for x in outcomes) / games, row.points, abs_tol=1e-3
    )


def spread_scores() -> list[RecordedRow]:
    """The scores whose games are also published by ending, ordered by setting."""
    rows = [row for row in records.read_records(SCORES, RecordedRow) if row.env == SPREAD_ENV]
    return [row for options in dict.fromkeys(row.options for row in rows) for row in rows if row.options == options]


def row_counts(row: RecordedRow, counts: Sequence[CheckpointCount]) -> list[CheckpointCount]:
    """The counts at checkpoints of the agent, setting and component set of a score."""
    key = row.agent, row.env, row.options, row.components, row.games
    return [x for x in counts if (x.agent, x.env, x.options, x.components, x.deals) == key]


def refresh_spread() -> None:
    """Play distributions and checkpoints again where they are not of the same games as their scores.

    Both files have the games of all scores.
    """
    old_outcomes = records.read_rows(SPREAD, Outcome)
    checkpoints = records.read_rows(CHECKPOINTS, CheckpointCount)
    outcomes, counts = [], []
    for row in spread_scores():
        own_outcomes, counted = row_outcomes(row, old_outcomes), row_counts(row, checkpoints)
        if not (own_outcomes and counted and same_games(row, own_outcomes)):
            setting = row_matchup(row).setting
            watch = Watch.of(setting.game, MOMENTS, WATCHED)
            own_outcomes, counted = distribution.play_and_count(setting, row.agent, row_deals(row), watch)
        outcomes += own_outcomes
        counts += counted
    records.write_records(SPREAD, outcomes, Outcome)
    records.write_records(CHECKPOINTS, counts, CheckpointCount)


# -- the ladder --------------------------------------------------------------------------------------------------------

STRONGEST = "# The strongest published agents: those with the largest Nash weight of each matrix of the environment.\n"


def strongest_agents() -> dict[str, list[str]]:
    """The agents with the largest weight in the Nash mix of each published matrix, without options, by environment."""
    ratings_by_matrix: dict[tuple[str, str], list[PublishedRating]] = {}
    for rating in records.read_records(RATINGS, PublishedRating):
        if not rating.options:
            ratings_by_matrix.setdefault((rating.env, rating.source), []).append(rating)
    agents: dict[str, list[str]] = {}
    for (env, _), own in sorted(ratings_by_matrix.items()):
        agent = max(own, key=lambda rating: rating.weight).agent
        agents.setdefault(env, [])
        agents[env] += [agent] * (agent not in agents[env])
    return agents


def ladder_text() -> str:
    """The ladder of `rfop leaderboard`, which ends with the strongest published agents in place of those of before."""
    rungs = [
        f'\n[[rung]]\nenv = "{env}"\nopponents = ["{agent}"]\ngames = {least_games([agent]):_}\n'
        for env, agents in strongest_agents().items()
        for agent in agents
    ]
    start = LADDER.read_text().split(STRONGEST)[0].rstrip()
    return f"{start}\n\n{STRONGEST}{''.join(rungs)}"


# -- ratings of both ---------------------------------------------------------------------------------------------------

RATINGS, PLACES = RESULTS / "ratings_of_matrices.csv", RESULTS / "ratings_of_tables.csv"


@dataclass(frozen=True)
class PublishedRating(Rating):
    """The rating of an agent in a published matrix."""

    bound: int  # 1 where it won every game against another agent, so that its Elo is a lower bound
    env: str
    options: str
    source: str  # the file of the matrix
    digest: str  # of that file


@dataclass(frozen=True)
class PublishedPlacement(Placement):
    """The rating of an agent at published mixed tables."""

    env: str
    options: str
    source: str
    digest: str


Published = TypeVar("Published", PublishedRating, PublishedPlacement)


def levels_text() -> str:
    """The levels of published agents, as the package ships them: a table with env, options, agent, rating and unit.

    Of several matrices of a game the largest sets the scale. Agents that another one alone has are put on it by their
    distance to the strongest agent that both have. At mixed tables it is the Plackett-Luce rating, and in games of one
    seat the share of wins, over both sides.
    """
    rows = [
        *_matrix_levels(),
        *(
            (r.env, r.options, r.agent, f"{r.rating:.1f}", "points")
            for r in records.read_records(PLACES, PublishedPlacement)
        ),
        *_score_levels(),
    ]
    return "".join(f"{','.join(row)}\n" for row in [("env", "options", "agent", "rating", "unit"), *rows])


def _matrix_levels() -> list[tuple[str, str, str, str, str]]:
    """The rows of matrices."""
    by_setting: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    for rating in records.read_records(RATINGS, PublishedRating):
        of_setting = by_setting.setdefault((rating.env, rating.options), {})
        of_setting.setdefault(rating.source, {})[rating.agent] = rating.elo
    rows = []
    for (env, options), by_source in by_setting.items():
        first, *smaller = sorted(by_source.values(), key=len, reverse=True)
        for matrix_elo in smaller:
            shared = max(first.keys() & matrix_elo.keys(), key=lambda agent: first[agent])
            first = {name: elo + first[shared] - matrix_elo[shared] for name, elo in matrix_elo.items()} | first
        rows += [(env, options, name, f"{elo:.0f}", "Elo") for name, elo in first.items()]
    return rows


def _score_levels() -> list[tuple[str, str, str, str, str]]:
    """The rows of games of one seat: those of agents, searches among them, that have played every side."""
    shares: dict[tuple[str, str, str], dict[str, float]] = {}
    for path in (SCORES, SEARCHES):
        for row in records.read_records(path, RecordedRow):
            if row.opponent == NO_OPPONENT:
                options = " ".join(part for part in row.options.split() if not part.startswith("side="))
                shares.setdefault((row.env, options, row.agent), {})[row.side] = row.win_rate
    sides = {(env, options): own.keys() for (env, options, agent), own in shares.items() if agent == RANDOM}
    return [
        (*key, f"{sum(own.values()) / len(own):.4f}", "wins")
        for key, own in shares.items()
        if own.keys() == sides.get(key[:2], own.keys())
    ]


def rate_published() -> None:
    """Write the ratings of all published matrices and mixed tables, where their files have changed.

    The ladder and the levels that are shipped follow from them.
    """
    records.write_records(RATINGS, _rated(RATINGS, PublishedRating, matrices(), ratings_of_matrix), PublishedRating)
    records.write_records(PLACES, _rated(PLACES, PublishedPlacement, tables(), ratings_of_tables), PublishedPlacement)
    files.write_whole(LADDER, ladder_text())
    files.write_whole(LEVELS, levels_text())


def _rated(
    path: Path, kind: type[Published], sources: Sequence[Path], rate: Callable[[Path], list[Published]]
) -> list[Published]:
    rows = records.read_rows(path, kind)
    rows_by_source = {
        source: [row for row in rows if origin(source).items() <= asdict(row).items()] for source in sources
    }
    return [row for source in sources for row in rows_by_source[source] or rate(source)]


def origin(source: Path) -> dict[str, str]:
    """The name of a file of results, and a digest of its content."""
    return {"source": source.name, "digest": hashlib.sha256(source.read_bytes()).hexdigest()[:12]}


def ratings_of_matrix(source: Path) -> list[PublishedRating]:
    """The ratings of a published matrix."""
    matrix_read = matrix.read_matrix(source)
    swept = {matrix_read.names[i] for i, _ in np.argwhere(matrix_read.share == 1)}
    common: dict[str, Any] = {"env": matrix_read.env, "options": matrix_read.options} | origin(source)
    return [
        PublishedRating(**asdict(row), **common, bound=int(row.agent in swept)) for row in ratings.rate(matrix_read)
    ]


def ratings_of_tables(source: Path) -> list[PublishedPlacement]:
    """The ratings of published mixed tables."""
    finishes = placements.read_finishes(source)
    common: dict[str, Any] = {"env": finishes[0].env, "options": finishes[0].options} | origin(source)
    return [PublishedPlacement(**asdict(row), **common) for row in ratings.rate_placements(finishes)]
