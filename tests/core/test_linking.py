"""Rules linked once into their kernels: same results, other users of Numba left alone, and a way back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rfop_env.compiler import JIT, kernel, rule

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")

RECORD = np.dtype([("small", np.int8), ("wide", np.int32), ("cells", np.int16, (4,))], align=True)
LARGE = np.arange(200_000)


@rule
def below(x):
    """How many steps it takes down to 0: calls itself."""
    return 0 if x <= 0 else 1 + below(x - 1)


@rule
def add(x, y):
    return x + y


@rule
def add_everything(s):
    """Calls one rule with every width."""
    flags = add(2, True) + add(s.wide, False) + add(1, s.small > 2)
    return add(s.small, 1) + add(s.wide, s.small) + add(s.cells[2], s.wide) + flags + below(s.small)


@rule
def first_of(values):
    return values[:2].copy()


@rule
def refuse(x):
    if x > 2:
        raise ValueError("more than two", x)
    return x


@rule
def even(x):
    return x == 0 or odd(x - 1)


@rule
def odd(x):
    return x > 0 and even(x - 1)


@rule
def from_large(i):
    return LARGE[i]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache for every test."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("RFOP_QUIET", "1")
    return tmp_path


def both_ways(function, name, *arguments):
    """What a kernel gives when it is compiled, and when it is loaded."""
    compiled, loaded = kernel(function, name), kernel(function, name)
    results = compiled(*arguments), loaded(*arguments)
    assert not compiled.stats.cache_hits and loaded.stats.cache_hits
    return results


def in_a_process(script, *arguments, **environment):
    """What a Python script prints, which must end well."""
    process = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_a_rule_is_compiled_once_for_all_widths_of_integers():
    s = np.zeros(1, RECORD)
    s["small"], s["wide"], s["cells"] = 3, 100_000, 7
    expected = (3 + 1) + (100_000 + 3) + (7 + 100_000) + (2 + 1) + 100_000 + (1 + 1) + 3
    assert both_ways(lambda states: add_everything(states[0]), "test.widths", s) == (expected, expected)
    shapes = [tuple(map(str, arguments)) for arguments in add.overloads]
    assert sorted(shape for shape in shapes if "uint64" not in shape) == [("int64", "bool"), ("int64", "int64")]


def test_an_integer_that_int64_cannot_hold_keeps_its_type():
    top = np.uint64(2**64 - 1)
    assert both_ways(lambda x: add(x, np.uint64(0)), "test.unsigned", top) == (top, top)


@pytest.fixture
def allocations():
    """Counts what compiled code allocates and frees."""
    from numba.core.runtime import _nrt_python, rtsys

    _nrt_python.memsys_enable_stats()
    yield rtsys.get_allocation_stats
    _nrt_python.memsys_disable_stats()


def test_arrays_that_rules_take_and_make_are_counted_and_freed(allocations):
    values = np.arange(6)
    assert [list(result) for result in both_ways(lambda v: first_of(v), "test.arrays", values)] == [[0, 1]] * 2
    run = kernel(lambda v: first_of(v)[1] + first_of(v[2:])[0], "test.counted")
    run(values)
    counted, allocations_before = sys.getrefcount(values), allocations()
    for _ in range(1000):
        assert run(values) == 3
    allocations_after = allocations()
    assert sys.getrefcount(values) == counted
    assert (
        allocations_after.alloc - allocations_before.alloc == allocations_after.free - allocations_before.free
        and allocations_after.mi_alloc - allocations_before.mi_alloc > 1000
    )


def test_what_a_rule_raises_comes_out_of_its_kernel():
    for run in (kernel(lambda x: refuse(x), "test.raised") for _ in range(2)):  # compiled, then loaded
        assert run(2) == 2
        with pytest.raises(ValueError, match="more than two"):
            run(3)


@pytest.mark.parametrize(("name", "function", "argument", "result"), [
    ("large", lambda i: from_large(i), 12_345, 12_345),
    ("circle", lambda x: even(x), 7, False),
    ("other_circle", lambda x: odd(x), 7, True),
])  # fmt: skip
def test_a_kernel_that_points_into_its_process_is_not_kept(name, function, argument, result, cache, monkeypatch, capfd):
    monkeypatch.setenv("RFOP_QUIET", "0")
    for _ in range(2):
        assert kernel(function, f"test.{name}")(argument) == result
    assert f"test.{name} is not kept" in capfd.readouterr().err and not list(cache.rglob("*.nb*"))


def test_kernels_of_rules_of_one_name_do_not_mix():
    def named_alike(n):
        @rule
        def value(x):
            return n * x

        return lambda x: value(x) + value(x + 1)

    assert [kernel(named_alike(n), f"test.{n}")(10) for n in (2, 3)] == [42, 63]
    assert [kernel(named_alike(n), f"test.{n}")(10) for n in (3, 2)] == [63, 42]


NEIGHBOURS = """
import json, sys
from pathlib import Path
import numba
from numba.core import base, caching, codegen, compiler, cpu, dispatcher, lowering, registry, typeinfer, typed_passes

MODULES = base, caching, codegen, compiler, cpu, dispatcher, lowering, registry, typeinfer, typed_passes
def contents():
    return {
        (module.__name__, name, key): id(value)
        for module in MODULES for name, cls in vars(module).items() if isinstance(cls, type)
        for key, value in vars(cls).items() if callable(value) or hasattr(value, "__get__")
    }

sys.path.insert(0, sys.argv[1])
import neighbour
calls = []
def call():
    calls.append([neighbour.plain(4), neighbour.outer(4), neighbour.kept(4)])
early = neighbour.make(numba.njit)
calls.append(early(5))
call()
codegen_before, before = registry.cpu_target.target_context.codegen(), contents()

from rfop_env.compiler import kernel, rule
inner = rule(lambda x: x + 1)
outer = rule(lambda x: inner(x) + inner(x + 1))
calls.append(kernel(lambda x: outer(x) + outer(x), "test.beside")(1))
call()
calls.append(early(5.5))
calls.append(neighbour.make(numba.njit)(6))
calls.append(numba.njit(lambda x: outer(x) + neighbour.outer(x))(1))
calls.append(kernel(lambda x: outer(x) + neighbour.outer(x), "test.calls_out")(1))

assert contents() == before, "a class of Numba was changed"
assert registry.cpu_target.target_context.codegen() is codegen_before
assert {type(r.library) for f in (neighbour.plain, neighbour.outer, neighbour.kept) for r in f.overloads.values()} == {
    codegen.JITCodeLibrary
}
print(json.dumps([calls, sum(neighbour.kept.stats.cache_hits.values())]))
"""
NEIGHBOUR = """
import numba

@numba.njit
def plain(x):
    return x * 2

@numba.njit
def outer(x):
    return plain(x) + plain(x + 1)

@numba.njit(cache=True)
def kept(x):
    return outer(x) + plain(x)

def make(njit):
    return njit(lambda x: plain(x) + 1)
"""


def test_other_users_of_numba_are_left_alone(tmp_path):
    (tmp_path / "neighbour.py").write_text(NEIGHBOUR, encoding="utf-8")
    for hits in (0, 1):  # the neighbour's own cached function: compiled, then loaded
        calls, loaded = json.loads(in_a_process(NEIGHBOURS, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "numba")))
        assert calls == [11, [8, 18, 26], 10, [8, 18, 26], 12.0, 13, 5 + 6, 5 + 6] and loaded == hits


BEYOND = """
import sys
import numpy as np
from rfop_env.compiler import kernel, rule

RECORD = np.dtype([("cells", np.int32, (4,)), ("after", np.int32)])
states = np.zeros(1, RECORD)
states["after"] = 7
inner = rule(lambda s, i: s.cells[i])
outer = rule(lambda s, i: inner(s, i))
run = kernel(lambda states, i: outer(states[0], i), "test.beyond")
assert run(states, 3) == 0
try:
    print(run(states, 4))
except IndexError as error:
    print("IndexError:", error)
"""


def test_bounds_are_checked_on_demand_whatever_the_cache_holds(cache):
    answers = [in_a_process(BEYOND, NUMBA_BOUNDSCHECK=flag).strip() for flag in ("0", "1", "0", "1")]
    assert answers == ["7", "IndexError: index is out of bounds"] * 2
    assert len(list(cache.rglob("*.nbc"))) == 2


LOADED = """
import sys
import numba.core.event as event
import rfop_env
sys.path.insert(0, sys.argv[1])
import toy_game
from rfop_env.core.batch import GameBatch

class Count(event.Listener):
    compiled = 0
    def on_start(self, event):
        Count.compiled += 1
    def on_end(self, event):
        pass

event.register("numba:compile", Count())
unused = [toy_game.rule(lambda x: x) for _ in range(int(sys.argv[2]))]  # numbers the functions that follow otherwise
batch = GameBatch(toy_game.two_player(), 50, 3, autoreset=True)
batch.step_random(100)
batch.determinize(0, 1)
print(Count.compiled, int(batch.states["draws"].sum()), int(batch.observation.sum()), batch.states["score"].sum())
"""


def test_another_process_loads_what_the_first_compiled():
    tests = Path(__file__).parents[1]
    compiled, *first = in_a_process(LOADED, tests, 0).split()
    loaded, *second = in_a_process(LOADED, tests, 5).split()
    assert int(compiled) > 10 and int(loaded) == 0 and first == second
