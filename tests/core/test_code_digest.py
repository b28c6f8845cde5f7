"""The digest of compiled code: equal for equal code, other for anything that changes what is compiled, or refused."""

from __future__ import annotations

import dataclasses
import enum
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import toy_game

from rfop_env.compiler import JIT, kernel, rule, small_rule
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadRule
from rfop_env.registry import get_game, list_games

if JIT:
    from rfop_env.compiler.code_digest import code_digest

compiled_only = pytest.mark.skipif(not JIT, reason="nothing is compiled with RFOP_JIT=0")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache for every test."""
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("RFOP_QUIET", "1")


# -- games whose rules come from one factory ---------------------------------------------------------------------------


def captured_number(sign):
    @rule
    def payoff(s, c, seat, kind):
        margin = int(s.score[seat]) - int(s.score[1 - seat])
        return sign * (int(margin > 0) - int(margin < 0))

    return payoff


def captured_table(sign):
    table = np.array([-sign, 0, sign])

    @rule
    def payoff(s, c, seat, kind):
        margin = int(s.score[seat]) - int(s.score[1 - seat])
        return table[1 + int(margin > 0) - int(margin < 0)]

    return payoff


def default_value(sign):
    @rule
    def outcome(margin, factor=sign):
        return factor * (int(margin > 0) - int(margin < 0))

    @rule
    def payoff(s, c, seat, kind):
        return outcome(int(s.score[seat]) - int(s.score[1 - seat]))

    return payoff


def captured_rule(sign):
    inner = captured_number(sign)

    @rule
    def payoff(s, c, seat, kind):
        return inner(s, c, seat, kind)

    return payoff


@pytest.mark.parametrize("make", [captured_number, captured_table, default_value, captured_rule])
def test_games_whose_rules_come_from_one_factory_play_by_their_own(make):
    game = toy_game.two_player()
    rewards = []
    for sign in (1, -1, 1, -1):  # compiled, then loaded
        variant = dataclasses.replace(game, rules=dataclasses.replace(game.rules, payoff=make(sign)))
        batch = GameBatch(variant, 6, 0)
        batch.step_random(60)
        rewards.append(batch.rewards[:, 0].tolist())
    assert {1.0, -1.0} <= set(rewards[0])
    assert rewards[0] == rewards[2] == [-x for x in rewards[1]] and rewards[1] == rewards[3]


# -- a rule from another folder ----------------------------------------------------------------------------------------

FOREIGN = """
import json, sys
from rfop_env.compiler import kernel, rule
sys.path.insert(0, sys.argv[1])
import helper

own = rule(lambda x: helper.scaled(x) + helper.OFFSET + helper.TABLE[x])
run = kernel(lambda x: own(x), "test.foreign")
print(json.dumps([run(2), sum(run.stats.cache_hits.values()) if hasattr(run, "stats") else 0]))
"""
HELPER = """
import numpy as np
from rfop_env.compiler import rule
{comment}
FACTOR, OFFSET, TABLE = {values}

@rule
def scaled(x):
    return FACTOR * x
"""


@compiled_only
def test_an_edit_of_a_rule_or_constant_in_another_folder_is_compiled_anew(tmp_path):
    def run(values, comment=""):
        (tmp_path / "helper.py").write_text(HELPER.format(values=values, comment=comment))
        words = [sys.executable, "-B", "-c", FOREIGN, str(tmp_path)]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    assert run("2, 10, np.arange(3)") == [2 * 2 + 10 + 2, 0]
    assert run("2, 10, np.arange(3)", "# a comment") == [2 * 2 + 10 + 2, 1], "code that is the same is loaded"
    assert run("3, 10, np.arange(3)") == [3 * 2 + 10 + 2, 0]
    assert run("3, 20, np.arange(3)") == [3 * 2 + 20 + 2, 0]
    assert run("3, 20, -np.arange(3)") == [3 * 2 + 20 - 2, 0]
    assert run("2, 10, np.arange(3)") == [2 * 2 + 10 + 2, 1], "an edit that is undone is loaded"


# -- what counts -------------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    x: int
    y: int


class Colour(enum.IntEnum):
    RED = 3


def capture(value):
    """A function that captures a value."""
    return lambda x: (x, value)


DIFFERENT = [
    1, 2, 1.0, True, "a", b"a", None, (1, 2), (1, (2,)), Point(1, 2), frozenset({1, 2}), frozenset({1, 3}),
    np.int8(1), np.int16(1), np.arange(3), np.arange(3.0), np.arange(3)[None], np.asfortranarray(np.ones((2, 2))),
    np.ones((2, 2)), np.dtype("i4"), np.dtype([("a", "i4")]), np.dtype([("a", "i1"), ("b", "i4")]),
    np.dtype([("a", "i1"), ("b", "i4")], align=True), Colour.RED, Colour, Point, np.int8, np.sqrt, len, np,
]  # fmt: skip


@compiled_only
def test_equal_values_have_one_digest_and_others_have_others():
    digests = [code_digest(capture(value)).text for value in DIFFERENT]
    assert digests == [code_digest(capture(value)).text for value in DIFFERENT]
    assert len(set(digests)) == len(DIFFERENT)


@compiled_only
def test_code_defaults_and_the_kind_of_rule_count():
    one, two = rule(lambda x: x + 1), rule(lambda x: x + 2)
    functions = [
        lambda x: one(x), lambda x: two(x), lambda x: one(x) + 1, lambda x, y=1: one(x), lambda x, y=2: one(x),
        lambda x, *, y=1: one(x), capture(small_rule(one.py_func)), capture(one), lambda x: [one(y) for y in x],
        lambda x: [two(y) for y in x],
    ]  # fmt: skip
    assert len({code_digest(function).text for function in functions}) == len(functions)
    assert code_digest(capture(one)) == code_digest(capture(rule(one.py_func)))


@compiled_only
def test_rules_that_call_themselves_and_each_other_are_read_once():
    @rule
    def even(x):
        return x == 0 or odd(x - 1)

    @rule
    def odd(x):
        return x > 0 and even(x - 1)

    assert code_digest(lambda x: even(x)).rules == code_digest(lambda x: odd(x)).rules == 3


@compiled_only
def test_a_name_of_a_module_counts_by_its_value(monkeypatch):
    module = types.ModuleType("constants")
    module.BONUS, module.unused = 1, {}
    monkeypatch.setitem(globals(), "constants", module)

    def digest():
        return code_digest(lambda x: x.unused + constants.BONUS).text  # noqa: F821

    first = digest()
    module.BONUS = 2
    assert digest() != first
    module.BONUS, module.other = 1, 5
    assert digest() == first


MANY = "\n".join(f"n{k} = {k}" for k in range(300))


@compiled_only
def test_globals_of_long_functions_count():
    """Names beyond the 256th are written with a longer instruction."""
    names = {}
    exec(MANY + "\ndef total():\n    return " + " + ".join(f"n{k}" for k in range(300)), names)
    first = code_digest(names["total"]).text
    names["n299"] = -1
    assert code_digest(names["total"]).text != first


@compiled_only
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1, 2], r"uses value, which is \[1, 2\]"),
        (test_globals_of_long_functions_count, "uses value, which is a function without the mark @rule"),
        ((1, [2]), r"uses value, which is \[2\]"),
    ],
)
def test_what_has_no_digest_is_refused_in_a_sentence(value, words):
    with pytest.raises(BadRule, match=rf"capture.*{words}.*numbers, strings, tuples, NumPy arrays and functions"):
        kernel(capture(value), "test.refused")(1)


@compiled_only
def test_a_game_with_a_rule_that_has_no_digest_is_refused_when_a_batch_is_made():
    weights = {0: 1}

    @rule
    def payoff(s, c, seat, kind):
        return weights[0]

    game = toy_game.two_player()
    game = dataclasses.replace(game, rules=dataclasses.replace(game.rules, payoff=payoff))
    with pytest.raises(BadRule, match=r"payoff uses weights, which is \{0: 1\}"):
        GameBatch(game, 1)


@compiled_only
def test_every_rule_of_our_games_has_a_digest_that_another_process_gives_too():
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_code_digest import digests_of_games
print(digests_of_games())
"""
    paths = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "77", "RFOP_QUIET": "1"}
    process = subprocess.run([sys.executable, "-c", script], env=paths, check=True, capture_output=True, text=True)
    assert process.stdout.strip() == str(digests_of_games())


def digests_of_games():
    """The digests of the three parts of each game's rules."""
    from rfop_env.compiler.native_rules import make_parts

    return [
        code_digest(part).text
        for game in map(get_game, list_games())
        for part in make_parts(game.rules, game.state, game.load_components(None).record.dtype)
    ]
