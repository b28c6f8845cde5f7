"""Compare methods of training: how they play while they learn, and what best responses win from them in end games.

    python -m training.research methods --workers 2
    python -m training.research methods ppo expert-iteration --budget reduced --results runs/methods/results

`training/configs/methods.toml` lists the methods: trainer, settings, seeds and two budgets. Runs that are missing are
trained, with the learning curve against the scripted player; complete runs are not repeated. Then all of them play the
end games that the file lists for their environment, which are solved exactly (`end-games`), by their most likely moves
and sampling from their policies. The files of results are `runs.csv`, `points.csv` and `end_games.csv`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rfop_env.command_line import number
from rfop_env.core.errors import RfopError
from rfop_env.core.files import read_toml
from rfop_env.markdown import markdown_table
from rfop_env.process_pool import available_cpus
from rfop_env.registry import get_game
from rfop_training.common.records import add_records, read_records
from rfop_training.evaluation.setting import Setting
from rfop_training.evaluation.statistics import Floats
from rfop_training.figures.pictures import BLUE, GREY, INK, ORANGE, PURPLE, RED, TEAL, percent, picture
from training.research.lab.end_games import EndGames, FindingRow, findings
from training.research.publishing import results
from training.research.publishing.jobs import MOST_BYTES, REDUCED, Curve, Job, is_done, read_config, select_curves
from training.research.publishing.reproduce import publish
from training.research.publishing.results import CONFIGS, FULL, Point, PublishedRun, on_grid

CONFIG = CONFIGS / "methods.toml"
RESULTS = results.RESULTS / "methods"
END_GAMES = "end_games.csv"
SAMPLED = "@1"  # after the name of a run: it samples from its policy
COLOURS = (TEAL, BLUE, ORANGE, PURPLE, RED, GREY, INK, TEAL, BLUE, ORANGE)
LINES = ("-",) * 7 + ("--",) * 3


@dataclass(frozen=True)
class Method:
    """What was measured of a method: an entry for each seed."""

    runs: Sequence[PublishedRun]
    minutes: Floats  # of processor time, at the points of the learning curve, [places]: means over seeds
    wins: Floats  # there, over both seats, [seeds, places]
    exploitability: Sequence[float]  # of its most likely moves in end games
    sampled: Sequence[float]  # the same of its policy

    @property
    def name(self) -> str:
        """The name in the configuration."""
        return self.runs[0].curve

    @property
    def env(self) -> str:
        """The id of the environment."""
        return self.runs[0].present_env


# -- measuring ---------------------------------------------------------------------------------------------------------


def read_end_games(methods: Sequence[Curve], config: Path) -> dict[str, EndGames]:
    """The end games that methods play, by environment: those of a configuration, under `end_games`.

    Raises `RfopError` for a method whose environment has none there or has options, and for end games that cannot be
    solved.
    """
    entries = read_toml(config, MOST_BYTES).get("end_games", [])
    end_games = {}
    for entry in entries:
        try:
            env = entry["env"]
            setting = Setting(env, components=entry.get("components"))
            own = {key: value for key, value in entry.items() if key not in ("env", "components")}
            end_games[env] = EndGames(setting, **own)
        except (KeyError, TypeError) as error:
            raise RfopError(f"{config}: end_games of {entry.get('env', 'no env')}: {error}") from error

    for method in methods:
        if method.env not in end_games or method.option:
            place = f"{method.env} {method.option}".strip()
            raise RfopError(
                f"{config}: method {method.name!r}: expected an environment under end_games, and no option; "
                f"found {place}"
            )
    return {env: end_games[env] for env in dict.fromkeys(method.env for method in methods)}


def method_jobs(methods: Sequence[Curve], budget: str, runs: Path) -> list[Job]:
    """The runs of these methods that are complete."""
    jobs = [Job(method, budget, seed, runs) for method in methods for seed in method.published_seeds]
    return [job for job in jobs if is_done(job)]


def measure(jobs: Sequence[Job], end_games: Mapping[str, EndGames], folder: Path) -> None:
    """Play end games with the networks of runs, by their most likely moves and sampling, and write the rows."""
    for env, games in end_games.items():
        folders = {job.name: str(job.folder) for job in jobs if job.curve.env == env}
        names = [name + how for name in folders for how in ("", SAMPLED)]
        agents = [games.setting.agent(path + how) for path in folders.values() for how in ("", SAMPLED)]
        if agents:
            rows = games.rows(findings(games.solved(agents).layers, names))
            add_records(folder / END_GAMES, rows, FindingRow)


def read_methods(end_games: EndGames, budget: str = FULL, folder: Path = RESULTS) -> list[Method]:
    """What was measured of every method of the environment of these end games, in the order of the file.

    Raises `RfopError` for a run of this budget that has not played them.
    """
    published = results.read_results(folder)
    rows = end_games.among(read_records(folder / END_GAMES, FindingRow))
    won = {(row.agent, row.components): row.exploitability for row in rows}

    def figure(run: PublishedRun, how: str) -> float:
        try:
            return won[run.run + how, run.components]
        except KeyError:
            raise RfopError(
                f"{folder / END_GAMES} has no row of {run.run + how} in these end games, play them: "
                f"python -m training.research methods {run.curve} --budget {budget}; or give another --results"
            ) from None

    of_budget = [run for run in published.runs if (run.present_env, run.budget) == (end_games.setting.env, budget)]
    methods = []
    for name in dict.fromkeys(run.curve for run in of_budget):
        runs = [run for run in of_budget if run.curve == name]
        points = [[point for point in published.points if point.run == run.run] for run in runs]
        exploitability, sampled = ([figure(run, how) for run in runs] for how in ("", SAMPLED))
        methods.append(Method(runs, *_mean_curve(points), exploitability, sampled))
    return methods


def published_methods(env: str, name: str = "methods") -> list[Method]:
    """The published methods of an environment. Raises `RfopError`.

    `name`: of their configuration and of the folder of their results.
    """
    return read_methods(_published_end_games(env, name), folder=results.RESULTS / name)


def not_trained(env: str, name: str = "methods") -> list[FindingRow]:
    """What is published of agents without a network, and of CFR+, in the same end games, the most exploitable first."""
    end_games = _published_end_games(env, name)
    digest, rows = end_games.setting.digest, end_games.among(read_records(results.RESULTS / END_GAMES, FindingRow))
    plain = [row for row in rows if row.components == digest and "/" not in row.agent]
    return sorted(plain, key=lambda row: -row.exploitability)


def _published_end_games(env: str, name: str) -> EndGames:
    config = CONFIG.with_name(f"{name}.toml")
    return read_end_games(read_config(config), config)[env]


def _mean_curve(seeds: Sequence[Sequence[Point]]) -> tuple[Floats, Floats]:
    """The minutes of processor time [places], means over seeds, and the wins over all sides [seeds, places].

    Both along a learning curve. Raises `RfopError` for a run without processor time.
    """
    by_side = [[[p for p in points if p.side == side] for points in seeds] for side in {p.side for p in seeds[0]}]
    steps = on_grid(by_side[0])[0]
    minutes = [np.interp(steps, [p.steps for p in points], minutes_of(points)) for points in by_side[0]]
    return np.mean(minutes, axis=0), np.mean([on_grid(side)[1] for side in by_side], axis=0)


def minutes_of(points: Sequence[Point]) -> list[float]:
    """The processor time up to each point of a run. Raises `RfopError` for a run from before it was counted."""
    minutes = [point.processor_seconds / 60 for point in points if point.processor_seconds is not None]
    if len(minutes) < len(points):
        raise RfopError(f"{points[0].run} was trained before processor time was counted: delete its folder, and repeat")
    return minutes


# -- showing -----------------------------------------------------------------------------------------------------------


def summary_table(methods: Sequence[Method]) -> str:
    """A Markdown table of methods: means over seeds, and the lowest and highest seed."""
    titles = ["method", "seeds", "decisions", "minutes", "wins at the end", "exploitability", "the same, sampling"]
    cells = []
    for method in methods:
        size = f"{len(method.runs)}", f"{method.runs[0].steps:,}", f"{method.minutes[-1]:.1f}"
        wins = _spread(method.wins[:, -1], "{:.1%}")
        won, sampled = (_spread(figures, "{:.3f}") for figures in (method.exploitability, method.sampled))
        cells.append([method.name, *size, wins, won, sampled])
    return markdown_table(titles, cells, right=range(1, len(titles)))


def _spread(figures: Sequence[float] | Floats, form: str) -> str:
    """The mean of seeds with the lowest and the highest of them, as text."""
    mean, low, high = (form.format(f(figures)) for f in (np.mean, np.min, np.max))
    return f"{mean} ({low} to {high})" if len(figures) > 1 else mean


def draw_methods(
    methods: Sequence[Method], out: Path, where: str = "in end games", untrained: Sequence[FindingRow] = ()
) -> None:
    """Draw how methods play while they learn, and what best responses win from them at the end, and where.

    Lines are means over seeds, bands reach from the lowest to the highest seed; a dot is a seed. `untrained` are agents
    that are not trained: a diamond each.
    """
    methods = sorted(methods, key=lambda method: -method.wins[:, -1].mean())
    strongest, safest = methods[0], min(methods, key=lambda method: np.mean(method.exploitability))
    least = ", and" if safest is strongest else f"; {safest.name}"
    wins = f"{strongest.name} wins most, {percent(strongest.wins[:, -1].mean())} of its games"
    title = f"{get_game(strongest.env).title}: {wins}{least} is the least exploitable method {where}"
    height = 0.26 * (len(methods) + len(untrained))
    with picture(out, 3.1 + height, rows=[2.4, height], title=title) as (_, axes):
        (curves,), (dots,) = axes
        for method, colour, line in zip(methods, COLOURS, LINES, strict=False):
            curves.plot(method.minutes, method.wins.mean(axis=0), color=colour, linestyle=line, label=method.name)
            curves.fill_between(
                method.minutes, method.wins.min(axis=0), method.wins.max(axis=0), color=colour, alpha=0.15, linewidth=0
            )
        curves.set_xlabel("minutes of processor time")
        curves.set_ylabel(f"wins against {methods[0].runs[0].opponent}")
        curves.set_ylim(-0.02, 1.02)
        curves.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        curves.grid(True)
        curves.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))

        for place, (method, colour) in enumerate(zip(methods, COLOURS, strict=False)):
            places = np.full(len(method.runs), place)
            dots.plot(method.exploitability, places - 0.12, "o", color=colour, markersize=4.5)
            dots.plot(method.sampled, places + 0.12, "o", color=colour, markersize=4.5, fillstyle="none")
        for place, row in enumerate(untrained, start=len(methods)):
            dots.plot(row.exploitability, place, "D", color=INK, markersize=4)
        names = [*(method.name for method in methods), *(row.agent for row in untrained)]
        dots.set_yticks(range(len(names)), names)
        dots.set_ylim(len(names) - 0.5, -0.5)
        dots.set_xlim(left=-0.02)
        dots.tick_params(axis="y", length=0)
        dots.grid(axis="x")
        legend = ", diamonds what is not trained" if untrained else ""
        dots.set_xlabel(f"exploitability {where}\nfull dots the most likely moves, hollow dots sampled ones{legend}")


# -- the command -------------------------------------------------------------------------------------------------------

STOPPED = "stopped: the same command makes what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("methods", nargs="*", help="names of methods (default: all)")
    parser.add_argument("--budget", choices=(FULL, REDUCED), default=FULL, help="(default %(default)s)")
    parser.add_argument(
        "--workers", type=number(int, 1), default=available_cpus(), help="parallel runs (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, default=Path("runs/methods"), help="folder (default %(default)s)")
    parser.add_argument("--file", type=Path, default=CONFIG, help="file that lists the methods")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the CSV files")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 2 if runs are missing."""
    # Refuse games whose end games cannot be solved before anything is trained.
    methods = select_curves(read_config(args.file), args.methods)
    end_games = read_end_games(methods, args.file)

    args.results.mkdir(parents=True, exist_ok=True)
    missing = publish(methods, args.budget, args.runs, args.results, args.workers)
    runs = method_jobs(methods, args.budget, args.runs)
    if runs:
        measure(runs, end_games, args.results)
        tables = [summary_table(read_methods(games, args.budget, args.results)) for games in end_games.values()]
        print("\n\n".join(f"{env}\n\n{table}" for env, table in zip(end_games, tables, strict=True)))
    return 2 if missing else 0
