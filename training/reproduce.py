"""Make the published learning curves, or make a reduced set of them again and say whether it agrees.

    python -m training.reproduce
    python -m training.reproduce --publish full reduced --workers 2
    python -m training.reproduce --publish baselines scores searches matrices tables

`training/configs/curves.toml` says which curves there are: trainer, environment, settings, seeds and two budgets, full
and reduced. Without `--publish` (`make curves`) a seed of each is trained on the reduced budget, and its last point is
compared with the published runs of that budget: within the 99 % prediction interval, or not. With it, all seeds are
trained and `training/results` is written. Runs lie in folders of their own; those that are done are not made again.

Tables of games are published by the same command: the scores on the cards of `baselines`, `scores` of agents,
`searches`, pay-off `matrices` and mixed `tables` of three and four with the ratings of both. A few deals of each row
tell whether it is stale; those that are, are played anew, each written as it is done. `--env` leaves the tables of
other environments as they are.
"""

from __future__ import annotations

import itertools
import math
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from agents import baselines
from rfop_env.command_line import command
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.options import parse_options
from rfop_env.registry import get_game
from training.arguments import Parser, whole
from training.curves import CURVE, FULL, RESULTS, Point, Results, Run, read_curve, read_results
from training.provenance import revision
from training.records import write_records
from training.run_folder import CARD, read_card

ROOT = Path(__file__).parents[1]
CONFIG = Path(__file__).parent / "configs" / "curves.toml"
REDUCED = "reduced"
PLAYED = ("baselines", "scores", "searches", "matrices", "tables")  # tables of games, which no training is needed for
SURE = 0.99  # of a new run lying in the band, if nothing has changed


@dataclass(frozen=True)
class Curve:
    """A curve of the configuration."""

    name: str
    trainer: str  # module
    env: str
    full: int  # decisions of the learner
    reduced: int
    option: str = ""  # as the trainers take them: "players=3,screens=open"
    settings: Mapping[str, Any] = field(default_factory=dict)  # further options of the trainer, without the hyphens
    seeds: int = 5
    after: str = ""  # the curve whose run, of the same budget and seed, a run begins with

    @property
    def options(self) -> dict[str, str]:
        """The options of the game by name."""
        return parse_options(self.option)

    def steps(self, budget: str) -> int:
        """The decisions of a budget."""
        return self.full if budget == FULL else self.reduced


@dataclass(frozen=True)
class Job:
    """A run to make: a curve, a budget, a seed, and the folder of all runs."""

    curve: Curve
    budget: str
    seed: int
    runs: Path

    @property
    def name(self) -> str:
        """What results call it: "revolution/full/seed_1"."""
        return self._called(self.curve.name)

    def _called(self, curve: str) -> str:
        return f"{curve}/{self.budget}/seed_{self.seed}"

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.runs / self.name

    @property
    def words(self) -> list[str]:
        """The command line of the trainer, after `python`."""
        told = {"env": self.curve.env, "option": self.curve.option, "run": self.folder,
                "steps": self.curve.steps(self.budget), "seed": self.seed, **self.curve.settings}  # fmt: skip
        if self.curve.after:
            told["start"] = self.runs / self._called(self.curve.after)
        words = ["-m", self.curve.trainer]
        for name, value in told.items():
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)] if value != "" else []
        return [*words, "--quiet"]


def read_config(path: Path = CONFIG) -> list[Curve]:
    """The curves of a configuration; raises `RfopError` for unknown or missing keys and names."""
    with path.open("rb") as file:
        told = tomllib.load(file)
    known = [f.name for f in fields(Curve)]
    curves = []
    for entry in told.get("curve", []):
        for key in entry:
            if key not in known:
                raise RfopError(f"{path}: {UnknownName('key of a curve', key, known)}")
        try:
            curves.append(Curve(**entry))
        except TypeError as error:
            raise RfopError(f"{path}: curve {entry.get('name', '?')!r}: {error}") from error
        get_game(curves[-1].env).encode_options(curves[-1].options)
    if len({curve.name for curve in curves}) < len(curves) or not curves:
        raise RfopError(f"{path}: expected curves, each with a name of its own")
    first = [curve.name for curve in curves if not curve.after]
    for curve in curves:
        if curve.after and curve.after not in first:
            raise RfopError(f"{path}: {UnknownName('curve that begins from nothing', curve.after, first)}")
    return curves


def chosen(curves: Sequence[Curve], names: Sequence[str]) -> list[Curve]:
    """The curves of these names, and those that they begin with; all without names. Raises `UnknownName`."""
    valid = [curve.name for curve in curves]
    for name in names:
        if name not in valid:
            raise UnknownName("curve", name, valid)
    wanted = {*names, *(curve.after for curve in curves if curve.name in names)}
    return [curve for curve in curves if not names or curve.name in wanted]


# -- making runs -------------------------------------------------------------------------------------------------------


def card_of(folder: Path) -> dict[str, Any]:
    """What a run says of itself, nothing where there is none."""
    return read_card(folder) if (folder / CARD).exists() else {}


def is_done(job: Job, git: str = "") -> bool:
    """Whether a run of the same command (and revision, if one is given) went through its whole budget."""
    card = card_of(job.folder)
    if card.get("command") != " ".join(["python", *job.words]) or (git and card.get("git") != git):
        return False
    return (job.folder / CURVE).exists() and last_steps(job.folder) >= job.curve.steps(job.budget)


def last_steps(folder: Path) -> float:
    """The steps of the last point of a run."""
    return max(columns["steps"][-1] for columns in read_curve(folder).values())


def make(job: Job) -> None:
    """Train a run from scratch, in a process of one thread; what it prints is in `seed_1.log`. Raises `RfopError`."""
    if job.folder.exists():
        shutil.rmtree(job.folder)
    job.folder.parent.mkdir(parents=True, exist_ok=True)
    log = job.folder.with_suffix(".log")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": path}
    with log.open("w") as file:
        ended = subprocess.run([sys.executable, *job.words], stdout=file, stderr=file, env=one_thread, check=False)
    if ended.returncode != 0 or not (job.folder / CURVE).exists():
        lines = log.read_text().strip().splitlines() or ["nothing printed"]
        raise RfopError(f"{job.name} failed, see {log}: {lines[-1]}")


def make_all(jobs: Sequence[Job], workers: int) -> Iterator[Job]:
    """Make runs, so many at once; each as it is done. A run that fails is told of and left out.

    Those that begin with another run wait until all others are done.
    """
    for curve in {job.curve.env for job in jobs}:
        GameBatch(get_game(curve), 1).reset(0)  # compiles once, before the workers start
    numbers = itertools.count(1)
    for later in (False, True):
        yield from _make_together([job for job in jobs if bool(job.curve.after) == later], workers, numbers, len(jobs))


def _make_together(jobs: Sequence[Job], workers: int, numbers: Iterator[int], of: int) -> Iterator[Job]:
    """Make runs that do not need each other; they count on from `numbers`."""
    pool = ThreadPoolExecutor(workers)
    waiting = {pool.submit(make, job): job for job in jobs}
    try:
        for made in as_completed(waiting):
            job, number = waiting[made], next(numbers)
            try:
                made.result()
            except RfopError as error:
                print(f"[{number}/{of}] {error}", file=sys.stderr)
                continue
            scores = ", ".join(f"{side} {x['win_rate'][-1]:.1%}" for side, x in read_curve(job.folder).items())
            print(f"[{number}/{of}] {job.name}: {scores}", file=sys.stderr)
            yield job
    finally:
        pool.shutdown(cancel_futures=True)


# -- publishing --------------------------------------------------------------------------------------------------------


def record(job: Job) -> tuple[Run, list[Point]]:
    """The lines of a run for runs.csv and points.csv."""
    card, curve = card_of(job.folder), job.curve
    arguments, game = card["arguments"], get_game(curve.env)
    seats, last = game.under(curve.options).spec.players, game.opponents[-1].name if game.opponents else "-"
    against = arguments.get("evaluate_against") or arguments.get("opponent") or last
    versions = ", ".join([f"python {card['python']}", *(f"{k} {v}" for k, v in card["packages"].items())])
    points = []
    for side, columns in read_curve(job.folder).items():
        games = int(arguments["evaluate_deals"]) * (seats if side == "all" else 1)
        for steps, seconds, rate, own in zip(
            *(columns[name] for name in ("steps", "seconds", "win_rate", "points")), strict=True
        ):
            points.append(Point(job.name, int(steps), seconds, side, games, rate, own))
    run = Run(
        job.name, curve.name, job.budget, job.seed, curve.trainer, curve.env, curve.option,
        card["components"]["digest"], against, int(last_steps(job.folder)), max(p.seconds for p in points),
        card["git"], versions, card["command"],
    )  # fmt: skip
    return run, points


def add_to_results(job: Job, folder: Path) -> None:
    """Write a run into the published results, in the place of the one of the same name."""
    old = read_results(folder) if (folder / "runs.csv").exists() else Results([], [])
    run, points = record(job)
    runs = sorted([*(r for r in old.runs if r.run != run.run), run], key=lambda r: (r.curve, r.budget, r.seed))
    by_run = {r.run: [p for p in old.points if p.run == r.run] for r in runs} | {run.run: points}
    write_records(folder / "points.csv", [p for r in runs for p in by_run[r.run]], Point)
    write_records(folder / "runs.csv", runs, Run)


def publish(curves: Sequence[Curve], budgets: Sequence[str], runs: Path, results: Path, workers: int) -> int:
    """Make all runs of these curves and budgets that are not done, and write the results; how many are missing."""
    if revision().endswith("+"):
        print("files differ from the git revision: the runs are marked with +", file=sys.stderr)
    jobs = [Job(c, budget, seed, runs) for budget in budgets for c in curves for seed in range(1, c.seeds + 1)]
    done = [job for job in jobs if is_done(job)]
    known = {r.run for r in read_results(results).runs} if (results / "runs.csv").exists() else set()
    for job in done:
        if job.name not in known:
            add_to_results(job, results)
    made = 0
    for job in make_all([job for job in jobs if job not in done], workers):
        add_to_results(job, results)
        made += 1
    return len(jobs) - len(done) - made


# -- comparing ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """How a run made again compares with the published ones: a line for each side of each curve."""

    curve: str
    side: str
    rate: float  # of the new runs' last points, the mean
    published: float  # the mean of the published ones
    low: float
    high: float

    @property
    def inside(self) -> bool:
        """Whether the new runs lie in the published band."""
        return self.low <= self.rate <= self.high


def band(rates: Sequence[float], games: int, again: int = 1) -> tuple[float, float]:
    """Where the mean of `again` further runs lies with 99 %, if they are like these: the prediction interval of
    normal scores. Runs that all score alike are taken to vary as much as the games of one point do."""
    from scipy.stats import t

    n, mean = len(rates), float(np.mean(rates))
    smoothed = (mean * games * n + 1) / (games * n + 2)
    spread = max(float(np.std(rates, ddof=1)), math.sqrt(smoothed * (1 - smoothed) / games))
    half = float(t.ppf(0.5 + SURE / 2, n - 1)) * spread * math.sqrt(1 / n + 1 / again)
    return max(0.0, mean - half), min(1.0, mean + half)


def compare(jobs: Sequence[Job], results: Results) -> list[Verdict]:
    """A verdict for each side of each curve that was made again; raises `RfopError` where nothing is published."""
    verdicts = []
    for name in dict.fromkeys(job.curve.name for job in jobs):
        published = results.of(name, REDUCED)
        again = [read_curve(job.folder) for job in jobs if job.curve.name == name]
        for side in again[0]:
            last = [seed[-1] for seed in published.get(side, [])]
            if len(last) < 2:
                raise RfopError(f"{name}, {side}: fewer than two reduced runs are published to compare with")
            rates = [point.win_rate for point in last]
            rate = float(np.mean([run[side]["win_rate"][-1] for run in again]))
            verdicts.append(Verdict(name, side, rate, float(np.mean(rates)), *band(rates, last[0].games, len(again))))
    return verdicts


def check(curves: Sequence[Curve], seeds: int, runs: Path, results: Results, workers: int) -> list[Verdict]:
    """Train the reduced runs of this revision that are not done yet, and compare them; raises `RfopError`."""
    git = revision().replace("+", "?")  # code that differs from its revision may have changed: nothing is done yet
    jobs = [Job(curve, REDUCED, seed, runs) for curve in curves for seed in range(1, seeds + 1)]
    missing = [job for job in jobs if not is_done(job, git)]
    made = list(make_all(missing, workers))
    if len(made) < len(missing):
        raise RfopError(f"{len(missing) - len(made)} runs failed")
    return compare(jobs, results)


def table(verdicts: Sequence[Verdict]) -> str:
    """Verdicts in Markdown."""
    lines = ["| curve | side | wins | published | 99 % band | |", "|---|---|---:|---:|---|---|"]
    for v in verdicts:
        said = "within" if v.inside else "OUTSIDE"
        lines.append(
            f"| {v.curve} | {v.side} | {v.rate:.1%} | {v.published:.1%} | {v.low:.1%} to {v.high:.1%} | {said} |"
        )
    return "\n".join(lines)


def play_stale(name: str, workers: int, env: str = "") -> None:
    """Play what is stale of the tables of a name, of all environments or one; raises `RfopError`."""
    from training import publish as publishing
    from training import replay

    if name == "baselines":
        for baseline in baselines.all_names():
            if env in ("", baselines.read_card(baseline).env):
                said = "scored anew" if publishing.score_again(baseline, workers) else "as before"
                print(f"{baseline}: {said}", file=sys.stderr)
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


@command(stopped="stopped: the same command makes what is missing")
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 1 if a curve lies outside of its band."""
    parser = Parser("training.reproduce", __doc__)
    parser.add_argument("curves", nargs="*", help="names of curves (default: all)")
    parser.add_argument(
        "--publish", nargs="+", choices=(FULL, REDUCED, *PLAYED), help="write the results of these budgets or tables"
    )
    parser.add_argument("--env", default="", help="with --publish scores and the like: rows of this environment alone")
    parser.add_argument("--seeds", type=whole(1), default=1, help="of each curve made again (default %(default)s)")
    parser.add_argument(
        "--workers", type=whole(1), default=os.cpu_count() or 1, help="runs at once (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, help="folder of the runs (default: runs/published, runs/again)")
    parser.add_argument("--config", type=Path, default=CONFIG, help="which curves there are")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published CSV files")
    told = parser.parse_args(arguments)
    curves = chosen(read_config(told.config), told.curves)
    if told.env:
        get_game(told.env)
    if told.publish:
        for name in [name for name in PLAYED if name in told.publish]:
            play_stale(name, told.workers, told.env)
        budgets = [budget for budget in (FULL, REDUCED) if budget in told.publish]
        runs = told.runs or Path("runs/published")
        missing = publish(curves, budgets, runs, told.results, told.workers) if budgets else 0
        print(f"{told.results}: {'complete' if missing == 0 else f'{missing} runs are missing'}")
        return 2 if missing else 0
    published = read_results(told.results)
    verdicts = check(curves, told.seeds, told.runs or Path("runs/again"), published, told.workers)
    print(table(verdicts))
    return 0 if all(verdict.inside for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
