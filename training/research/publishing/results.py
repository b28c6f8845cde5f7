"""The published learning curves and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rfop_env.core.errors import RfopError
from rfop_env.registry import present_id
from rfop_training.common.records import read_records
from rfop_training.evaluation.statistics import GRID, Floats, interpolated
from training.research import ROOT

CONFIGS, RESULTS = ROOT / "training" / "configs", ROOT / "training" / "results"
DOCS = ROOT / "docs"
FULL = "full"  # the budget of the figures
SEEDS = 5  # minimum number of seeds of a published curve


@dataclass(frozen=True)
class PublishedRun:
    """A row of runs.csv: everything needed to train the run again."""

    run: str  # "revolution/full/seed_1"
    curve: str  # "revolution"
    budget: str  # "full", or "reduced": the beginning of a full run
    seed: int
    trainer: str  # "ppo"
    env: str
    option: str
    components: str  # digest of the set
    opponent: str  # of the evaluation; "-" in a game of one seat
    steps: int  # decisions of the learner
    seconds: float
    git: str
    versions: str  # "python 3.11.7, numba 0.68.1, ..."
    command: str

    @property
    def present_env(self) -> str:
        """The present version of its environment: a run may have been trained in an earlier one."""
        return present_id(self.env)


@dataclass(frozen=True)
class Point:
    """A row of points.csv: the result of a run at one time of its training, as one side."""

    run: str
    steps: int
    seconds: float  # of training so far, by the clock
    processor_seconds: float | None  # the same on processors; None of a run from before it was counted
    side: str
    first_deal: int  # of those that this point alone has; that of all points in runs from before each had its own
    games: int
    win_rate: float
    points: float


@dataclass(frozen=True)
class PublishedCurves:
    """The published runs and their points."""

    runs: list[PublishedRun]
    points: list[Point]

    def of(self, curve: str, budget: str) -> dict[str, list[list[Point]]]:
        """The points of a curve by side: a list for each seed, ordered by steps."""
        runs = sorted((r.seed, r.run) for r in self.runs if (r.curve, r.budget) == (curve, budget))
        sides = list(dict.fromkeys(p.side for _, run in runs for p in self.points if p.run == run))
        return {
            side: [
                sorted((p for p in self.points if (p.run, p.side) == (run, side)), key=lambda p: p.steps)
                for _, run in runs
            ]
            for side in sides
        }

    def on_common_deals(self, curve: str) -> bool:
        """Whether runs of a curve were evaluated on the same deals, whose uncertainty their spread leaves out."""
        runs = {run.run for run in self.runs if run.curve == curve}
        points = {(point.run, point.steps, point.first_deal) for point in self.points if point.run in runs}
        return len({first_deal for _, _, first_deal in points}) < len(points)

    @property
    def curves(self) -> list[str]:
        """The names of all curves, in the order of the file."""
        return list(dict.fromkeys(run.curve for run in self.runs))


def read_results(folder: Path = RESULTS) -> PublishedCurves:
    """The published runs. Raises `RfopError` with file and reason for invalid values."""
    if not (folder / "runs.csv").exists():
        raise RfopError(f"nothing is published in {folder}: python -m training.research reproduce --publish full")
    runs, points = read_records(folder / "runs.csv", PublishedRun), read_records(folder / "points.csv", Point)

    # Each run once, with its points.
    names = [run.run for run in runs]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise RfopError(f"{folder / 'runs.csv'}: {min(twice)} appears twice")
    for number, point in enumerate(points, start=2):
        place = f"{folder / 'points.csv'}:{number}"
        if point.run not in names:
            raise RfopError(f"{place}: runs.csv has no run {point.run!r}: publish it again, or delete its points")
        if not 0 <= point.win_rate <= 1 or point.steps < 0 or point.games < 1:
            raise RfopError(f"{place}: a share of wins from 0 to 1, steps from 0, games from 1; found {point}")
    bare = set(names) - {point.run for point in points}
    if bare:
        raise RfopError(f"{folder / 'points.csv'}: no points of run {min(bare)}")

    # Each run can be trained again.
    for run in runs:
        if not run.git or not run.command or not run.versions:
            raise RfopError(f"{folder / 'runs.csv'}: {run.run} lacks git, command or versions")
    return PublishedCurves(runs, points)


def on_grid(seeds: Sequence[Sequence[Point]], places: int = GRID) -> tuple[Floats, Floats]:
    """Steps [G] that all seeds have reached, and the interpolated share of wins of each seed there, [seeds, G]."""
    return interpolated([[p.steps for p in s] for s in seeds], [[p.win_rate for p in s] for s in seeds], places)
