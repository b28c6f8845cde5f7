"""Draw every published learning curve from `training/results`.

    python -m training.research curves
    python -m training.research curves --runs runs/published

`runs.csv` has a row for each run (seed, git revision, versions, command), `points.csv` has the curves. A figure shows
the mean over the seeds and its 95 % interval over seeds and deals. `python -m training.research reproduce` trains the
runs. With their folder (`--runs`) the checkpoints of those of Revolution play the end games of
`training/configs/methods.toml`, which are solved exactly, and a figure shows strength and bound over processor time.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfop_agents.baselines import is_baseline
from rfop_env.agent_names import RANDOM
from rfop_env.core.game import enumeration
from rfop_env.registry import get_game
from rfop_training.common.records import add_records, read_records, read_rows
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, RecordedRow
from rfop_training.evaluation.statistics import Floats, interpolated
from rfop_training.figures import pictures, run_curves
from rfop_training.figures.run_curves import Level
from training.research.lab.end_games import FindingRow, findings
from training.research.publishing import methods, results
from training.research.publishing.jobs import Job, read_config
from training.research.publishing.results import FULL, RESULTS, Point, PublishedCurves, PublishedRun

FIGURES = results.DOCS / "curves"
BOUNDED = "revolution"  # the curve whose checkpoints play end games
END_GAMES = "curve_end_games.csv"
STILL = 1.02  # of the last exploitability, where it counts as still

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
    bounds = read_rows(folder / END_GAMES, FindingRow)
    if bounds:
        paths.append(out / f"{BOUNDED}_bound.svg")
        _draw_bound(published, bounds, paths[-1])
    return [*paths, *_draw_together(published, out / "all.svg")]


def measure_checkpoints(runs: Path, folder: Path = RESULTS) -> None:
    """Have the checkpoints of a published curve play end games, and write a row for each into `curve_end_games.csv`.

    `runs`: the folder of the runs. A row's agent is the name of the run and the decisions up to the checkpoint. Raises
    `RfopError` where a published run has no model there.
    """
    (curve,) = (curve for curve in read_config() if curve.name == BOUNDED)
    end_games = methods.read_end_games([curve], methods.CONFIG)[curve.env]
    files: dict[str, Path] = {}
    for run in results.read_results(folder).runs:
        if (run.curve, run.budget) == (curve.name, FULL):
            job = Job(curve, FULL, run.seed, runs)
            for path in sorted((job.folder / "checkpoints").glob("step_*.safetensors")):
                files[f"{run.run} {path.stem.removeprefix('step_')}"] = path
            files[f"{run.run} {run.steps}"] = job.folder / "model.safetensors"
    solved = end_games.solved([end_games.setting.agent(str(path)) for path in files.values()])
    add_records(folder / END_GAMES, end_games.rows(findings(solved.layers, list(files))), FindingRow)


def _published_run(published: PublishedCurves, curve: str) -> PublishedRun:
    return next(run for run in published.runs if (run.curve, run.budget) == (curve, FULL))


def run_levels(run: PublishedRun, folder: Path = RESULTS) -> list[Level]:
    """The published agents that play the games of a curve, by side: random, scripted players, and baselines.

    Of the baselines of a side, these are the weakest and the strongest.
    """
    if run.opponent == NO_OPPONENT:
        rows = read_rows(folder / "scores.csv", RecordedRow)
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
    wins = enumeration(
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


def _draw_together(published: PublishedCurves, path: Path) -> list[Path]:
    """Draw every curve, mean over its sides, over processor time; none without a known time."""
    lines, nearly = [], []
    first = {curve.name: curve.after for curve in read_config()}
    ends: dict[str, float] = {}  # minutes of each curve, with those of the curve that it continues
    for curve in published.curves:
        sides = [*published.of(curve, FULL).values()]
        minutes = _minutes(sides[0]) if sides else None
        if minutes is None:
            continue
        minutes = minutes + ends.get(first[curve], 0.0)
        ends[curve] = minutes[-1]
        wins = np.array([results.on_grid(seeds)[1] for seeds in sides])
        lines.append((_published_run(published, curve), minutes, wins, sides[0][0][-1].games))
        mean = wins.mean(axis=(0, 1))
        nearly.append(minutes[int(np.argmax(mean >= NEARLY * mean[-1]))])
    if not lines:
        return []

    title = f"Nine tenths of the final share of wins take {min(nearly):.0f} to {max(nearly):.0f} minutes of a core"
    with pictures.picture(path, run_curves.HEIGHT, title=title) as (_, ((axes,),)):
        for (run, minutes, wins, games), colour in zip(lines, run_curves.OF_RUNS, strict=False):
            against = "" if run.opponent == NO_OPPONENT else f" against {run.opponent}"
            run_curves.draw_band(axes, minutes, [wins], games, colour, run.present_env + against)
        _finish(axes, "minutes of processor time", "All published curves: mean share of wins of both sides")
    return [path]


def _draw_bound(published: PublishedCurves, rows: Sequence[FindingRow], path: Path) -> None:
    """Draw how a curve wins, and what best responses win from its checkpoints in end games, over processor time."""
    run, sides = _published_run(published, BOUNDED), published.of(BOUNDED, FULL)
    seeds = {points[0].run: points for points in next(iter(sides.values()))}
    minutes = _minutes(list(seeds.values()))
    assert minutes is not None, "the time of published curves is counted"
    wins = np.array([results.on_grid(points)[1] for points in sides.values()])

    # The checkpoints of each seed: minutes, and exploitability.
    bounds: dict[str, list[tuple[float, float]]] = {name: [] for name in seeds}
    for row in rows:
        name, _, steps = row.agent.rpartition(" ")
        points = seeds[name]
        at = np.interp(float(steps), [point.steps for point in points], methods.minutes_of(points))
        bounds[name].append((float(at), row.exploitability))
    lines = [np.array(sorted(of_seed)).T for of_seed in bounds.values()]
    grid, values = interpolated([line[0] for line in lines], [line[1] for line in lines])
    mean = values.mean(axis=0)

    # From when on it stays, and what is won from then on.
    still = grid[int(np.argmax(mean <= STILL * mean[-1]))]
    begin, end = (pictures.percent(share) for share in np.interp((still, minutes[-1]), minutes, wins.mean(axis=(0, 1))))
    title = (
        f"{get_game(run.present_env).title}: from minute {still:.0f} on exploitability stays near {mean[-1]:.1f}, "
        f"while wins rise from {begin} to {end}"
    )
    with pictures.picture(path, 4.8, rows=[1, 1], title=title) as (_, ((strength,), (bound,))):
        games = next(iter(sides.values()))[0][-1].games
        run_curves.draw_band(strength, minutes, [wins], games, run_curves.OF_RUNS[0], "")
        run_curves.scale(strength, "")
        for line in lines:
            bound.plot(*line, "o", color=run_curves.OF_RUNS[1], markersize=3)
        bound.plot(grid, mean, color=run_curves.OF_RUNS[1])
        bound.set_ylim(bottom=0)
        bound.grid(True)
        bound.set_xlabel("minutes of processor time")
        bound.set_ylabel("exploitability")
        strength.set_title(f"Wins against {run.opponent} as either side, {len(seeds)} seeds")
        bound.set_title("Exploitability in end games: a dot is a checkpoint, the line the mean over the seeds")
        for axes in (strength, bound):
            axes.set_xlim(0, 1.02 * max(line[0, -1] for line in lines))


def _minutes(seeds: Sequence[Sequence[Point]]) -> Floats | None:
    """The processor time at the decisions of `on_grid`, mean over the seeds; None where it was not counted."""
    times = [[point.processor_seconds or 0.0 for point in points] for points in seeds]
    if not all(points[-1] for points in times):
        return None
    _, seconds = interpolated([[point.steps for point in points] for points in seeds], times)
    minutes: Floats = seconds.mean(axis=0) / 60
    return minutes


def _finish(axes: Any, along: str, about: str = "") -> None:
    run_curves.scale(axes, along)
    axes.figure.legend(loc="outside lower center", ncols=2)  # no line crosses it
    if about:
        axes.set_title(about)


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--runs", type=Path, help="folder of the runs, whose checkpoints play end games first")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published runs' CSV files")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the published runs' pictures")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if args.runs is not None:
        measure_checkpoints(args.runs, args.results)
    for path in draw_published(args.results, args.figures):
        print(f"picture: {path}")
    return 0
