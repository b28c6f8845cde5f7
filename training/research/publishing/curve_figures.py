"""Draw every published learning curve from `training/results`.

    python -m training.research curves

`runs.csv` has a row for each run (seed, git revision, versions, command), `points.csv` has the curves. A figure shows
the mean over the seeds and its 95 % interval over seeds and deals. `python -m training.research reproduce` trains the
runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfop_agents.baselines import is_baseline
from rfop_env.agent_names import RANDOM
from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, RecordedRow
from rfop_training.evaluation.statistics import GRID, mean_over_seeds
from rfop_training.figures import pictures, run_curves
from rfop_training.figures.run_curves import Level
from training.research.publishing import results
from training.research.publishing.results import FULL, RESULTS, PublishedCurves, PublishedRun

FIGURES = results.DOCS / "curves"

NEARLY = 0.9  # of the last share of wins, where a curve counts as nearly there


def draw_published(folder: Path = RESULTS, out: Path = FIGURES) -> list[Path]:
    """Draw the figure of every published curve, and one of all curves together; returns their paths."""
    published = results.read_results(folder)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for curve in published.curves:
        if any((run.curve, run.budget) == (curve, FULL) for run in published.runs):
            paths.append(out / f"{curve}.svg")
            _draw_curve(published, curve, run_levels(_published_run(published, curve), folder), paths[-1])
    if paths:
        paths.append(out / "all.svg")
        _draw_together(published, paths[-1])
    return paths


def _published_run(published: PublishedCurves, curve: str) -> PublishedRun:
    return next(run for run in published.runs if (run.curve, run.budget) == (curve, FULL))


def run_levels(run: PublishedRun, folder: Path = RESULTS) -> list[Level]:
    """The published agents that play the games of a curve, by side: random, scripted players, and baselines.

    Of the baselines of a side, these are the weakest and the strongest.
    """
    scores = folder / "scores.csv"
    if run.opponent == NO_OPPONENT:
        rows = read_records(scores, RecordedRow) if scores.exists() else []
        levels = [
            Level(r.agent, r.side, r.win_rate, r.components)
            for r in rows
            if (r.env, r.options) == (run.present_env, run.option)
        ]
    else:
        paths = [path for path in sorted(folder.glob("matrix_*.csv")) if not path.stem.endswith(".part")]
        matrices = [read_records(path, MatrixRow) for path in paths]
        own = [rows for rows in matrices if rows[0].env == run.present_env]
        levels = [level for rows in own for level in _against(rows, run.opponent)]

    once = {(level.agent, level.side): level for level in reversed(levels)}  # matrices share agents
    ready_made = [RANDOM, *(player.name for player in get_game(run.present_env).scripted)]
    levels = [level for level in once.values() if level.agent in ready_made or is_baseline(level.agent)]
    return [level for level in levels if level.agent in ready_made or level in _ends(levels, level.side)]


def _ends(levels: Sequence[Level], side: str) -> tuple[Level, Level]:
    """The weakest and the strongest baseline of a side."""
    own = sorted(
        (level for level in levels if level.side == side and is_baseline(level.agent)), key=lambda level: level.rate
    )
    return own[0], own[-1]


def _against(rows: Sequence[MatrixRow], opponent: str) -> list[Level]:
    """The levels that a matrix gives: whoever plays against the opponent, as each side of its own."""
    sides, levels = list(dict.fromkeys(row.side for row in rows if row.side != ALL)), []
    for row in rows:
        if row.opponent == opponent and row.side != ALL:
            levels.append(Level(row.agent, row.side, row.win_rate, row.components))
        if row.agent == opponent and row.side != ALL:
            enemy = next(side for side in sides if side != row.side)  # a matrix of pairs has two seats
            levels.append(Level(row.opponent, enemy, 1 - row.win_rate, row.components))
    return levels


def _draw_curve(published: PublishedCurves, curve: str, levels: Sequence[Level], path: Path) -> None:
    """Draw a curve, with a line for each side."""
    run, sides = _published_run(published, curve), published.of(curve, FULL)
    colours = run_curves.side_colours(sides)
    grids = {side: results.on_grid(seeds) for side, seeds in sides.items()}

    # What is found, and what it is about.
    game, million = get_game(run.present_env), min(steps[-1] for steps, _ in grids.values()) / 1e6
    ends = {side: float(rates[:, -1].mean()) for side, (_, rates) in grids.items()}
    wins = pictures.join_words(
        [
            pictures.percent(end) + (f" as {run_curves.side_name(side)}" if len(ends) > 1 else "")
            for side, end in ends.items()
        ]
    )
    against = "" if run.opponent == NO_OPPONENT else f" against {run.opponent}"
    title = f"{game.title}: after {million:.1f} million decisions the learner wins {wins}{against}"

    with pictures.picture(path, run_curves.HEIGHT, title=title) as (_, ((axes,),)):
        for side, (steps, rates) in grids.items():
            games = sides[side][0][-1].games
            run_curves.draw_band(axes, steps / 1e6, [rates[None]], games, colours[side], run_curves.side_name(side))
        run_curves.draw_levels(axes, levels, colours)
        _finish(axes, "million decisions of the learner", _about(run, sides, levels))


def _about(run: PublishedRun, sides: Mapping[str, Sequence[object]], levels: Sequence[Level]) -> str:
    """What a figure of a curve shows, for the line under its title."""
    count = len(next(iter(sides.values())))
    note = "" if count >= results.SEEDS else ", too few to publish"
    words = [f"`{run.trainer.rsplit('.', 1)[-1]}`, {count} seeds{note}"]
    words += [run.option] * bool(run.option)
    words += ["dotted: other agents"] * bool(levels)
    if levels and {level.components for level in levels} != {run.components}:
        words.append("with a newer component set")
    if run.env != run.present_env:
        words.append(f"trained in {run.env}")
    return ", ".join(words).replace("`", "")


def _draw_together(published: PublishedCurves, path: Path) -> None:
    """Draw one line for all sides of all curves, at equal shares of their budgets."""
    sides = [[*published.of(curve, FULL).values()] for curve in published.curves]
    curves = [np.array([results.on_grid(seeds)[1] for seeds in of_curve]) for of_curve in sides if of_curve]
    games = min(seeds[0][-1].games for of_curve in sides for seeds in of_curve)

    mean, budget = mean_over_seeds(curves, games)[0], np.linspace(0, 100, GRID)
    nearly = budget[int(np.argmax(mean >= NEARLY * mean[-1]))]
    title = f"Nine tenths of the final share of wins are reached after {nearly:.0f} % of the budget"
    with pictures.picture(path, run_curves.HEIGHT, title=title) as (_, ((axes,),)):
        about = f"{sum(map(len, curves))} tasks, {sum(curve.shape[1] for curve in curves)} runs"
        run_curves.draw_band(axes, budget, curves, games, run_curves.OTHERS[0], about)
        axes.axvline(nearly, color=pictures.MUTED, linestyle=":", linewidth=1)
        _finish(axes, "% of the budget", "All published curves: mean share of wins")


def _finish(axes: Any, along: str, about: str = "") -> None:
    run_curves.scale(axes, along)
    axes.figure.legend(loc="outside lower center", ncols=2)  # no line crosses it
    if about:
        axes.set_title(about)


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published runs' CSV files")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the published runs' pictures")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    for path in draw_published(args.results, args.figures):
        print(f"picture: {path}")
    return 0
