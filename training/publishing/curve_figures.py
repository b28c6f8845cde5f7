"""Figures of learning curves: wins over training, of published runs or of your own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.evaluation.rows import NO_OPPONENT
from training.ppo.run_folder import RunFolder
from training.publishing.pictures import begin_picture, write_picture
from training.publishing.results import (
    DOCS,
    FULL,
    GRID,
    RESULTS,
    SEEDS,
    Floats,
    PublishedCurves,
    interquartile_mean,
    on_grid,
    read_results,
    stratified_interval,
)

COLOURS = {"commune": "#b3261e", "versailles": "#1f4e9c"}
OTHERS = ("#1f6f5c", "#a15c00", "#5b3f8c", "#4a4a4a")  # of sides without a colour of their own
FIGURES = DOCS / "curves"


def draw_published(folder: Path = RESULTS, out: Path = FIGURES) -> list[Path]:
    """Draw the figure of every published curve, and one of all curves together; returns their paths."""
    results = read_results(folder)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for curve in results.curves:
        if any((run.curve, run.budget) == (curve, FULL) for run in results.runs):
            paths.append(out / f"{curve}.svg")
            _draw_curve(results, curve, paths[-1])
    if paths:
        paths.append(out / "all.svg")
        _draw_together(results, paths[-1])
    return paths


def _draw_curve(results: PublishedCurves, curve: str, path: Path) -> None:
    """Draw a curve, with a line for each side."""
    run = next(run for run in results.runs if (run.curve, run.budget) == (curve, FULL))
    figure, axes = begin_picture(7.5, 4.2)
    sides = results.of(curve, FULL)
    for k, (side, seeds) in enumerate(sides.items()):
        steps, rates = on_grid(seeds)
        _draw_band(axes, steps / 1e6, rates[None], COLOURS.get(side, OTHERS[k % len(OTHERS)]), side)

    count = len(next(iter(sides.values())))
    few = "" if count >= SEEDS else ", too few to publish"
    against = "" if run.opponent == NO_OPPONENT else f" against {run.opponent}"
    options = f" ({run.option})" if run.option else ""
    title = f"{run.env}{options}{against}: {run.trainer.rsplit('.', 1)[-1]}, {count} seeds{few}"
    _finish(axes, "million decisions of the learner", title)
    write_picture(figure, path)


def _draw_together(results: PublishedCurves, path: Path) -> None:
    """Draw one line for all sides of all curves, at equal shares of their budgets."""
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


def draw_runs(runs: Sequence[Path], out: Path, levels: dict[str, dict[str, float]] | None = None) -> None:
    """Draw the learning curves of runs, and name the opponents.

    `levels` are dotted lines to compare with: agent -> side -> share of wins.
    """
    figure, axes = begin_picture(7.5, 4.2)
    opponents = {run: ", ".join(RunFolder(run).curve_opponents()) for run in runs}
    shared = set(opponents.values())
    for run in runs:
        whose = run.name if len(shared) == 1 else f"{run.name}, {_against(opponents[run])}"
        for k, (side, columns) in enumerate(RunFolder(run).read_curve().items()):
            colour = COLOURS.get(side, OTHERS[k % len(OTHERS)])
            minutes = np.array(columns["seconds"]) / 60
            label = f"{side} ({whose})" if len(runs) > 1 else side
            axes.plot(minutes, columns["win_rate"], color=colour, marker="o", markersize=3, label=label)
            axes.fill_between(minutes, columns["low"], columns["high"], color=colour, alpha=0.15, linewidth=0)
    for agent, sides in (levels or {}).items():
        for side, rate in sides.items():
            axes.axhline(rate, color=COLOURS.get(side), linestyle=":", linewidth=1.2, label=f"{agent}, {side}")
    title = f"Wins {_against(next(iter(shared)))} while training" if len(shared) == 1 else ""
    _finish(axes, "minutes of training", title)
    write_picture(figure, out)


def _against(opponent: str) -> str:
    return "in a game of one seat" if opponent == NO_OPPONENT else f"against {opponent}"


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
