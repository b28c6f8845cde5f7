"""The mutants of the rules: places, trials, results. A known mutant is caught, the unchanged source is not."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rfop_env.command_line import USER_ERROR
from rfop_env.compiler import JIT
from training.research.__main__ import main as research
from training.research.generator.mutation import mutant_cells
from training.research.mutation import try_mutants as command
from training.research.mutation import checks, results
from training.research.mutation.checks import BROKEN, CAUGHT, SURVIVES, Check
from training.research.mutation.places import (
    GAMES, LEFT_OUT, RULE_MARKS, Place, draw, modules_with_rules, mutated, places_in, find_places, read_source,
)  # fmt: skip

SOURCE = """
LIMIT = 4

@rule
def first(s):
    return max(s.x, 1) + 1 if s.x < LIMIT and s.y == 0 else -s.x

def second():
    return 1 + 1
"""

# -- places ------------------------------------------------------------------------------------------------------------


def test_places_are_named_by_function_and_text():
    places = [(place.function, place.change, place.occurrence, place.in_rule) for place in places_in(SOURCE, "m")]
    assert sorted(places) == sorted(
        [
            ("", "4 to 6", 0, False),
            ("first", "operator of 'max(s.x, 1) + 1'", 0, True),
            ("first", "operator of 's.x < LIMIT and s.y == 0'", 0, True),
            ("first", "comparison 's.x < LIMIT'", 0, True),
            ("first", "comparison 's.y == 0'", 0, True),
            ("first", "max to min", 0, True),
            ("first", "1 to 2", 0, True),
            ("first", "1 to 2", 1, True),
            ("first", "0 to 1", 0, True),
            ("second", "operator of '1 + 1'", 0, False),
            ("second", "1 to 2", 0, False),
            ("second", "1 to 2", 1, False),
        ]
    )


def test_a_mutant_differs_in_its_own_place_alone():
    plain = ast.unparse(ast.parse(SOURCE))
    mutants = [ast.unparse(mutated(SOURCE, place.number)) for place in places_in(SOURCE)]
    assert len(set(mutants)) == len(mutants)  # the two ones of a line are two mutants
    for mutant in mutants:
        changed = [pair for pair in zip(plain.splitlines(), mutant.splitlines(), strict=True) if pair[0] != pair[1]]
        assert len(changed) == 1


def test_keys_stay_where_lines_move():
    moved = "\n\n# a line more\n" + SOURCE
    assert [place.key for place in places_in(moved)] == [place.key for place in places_in(SOURCE)]
    assert [place.line for place in places_in(moved)] == [place.line + 3 for place in places_in(SOURCE)]


@pytest.mark.parametrize("game", results.GAME_NAMES)
def test_keys_of_a_game_are_different(game):
    keys = [place.key for place in find_places(game)]
    assert len(set(keys)) == len(keys) > 200


@pytest.mark.parametrize("game", results.GAME_NAMES)
def test_modules_left_out_hold_no_rules(game):
    for path in (GAMES / game).glob("*.py"):
        marks = {
            mark.id
            for node in ast.parse(read_source(game, path.stem)).body
            for mark in getattr(node, "decorator_list", [])
            if isinstance(mark, ast.Name)
        }
        if path.stem in LEFT_OUT and path.stem != "scripted":
            assert not marks & RULE_MARKS, f"{path.stem} has rules"
    assert "board" in modules_with_rules(game) and "turn" in modules_with_rules(game)


def test_every_module_left_out_is_one_of_some_game():
    assert set(LEFT_OUT) <= {path.stem for path in GAMES.glob("*/*.py")}


def test_a_draw_is_even_over_modules_and_hardly_changes_with_the_source():
    places = [*places_in(SOURCE, "a"), *places_in(SOURCE * 3, "b")]
    sample = draw(places, 12, seed=5)
    assert [sum(place.module == name for place in sample) for name in "ab"] == [3, 9]
    assert draw(places[::-1], 12, 5) == sample != draw(places, 12, 6)
    fewer = draw([place for place in places if place != sample[-1]], 11, 5)
    assert len({place.key for place in sample} - {place.key for place in fewer}) <= 2


# -- processes and tests -----------------------------------------------------------------------------------------------


def works(status, told="test_a"):
    def work(tell):
        tell("a longer line before")
        tell(told)
        return status

    return work


def hangs(tell):
    tell("test_b")
    signal.setitimer(signal.ITIMER_PROF, 0.02)
    while True:
        pass


def test_what_a_process_says():
    assert checks.at_work(works(SURVIVES)) == ""
    assert checks.at_work(works(CAUGHT)) == "test_a"
    assert checks.at_work(hangs) == "time limit in test_b"
    assert checks.at_work(lambda tell: os.kill(os.getpid(), signal.SIGKILL)).startswith("crash in")
    with pytest.raises(RuntimeError, match="the script failed, not the mutant"):
        checks.at_work(works(BROKEN))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        checks.at_work(lambda tell: 1 // 0)


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_task_has_its_result(jobs):
    results_by_task = {}
    checks.try_all(
        range(5),
        lambda task, tell: works(CAUGHT if task % 2 else SURVIVES, f"test_{task}")(tell),
        lambda task, caught_by, seconds: results_by_task.update({task: caught_by}),
        jobs,
    )
    assert results_by_task == {0: "", 1: "test_1", 2: "", 3: "test_3", 4: ""}


class Item:
    """A test as far as its name goes."""

    def __init__(self, name):
        self.name, self.path = name, Path("test_x.py")


def test_tests_come_in_the_order_of_what_they_catch_for_their_time():
    items = [Item("dear"), Item("cheap"), Item("good"), Item("elsewhere"), Item("unknown")]
    checks_by_name = {
        "test_x::dear": Check(9.0, frozenset({"m.f"})),
        "test_x::cheap": Check(0.5, frozenset({"m.f", "m.g"})),
        "test_x::good": Check(2.0, frozenset({"m.f"})),
        "test_x::elsewhere": Check(0.1, frozenset({"m.g"})),
    }
    catches = {"test_x::good": 20}
    assert [i.name for i in checks.in_order(items, checks_by_name, catches, "m.f")] == ["good", "cheap", "dear"]
    assert [i.name for i in checks.in_order(items, checks_by_name, {}, None)] == ["elsewhere", "cheap", "good", "dear"]


def attempted(monkeypatch, outcomes, budget):
    """Attempt tests with these outcomes, 0.02 seconds each; what was told last, and the status."""
    messages = []

    def run_one(item, following):
        began = checks.time.process_time()
        while checks.time.process_time() - began < 0.02:
            pass
        return outcomes[item.name]

    monkeypatch.setattr(checks, "run_one", run_one)
    items = [Item(name) for name in outcomes]
    checks_by_name = {f"test_x::{name}": Check(0.02, frozenset()) for name in outcomes}
    status = checks.attempt(items, checks_by_name, budget, messages.append)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return messages[-1], status


def test_an_attempt_ends_at_the_first_failure_or_with_the_budget(monkeypatch):
    fine, bad = {"passed"}, {"passed", "failed"}
    assert attempted(monkeypatch, {"a": fine, "b": bad, "c": fine}, 9) == ("test_x::b", CAUGHT)
    assert attempted(monkeypatch, {"a": fine, "b": fine}, 9) == ("test_x::b", SURVIVES)
    assert attempted(monkeypatch, {"a": fine, "b": bad}, 0.01) == ("test_x::a", SURVIVES)


# -- the whole way, on a few tests of Revolution -----------------------------------------------------------------------

PROGRAM = """
import sys
from pathlib import Path
from training.research.mutation import trial
from training.research.mutation.places import mutated, find_places

tests = [Path("tests/games/revolution/test_rulings.py").resolve()]
wanted = {
    "game": ("payoff", "1 to 2"),
    "turn": ("place_building", "comparison 's.placed < c.buildings'"),
    "board": ("", "5 to 7"),
}
places = [p for p in find_places("revolution") if wanted.get(p.module) == (p.function, p.change)]
for unchanged in (False, True):
    if unchanged:  # every mutant is the source itself
        trial.mutated = lambda source, number: __import__("ast").parse(source)
    found = trial.Trial("revolution", jobs=2, tests=tests)
    note = lambda place, caught_by, _: print("result", unchanged, place.module, bool(caught_by), file=sys.stderr)
    found.run(places, note)
"""


def output_of(arguments, **environment):
    """What a Python process prints that works in the repository with rules that are not compiled."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=checks.ROOT, env=os.environ | {"RFOP_JIT": "0"} | environment, capture_output=True, text=True,
    )  # fmt: skip
    return done


def test_known_mutants_are_caught_and_the_unchanged_source_is_not():
    done = output_of(["-c", PROGRAM])
    assert done.returncode == 0, done.stderr
    lines = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("result")]
    caught = {(module, unchanged): word for unchanged, module, word in lines}
    assert caught == {
        (module, unchanged): str(unchanged == "False")
        for module in ("game", "turn", "board")
        for unchanged in ("False", "True")
    }


def test_tests_that_fail_on_the_unchanged_source_are_refused(tmp_path):
    (tmp_path / "test_wrong.py").write_text("def test_wrong():\n    assert False\n", encoding="utf-8")
    program = "from pathlib import Path\nfrom training.research.mutation.checks import Suite\n"
    program += f"Suite('revolution', [Path({str(tmp_path)!r})]).measure()"
    done = output_of(["-c", program])
    assert done.returncode != 0 and "the unchanged source fails: test_wrong::test_wrong" in done.stderr


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not JIT, reason="rules are plain Python")
def test_compiled_rules_are_refused(capsys):
    assert research(["mutation", "paris"]) == USER_ERROR
    assert "RFOP_JIT=0" in capsys.readouterr().err


class FakeTrial:
    """Catches every mutant whose place has an even number."""

    def __init__(self, game, **settings):
        self.tried = []
        FakeTrial.last = self

    def run(self, places, done):
        for place in places:
            self.tried.append(place)
            done(place, "" if place.number % 2 else "test_x::even", 1.25)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Results in a folder of their own, and no real trial."""
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(results, "REASONS", tmp_path / "reasons.csv")
    monkeypatch.setattr(command, "Trial", FakeTrial)
    results.records.write_records(results.REASONS, [], results.Reason)
    return tmp_path


def test_a_run_is_taken_up_where_it_stopped(folder):
    sample = draw(find_places("revolution"), 20, 0)
    command.try_places("revolution", sample, False, False, 1, 60.0)
    rows = results.read_rows("revolution")
    assert {row.key for row in rows} == {place.key for place in sample}
    assert {row.caught_by for row in rows} == {"test_x::even", results.SURVIVES}
    command.try_places("revolution", sample, True, False, 1, 60.0)
    assert FakeTrial.last.tried == [] and results.read_rows("revolution") == rows
    results.write_rows("revolution", rows[3:])
    command.try_places("revolution", sample, True, False, 1, 60.0)
    assert {place.key for place in FakeTrial.last.tried} == {row.key for row in rows[:3]}
    assert results.read_rows("revolution") == rows


def test_survivors_are_tried_again_unless_there_is_a_reason(folder):
    sample = draw(find_places("revolution"), 20, 0)
    command.try_places("revolution", sample, False, False, 1, 60.0)
    first, *remaining = [place for place in sample if place.number % 2]
    reason = results.Reason("revolution", *first.key, "it is the same")
    results.records.write_records(results.REASONS, [reason], results.Reason)
    command.try_places("revolution", sample, True, True, 1, 60.0)
    assert {place.key for place in FakeTrial.last.tried} == {place.key for place in remaining}


def test_a_result_whose_line_has_changed_is_dropped(folder):
    sample = draw(find_places("revolution"), 5, 0)
    gone = Place("turn", "deal", 1, "s.placed = -5", "5 to 7", 0, 0, True)
    results.add_row("revolution", gone, "", 1.0)
    assert mutant_cells("revolution")[2] == "0"
    command.try_places("revolution", sample, True, False, 1, 60.0)
    assert gone.key not in {row.key for row in results.read_rows("revolution")}


# -- what is in the repository -----------------------------------------------------------------------------------------


def test_every_game_has_mutants():
    assert {path.parent.name for path in GAMES.glob("*/game.py")} == set(results.GAME_NAMES)


@pytest.mark.parametrize("game", results.GAME_NAMES)
def test_every_survivor_that_stands_in_the_source_has_a_reason(game):
    reasons, places = results.read_reasons(game), {place.key for place in find_places(game)}
    survivors = [row for row in results.read_rows(game) if row.caught_by == results.SURVIVES and row.key in places]
    assert [row for row in survivors if row.key not in reasons] == []


@pytest.mark.parametrize("game", results.GAME_NAMES)
def test_every_reason_is_one_of_a_survivor(game):
    survivors = {row.key for row in results.read_rows(game) if row.caught_by == results.SURVIVES}
    assert set(results.read_reasons(game)) <= survivors
    assert all(len(reason.split()) >= 3 for reason in results.read_reasons(game).values())
