"""The tests of a game as checks of its mutants: collected by pytest, run one by one in a forked process.

A fork has everything imported and collected already, and what a mutant breaks in it is gone with it.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import tempfile
import time
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from _pytest.runner import runtestprotocol

from rfop_env.registry import get_game
from training.research import ROOT
from training.research.mutation.places import GAMES

T = TypeVar("T")
Tell = Callable[[str], None]

TESTS = ROOT / "tests"
GOLDENS = TESTS / "goldens" / "test_goldens.py"
INVARIANTS = TESTS / "games" / "test_invariants.py"
EVERY_GAME = (GOLDENS, INVARIANTS, TESTS / "docs" / "test_documentation.py")  # besides the folder of the game's tests
REPLAYS = ("test_golden", "test_survey", "test_generated_parts_are_fresh")  # those of them that say how games go

SURVIVES, CAUGHT, BROKEN = 0, 1, 2  # exit status of a process; BROKEN: this script, not the mutant
IMPORT = "import"  # what catches a mutant with which the tests cannot be collected
TIME_LIMIT = "time limit in "
LIMIT, TIMES = 20.0, 5.0  # a test is stopped after so many seconds and so many times what it takes
LEAST = 0.003  # seconds, of a test that takes no time
SKIPPED = -1.0  # instead of seconds
# All seconds are those of the processor: what else the machine does changes no result.


class Check(NamedTuple):
    """A test: how long it takes, and the rules that it enters."""

    seconds: float
    entered: frozenset[str]  # module.function


# -- processes ---------------------------------------------------------------------------------------------------------


class Process:
    """A copy of this process at work; the last line that it told stays when it has ended."""

    def __init__(self, work: Callable[[Tell], int]):
        self._file = tempfile.TemporaryFile()  # noqa: SIM115, closed by `result`
        self.pid = os.fork()
        if self.pid == 0:
            self._be(work)

    def _be(self, work: Callable[[Tell], int]) -> None:
        status = BROKEN
        try:
            status = work(self._tell)
        except BaseException as error:
            self._tell(repr(error).replace("\n", " "))
        finally:
            os._exit(status)

    def _tell(self, words: str) -> None:
        os.pwrite(self._file.fileno(), f"{words}\n".encode(), 0)

    def result(self, status: int) -> str:
        """What caught the mutant, "" if nothing did, from the status that the process ended with."""
        text = os.pread(self._file.fileno(), 4096, 0).decode(errors="replace").split("\n")[0]
        self._file.close()
        if os.WIFSIGNALED(status):
            return (TIME_LIMIT if os.WTERMSIG(status) == signal.SIGPROF else "crash in ") + text
        if os.WEXITSTATUS(status) == BROKEN:
            raise RuntimeError(f"the script failed, not the mutant: {text}")
        return text if os.WEXITSTATUS(status) == CAUGHT else ""


def at_work(work: Callable[[Tell], int]) -> str:
    """Do some work in a process of its own and wait for it; returns as `Process.result` does."""
    process = Process(work)
    return process.result(os.waitpid(process.pid, 0)[1])


def try_all(
    tasks: Iterable[T], work: Callable[[T, Tell], int], done: Callable[[T, str, float], None], jobs: int = 1
) -> None:
    """Do the work of every task in a process of its own, `jobs` at a time; `done`: task, result, seconds."""
    waiting, running = list(tasks)[::-1], dict[int, tuple[T, Process]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            task = waiting.pop()
            process = Process(lambda tell, task=task: work(task, tell))  # type: ignore[misc]
            running[process.pid] = task, process
        pid, status, usage = os.wait3(0)
        task, process = running.pop(pid)
        done(task, process.result(status), usage.ru_utime + usage.ru_stime)


def silence(*streams: int) -> None:
    """Nothing more is printed by this process on these streams."""
    for stream in streams:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


# -- tests -------------------------------------------------------------------------------------------------------------


class Suite:
    """The tests of a game. `paths`: other files or folders than those that are right for the game."""

    def __init__(self, folder: str, paths: Sequence[Path] = ()):
        self.folder = folder
        self._paths = paths or [TESTS / "games" / folder, *EVERY_GAME]
        self._cache_file = None if paths else ROOT / ".pytest_cache" / f"mutation_{folder}.json"

    def collect(self, use: Callable[[list[Any]], T]) -> T | None:
        """What `use` makes of the tests, in this process; None if they cannot be collected."""
        plugin = _Collected(self.folder, use)
        options = ["-q", "-s", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
        pytest.main([*options, f"--rootdir={ROOT}", *map(str, self._paths)], plugins=[plugin])
        return plugin.result

    def measure(self) -> dict[str, Check]:
        """Run every test on the unchanged source; those of files that are still the same are known from last time.

        Raises `RuntimeError` if the tests cannot be collected or one fails: no mutant could be told from the source.
        """
        with tempfile.TemporaryDirectory() as folder:
            file = self._cache_file or Path(folder) / "checks.json"
            if failed := at_work(lambda tell: self._measure(file, tell)):
                raise RuntimeError(f"the unchanged source fails: {failed}")
            checks_read = json.loads(file.read_text(encoding="utf-8"))["checks"]
        return {
            name: Check(seconds, frozenset(entered))
            for name, (seconds, entered, _) in checks_read.items()
            if seconds >= 0
        }

    def _measure(self, file: Path, tell: Tell) -> int:
        silence(1)
        tell("the tests cannot be collected")
        status = self.collect(lambda items: self._measure_items(items, file, tell))
        return CAUGHT if status is None else status

    def _measure_items(self, items: list[Any], file: Path, tell: Tell) -> int:
        source = _source_digest(self.folder)
        old, checks, watch = _known(file, source), dict[str, list[Any]](), _Watch(self.folder)
        for k, item in enumerate(items):
            name, digest = item_name(item), digest_files([item.path])
            if name in old and old[name][2] == digest:
                checks[name] = old[name]
                continue
            if k % 50 == 0:
                print(f"{self.folder}: test {k} of {len(items)}, unchanged source", file=sys.stderr, flush=True)
            tell(name)
            watch.begin()
            began = time.process_time()
            outcomes = run_one(item, None)
            if "failed" in outcomes:
                return CAUGHT
            seconds = SKIPPED if "skipped" in outcomes else round(time.process_time() - began, 4)
            checks[name] = [seconds, sorted(watch.entered), digest]
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"source": source, "checks": checks}), encoding="utf-8")
        return SURVIVES


class _Collected:
    """A plugin of pytest that hands over what was collected, and runs nothing itself."""

    def __init__(self, folder: str, use: Callable[[list[Any]], Any]):
        self.folder, self.use, self.result = folder, use, None

    def pytest_runtestloop(self, session: Any) -> bool:
        if not session.testsfailed:
            self.result = self.use([item for item in session.items if is_check(item, self.folder)])
        return True


def is_check(item: Any, folder: str) -> bool:
    """Whether a test is one of this game's own, or replays its games."""
    if item.path not in EVERY_GAME:
        return True
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if "configuration" in parameters:
        return parameters["configuration"].game.folder.name == folder
    if item.function.__name__ not in REPLAYS:
        return False

    # A golden, a survey, or a test about every game.
    name = parameters.get("name")
    if name is None:
        return True
    goldens = item.module.GOLDENS
    return get_game(goldens[name].game if name in goldens else name).folder.name == folder


def run_one(item: Any, following: Any) -> set[str]:
    """Run a test; the outcomes of its parts: passed, failed, skipped."""
    return {report.outcome for report in runtestprotocol(item, nextitem=following, log=False)}


def attempt(items: list[Any], checks: Mapping[str, Check], budget: float, tell: Tell) -> int:
    """Run tests until one fails, or the budget of seconds is spent; the exit status that says so."""
    began = time.process_time()
    for item, following in zip(items, [*items[1:], None], strict=True):
        if time.process_time() - began > budget:
            break
        tell(item_name(item))
        signal.setitimer(signal.ITIMER_PROF, LIMIT + TIMES * checks[item_name(item)].seconds)  # it ends the process
        if "failed" in run_one(item, following):
            return CAUGHT
    signal.setitimer(signal.ITIMER_PROF, 0)
    return SURVIVES


def in_order(items: list[Any], checks: Mapping[str, Check], catches: Mapping[str, int], rule: str | None) -> list[Any]:
    """The tests that enter a rule (all of them for None), those first that catch most for their time."""
    relevant = [i for i in items if (entry := checks.get(item_name(i))) and (rule is None or rule in entry.entered)]
    return sorted(
        relevant, key=lambda i: max(LEAST, checks[item_name(i)].seconds) / (catches.get(item_name(i), 0) + 0.2)
    )


def item_name(item: Any) -> str:
    """A test as it is named in results: its file in short, and its name."""
    return f"{item.path.stem}::{item.name}"


# -- what the tests do on the unchanged source -------------------------------------------------------------------------


def _known(file: Path, source: str) -> dict[str, list[Any]]:
    """The measurements in a cache file, empty where the source has changed."""
    if not file.exists():
        return {}
    measurement: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    checks: dict[str, list[Any]] = measurement["checks"]
    return checks if measurement["source"] == source else {}


def _source_digest(folder: str) -> str:
    files = [*(GAMES / folder).rglob("*.py"), *(GAMES / folder).rglob("*.toml"), *(GAMES.parent / "core").glob("*.py")]
    helpers = [TESTS / "games" / "base_table.py", *(TESTS / "games" / folder).glob("table.py")]
    return digest_files(sorted([*files, *helpers]))


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest_files(paths: Collection[Path]) -> str:
    """One digest over the contents of files."""
    return hashlib.sha256("".join(map(_digest, paths)).encode()).hexdigest()[:16]


class _Watch:
    """Notes which rules of a game are entered, at no cost after the first call of each."""

    def __init__(self, folder: str):
        self.entered: set[str] = set()
        self._rules: dict[str, tuple[types.FunctionType, types.CodeType, types.CodeType]] = {}
        start = f"rfop_env.games.{folder}."
        for full, module in list(sys.modules.items()):
            if full.startswith(start):
                vars(module)["__enter_rule"] = self._enter
                for function in vars(module).values():
                    if isinstance(function, types.FunctionType) and function.__module__ == full:
                        self._add(f"{full.removeprefix(start)}.{function.__name__}", function)

    def _add(self, name: str, function: types.FunctionType) -> None:
        if function.__code__.co_freevars:
            return
        stub: dict[str, Any] = {}
        exec(f"def stub(*a, **k): return globals()['__enter_rule']({name!r})(*a, **k)", stub)
        self._rules[name] = function, function.__code__, stub["stub"].__code__

    def begin(self) -> None:
        """Forget what was entered so far."""
        self.entered.clear()
        for function, _, stub in self._rules.values():
            function.__code__ = stub

    def _enter(self, name: str) -> types.FunctionType:
        function, code, _ = self._rules[name]
        function.__code__ = code
        self.entered.add(name)
        return function
