"""Trying mutants of a game: what each of them changes is put in place, then the tests are run until one fails."""

from __future__ import annotations

import importlib
import signal
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

from training.research.mutation import checks
from training.research.mutation.checks import CAUGHT, IMPORT, SURVIVES, Check, Suite, Tell
from training.research.mutation.places import Place, mutated, read_source

IMPORTED_ONCE = ("numpy", "gymnasium", "pettingzoo", "rfop_env.testing.conformance", "rfop_env.testing.goldens")
IMPORT_LIMIT = 120.0  # seconds for everything up to the first test

Done = Callable[[Place, str, float], None]


def full_name(folder: str, module: str) -> str:
    """The name by which a game's module is imported."""
    return f"rfop_env.games.{folder}.{module}"


def swap_rule(folder: str, place: Place) -> None:
    """Change a rule that is imported already: the function stays the same object, so every module has the mutant."""
    module = sys.modules[full_name(folder, place.module)]
    code = compile(mutated(read_source(folder, place.module), place.number), str(module.__file__), "exec")
    codes = [c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == place.function]
    getattr(module, place.function).__code__ = codes[-1]


class MutantFinder:
    """A finder of modules that puts a mutant in the place of one; all others are found as ever.

    What stands outside of rules (tables, constants, functions that fill them) runs at import, so nothing may be
    imported before.
    """

    def __init__(self, folder: str, place: Place):
        self._name = full_name(folder, place.module)
        assert self._name not in sys.modules, f"{self._name} is imported already"
        source = read_source(folder, place.module)
        self._tree = mutated(source, place.number)

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """The module with the mutant's code, or None for another module."""
        if name != self._name:
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None and spec.loader is not None and spec.origin is not None
        code = compile(self._tree, spec.origin, "exec")
        spec.loader.get_code = lambda name: code  # type: ignore[attr-defined]
        return spec


class Trial:
    """The mutants of one game, tried `jobs` at a time against `budget` seconds of tests each.

    `catches`: the tests that caught mutants before, which come first; `tests`: as the `paths` of a `Suite`.
    """

    def __init__(
        self,
        folder: str,
        *,
        jobs: int = 1,
        budget: float = 60.0,
        catches: Iterable[str] = (),
        tests: Sequence[Path] = (),
    ):
        for name in IMPORTED_ONCE:
            importlib.import_module(name)
        self.folder, self.jobs, self.budget = folder, jobs, budget
        self.suite = Suite(folder, tests)
        self.checks: dict[str, Check] = self.suite.measure()
        self._catches = Counter(catches)

    def run(self, places: Sequence[Place], done: Done) -> None:
        """Try mutants; `done` is called for each with what caught it, "" if nothing did, and the seconds."""
        rules, outside = [p for p in places if p.in_rule], [p for p in places if not p.in_rule]
        if rules and checks.at_work(lambda tell: self._with_tests(rules, done)):
            raise RuntimeError("the tests of the unchanged source cannot be collected")
        checks.try_all(outside, self._try_import, self._noting(done), self.jobs)

    def _noting(self, done: Done) -> Done:
        def note(place: Place, caught_by: str, seconds: float) -> None:
            self._catches[caught_by] += 1
            done(place, caught_by, seconds)

        return note

    def _with_tests(self, places: Sequence[Place], done: Done) -> int:
        """Collect the tests, then try mutants of rules."""
        checks.silence(1)

        def use(items: list[Any]) -> int:
            def work(place: Place, tell: Tell) -> int:
                swap_rule(self.folder, place)
                return self._attempt(items, f"{place.module}.{place.function}", tell)

            checks.try_all(places, work, self._noting(done), self.jobs)
            return SURVIVES

        return CAUGHT if self.suite.collect(use) is None else SURVIVES

    def _try_import(self, place: Place, tell: Tell) -> int:
        """Collect the tests anew with a mutant of what is read at import."""
        checks.silence(1, 2)
        tell(IMPORT)
        signal.setitimer(signal.ITIMER_PROF, IMPORT_LIMIT)
        sys.meta_path.insert(0, MutantFinder(self.folder, place))
        status = self.suite.collect(lambda items: self._attempt(items, None, tell))
        return CAUGHT if status is None else status

    def _attempt(self, items: list[Any], rule: str | None, tell: Tell) -> int:
        checks.silence(1, 2)
        ordered = checks.in_order(items, self.checks, self._catches, rule)
        return checks.attempt(ordered, self.checks, self.budget, tell)
