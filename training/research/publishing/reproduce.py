"""Train the published learning curves, or train the beginnings of some runs again and compare them.

    python -m training.research reproduce
    python -m training.research reproduce --chances
    python -m training.research reproduce red-flag revolution --publish full --workers 2
    python -m training.research reproduce --publish baselines scores searches matrices tables

`training/configs/curves.toml` lists the curves: trainer, environment, settings, seeds, the full budget, and a reduced
one. Without `--publish` (`make curves`) the first seed of each curve is trained as far as the reduced budget. On the
class of machine that made the published run, with the code of its revision, it comes out to the last digit. Elsewhere
sums are rounded otherwise, and the run takes another course: it is a new draw among seeds. Then as many published seeds
are trained as the spread of the published runs makes necessary, and the mean share of wins over that part of the curve
is compared with the published one. It agrees within a sixth of what the published runs gain there. `--chances` prints
how probable each verdict is. With `--publish full` all seeds are trained and `training/results` is written. Each run
has its own folder; complete runs are not repeated.

The same command publishes tables of games: the scores of `baselines`, `scores` of agents, `searches`, pay-off
`matrices`, and mixed `tables` of three and four players, with the ratings of both. A few deals of each row show whether
it is stale; stale rows are played again and written one by one. `--env` limits this to one environment.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import numpy as np

from rfop_agents import baselines
from rfop_env.command_line import number
from rfop_env.core.errors import RfopError
from rfop_env.markdown import markdown_table
from rfop_env.process_pool import available_cpus
from rfop_env.registry import get_game
from rfop_training.common import records
from rfop_training.common.provenance import revision
from rfop_training.evaluation.statistics import GRID, Floats
from training.research.publishing import baselines as published_baselines
from training.research.publishing import replay
from training.research.publishing.jobs import (
    CONFIG,
    REDUCED,
    Curve,
    Job,
    is_done,
    job_metadata,
    make_all,
    read_config,
    run_name,
    select_curves,
)
from training.research.publishing.results import FULL, RESULTS, Point, PublishedCurves, PublishedRun, read_results

# What is played without training.
PLAYED = ("baselines", "scores", "fresh", "searches", "rollouts", "responses", "matrices", "tables")
MARGIN = 1 / 6  # of what training gains: by how much a curve that is trained again may differ
LOST = 1 / 3  # of the gain, two margins, that a comparison has to notice
FIGURES = attrgetter("steps", "side", "first_deal", "games", "win_rate", "points")  # of a point, whatever the time
SURE = 0.95  # the probability of the right verdict for an exact reproduction, and for one that has lost so much


def published_run(job: Job) -> tuple[PublishedRun, list[Point]]:
    """The rows of a run for runs.csv and points.csv."""
    metadata, curve, rows = job_metadata(job), job.curve, job.run_folder.curve_rows()
    opponent = ", ".join(job.run_folder.curve_opponents())
    versions = ", ".join([f"python {metadata['python']}", *(f"{k} {v}" for k, v in metadata["packages"].items())])
    points = [
        Point(
            job.name, row.steps, row.seconds, row.processor_seconds, row.side, row.first_deal, row.games, row.win_rate,
            row.points,
        )
        for side in dict.fromkeys(row.side for row in rows)
        for row in rows if row.side == side
    ]  # fmt: skip
    run = PublishedRun(
        job.name, curve.name, job.budget, job.seed, curve.trainer, curve.env, curve.option,
        metadata["components"]["digest"], opponent, int(job.run_folder.last_steps()), max(p.seconds for p in points),
        metadata["git"], versions, metadata["command"],
    )  # fmt: skip
    return run, points


def add_to_results(job: Job, folder: Path) -> None:
    """Write a run into the published results, in place of a run of the same name.

    Several processes can write to one folder: each holds the lock of runs.csv while it reads and writes both files.
    """
    run, points = published_run(job)
    with records.writing(folder / "runs.csv"):
        old = results_to_extend(folder)
        runs = sorted([*(r for r in old.runs if r.run != run.run), run], key=lambda r: (r.curve, r.budget, r.seed))
        by_run = {r.run: [p for p in old.points if p.run == r.run] for r in runs} | {run.run: points}
        records.write_records(folder / "points.csv", [p for r in runs for p in by_run[r.run]], Point)
        records.write_records(folder / "runs.csv", runs, PublishedRun)


def results_to_extend(folder: Path) -> PublishedCurves:
    """The published results, none without a file, for a process that holds their lock. Raises `RfopError`.

    A process that was stopped between the two files has left points whose run is missing in runs.csv: they are removed.
    """
    if not (folder / "runs.csv").exists():
        return PublishedCurves([], [])
    names = {run.run for run in records.read_records(folder / "runs.csv", PublishedRun)}
    points = records.read_records(folder / "points.csv", Point)
    if not names.issuperset(point.run for point in points):
        records.write_records(folder / "points.csv", [point for point in points if point.run in names], Point)
    return read_results(folder)


def publish(curves: Sequence[Curve], budget: str, runs: Path, results: Path, workers: int) -> int:
    """Train the runs of these curves that are not complete; write the results; returns how many failed."""
    if revision().endswith("+"):
        print("files differ from the git revision: the runs are marked with +", file=sys.stderr)
    jobs = [Job(curve, budget, seed, runs) for curve in curves for seed in curve.published_seeds]

    # Add the runs that are complete.
    done = [job for job in jobs if is_done(job)]
    with records.writing(results / "runs.csv"):
        earlier = results_to_extend(results).runs
    for job in done:
        if published_run(job)[0] not in earlier:  # of older rules or cards, perhaps
            add_to_results(job, results)

    # Train the others.
    count = 0
    for job in make_all([job for job in jobs if job not in done], workers):
        add_to_results(job, results)
        count += 1
    return len(jobs) - len(done) - count


# -- comparing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reference:
    """What the published runs of a curve have as far as some decisions: shares of wins, over sides and decisions."""

    curve: str
    steps: int
    runs: Floats  # the mean share of each run
    start: float  # the share of the untrained network
    games: float  # of a run

    @property
    def mean(self) -> float:
        """The mean over the runs."""
        return float(self.runs.mean())

    @property
    def gain(self) -> float:
        """What training gains: the mean above the untrained network."""
        return max(0.0, self.mean - self.start)

    @property
    def spread(self) -> float:
        """The standard deviation between runs; runs that are alike vary as much as their games do."""
        smoothed = (self.mean * self.games + 1) / (self.games + 2)
        return max(float(self.runs.std(ddof=1)), math.sqrt(smoothed * (1 - smoothed) / self.games))

    @property
    def margin(self) -> float:
        """By how much the mean of new runs may differ."""
        return MARGIN * self.gain

    def chance(self, seeds: int, lost: float = 0.0) -> float:
        """The probability that the mean of so many new runs agrees, if training has lost a share of its gain.

        New runs vary as the published ones do. The difference of the means, divided by its standard error, has
        Student's distribution, as in a prediction interval.
        """
        from scipy.special import stdtr

        count = len(self.runs)
        error = self.spread * math.sqrt(1 / count + 1 / seeds)
        ends = [(lost * self.gain + side * self.margin) / error for side in (-1, 1)]
        return float(stdtr(count - 1, ends[1]) - stdtr(count - 1, ends[0]))

    @property
    def seeds(self) -> int:
        """The number of new runs that makes both verdicts `SURE`, as far as the published runs are enough for that."""
        count = len(self.runs)
        sure = (k for k in range(1, count) if self.chance(k) >= SURE and self.chance(k, LOST) <= 1 - SURE)
        return next(sure, count)


def read_reference(results: PublishedCurves, curve: Curve, budget: str) -> Reference:
    """The published runs of a curve as far as a budget. Raises `RfopError` where fewer than two are published."""
    means, start, games = mean_wins(results, curve.name, FULL, curve.steps(budget))
    if len(means) < 2:
        raise RfopError(f"{curve.name}: fewer than two runs are published to compare with")
    return Reference(curve.name, curve.steps(budget), means, start, games)


def mean_wins(results: PublishedCurves, curve: str, budget: str, steps: int) -> tuple[Floats, float, float]:
    """The share of wins of each run of a curve, mean over sides and over its first decisions; none without runs.

    Also the mean of their first points, and the number of games of a run.
    """
    sides = [*results.of(curve, budget).values()]
    if not sides:
        return np.zeros(0), 0.0, 0.0
    grid = np.linspace(0, steps, GRID)
    rates = np.array(
        [
            [
                np.interp(grid, [point.steps for point in points], [point.win_rate for point in points])
                for points in seeds
            ]
            for seeds in sides
        ]
    )
    games = sum(point.games for seeds in sides for points in seeds for point in points if point.steps <= steps)
    return rates.mean(axis=(0, 2)), float(rates[..., 0].mean()), games / rates.shape[1]


@dataclass(frozen=True)
class Verdict:
    """The comparison of runs trained again with the published ones."""

    reference: Reference
    rate: float  # mean over the new runs
    seeds: int  # of new runs
    identical: bool = False  # the first published run came out again to the last digit

    @property
    def word(self) -> str:
        """What the comparison says."""
        if self.identical:
            return "identical"
        return "agrees" if abs(self.rate - self.reference.mean) <= self.reference.margin else "DIFFERS"

    @property
    def passed(self) -> bool:
        """Whether the new runs are as the published ones, as far as their seeds can tell."""
        return self.word != "DIFFERS"


def is_identical(job: Job, results: PublishedCurves) -> bool:
    """Whether a run came out as the published one of its seed, as far as it goes: the same points to the last digit."""
    again = published_run(job)[1]
    last = max(point.steps for point in again)
    name = run_name(job.curve.name, FULL, job.seed)
    published = [point for point in results.points if point.run == name and point.steps <= last]
    return [*map(FIGURES, again)] == [*map(FIGURES, published)]


def check(
    curves: Sequence[Curve], seeds: int, runs: Path, results: PublishedCurves, workers: int, budget: str = REDUCED
) -> list[Verdict]:
    """Train runs of this revision, and compare them with the published ones as far as the budget: a verdict a curve.

    On the class of machine on which it was published, the first seed comes out again to the last digit. Where it does
    not, `seeds` seeds are trained and compared; 0: as many as the published runs make necessary. Raises `RfopError`.
    """
    references = {curve.name: read_reference(results, curve, budget) for curve in curves}
    initial = {curve.after for curve in curves}  # whose full runs are the initial networks of others

    def jobs_of(curve: Curve, numbers: Sequence[int]) -> list[Job]:
        return [Job(curve, FULL if curve.name in initial else budget, seed, runs) for seed in numbers]

    # The first seed of every curve.
    firsts = [job for curve in curves for job in jobs_of(curve, [1])]
    make_missing(firsts, workers)
    different = [job.curve for job in firsts if not is_identical(job, results)]

    # Further seeds of those that differ, with the runs that they begin from.
    count = {curve.name: seeds or references[curve.name].seeds for curve in different}
    for curve in different:
        if curve.after:
            count[curve.after] = max(count[curve.name], count.get(curve.after, 0))
    jobs = {curve.name: jobs_of(curve, range(1, 1 + count.get(curve.name, 1))) for curve in curves}
    make_missing([job for of_curve in jobs.values() for job in of_curve if job not in firsts], workers)

    verdicts = []
    for curve in curves:
        again = [published_run(job) for job in jobs[curve.name]]
        new = PublishedCurves([run for run, _ in again], [point for _, points in again for point in points])
        rates, _, _ = mean_wins(new, curve.name, again[0][0].budget, curve.steps(budget))
        verdicts.append(Verdict(references[curve.name], float(rates.mean()), len(rates), curve not in different))
    return verdicts


def make_missing(jobs: Sequence[Job], workers: int) -> None:
    """Train those of some runs that are not complete, or of another revision. Raises `RfopError` where one fails."""
    git = revision().replace("+", "?")  # code that differs from its revision may have changed: train every run
    missing = [job for job in jobs if not is_done(job, git)]
    failed = len(missing) - len(list(make_all(missing, workers)))
    if failed:
        raise RfopError(f"{failed} runs failed")


def verdicts_table(verdicts: Sequence[Verdict]) -> str:
    """The verdicts in Markdown."""
    cells = []
    for v in verdicts:
        figures = [f"{value:.1%}" for value in (v.rate, v.reference.mean, v.reference.margin)]
        cells.append([v.reference.curve, f"{v.reference.steps:,}", str(v.seeds), *figures, v.word])
    return markdown_table(["curve", "decisions", "runs", "wins", "published", "margin", ""], cells, right=range(1, 6))


def chances_table(references: Sequence[Reference]) -> str:
    """How probable it is that new runs agree with the published ones, in Markdown."""
    titles = [
        "curve",
        "decisions",
        "published",
        "gain",
        "spread of seeds",
        "margin",
        "runs",
        "exact reproduction agrees",
    ]
    titles += ["a third of the gain lost", "untrained"]
    cells = []
    for reference in references:
        seeds = reference.seeds
        shares = reference.mean, reference.gain, reference.spread, reference.margin
        chances = [reference.chance(seeds, lost) for lost in (0.0, LOST, 1.0)]
        figures = [f"{share:.1%}" for share in (*shares, *chances)]
        cells.append([reference.curve, f"{reference.steps:,}", *figures[:4], str(seeds), *figures[4:]])
    return markdown_table(titles, cells, right=range(1, len(titles)))


# -- tables of games ---------------------------------------------------------------------------------------------------


def play_stale(name: str, workers: int, env: str = "") -> None:
    """Play the stale tables of a name again, of all environments or of one. Raises `RfopError`."""
    if name == "baselines":
        for baseline in baselines.all_names():
            if env in ("", baselines.read_metadata(baseline).env):
                changed = published_baselines.score_again(baseline, workers)
                print(f"{baseline}: {'scored again' if changed else 'unchanged'}", file=sys.stderr)
        return
    files = {
        "scores": replay.SCORES,
        "fresh": replay.FRESH,
        "searches": replay.SEARCHES,
        "rollouts": replay.ROLLOUTS,
        "responses": replay.SEARCHED_RESPONSES,
    }
    if name in files:
        replay.refresh(files[name], workers, env)
        if name == "scores" and env in ("", replay.SPREAD_ENV):
            replay.refresh_spread()
        return

    for entry in replay.list_matrices() if name == "matrices" else []:
        if env in ("", entry.env):
            replay.refresh_matrix(entry, workers)
    for path in replay.tables() if name == "tables" else []:
        if env in ("", replay.table_env(path)):
            replay.refresh_table(path, workers)
    replay.rate_published()


# -- the command -------------------------------------------------------------------------------------------------------

STOPPED = "stopped: the same command makes what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("curves", nargs="*", help="names of curves, in front of all options (default: all)")
    parser.add_argument(
        "--publish", nargs="+", choices=(FULL, *PLAYED), help="write the results of full runs, or these tables"
    )
    parser.add_argument("--chances", action="store_true", help="print how probable each verdict is, and train nothing")
    parser.add_argument("--env", default="", help="with --publish: only tables of this environment")
    parser.add_argument(
        "--budget", choices=(FULL, REDUCED), default=REDUCED, help="how far runs are compared (default %(default)s)"
    )
    parser.add_argument(
        "--seeds",
        type=number(int, 0),
        default=0,
        help="of a curve that differs in digits; 0: as the table of --chances",
    )
    parser.add_argument(
        "--workers", type=number(int, 1), default=available_cpus(), help="parallel runs (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, help="folder of the runs (default: runs/published, runs/again)")
    parser.add_argument("--file", type=Path, default=CONFIG, help="file that lists the curves")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published CSV files")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 if a curve is neither identical nor agrees, 2 if runs are missing."""
    curves = select_curves(read_config(args.file), args.curves)
    if args.env:
        get_game(args.env)

    # Publish tables of games, then learning curves.
    if args.publish:
        for name in [name for name in PLAYED if name in args.publish]:
            play_stale(name, args.workers, args.env)
        runs = args.runs or Path("runs/published")
        missing = publish(curves, FULL, runs, args.results, args.workers) if FULL in args.publish else 0
        print(f"{args.results}: {'complete' if missing == 0 else f'{missing} runs are missing'}")
        return 2 if missing else 0

    # Or compare with the published curves.
    published = read_results(args.results)
    if args.chances:
        print(chances_table([read_reference(published, curve, args.budget) for curve in curves]))
        return 0
    verdicts = check(curves, args.seeds, args.runs or Path("runs/again"), published, args.workers, args.budget)
    print(verdicts_table(verdicts))
    return 0 if all(verdict.passed for verdict in verdicts) else 1
