"""The runs of the published learning curves: configuration, command lines, and training in processes."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any

from rfop_env.cli.main import main
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.files import read_toml
from rfop_env.game_setup import parse_options
from rfop_env.process_pool import in_processes
from rfop_env.registry import get_game
from rfop_training.common.records import locked
from rfop_training.run import RunFolder
from training.research.publishing.results import CONFIGS, FULL, SEEDS

CONFIG = CONFIGS / "curves.toml"
MOST_BYTES = 2**20  # of a configuration
REDUCED = "reduced"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # for the processes that train


@dataclass(frozen=True)
class Curve:
    """A learning curve of the configuration."""

    name: str
    trainer: str  # as in `rfop train ppo`
    env: str
    full: int  # decisions of the learner
    reduced: int  # where a reduced run stops: it is the beginning of a full one
    option: str = ""  # options of the game: "players=3,screens=open"
    settings: Mapping[str, Any] = field(
        default_factory=dict
    )  # further options of the trainer, without the leading hyphens
    seeds: int = SEEDS
    after: str = ""  # the curve whose full run of the same seed is the initial network

    @property
    def options(self) -> dict[str, str]:
        """The options of the game by name."""
        return parse_options(self.option)

    @property
    def published_seeds(self) -> range:
        """The seeds of the published runs."""
        return range(1, 1 + self.seeds)

    def steps(self, budget: str) -> int:
        """The decisions of a budget."""
        return self.full if budget == FULL else self.reduced


def run_name(curve: str, budget: str, seed: int) -> str:
    """The name of a run of a curve."""
    return f"{curve}/{budget}/seed_{seed}"


@dataclass(frozen=True)
class Job:
    """A run to train: a curve, a budget, a seed, and the folder of all runs."""

    curve: Curve
    budget: str
    seed: int
    runs: Path

    @property
    def name(self) -> str:
        """The name of the run in the results: "revolution/full/seed_1"."""
        return run_name(self.curve.name, self.budget, self.seed)

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self.runs / self.name

    @property
    def log(self) -> Path:
        """The file with what the trainer prints."""
        return self.folder.with_suffix(".log")

    @property
    def run_folder(self) -> RunFolder:
        """The files of the run."""
        return RunFolder(self.folder)

    @property
    def words(self) -> list[str]:
        """The command line of the trainer, after `rfop`."""
        options = {
            "env": self.curve.env,
            "option": self.curve.option,
            "run": self.folder,
            "steps": self.curve.full,
            "until": self.curve.reduced if self.budget == REDUCED else "",
            "seed": self.seed,
            **self.curve.settings,
        }
        if self.curve.after:
            options["init-from"] = self.runs / run_name(self.curve.after, FULL, self.seed)
        words = ["train", self.curve.trainer]
        for name, value in options.items():
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)] if value != "" else []
        return [*words, "--quiet"]


def read_config(path: Path = CONFIG) -> list[Curve]:
    """The curves of a configuration, with its `defaults` where they leave something out.

    Raises `RfopError` for unknown or missing keys and names.
    """
    content = read_toml(path, MOST_BYTES)

    # One curve at a time.
    names = [f.name for f in fields(Curve)]
    defaults = content.get("defaults", {})
    curves = []
    for own in content.get("curve", []):
        settings = {**defaults.get("settings", {}), **own.get("settings", {})}
        entry = {**defaults, **own, "settings": settings}
        for key in entry:
            if key not in names:
                raise RfopError(f"{path}: {UnknownName('key of a curve', key, names)}")
        try:
            curves.append(Curve(**entry))
        except TypeError as error:
            raise RfopError(f"{path}: curve {entry.get('name', '?')!r}: {error}") from error
        get_game(curves[-1].env).encode_options(curves[-1].options)

    # Names are different, and an initial network is of a curve without one.
    if len({curve.name for curve in curves}) < len(curves) or not curves:
        raise RfopError(f"{path}: expected curves, each with different names")
    first = [curve.name for curve in curves if not curve.after]
    for curve in curves:
        if curve.after and curve.after not in first:
            raise RfopError(f"{path}: {UnknownName('curve without an initial network', curve.after, first)}")
    return curves


def select_curves(curves: Sequence[Curve], names: Sequence[str]) -> list[Curve]:
    """The curves of these names and those of their initial networks; all curves without names. Raises `UnknownName`."""
    valid = [curve.name for curve in curves]
    for name in names:
        if name not in valid:
            raise UnknownName("curve", name, valid)
    required = {*names, *(curve.after for curve in curves if curve.name in names)}
    return [curve for curve in curves if not names or curve.name in required]


# -- making runs -------------------------------------------------------------------------------------------------------


def job_metadata(job: Job) -> dict[str, Any]:
    """The metadata of a run; empty where there is no run."""
    return job.run_folder.read_metadata() if job.run_folder.metadata.exists() else {}


def is_done(job: Job, git: str = "") -> bool:
    """Whether a run of the same command (and revision, if one is given) went through its whole budget."""
    metadata = job_metadata(job)
    if metadata.get("command") != shlex.join(["rfop", *job.words]) or (git and metadata.get("git") != git):
        return False
    return job.run_folder.curve.exists() and job.run_folder.last_steps() >= job.curve.steps(job.budget)


def make(job: Job) -> int:
    """Train a run from scratch in this process, whose output is in `seed_1.log` from then on; returns the exit status.

    Raises `RfopError` where another process trains the run.
    """
    if job.folder.exists():
        busy = f"{job.folder} is in use, another process trains there: wait for it, or choose another --runs"
        with locked(job.run_folder.lock_file, busy):
            shutil.rmtree(job.folder)
    job.folder.parent.mkdir(parents=True, exist_ok=True)
    with job.log.open("w") as file:
        for output in (sys.stdout, sys.stderr):
            output.flush()
            os.dup2(file.fileno(), output.fileno())

    sys.argv = ["rfop", *job.words]  # the run's metadata have the command
    try:
        return main(job.words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1


def require_complete(job: Job, process: Future[int]) -> None:
    """Raise `RfopError` unless a run that has ended is complete."""
    try:
        status = process.result()
    except BrokenProcessPool:
        raise RfopError(f"{job.name} was ended from outside, for want of memory maybe") from None
    if status != 0 or not job.run_folder.curve.exists():
        lines = job.log.read_text().strip().splitlines() or ["no output"]
        raise RfopError(f"{job.name} failed, see {job.log}: {lines[-1]}")


def make_all(jobs: Sequence[Job], workers: int) -> Iterator[Job]:
    """Train runs, `workers` at once; yields each run that is complete. An error of a run is printed.

    Runs that start from the network of another run wait until all others are complete.
    """
    # Compile once, before the workers start.
    for env in {job.curve.env for job in jobs}:
        GameBatch(get_game(env), 1).reset(0)

    numbers = itertools.count(1)
    for waits in (False, True):
        group = [job for job in jobs if bool(job.curve.after) == waits]
        yield from _make_together(group, workers, numbers, len(jobs))


def _make_together(jobs: Sequence[Job], workers: int, numbers: Iterator[int], of: int) -> Iterator[Job]:
    """Train runs that do not need each other; `numbers` counts those that are over, of `of`."""
    with closing(in_processes([partial(make, job) for job in jobs], workers, ONE_THREAD)) as processes:
        for place, process in processes:
            job, number = jobs[place], next(numbers)
            try:
                require_complete(job, process)
            except RfopError as error:
                print(f"[{number}/{of}] {error}", file=sys.stderr)
                continue
            scores = ", ".join(f"{side} {x['win_rate'][-1]:.1%}" for side, x in job.run_folder.read_curve().items())
            print(f"[{number}/{of}] {job.name}: {scores}", file=sys.stderr)
            yield job
