"""Publish learning curves, or train them again and compare."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents import baselines
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from training.common.provenance import revision
from training.common.records import write_records
from training.evaluation.rows import ALL
from training.publishing import baselines as published_baselines
from training.publishing import replay
from training.publishing.jobs import REDUCED, Curve, Job, is_done, make_all, metadata_of
from training.publishing.results import Point, PublishedCurves, PublishedRun, read_results

PLAYED = ("baselines", "scores", "searches", "matrices", "tables")  # what is played without training
COVERAGE = 0.99  # probability that a new run lies in the band if nothing has changed


def published_run(job: Job) -> tuple[PublishedRun, list[Point]]:
    """The rows of a run for runs.csv and points.csv."""
    # What the run says about itself.
    metadata, curve = metadata_of(job), job.curve
    arguments, game = metadata["arguments"], get_game(curve.env)
    seats = game.under(curve.options).spec.players
    opponent = ", ".join(job.run_folder.curve_opponents())
    versions = ", ".join([f"python {metadata['python']}", *(f"{k} {v}" for k, v in metadata["packages"].items())])

    # Its points.
    points = []
    for side, columns in job.run_folder.read_curve().items():
        games = int(arguments["evaluate_deals"]) * (seats if side == ALL else 1)
        for steps, seconds, win_rate, own in zip(
            *(columns[name] for name in ("steps", "seconds", "win_rate", "points")), strict=True
        ):
            points.append(Point(job.name, int(steps), seconds, side, games, win_rate, own))

    run = PublishedRun(
        job.name, curve.name, job.budget, job.seed, curve.trainer, curve.env, curve.option,
        metadata["components"]["digest"], opponent, int(job.run_folder.last_steps()), max(p.seconds for p in points),
        metadata["git"], versions, metadata["command"],
    )  # fmt: skip
    return run, points


def add_to_results(job: Job, folder: Path) -> None:
    """Write a run into the published results, in place of a run of the same name."""
    old = read_results(folder) if (folder / "runs.csv").exists() else PublishedCurves([], [])
    run, points = published_run(job)
    runs = sorted([*(r for r in old.runs if r.run != run.run), run], key=lambda r: (r.curve, r.budget, r.seed))
    by_run = {r.run: [p for p in old.points if p.run == r.run] for r in runs} | {run.run: points}
    write_records(folder / "points.csv", [p for r in runs for p in by_run[r.run]], Point)
    write_records(folder / "runs.csv", runs, PublishedRun)


def publish(curves: Sequence[Curve], budgets: Sequence[str], runs: Path, results: Path, workers: int) -> int:
    """Train the runs of these curves and budgets that are not complete; write the results; returns how many failed."""
    if revision().endswith("+"):
        print("files differ from the git revision: the runs are marked with +", file=sys.stderr)
    jobs = [Job(c, budget, seed, runs) for budget in budgets for c in curves for seed in range(1, c.seeds + 1)]

    # Add the runs that are complete.
    done = [job for job in jobs if is_done(job)]
    known = read_results(results).runs if (results / "runs.csv").exists() else []
    for job in done:
        if published_run(job)[0] not in known:  # of older rules or cards, perhaps
            add_to_results(job, results)

    # Train the others.
    made = 0
    for job in make_all([job for job in jobs if job not in done], workers):
        add_to_results(job, results)
        made += 1
    return len(jobs) - len(done) - made


# -- comparing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """The comparison of new runs of a curve with the published ones, as one side."""

    curve: str
    side: str
    rate: float  # mean of the last points of the new runs
    published: float  # the same of the published runs
    low: float
    high: float

    @property
    def inside(self) -> bool:
        """Whether the new runs lie in the published band."""
        return self.low <= self.rate <= self.high


def band(rates: Sequence[float], games: int, again: int = 1) -> tuple[float, float]:
    """The 99 % prediction interval of the mean of `again` further runs, from the normal scores of these runs.

    Runs with equal scores are assumed to vary as much as the games of one point do.
    """
    from scipy.stats import t

    n, mean = len(rates), float(np.mean(rates))
    smoothed = (mean * games * n + 1) / (games * n + 2)
    spread = max(float(np.std(rates, ddof=1)), math.sqrt(smoothed * (1 - smoothed) / games))
    half = float(t.ppf(0.5 + COVERAGE / 2, n - 1)) * spread * math.sqrt(1 / n + 1 / again)
    return max(0.0, mean - half), min(1.0, mean + half)


def compare(jobs: Sequence[Job], results: PublishedCurves) -> list[Verdict]:
    """A verdict for each side of each curve that was trained again. Raises `RfopError` where nothing is published."""
    verdicts = []
    for name in dict.fromkeys(job.curve.name for job in jobs):
        published = results.of(name, REDUCED)
        again = [job.run_folder.read_curve() for job in jobs if job.curve.name == name]
        for side in again[0]:
            last = [seed[-1] for seed in published.get(side, [])]
            if len(last) < 2:
                raise RfopError(f"{name}, {side}: fewer than two reduced runs are published to compare with")
            rates = [point.win_rate for point in last]
            rate = float(np.mean([run[side]["win_rate"][-1] for run in again]))
            verdicts.append(Verdict(name, side, rate, float(np.mean(rates)), *band(rates, last[0].games, len(again))))
    return verdicts


def check(curves: Sequence[Curve], seeds: int, runs: Path, results: PublishedCurves, workers: int) -> list[Verdict]:
    """Train the reduced runs of this revision that are not complete, and compare them. Raises `RfopError`."""
    git = revision().replace("+", "?")  # code that differs from its revision may have changed: train every run
    jobs = [Job(curve, REDUCED, seed, runs) for curve in curves for seed in range(1, seeds + 1)]
    missing = [job for job in jobs if not is_done(job, git)]
    made = list(make_all(missing, workers))
    if len(made) < len(missing):
        raise RfopError(f"{len(missing) - len(made)} runs failed")
    return compare(jobs, results)


def verdicts_table(verdicts: Sequence[Verdict]) -> str:
    """The verdicts in Markdown."""
    lines = ["| curve | side | wins | published | 99 % band | |", "|---|---|---:|---:|---|---|"]
    for v in verdicts:
        place = "within" if v.inside else "OUTSIDE"
        lines.append(
            f"| {v.curve} | {v.side} | {v.rate:.1%} | {v.published:.1%} | {v.low:.1%} to {v.high:.1%} | {place} |"
        )
    return "\n".join(lines)


# -- tables of games ---------------------------------------------------------------------------------------------------


def play_stale(name: str, workers: int, env: str = "") -> None:
    """Play the stale tables of a name again, of all environments or of one. Raises `RfopError`."""
    if name == "baselines":
        for baseline in baselines.all_names():
            if env in ("", baselines.read_metadata(baseline).env):
                changed = published_baselines.score_again(baseline, workers)
                print(f"{baseline}: {'scored again' if changed else 'unchanged'}", file=sys.stderr)
        return
    if name in ("scores", "searches"):
        replay.refresh(replay.SCORES if name == "scores" else replay.SEARCHES, workers, env)
        if name == "scores" and env in ("", replay.SPREAD_ENV):
            replay.refresh_spread()
        return

    for path in replay.matrices() if name == "matrices" else replay.tables():
        if env in ("", replay.env_of(path)):
            (replay.refresh_matrix if name == "matrices" else replay.refresh_table)(path, workers)
    replay.rate_published()
