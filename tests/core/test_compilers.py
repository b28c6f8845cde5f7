"""The compilers of rules: what they leave out changes no result, no message and nothing outside."""

import gc
import math

import numba
import numpy as np
import pytest

from rfop_env.compiler import JIT, kernel, rule

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")

RECORD = np.dtype([("tiny", np.int8), ("byte", np.uint8), ("word", np.uint32), ("yes", np.bool_), ("part", np.float32)])


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache for every test."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("RFOP_QUIET", "1")


def conversions(s):
    """Every kind of number through int(), in products that show how wide they have become."""
    integers = int(s.tiny) * int(s.tiny) + int(s.byte) * int(s.byte) + int(s.yes) + int(s.tiny > 5)
    return integers, int(s.part), int(2.9) + int(-2.9), int(s.word) - int(s.byte), int(s.word) * 2, max(int(s.tiny), 3)


def functions(v):
    """What belongs to modules, and expressions on whole arrays."""
    return math.sqrt(v[0]) + np.sqrt(v[1]) + (v[:2] * 2.0 + v[1:] / 4.0).sum() + math.floor(v[2])


def nested(v):
    """A function within a function, which captures a variable, and a comprehension."""
    half = v[0] / 2.0

    def add_half(x):
        return x + half

    return add_half(1.0) + len([x for x in range(5) if x % 2 == 0])


@pytest.mark.parametrize("function", [conversions, functions, nested])
def test_rules_give_what_numba_by_itself_gives(function):
    record = np.zeros(1, RECORD)
    record[0] = -100, 200, 2**32 - 1, True, 3.75
    argument = record[0] if function is conversions else np.array([4.0, 9.0, 2.5])
    compiled = rule(function)
    run = kernel(lambda x: compiled(x), f"test.{function.__name__}")
    expected = numba.njit(error_model="numpy")(function)(argument)
    assert run(argument) == expected
    plain, overload = numba.njit(error_model="numpy")(function), next(iter(compiled.overloads.values()))
    plain(argument)
    assert overload.signature.return_type == plain.nopython_signatures[0].return_type


def test_what_cannot_be_typed_is_told_in_numbas_words():
    compiled = rule(lambda x: len(x))
    with pytest.raises(numba.TypingError, match=r"No implementation of function.*len"):
        kernel(lambda x: compiled(x), "test.wrong")(3)


def test_pythons_garbage_collector_is_as_before():
    thresholds = gc.get_threshold()
    thresholds_seen = []
    compiled = rule(lambda x: x + 1)
    run = kernel(lambda x: compiled(x), "test.collected")
    gc.callbacks.append(lambda phase, info: thresholds_seen.append(gc.get_threshold()))
    try:
        assert run(1) == 2
        with pytest.raises(numba.TypingError):
            kernel(lambda x: x.nothing, "test.failing")(1)
    finally:
        gc.callbacks.pop()
    assert gc.get_threshold() == thresholds
