"""Published rows played again: whether a few of their deals still go as the files say; what is stale, anew.

`stale` names the meetings of a file that other code would play otherwise, `refresh` plays them again.
`python -m training.reproduce --publish searches` is its command.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from rfop_env.options import parse_options
from training import checkpoints, distribution, matrix, placements, ratings
from training.checkpoints import Count, Watch
from training.curves import DOCS, RESULTS
from training.distribution import Outcome
from training.evaluate import (
    NOBODY,
    Meeting,
    Recorded,
    RecordedRow,
    Setting,
    called,
    check_of,
    play_meetings,
    spread,
)
from training.matrix import Line
from training.placements import Finish
from training.provenance import revision
from training.ratings import Placement, Rating
from training.records import read_records, write_records

SEARCHES, SCORES, SPREAD = (RESULTS / f"{name}.csv" for name in ("search", "scores", "distribution"))
SPREAD_ENV = "LeveeEnMasse-v0"  # whose scores are published ending by ending too, and as they stand at checkpoints
CHECKPOINTS = RESULTS / "checkpoints.csv"
MOMENTS, WATCHED = ("headline=22", "headline=46"), ("politics", "disorder")  # first cards of the white and red decks
ROUNDING = 0.05  # share of games in which a network may play otherwise: machines round its sums differently


def deals_of(row: RecordedRow) -> range:
    """The deals of a row."""
    return range(row.first_deal, row.first_deal + row.deals)


def meeting_of(row: RecordedRow) -> Meeting:
    """Who met whom in a row, and in which setting."""
    options = parse_options(row.options.split())
    setting = Setting(row.env, tuple(options.items()), seed=row.seed, opening=row.opening)
    if row.opponent == NOBODY and "side" in [option.name for option in setting.game.options]:
        setting = replace(setting, options=tuple((options | {"side": row.side}).items()))
    return Meeting(setting, row.agent, row.opponent)


def meetings_in(rows: Sequence[Recorded]) -> list[list[Recorded]]:
    """The rows of each meeting, in the order of the file."""
    return [list(found) for _, found in itertools.groupby(rows, lambda row: (meeting_of(row), deals_of(row)))]


def again(rows: Sequence[RecordedRow]) -> list[str]:
    """The checks of the rows of a meeting as they are now."""
    games = play_meetings([meeting_of(rows[0])], spread(deals_of(rows[0])))[0]
    return [check_of(one) for one in games]


def agrees(row: RecordedRow, now: str) -> bool:
    """Whether the games of a row's check go as its file says; of a network, who won nearly all of them."""
    if not row.check:
        return False
    if not plays_network(row.agent) and not plays_network(row.opponent):
        return row.check == now
    before, after = ([game.split("/")[0] for game in check.split()] for check in (row.check, now))
    differ = sum(a != b for a, b in zip(before, after, strict=False))
    return len(before) == len(after) and differ <= max(1.0, ROUNDING * len(before))


def plays_network(name: str) -> bool:
    """Whether an agent of this name asks a network: a baseline, a model of a file, or a search that one guides."""
    return "/" in name or "#" in name


def is_fresh(rows: Sequence[RecordedRow]) -> bool:
    """Whether the rows of a meeting are what this code plays with its component set, judged by a few of their deals."""
    if not all(row.check for row in rows) or rows[0].components != set_of(rows[0]):
        return False
    return rows[0].git == revision() or all(map(agrees, rows, again(rows)))


def set_of(row: RecordedRow) -> str:
    """The digest that the component set of a row's environment has now."""
    digest: str = meeting_of(row).setting.provenance(deals_of(row))["components"]
    return digest


def refresh(path: Path, workers: int = 1, env: str = "") -> int:
    """Play the stale meetings of a file anew, writing each as it is done; returns how many there were.

    `env`: look at those of this environment alone. A stop in the middle loses one meeting: the next call finds the
    others fresh.
    """
    meetings = [rows for rows in meetings_in(read_records(path, RecordedRow)) if env in ("", rows[0].env)]
    print(f"{path.name}: looking at {len(meetings)} meetings", file=sys.stderr)
    stale = [rows for rows in meetings if not is_fresh(rows)]
    for number, rows in enumerate(stale, 1):
        start, begun = time.monotonic(), f"[{number}/{len(stale)}] {rows[0].env} {rows[0].agent} - {rows[0].opponent}"
        print(f"{begun}: {rows[0].games:,} games a row", file=sys.stderr)
        new = play_anew(rows[0], workers)
        put_in_place(path, rows, new)
        was, now = f"{rows[-1].win_rate:.1%}", f"{new[-1].win_rate:.1%}"
        print(f"{begun}: {was} before, {now} now, {time.monotonic() - start:.0f} s", file=sys.stderr)
    return len(stale)


def put_in_place(path: Path, old: Sequence[RecordedRow], new: Sequence[RecordedRow]) -> None:
    """Write new rows into a file where the old ones were."""
    rows = read_records(path, RecordedRow)
    at = rows.index(old[0])
    write_records(path, [*rows[:at], *new, *(row for row in rows[at:] if row not in old)], RecordedRow)


def play_anew(row: RecordedRow, workers: int = 1) -> list[RecordedRow]:
    """The rows of a meeting as this code plays it, on the same deals."""
    meeting, deals = meeting_of(row), deals_of(row)
    names = list(dict.fromkeys([meeting.agent, *([] if meeting.opponent == NOBODY else [meeting.opponent])]))
    shown = called(meeting.setting, names)
    told = meeting.setting.provenance(deals) | {"options": row.options}
    rows = meeting.rows(shown, play_meetings([meeting], deals, workers)[0])
    checks = [check_of(few) for few in play_meetings([meeting], spread(deals))[0]]
    return [RecordedRow(**asdict(one), **told, check=check) for one, check in zip(rows, checks, strict=True)]


# -- matrices and mixed tables -----------------------------------------------------------------------------------------


def matrices() -> list[Path]:
    """The files of the published matrices."""
    return sorted(path for path in RESULTS.glob("matrix_*.csv") if not path.stem.endswith(".part"))


def tables() -> list[Path]:
    """The files of the published mixed tables."""
    return sorted(RESULTS.glob("placements_*.csv"))


def env_of(path: Path) -> str:
    """The environment that a matrix or a file of mixed tables is about."""
    kind: type[Line | Finish] = Line if path.stem.startswith("matrix_") else Finish
    return read_records(path, kind)[0].env


def refresh_matrix(path: Path, workers: int = 1) -> None:
    """Play the stale pairs of a matrix anew, and draw it again.

    They go into a file of their own, whose name ends in ".part.csv", until all are done: a stop in the middle loses one
    pair.
    """
    lines, part = read_records(path, Line), path.with_suffix(".part.csv")
    names = list(dict.fromkeys(name for line in lines for name in (line.agent, line.opponent)))
    fresh = [line for rows in meetings_in(lines) if is_fresh(rows) for line in rows]
    if len(fresh) < len(lines):
        if not part.exists():
            write_records(part, fresh, Line)
        matrix.fill(meeting_of(lines[0]).setting, names, deals_of(lines[0]), part, workers)
        part.replace(path)
    matrix.draw(matrix.read_matrix(path), DOCS / "figures" / f"{path.stem}.svg")


def table_again(finishes: Sequence[Finish]) -> dict[str, int]:
    """How the checked deals of some mixed tables end now."""
    names, setting = placements.entrants(finishes)
    first = finishes[0].first_deal
    return placements.orders(setting, names, range(first, first + placements.checked(finishes[0].deals)))


def table_agrees(finishes: Sequence[Finish]) -> bool:
    """Whether the checked deals of some mixed tables end as their file says; of a network, nearly all of them."""
    before, after = {x.order: x.check for x in finishes if x.check}, table_again(finishes)
    differ = sum(abs(before.get(order, 0) - after.get(order, 0)) for order in {*before, *after}) / 2
    rounded = any(map(plays_network, placements.entrants(finishes)[0]))
    return differ <= (ROUNDING * sum(after.values()) if rounded else 0)


def set_of_table(finishes: Sequence[Finish]) -> str:
    """The digest that the component set of mixed tables has now."""
    digest: str = placements.entrants(finishes)[1].provenance(range(1))["components"]
    return digest


def refresh_table(path: Path, workers: int = 1) -> None:
    """Play mixed tables anew if they are stale."""
    finishes = placements.read_finishes(path)
    if finishes[0].components != set_of_table(finishes) or not table_agrees(finishes):
        names, setting = placements.entrants(finishes)
        first = finishes[0].first_deal
        deals = range(first, first + finishes[0].deals)
        write_records(path, placements.play_tables(setting, names, deals, workers), Finish)


# -- how games of Levée en Masse go and end ----------------------------------------------------------------------------


def outcomes_of(row: RecordedRow, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes that are of the agent and the setting of a score."""
    return [x for x in outcomes if (x.agent, x.env, x.options) == (row.agent, row.env, row.options)]


def same_games(row: RecordedRow, outcomes: Sequence[Outcome]) -> bool:
    """Whether outcomes are of the very games of a score: as many, with the same mean of points."""
    games = sum(x.games for x in outcomes)
    return games == row.games and math.isclose(
        sum(x.games * x.points for x in outcomes) / games, row.points, abs_tol=1e-3
    )


def spread_scores() -> list[RecordedRow]:
    """The scores whose games are published ending by ending, those of a setting together."""
    rows = [row for row in read_records(SCORES, RecordedRow) if row.env == SPREAD_ENV]
    return [row for options in dict.fromkeys(row.options for row in rows) for row in rows if row.options == options]


def counts_of(row: RecordedRow, counts: Sequence[Count]) -> list[Count]:
    """The counts at checkpoints that are of the agent, the setting and the component set of a score."""
    told = row.agent, row.env, row.options, row.components, row.games
    return [x for x in counts if (x.agent, x.env, x.options, x.components, x.deals) == told]


def refresh_spread() -> None:
    """Play anew the distributions and checkpoints that are not of the same games as their scores; draw the latter.

    Both files have the games of all scores.
    """
    known = read_records(SPREAD, Outcome) if SPREAD.exists() else []
    seen = read_records(CHECKPOINTS, Count) if CHECKPOINTS.exists() else []
    outcomes, counts = [], []
    for row in spread_scores():
        kept, looked = outcomes_of(row, known), counts_of(row, seen)
        if not (kept and looked and same_games(row, kept)):
            setting = meeting_of(row).setting
            watch = Watch.of(setting.game, MOMENTS, WATCHED)
            kept, looked = distribution.look_at(setting, row.agent, deals_of(row), watch)
        outcomes += kept
        counts += looked
    write_records(SPREAD, outcomes, Outcome)
    write_records(CHECKPOINTS, counts, Count)
    checkpoints.draw(counts, DOCS / "figures" / "levee_checkpoints.svg")


# -- ratings of both ---------------------------------------------------------------------------------------------------

RATINGS, PLACES = RESULTS / "ratings_of_matrices.csv", RESULTS / "ratings_of_tables.csv"


@dataclass(frozen=True)
class PublishedRating(Rating):
    """The rating of an agent in a published matrix."""

    bound: int  # 1 where it won every game against somebody, so that Elo bounds its distance from below
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


def rate_published() -> None:
    """Write the ratings of all published matrices and mixed tables; those of unchanged files are kept."""
    write_records(RATINGS, _rated(RATINGS, PublishedRating, matrices(), ratings_of_matrix), PublishedRating)
    write_records(PLACES, _rated(PLACES, PublishedPlacement, tables(), ratings_of_tables), PublishedPlacement)


def _rated(
    path: Path, kind: type[Published], sources: Sequence[Path], rate: Callable[[Path], list[Published]]
) -> list[Published]:
    known = read_records(path, kind) if path.exists() else []
    kept = {source: [row for row in known if origin(source).items() <= asdict(row).items()] for source in sources}
    return [row for source in sources for row in kept[source] or rate(source)]


def origin(source: Path) -> dict[str, str]:
    """The name of a file of results, and a digest of what it holds."""
    return {"source": source.name, "digest": hashlib.sha256(source.read_bytes()).hexdigest()[:12]}


def ratings_of_matrix(source: Path) -> list[PublishedRating]:
    """The ratings of a published matrix."""
    found = matrix.read_matrix(source)
    swept = {found.names[i] for i, _ in np.argwhere(found.share == 1)}
    told: dict[str, Any] = {"env": found.env, "options": found.options} | origin(source)
    return [PublishedRating(**asdict(row), **told, bound=int(row.agent in swept)) for row in ratings.rate(found)]


def ratings_of_tables(source: Path) -> list[PublishedPlacement]:
    """The ratings of published mixed tables."""
    found = placements.read_finishes(source)
    told: dict[str, Any] = {"env": found[0].env, "options": found[0].options} | origin(source)
    return [PublishedPlacement(**asdict(row), **told) for row in ratings.rate_placements(found)]
