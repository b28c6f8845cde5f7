"""Train the published learning curves, or train a reduced set of them again and print it beside the published one.

    python -m training.research reproduce
    python -m training.research reproduce red-flag revolution --publish full reduced --workers 2
    python -m training.research reproduce --publish baselines scores searches matrices tables

`training/configs/curves.toml` lists the curves: trainer, environment, settings, seeds, and two budgets, full and
reduced. Without `--publish` (`make curves`) the first seed of each curve is trained on the reduced budget. On the class
of machine that made the published run, with the code of its revision, it comes out to the last digit. Where it does
not, `--seeds` new seeds are trained, and their share of wins at the end is compared with the published one, with a
margin of five points, or a sixth of what training gains if that is less. Seeds vary so much that not every side agrees
on another kind of processor (docs/evaluate.md). With `--publish` all seeds are trained and `training/results` is
written. Each run has its own folder; complete runs are not repeated.

The same command publishes tables of games: the scores of `baselines`, `scores` of agents, `searches`, pay-off
`matrices`, and mixed `tables` of three and four players, with the ratings of both. A few deals of each row show whether
it is stale; stale rows are played again and written one by one. `--env` limits this to one environment.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rfop_agents import baselines
from rfop_env.core.errors import RfopError
from rfop_env.process_pool import available_cpus
from rfop_env.registry import get_game
from rfop_training.common import records
from rfop_training.common.command_line import whole_number
from rfop_training.common.provenance import revision
from rfop_training.evaluation.rows import ALL
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
    select_curves,
)
from training.research.publishing.results import FULL, RESULTS, Point, PublishedCurves, PublishedRun, read_results

# What is played without training.
PLAYED = ("baselines", "scores", "fresh", "searches", "rollouts", "responses", "matrices", "tables")
FIRST_SEED = 1  # the published run that is trained again
MARGIN = 0.05  # share of wins that a curve trained again may be away from the published one
GAIN = 1 / 6  # the same as a share of what training gains
MOST_SEEDS = 30  # more new seeds than this are not worth their time: longer runs are compared instead


def published_run(job: Job) -> tuple[PublishedRun, list[Point]]:
    """The rows of a run for runs.csv and points.csv."""
    # What the run says about itself.
    metadata, curve = job_metadata(job), job.curve
    arguments, game = metadata["arguments"], get_game(curve.env)
    seats = game.under(curve.options).spec.players
    opponent = ", ".join(job.run_folder.curve_opponents())
    versions = ", ".join([f"python {metadata['python']}", *(f"{k} {v}" for k, v in metadata["packages"].items())])

    # Its points.
    points = []
    for side, columns in job.run_folder.read_curve().items():
        games = int(arguments["evaluate_deals"]) * (seats if side == ALL else 1)
        for steps, seconds, processor, win_rate, own in zip(
            *(columns[name] for name in ("steps", "seconds", "processor_seconds", "win_rate", "points")), strict=True
        ):
            points.append(Point(job.name, int(steps), seconds, processor, side, games, win_rate, own))

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


def publish(curves: Sequence[Curve], budgets: Sequence[str], runs: Path, results: Path, workers: int) -> int:
    """Train the runs of these curves and budgets that are not complete; write the results; returns how many failed."""
    if revision().endswith("+"):
        print("files differ from the git revision: the runs are marked with +", file=sys.stderr)
    jobs = [Job(c, budget, seed, runs) for budget in budgets for c in curves for seed in c.published_seeds(budget)]

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
class Verdict:
    """The comparison of runs trained again with the published ones, as one side.

    The margin is `MARGIN`, or a sixth of what training gains where that is less: a trainer that loses a third of its
    gain is at least two margins away.
    """

    curve: str
    side: str
    rate: float  # mean of the last points of the new runs
    published: float  # the same of the published runs
    margin: float  # how far the two may be apart
    error: float  # standard error of their difference
    needed: int = 0  # new seeds with which that is half the margin; 0 where no number is enough
    identical: bool = False  # a published run came out again to the last digit

    @property
    def word(self) -> str:
        """What the comparison says."""
        if self.identical:
            return "identical"
        if self.error > self.margin / 2:
            return "UNCERTAIN"
        return "agrees" if abs(self.rate - self.published) <= self.margin else "DIFFERS"

    @property
    def passed(self) -> bool:
        """Whether the new runs are as the published ones, as far as their seeds can tell."""
        return self.word in ("identical", "agrees")


def verdict(curve: str, side: str, published: Sequence[Sequence[Point]], again: Sequence[float]) -> Verdict:
    """Compare the shares of wins at the end of new runs with the points of the published ones, a list for each seed."""
    last, first = [seed[-1].win_rate for seed in published], [seed[0].win_rate for seed in published]
    rate, first_rate = float(np.mean(last)), float(np.mean(first))
    margin = max(0.0, min(MARGIN, GAIN * (rate - first_rate)))
    spread = variance([last, again], published[0][-1].games)
    error = math.sqrt(spread * (1 / len(last) + 1 / len(again)))
    return Verdict(curve, side, float(np.mean(again)), rate, margin, error, seeds_needed(spread, margin, len(last)))


def seeds_needed(spread: float, margin: float, published: int) -> int:
    """The number of new seeds with which the standard error is half the margin; 0 where no number is enough."""
    variance = (margin / 2) ** 2 / spread - 1 / published
    return math.ceil(1 / variance) if variance > 0 else 0


def variance(finals: Sequence[Sequence[float]], games: int) -> float:
    """The variance between seeds of the shares of wins at the end, from groups of seeds that may differ in the mean.

    Seeds with equal scores are assumed to vary as much as the games of one point do.
    """
    groups = [np.array(group) for group in finals]
    together = np.concatenate(groups)
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    spread = squares / max(1, len(together) - len(groups))

    smoothed = (together.sum() * games + 1) / (len(together) * games + 2)
    of_games = float(smoothed * (1 - smoothed)) / games
    return max(spread, of_games)


def is_identical(job: Job, results: PublishedCurves) -> bool:
    """Whether a run came out as the published one of its name: the same points, to the last digit."""

    def point_figures(points: Sequence[Point]) -> list[tuple[object, ...]]:
        return [(p.steps, p.side, p.games, p.win_rate, p.points) for p in points]

    published = [point for point in results.points if point.run == job.name]
    return point_figures(published_run(job)[1]) == point_figures(published)


def check(
    curves: Sequence[Curve], seeds: int, runs: Path, results: PublishedCurves, workers: int, budget: str = REDUCED
) -> list[Verdict]:
    """Train runs of this revision, and compare them with the published ones of the budget: a verdict for each side.

    On the class of machine on which they were published, the first published seed comes out again to the last digit.
    Where it does not, so many seeds that nobody has published are trained and compared. Raises `RfopError`.
    """
    for curve in curves:
        if any(len(side) < 2 for side in results.of(curve.name, budget).values() or [[]]):
            raise RfopError(f"{curve.name}: fewer than two {budget} runs are published to compare with")

    firsts = [Job(curve, budget, FIRST_SEED, runs) for curve in curves]
    make_missing(firsts, workers)
    different = [job.curve for job in firsts if not is_identical(job, results)]

    # A run that begins with the network of another curve needs the run of that curve with the same seed.
    names = {curve.name for curve in different} | {curve.after for curve in different}
    fresh = {curve.name: fresh_seeds(results, seeds, budget) for curve in curves if curve.name in names}
    jobs = {curve.name: [Job(curve, budget, seed, runs) for seed in fresh.get(curve.name, [])] for curve in curves}
    make_missing([job for some in jobs.values() for job in some], workers)

    verdicts = []
    for first in firsts:
        name, differs = first.curve.name, first.curve in different
        again = [job.run_folder.read_curve() for job in (jobs[name] if differs else [first])]
        for side, published in results.of(name, budget).items():
            result = verdict(name, side, published, [run[side]["win_rate"][-1] for run in again])
            verdicts.append(replace(result, identical=not differs))
    return verdicts


def fresh_seeds(results: PublishedCurves, number: int, budget: str) -> range:
    """So many seeds above those of all published runs of a budget."""
    highest = max(run.seed for run in results.runs if run.budget == budget)
    return range(highest + 1, highest + 1 + number)


def make_missing(jobs: Sequence[Job], workers: int) -> None:
    """Train those of some runs that are not complete, or of another revision. Raises `RfopError` where one fails."""
    git = revision().replace("+", "?")  # code that differs from its revision may have changed: train every run
    missing = [job for job in jobs if not is_done(job, git)]
    failed = len(missing) - len(list(make_all(missing, workers)))
    if failed:
        raise RfopError(f"{failed} runs failed")


def verdicts_table(verdicts: Sequence[Verdict]) -> str:
    """The verdicts in Markdown; below them what to do about those that are uncertain."""
    lines = ["| curve | side | wins | published | margin | standard error | |", "|---|---|---:|---:|---:|---:|---|"]
    for v in verdicts:
        figures = " | ".join(f"{value:.1%}" for value in (v.rate, v.published, v.margin, v.error))
        lines.append(f"| {v.curve} | {v.side} | {figures} | {v.word} |")
    if uncertain := [v for v in verdicts if v.word == "UNCERTAIN"]:
        lines += ["", f"UNCERTAIN: the standard error is above half the margin. {_mend(uncertain)}"]
    return "\n".join(lines)


def _mend(uncertain: Sequence[Verdict]) -> str:
    """What makes these verdicts certain."""
    seeds = max(v.needed for v in uncertain)
    if all(v.needed for v in uncertain) and seeds <= MOST_SEEDS:
        return f"--seeds {seeds} should make it small enough."
    return "These seeds vary too much for any sensible number of --seeds; runs of --budget full vary less."


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

    for listed in replay.list_matrices() if name == "matrices" else []:
        if env in ("", listed.env):
            replay.refresh_matrix(listed, workers)
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
        "--publish", nargs="+", choices=(FULL, REDUCED, *PLAYED), help="write the results of these budgets or tables"
    )
    parser.add_argument("--env", default="", help="with --publish: only tables of this environment")
    parser.add_argument(
        "--budget", choices=(FULL, REDUCED), default=REDUCED, help="which runs are compared (default %(default)s)"
    )
    parser.add_argument(
        "--seeds",
        type=whole_number(1),
        default=8,
        help="new ones, of a curve that differs in digits (default %(default)s)",
    )
    parser.add_argument(
        "--workers", type=whole_number(1), default=available_cpus(), help="parallel runs (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, help="folder of the runs (default: runs/published, runs/again)")
    parser.add_argument("--file", type=Path, default=CONFIG, help="file that lists the curves")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published CSV files")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 if a side is neither identical nor agrees, 2 if runs are missing."""
    curves = select_curves(read_config(args.file), args.curves)
    if args.env:
        get_game(args.env)

    # Publish tables of games, then learning curves.
    if args.publish:
        for name in [name for name in PLAYED if name in args.publish]:
            play_stale(name, args.workers, args.env)
        budgets = [budget for budget in (FULL, REDUCED) if budget in args.publish]
        runs = args.runs or Path("runs/published")
        missing = publish(curves, budgets, runs, args.results, args.workers) if budgets else 0
        print(f"{args.results}: {'complete' if missing == 0 else f'{missing} runs are missing'}")
        return 2 if missing else 0

    # Or compare with the published curves.
    published = read_results(args.results)
    verdicts = check(curves, args.seeds, args.runs or Path("runs/again"), published, args.workers, args.budget)
    print(verdicts_table(verdicts))
    return 0 if all(verdict.passed for verdict in verdicts) else 1
