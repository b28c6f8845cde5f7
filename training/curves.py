"""Draw learning curves: wins over training.

    python -m training.curves
    python -m training.curves runs/demo --out curve.png

Without runs it draws every published figure anew from `training/results`: two files, `runs.csv` with a line for each
run (seed, git revision, versions, command) and `points.csv` with its curve. A figure shows the interquartile mean over
the seeds and its 95 % interval by stratified bootstrap (Agarwal et al., Deep RL at the Edge of the Statistical
Precipice, 2021). `python -m training.reproduce` makes the runs, `make docs` the table in docs/evaluation.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from training.arguments import Parser
from training.pictures import begin_picture, check_picture, write_picture
from training.records import read_records

CURVE = "curve.csv"
COLOURS = {"commune": "#b3261e", "versailles": "#1f4e9c"}
OTHERS = ("#1f6f5c", "#a15c00", "#5b3f8c", "#4a4a4a")  # of sides without a colour of their own
RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"
FIGURES = DOCS / "curves"
FULL = "full"  # the budget whose curves are drawn
SEEDS = 5  # of a published curve, at least
GRID = 41  # places along the budget at which seeds are compared
RESAMPLES = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CurveRow:
    """A line of a run's curve.csv: how the network did on the fixed deals, as one side."""

    seconds: float  # of training so far
    steps: int
    side: str
    win_rate: float
    low: float
    high: float
    points: float
    seed: int


# -- published runs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A line of runs.csv: what somebody needs to make the run again."""

    run: str  # "revolution/full/seed_1"
    curve: str  # "revolution"
    budget: str  # "full" or "reduced"
    seed: int
    trainer: str  # "training.ppo_self_play"
    env: str
    option: str
    components: str  # digest of the set
    opponent: str  # whom the points are against; "-" in a game of one seat
    steps: int  # decisions of the learner
    seconds: float
    git: str
    versions: str  # "python 3.11.7, numba 0.68.1, ..."
    command: str


@dataclass(frozen=True)
class Point:
    """A line of points.csv: how a run did at one time of its training, in one seat."""

    run: str
    steps: int
    seconds: float
    side: str
    games: int
    win_rate: float
    points: float


@dataclass(frozen=True)
class Results:
    """The published runs and their points."""

    runs: list[Run]
    points: list[Point]

    def of(self, curve: str, budget: str) -> dict[str, list[list[Point]]]:
        """The points of a curve: by side, a list for each seed, in the order of their steps."""
        chosen = sorted((r.seed, r.run) for r in self.runs if (r.curve, r.budget) == (curve, budget))
        sides = list(dict.fromkeys(p.side for _, run in chosen for p in self.points if p.run == run))
        return {
            side: [
                sorted((p for p in self.points if (p.run, p.side) == (run, side)), key=lambda p: p.steps)
                for _, run in chosen
            ]
            for side in sides
        }

    @property
    def curves(self) -> list[str]:
        """The names of all curves, in the order of the file."""
        return list(dict.fromkeys(run.curve for run in self.runs))


def read_results(folder: Path = RESULTS) -> Results:
    """The published runs; raises `RfopError` with file and reason where something in them cannot be."""
    if not (folder / "runs.csv").exists():
        raise RfopError(f"nothing is published in {folder}: python -m training.reproduce --publish full reduced")
    runs, points = read_records(folder / "runs.csv", Run), read_records(folder / "points.csv", Point)
    known = [run.run for run in runs]
    twice = {name for name in known if known.count(name) > 1}
    if twice:
        raise RfopError(f"{folder / 'runs.csv'}: {min(twice)} is there twice")
    for number, point in enumerate(points, start=2):
        place = f"{folder / 'points.csv'}:{number}"
        if point.run not in known:
            raise RfopError(f"{place}: runs.csv has no run {point.run!r}")
        if not 0 <= point.win_rate <= 1 or point.steps < 0 or point.games < 1:
            raise RfopError(f"{place}: a share of wins from 0 to 1, steps from 0, games from 1; found {point}")
    bare = set(known) - {point.run for point in points}
    if bare:
        raise RfopError(f"{folder / 'points.csv'}: no points of the run {min(bare)}")
    for run in runs:
        if not run.git or not run.command or not run.versions:
            raise RfopError(f"{folder / 'runs.csv'}: {run.run} does not say how it was made")
    return Results(runs, points)


# -- statistics --------------------------------------------------------------------------------------------------------


def on_grid(seeds: Sequence[Sequence[Point]], places: int = GRID) -> tuple[Floats, Floats]:
    """Steps [G] that all seeds have come through, and the share of wins of each seed there [seeds, G], interpolated."""
    first, last = max(s[0].steps for s in seeds), min(s[-1].steps for s in seeds)
    steps = np.linspace(first, last, places)
    rates = [np.interp(steps, [p.steps for p in s], [p.win_rate for p in s]) for s in seeds]
    return steps, np.array(rates)


def interquartile_mean(scores: Floats) -> Floats:
    """The mean of the middle half of scores [..., tasks, runs, G] over tasks and runs together: [..., G]."""
    from scipy.stats import trim_mean

    *before, tasks, runs, places = scores.shape
    middle: Floats = trim_mean(scores.reshape(*before, tasks * runs, places), 0.25, axis=-2)
    return middle


def stratified_interval(scores: Floats, resamples: int = RESAMPLES, seed: int = 0) -> tuple[Floats, Floats]:
    """The 95 % bootstrap interval, two arrays [G], of the interquartile mean of scores [tasks, runs, G].

    Runs are drawn anew within each task.
    """
    tasks, runs, _ = scores.shape
    drawn = np.random.default_rng(seed).integers(0, runs, (resamples, tasks, runs))
    low, high = np.percentile(interquartile_mean(scores[np.arange(tasks)[:, None], drawn]), [2.5, 97.5], axis=0)
    return low, high


# -- figures -----------------------------------------------------------------------------------------------------------


def draw_published(folder: Path = RESULTS, out: Path = FIGURES) -> list[Path]:
    """Draw the figure of every published curve and the one of all together; the files that were written."""
    results = read_results(folder)
    out.mkdir(parents=True, exist_ok=True)
    drawn = []
    for curve in results.curves:
        if any((run.curve, run.budget) == (curve, FULL) for run in results.runs):
            drawn.append(out / f"{curve}.svg")
            _draw_curve(results, curve, drawn[-1])
    if drawn:
        drawn.append(out / "all.svg")
        _draw_together(results, drawn[-1])
    return drawn


def table(results: Results) -> str:
    """The last points of all published curves in Markdown, with their figures."""
    drawn = [curve for curve in results.curves if results.of(curve, FULL)]
    if not drawn:
        return "There is none yet."
    lines = ["| curve | side | wins at the end | 95 % interval | seeds | decisions | minutes a run | revision |"]
    lines.append("|---|---|---:|---|---:|---:|---:|---|")
    for curve in drawn:
        runs = [run for run in results.runs if (run.curve, run.budget) == (curve, FULL)]
        minutes = np.median([run.seconds for run in runs]) / 60
        revisions = ", ".join(sorted({f"`{run.git}`" for run in runs}))
        if {run.components for run in runs} != {get_game(runs[0].env).load_components(None).digest}:
            revisions += ", older component set"
        told = f"{len(runs)} | {min(run.steps for run in runs) / 1e6:.1f} million | {minutes:.0f} | {revisions}"
        for side, seeds in results.of(curve, FULL).items():
            last = on_grid(seeds)[1][None, :, -1:]
            (mean,), ((low,), (high,)) = interquartile_mean(last), stratified_interval(last)
            name = f"[{curve}](curves/{curve}.svg)"
            lines.append(f"| {name} | {side} | {mean:.1%} | {low:.1%} to {high:.1%} | {told} |")
    return "\n".join(lines)


def _draw_curve(results: Results, curve: str, path: Path) -> None:
    """A line for each side."""
    run = next(run for run in results.runs if (run.curve, run.budget) == (curve, FULL))
    figure, axes = begin_picture(7.5, 4.2)
    sides = results.of(curve, FULL)
    for k, (side, seeds) in enumerate(sides.items()):
        steps, rates = on_grid(seeds)
        _draw_band(axes, steps / 1e6, rates[None], COLOURS.get(side, OTHERS[k % len(OTHERS)]), side)
    count = len(next(iter(sides.values())))
    few = "" if count >= SEEDS else ", too few to publish"
    against = "" if run.opponent == "-" else f" against {run.opponent}"
    options = f" ({run.option})" if run.option else ""
    title = f"{run.env}{options}{against}: {run.trainer.rsplit('.', 1)[-1]}, {count} seeds{few}"
    _finish(axes, "million decisions of the learner", title)
    write_picture(figure, path)


def _draw_together(results: Results, path: Path) -> None:
    """One line: all sides of all curves, at equal shares of their budgets."""
    tasks = [on_grid(seeds)[1] for curve in results.curves for seeds in results.of(curve, FULL).values()]
    runs = min(len(task) for task in tasks)
    figure, axes = begin_picture(7.5, 4.2)
    scores = np.array([task[:runs] for task in tasks])
    _draw_band(axes, np.linspace(0, 100, GRID), scores, OTHERS[0], f"{len(tasks)} tasks, {runs} seeds each")
    _finish(axes, "% of the budget", "All published curves: interquartile mean of the share of wins")
    write_picture(figure, path)


def _draw_band(axes: Any, x: Floats, scores: Floats, colour: str, label: str) -> None:
    low, high = stratified_interval(scores)
    axes.plot(x, interquartile_mean(scores), color=colour, label=label)
    axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)


def read_curve(run: Path) -> dict[str, dict[str, list[float]]]:
    """Columns of a run's curve.csv by side; `RfopError` if there is none, or it is broken."""
    path = run / CURVE
    if not path.exists():
        raise RfopError(f"{path} does not exist: give the folder of a run of a trainer of this package")
    rows = read_records(path, CurveRow)
    if not rows:
        raise RfopError(f"{path} has no point yet: the run has to go on first")
    numbers = [f.name for f in fields(CurveRow) if f.name != "side"]
    return {
        side: {name: [float(getattr(row, name)) for row in rows if row.side == side] for name in numbers}
        for side in dict.fromkeys(row.side for row in rows)
    }


def draw(runs: Sequence[Path], out: Path, levels: dict[str, dict[str, float]] | None = None) -> None:
    """Draw runs of one's own; `levels`: agent -> side -> win rate, drawn as dotted lines to compare with."""
    figure, axes = begin_picture(7.5, 4.2)
    for run in runs:
        for k, (side, columns) in enumerate(read_curve(run).items()):
            colour = COLOURS.get(side, OTHERS[k % len(OTHERS)])
            minutes = np.array(columns["seconds"]) / 60
            label = f"{side} ({run.name})" if len(runs) > 1 else side
            axes.plot(minutes, columns["win_rate"], color=colour, marker="o", markersize=3, label=label)
            axes.fill_between(minutes, columns["low"], columns["high"], color=colour, alpha=0.15, linewidth=0)
    for agent, sides in (levels or {}).items():
        for side, rate in sides.items():
            axes.axhline(rate, color=COLOURS.get(side), linestyle=":", linewidth=1.2, label=f"{agent}, {side}")
    _finish(axes, "minutes of training")
    write_picture(figure, out)


def _finish(axes: Any, along: str, title: str = "") -> None:
    axes.set_xlabel(along)
    axes.set_ylabel("wins")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    if title:
        axes.set_title(title, fontsize=9)


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.curves", __doc__)
    parser.add_argument("runs", nargs="*", type=Path, help="folders of runs (default: all published runs)")
    parser.add_argument("--out", type=Path, default=Path("curve.png"), help="picture of the runs (default %(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published runs' CSV files")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the published runs' pictures")
    told = parser.parse_args(arguments)
    if told.runs:
        check_picture(told.out)
        draw(told.runs, told.out)
        drawn = [told.out]
    else:
        drawn = draw_published(told.results, told.figures)
    for path in drawn:
        print(f"picture: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
