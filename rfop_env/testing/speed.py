"""Decisions per second: every environment, driven in every way.

A decision is one that a caller was asked for: forced moves, the scripted opponent's moves, chance and resets are in the
time and not in the count. Every rate includes the observation and the legal actions of each decision. The cases
take turns, a short slice each, so that a busy moment of the machine hits them all; a rate is the median of its slices.
"""

from __future__ import annotations

import importlib.metadata
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.files import write_whole
from rfop_env.core.game import Game
from rfop_env.core.team import PIECE
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game, list_games

if TYPE_CHECKING:
    from rfop_env.core.cuda.batch import CudaBatch

IN_KERNEL = "batch, random choice in the kernel"
FROM_OUTSIDE = "batch, NumPy choice and step"
FROM_TWO = "two batches, a Python thread each, NumPy choice and step"
VECTOR = "Gymnasium vector env, NumPy choice and step"
GYMNASIUM = "Gymnasium env, fast loop"
AEC = "PettingZoo AEC env, fast loop"

TOGETHER = 16  # steps of two batches between two meetings of their threads
BUSY = 0.95  # with less of a core than this, the report says so

Step = Callable[[], int]  # carries on a little, returns how many decisions that took
Log = Callable[[str], None]  # takes a line of progress


@dataclass(frozen=True)
class Settings:
    """The sizes of a measurement."""

    seconds: float = 0.25  # a slice
    runs: int = 7  # slices of each case
    batches: tuple[int, ...] = (1, 64, 1024, 8192)
    vectors: tuple[int, ...] = (64, 1024)  # sizes of the Gymnasium vector env
    spread: int = 200  # random decisions before the first slice: games at all stages
    starts: bool = True  # first use and cached start, in processes of their own
    cpu_time: bool = False  # per second of this process's processor time, for a busy machine; one thread only

    def __post_init__(self) -> None:
        sizes = (self.runs, self.spread, *self.batches, *self.vectors)
        if not 0 < self.seconds < math.inf or min(sizes) < 1 or not self.batches:
            raise ValueError("a benchmark needs sizes, slices, random decisions and seconds above 0")


QUICK = Settings(seconds=0.05, runs=3, batches=(1, 64, 1024), vectors=(64,), spread=100, starts=False)


@dataclass
class Case:
    """One way to drive one game; `rates` has one entry for each slice, in decisions a second."""

    name: str
    mode: str
    games: int
    threads: int
    step: Step = field(repr=False)
    rates: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)  # processor time over wall time: 1 is a core of its own

    @property
    def rate(self) -> float:
        """The median of the slices."""
        return statistics.median(self.rates)

    def as_dict(self) -> dict[str, Any]:
        """The case as it goes into a JSON file."""
        return {
            "name": self.name,
            "mode": self.mode,
            "games": self.games,
            "threads": self.threads,
            "decisions_per_second": round(self.rate),
            "lowest": round(min(self.rates)),
            "highest": round(max(self.rates)),
            "processor_share": round(statistics.median(self.shares), 2),
        }


@dataclass
class Report:
    """The result of a run of the benchmark."""

    machine: dict[str, Any]
    settings: Settings
    cases: list[Case]
    starts: dict[str, dict[str, float]]  # by environment id: seconds

    def as_dict(self) -> dict[str, Any]:
        """The report as it goes into a JSON file."""
        return {
            "machine": self.machine,
            "settings": asdict(self.settings),
            "results": [case.as_dict() for case in self.cases],
            "two_threads": {f"{a.name}, {a.mode}, {a.games}": round(r, 2) for a, r in thread_ratios(self.cases)},
            "starts": self.starts,
        }


def bench(
    settings: Settings | None = None,
    games: Sequence[str] | None = None,
    log: Log = lambda line: None,
) -> Report:
    """Measure `games` (ids; default all); `log` is called with lines of progress. Raises `UnknownName`."""
    settings = settings or Settings()
    environments = unique_games(games)
    machine = describe_machine()

    # Starts, which need an empty cache, come first.
    starts = {}
    if settings.starts:
        log("first use: compiling in fresh processes ...")
        starts = {game.id: measure_starts(game.id, settings.cpu_time) for game in environments}

    log("warming up ...")
    cases = [case for game in environments for case in game_cases(game, settings)]
    log(f"{len(cases)} cases, about {2 + len(cases) * settings.runs * settings.seconds:.0f} s ...")
    measure(cases, settings)
    machine["load_after"] = load_average()
    return Report(machine, settings, cases, starts)


def unique_games(names: Sequence[str] | None) -> list[Game]:
    """The games of some ids, each once; None: all of them. Raises `UnknownName`."""
    return list({game.id: game for game in map(get_game, names or list_games())}.values())


def measure(cases: Sequence[Case], settings: Settings) -> None:
    """Give every case `runs` slices, in turns, after one short slice to warm up."""
    for case in cases:
        _slice(case.step, settings.seconds / 5)
    for _ in range(settings.runs):
        for case in cases:
            decisions, wall, processor = _slice(case.step, settings.seconds)
            case.rates.append(decisions / (processor if settings.cpu_time else wall))
            case.shares.append(processor / wall)


def _slice(step: Step, seconds: float) -> tuple[int, float, float]:
    """Decisions, wall time and processor time of a slice."""
    start, processor = time.perf_counter(), time.process_time()
    clock, decisions = start, 0
    while decisions == 0 or clock - start < seconds:
        decisions += step()
        clock = time.perf_counter()
    return decisions, clock - start, max(time.process_time() - processor, 1e-9)


# -- our environments --------------------------------------------------------------------------------------------------


def game_cases(game: Game, settings: Settings) -> Iterator[Case]:
    """All ways to drive a game; a one-seat game once for each side that its player can have."""
    for options in sides(game):
        name = " ".join([game.id, *options.values()])
        for n in settings.batches:
            for threads in (1, 2) if n >= 2 * PIECE and not settings.cpu_time else (1,):
                for mode, stepper in ((IN_KERNEL, in_kernel), (FROM_OUTSIDE, from_outside)):
                    batch = GameBatch(game, n, 0, options=options, autoreset=True, threads=threads)
                    batch.step_random(settings.spread)
                    yield Case(name, mode, n, threads, stepper(batch))
            if n >= 2 * PIECE and not settings.cpu_time:
                halves = [GameBatch(game, size, 0, options=options, autoreset=True) for size in (n // 2, n - n // 2)]
                for batch in halves:
                    batch.step_random(settings.spread)
                yield Case(name, FROM_TWO, n, 2, from_two(*halves))
        yield from _interface_cases(game, name, options, settings)


def sides(game: Game) -> list[dict[str, Any]]:
    """The options under which a game is measured: each side of a lone player, the fewest and the most players."""
    single = [option for option in game.options if option.name == "side" and game.spec.players == 1]
    seatings = [option for option in game.options if option.name == "players"]
    settings: list[dict[str, Any]] = [
        {"side": value} for option in single for value in option.values if value != "random"
    ]
    settings += [{"players": value} for option in seatings for value in (option.values[0], option.values[-1])]
    return settings or [{}]


def _interface_cases(game: Game, name: str, options: dict[str, Any], settings: Settings) -> Iterator[Case]:
    from rfop_env.interfaces.gymnasium_env import GameEnv
    from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
    from rfop_env.interfaces.pettingzoo_aec import raw_env

    if game.spec.players > 1:
        yield Case(name, AEC, 1, 1, aec(raw_env(game, **options)))
        return
    yield Case(name, GYMNASIUM, 1, 1, gymnasium_env(GameEnv(game, **options)))
    for n in settings.vectors:
        yield Case(name, VECTOR, n, 1, vector_env(GameVectorEnv(game, n, autoreset_mode="SAME_STEP", **options)))


def in_kernel(batch: GameBatch | CudaBatch) -> Step:
    """One call is one decision in every game, chosen in the kernel."""

    def step() -> int:
        batch.step_random()
        return batch.num_games

    return step


def from_outside(batch: GameBatch) -> Step:
    """One call is one decision in every game, chosen by NumPy."""
    rng = np.random.default_rng(0)

    def step() -> int:
        batch.step(random_legal(batch.action_mask, rng))
        return batch.num_games

    return step


def from_two(first: GameBatch, second: GameBatch) -> Step:
    """One call is `TOGETHER` decisions in every game of two batches, each chosen and carried out in its own thread."""
    pool = ThreadPoolExecutor(1)
    first_step, second_step = from_outside(first), from_outside(second)

    def several(step: Step) -> int:
        return sum(step() for _ in range(TOGETHER))

    def step() -> int:
        future = pool.submit(several, second_step)
        return several(first_step) + future.result()

    return step


def random_legal(mask: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A uniformly random legal action for every row of bool [N, A], each with at least one."""
    count = mask.sum(axis=1)
    legal = np.flatnonzero(mask)  # of a bool array this is many times faster than a sum along the rows
    nth = (rng.random(len(count)) * count).astype(np.int64)
    actions: NDArray[np.int64] = legal[np.cumsum(count) - count + nth] % mask.shape[1]
    return actions


def vector_env(env: Any) -> Step:
    """A Gymnasium vector env that restarts games within the step that ended them."""
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=0)

    def step() -> int:
        nonlocal infos
        _, _, _, _, infos = env.step(random_legal(infos["action_mask"].view(np.bool_), rng))
        return int(env.num_envs)

    return step


def gymnasium_env(env: Any) -> Step:
    """A single Gymnasium env in the fast loop: one of the legal actions by the mask's own indices."""
    rng = random.Random(0)
    _, info = env.reset(seed=0)

    def step() -> int:
        nonlocal info
        _, _, terminated, _, info = env.step(_random_action(info["action_mask"], rng))
        if terminated:
            _, info = env.reset()
        return 1

    return step


def aec(env: Any) -> Step:
    """Any PettingZoo AEC env whose observations hold an action mask, in the fast loop: `last`, then such a choice."""
    rng = random.Random(0)
    env.reset(seed=0)

    def step() -> int:
        observation, _, terminated, truncated, _ = env.last()
        if not (terminated or truncated):
            env.step(_random_action(observation["action_mask"], rng))
            return 1
        env.step(None)
        if not env.agents:
            env.reset()
        return 0

    return step


def _random_action(mask: NDArray[Any], rng: random.Random) -> int:
    legal = mask.nonzero()[0]
    return legal.item(int(rng.random() * len(legal)))


def thread_ratios(cases: Sequence[Case]) -> list[tuple[Case, float]]:
    """The speed of two threads divided by that of one, slice against slice, for every case measured with both.

    Two batches with a thread each are compared with one batch of as many games.
    """
    single = {(case.name, case.mode, case.games): case for case in cases if case.threads == 1}
    scaling = []
    for case in cases:
        if case.threads == 2:
            alone = FROM_OUTSIDE if case.mode == FROM_TWO else case.mode
            pairs = zip(case.rates, single[(case.name, alone, case.games)].rates, strict=True)
            scaling.append((case, statistics.median(two_threads / one_thread for two_threads, one_thread in pairs)))
    return scaling


# -- starting ----------------------------------------------------------------------------------------------------------

_START = """
from time import {clock} as clock
start = clock()
import rfop_env
imported = clock()
batch = rfop_env.make_batch({game!r}, 1, 0)
batch.step_random()
print(imported - start, clock() - start)
"""


def measure_starts(game: str, cpu_time: bool = False) -> dict[str, float]:
    """Seconds from the first line of a new process to the first decision: with an empty kernel cache, then a full one.

    `import` is the import of the package alone, the second time.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "RFOP_CACHE_DIR": folder, "RFOP_QUIET": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        command = [sys.executable, "-c", _START.format(game=game, clock="process_time" if cpu_time else "perf_counter")]
        runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    first, cached = ([float(x) for x in run.stdout.split()] for run in runs)
    return {"first_use": round(first[1], 2), "cached": round(cached[1], 2), "import": round(cached[0], 2)}


# -- the machine -------------------------------------------------------------------------------------------------------


def describe_machine() -> dict[str, Any]:
    """The machine and the versions that the figures depend on."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "compiled": JIT,
        **{package: package_version(package) for package in ("rfop-env", "numba", "numpy", "gymnasium", "pettingzoo")},
        "load_before": load_average(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def package_version(package: str) -> str:
    """The version of an installed package, "from source" where none is known."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "from source"


def load_average() -> float | None:
    """How many processes wanted to run in the last minute, on average; None where the system does not count them."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


# -- tables ------------------------------------------------------------------------------------------------------------


def tables(report: Report, markdown: bool = False) -> str:
    """The report for people, as text or as Markdown."""
    draw = markdown_table if markdown else text_table
    titles, *rows = rate_rows(report)
    parts = [_machine_line(report), draw(titles, rows, right=range(2, len(titles)))]
    if report.starts:
        titles = ["from process start to the first decision", "first use (compiles)", "from the cache", "import alone"]
        rows = [
            [name, *(f"{start[key]:.1f} s" for key in ("first_use", "cached", "import"))]
            for name, start in report.starts.items()
        ]
        parts.append(draw(titles, rows, right=range(1, 4)))
    return "\n\n".join(parts)


def summary(report: Report) -> str:
    """One line an environment, as Markdown: the best batch on one core, two threads, and what starting takes."""
    titles = ["environment", "`step_random` of a batch, decisions/s, one core", "two threads"]
    titles += ["first use (compiles)", "later starts"]
    rows = []
    cases = [case for case in report.cases if case.mode == IN_KERNEL]
    ratios = {case.name: f"x {ratio:.2f}" for case, ratio in thread_ratios(cases)}
    for name in dict.fromkeys(case.name for case in cases):
        best = max((case for case in cases if case.name == name and case.threads == 1), key=lambda case: case.rate)
        start = report.starts.get(name.split(" ")[0], {})
        seconds = [f"{start[key]:.1f} s" if start else "" for key in ("first_use", "cached")]
        rows.append([name, f"{best.rate:,.0f}", ratios.get(name, ""), *seconds])
    return markdown_table(titles, rows, right=range(1, 5))


def _machine_line(report: Report) -> str:
    m, s = report.machine, report.settings
    versions = ", ".join(f"{name} {m[name]}" for name in ("python", "numba", "numpy", "gymnasium", "pettingzoo"))
    interpreted = "" if m["compiled"] else " Rules NOT compiled (RFOP_JIT=0)."
    clock = "second of processor time" if s.cpu_time else "second"
    share = statistics.median(x for case in report.cases if case.threads == 1 for x in case.shares or [1.0])
    busy = f" The machine was busy: this process had {share:.0%} of a core." if share < BUSY else ""
    return (
        f"{m['cpu']}, {m['cores']} cores, {m['system']}; {versions}. Load {m['load_before']} before, "
        f"{m.get('load_after')} after. Decisions per {clock} on one core, observation and mask included: medians of "
        f"{s.runs} interleaved slices of {s.seconds:g} s.{busy}{interpreted}"
    )


def rate_rows(report: Report) -> list[list[str]]:
    """Environments and ways to drive them by the number of games, and what the second thread gives."""
    sizes = sorted({case.games for case in report.cases})
    ratios = {(case.name, case.mode): (case, ratio) for case, ratio in thread_ratios(report.cases)}  # the largest batch
    head = ["environment", "driven through", *(f"{n:,} game{'s' * (n > 1)}" for n in sizes)]
    rows = [head + ["two threads"] * bool(ratios)]
    for name, mode in dict.fromkeys((case.name, case.mode) for case in report.cases):
        single = {c.games: f"{c.rate:,.0f}" for c in report.cases if (c.name, c.mode, c.threads) == (name, mode, 1)}
        two = ratios.get((name, mode))
        last = f"{two[0].rate:,.0f} (x {two[1]:.2f})" if two else ""
        rows.append([name, mode, *(single.get(n, "") for n in sizes), *[last] * bool(ratios)])
    return rows


def text_table(titles: list[str], rows: list[list[str]], right: Sequence[int]) -> str:
    """A table for the terminal; the columns `right` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(titles, *rows, strict=True)]
    pads = [str.rjust if k in right else str.ljust for k in range(len(titles))]
    head, *lines = [
        "  ".join(p(cell, w) for p, cell, w in zip(pads, row, widths, strict=True)).rstrip() for row in [titles, *rows]
    ]
    return "\n".join([head, "-" * len(head), *lines])


def write_json(report: Report, path: str | Path) -> None:
    """Write the report to a file."""
    write_whole(Path(path), json.dumps(report.as_dict(), indent=2) + "\n")


# The blocks of Markdown pages that `rfop bench --write` fills.
BLOCKS: dict[str, Callable[[Report], str]] = {
    "speed": lambda report: tables(report, markdown=True),
    "speed_summary": summary,
}
