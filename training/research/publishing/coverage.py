"""Simulate how often the interval of a learning curve's point has the true mean in it.

    python -m training.research coverage

A run has a share of wins of its own, which varies between seeds, and its point is measured on a few games. On common
deals the results of two runs are correlated; deals of one's own are independent. The rows of
`training/results/coverage.csv` have the share of the samples whose 95 % interval has the mean over all seeds and deals
in it, for each kind of interval.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rfop_env.command_line import number
from rfop_env.markdown import markdown_table
from rfop_training.common.records import write_records
from rfop_training.evaluation.statistics import Floats, mean_over_seeds
from training.research.publishing.results import RESULTS

COVERAGE = RESULTS / "coverage.csv"
GAMES = 1000  # of a point
SEEDS = (3, 5, 10)
RESAMPLES = 400  # of a bootstrap
SAMPLES = 4000
AT_ONCE = 500  # samples of a bootstrap that are in memory together
COMMON, OWN = "common", "own"  # deals


@dataclass(frozen=True)
class Runs:
    """A population of runs, as the published curves have it at their ends."""

    wins: float  # the mean share of wins over all seeds and deals
    spread: float  # the standard deviation of that share between seeds
    correlation: float  # of the results of two runs on one deal


POPULATIONS = (Runs(0.5, 0.01, 0.33), Runs(0.8, 0.03, 0.36), Runs(0.99, 0.004, 0.39))


@dataclass(frozen=True)
class CoverageRow(Runs):
    """A row of coverage.csv: how often one kind of interval has the mean in it."""

    seeds: int
    deals: str  # "own" of every run, or "common" to all
    interval: str
    games: int
    samples: int
    coverage: float
    half_width: float  # mean over the samples


# -- samples -----------------------------------------------------------------------------------------------------------


def sample_rates(runs: Runs, seeds: int, samples: int, deals: str, rng: np.random.Generator) -> Floats:
    """The measured shares of wins of runs, [samples, seeds].

    On common deals a run has with probability sqrt(correlation) the result that the deal gives to every run of its
    strength, else one of its own.
    """
    concentration = runs.wins * (1 - runs.wins) / runs.spread**2 - 1
    shares = rng.beta(runs.wins * concentration, (1 - runs.wins) * concentration, (samples, seeds))
    if deals == OWN:
        return rng.binomial(GAMES, shares) / GAMES
    alike = math.sqrt(runs.correlation)
    fortunes = rng.random((samples, 1, GAMES))  # of the deals: the strength from which on a run wins
    won = (fortunes < shares[:, :, None]).sum(axis=2)
    wins = rng.binomial(won, alike + (1 - alike) * shares) + rng.binomial(GAMES - won, (1 - alike) * shares)
    return np.asarray(wins / GAMES)


def student(rates: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Student's t over the seeds of each sample [samples, seeds], as published: both ends, [samples] each."""
    _, low, high = mean_over_seeds([rates.T[None]], GAMES)
    return low, high


def bootstrap_seeds(rates: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Percentiles of the mean over resampled seeds."""
    return _percentiles(rates, rng, lambda resampled: resampled)


def bootstrap_seeds_and_deals(rates: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Percentiles of the mean over resampled seeds, and resampled games of each."""
    return _percentiles(rates, rng, lambda resampled: rng.binomial(GAMES, resampled) / GAMES)


def _percentiles(
    rates: Floats, rng: np.random.Generator, measured: Callable[[Floats], Floats]
) -> tuple[Floats, Floats]:
    ends = []
    for part in np.array_split(rates, math.ceil(len(rates) / AT_ONCE)):
        seeds = rng.integers(0, part.shape[1], (len(part), RESAMPLES, part.shape[1]))
        resampled = measured(part[np.arange(len(part))[:, None, None], seeds])
        ends.append(np.percentile(resampled.mean(axis=2), [2.5, 97.5], axis=1))
    low, high = np.concatenate(ends, axis=1)
    return low, high


INTERVALS: dict[str, tuple[str, Callable[[Floats, np.random.Generator], tuple[Floats, Floats]]]] = {
    "bootstrap over seeds": (COMMON, bootstrap_seeds),
    "Student's t on common deals": (COMMON, student),
    "bootstrap over seeds and deals": (OWN, bootstrap_seeds_and_deals),
    "Student's t": (OWN, student),
}
PUBLISHED_INTERVAL = "Student's t"


def coverage_rows(populations: Sequence[Runs] = POPULATIONS, samples: int = SAMPLES) -> list[CoverageRow]:
    """How often each interval has the mean in it, for every population and number of seeds."""
    rows = []
    for runs in populations:
        for seeds in SEEDS:
            for interval, (deals, ends) in INTERVALS.items():
                rng = np.random.default_rng(0)
                low, high = ends(sample_rates(runs, seeds, samples, deals, rng), rng)
                coverage, half = (
                    float(((low <= runs.wins) & (runs.wins <= high)).mean()),
                    float((high - low).mean() / 2),
                )
                population = (runs.wins, runs.spread, runs.correlation)
                rows.append(CoverageRow(*population, seeds, deals, interval, GAMES, samples, coverage, half))
    return rows


def coverage_table(rows: Sequence[CoverageRow]) -> str:
    """A Markdown table with a line for each population and number of seeds, a column for each interval."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        key = f"{row.wins:.0%}", f"{row.spread:.1%}", f"{row.correlation:.2f}", str(row.seeds)
        cells.setdefault(key, {})[row.interval] = f"{row.coverage:.1%}"
        if row.interval == PUBLISHED_INTERVAL:
            cells[key]["its half width"] = f"{row.half_width:.1%}"
    titles = [*dict.fromkeys(row.interval for row in rows), "its half width"]
    lines = [[*key, *(values.get(title, "") for title in titles)] for key, values in cells.items()]
    numbers = ["wins", "spread of seeds", "correlation", "seeds"]
    return markdown_table([*numbers, *titles], lines, right=range(len(numbers) + len(titles)))


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--samples", type=number(int, 1), default=SAMPLES, help="of each kind (default %(default)s)")
    parser.add_argument("--csv", type=Path, default=COVERAGE, help="file of the rows (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    rows = coverage_rows(samples=args.samples)
    write_records(args.csv, rows, CoverageRow)
    print(coverage_table(rows))
    return 0
