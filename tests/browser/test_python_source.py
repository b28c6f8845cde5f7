"""Emitted text does in MicroPython what Python does: small functions, one for each construct."""

import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import count
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pytest

from rfop_env.browser.micropython_syntax import BadSource
from rfop_env.browser.python_source import RUNTIME, python_source
from rfop_env.compiler import rule
from rfop_env.core.errors import UnknownName
from rfop_env.core.record import Frame
from rfop_env.games.paris import board
from tests.browser.node import answers, needs_node

NAMES = ("Élysée", "Opéra", "a name that is too long to stand where it is used")
ask_card = Frame("card", (0, 1), unused=None, card=(1, 9))
RECORD = np.zeros(
    1, [("counts", np.int8, (2, 3)), ("rows", np.int32, (4,)), ("total", np.int64), ("padding", np.int64)]
)
RECORD["counts"][0] = [[1, 0, -3], [4, 5, -128]]
RECORD["rows"][0] = [3, 0, 70000, -1]
RECORD["total"] = 2**40


class Pair(NamedTuple):
    left: int
    right: str = "right"


@dataclass
class Base:
    width: int
    parts: list[int] = field(default_factory=list)

    def add(self, part: int) -> int:
        self.parts.append(part)
        return len(self.parts)

    def never_called(self) -> Any:
        return np.linalg.svd(RECORD)


@dataclass
class Derived(Base):
    title: str = field(default=NAMES[0], kw_only=True)

    def __post_init__(self) -> None:
        self.parts.append(self.width)

    @property
    def doubled(self) -> int:
        return 2 * self.width

    @cached_property
    def numbers(self) -> list[int]:
        self.parts.append(0)
        return [self.width]

    @classmethod
    def of(cls, width: int) -> "Derived":
        return cls(width)

    @staticmethod
    def half(width: int) -> int:
        return width // 2

    def add(self, part: int) -> int:
        return 10 * super().add(part)


@rule
def doubled(n: int) -> int:
    """Twice as much."""
    return 2 * n


@cache
def squared(n: int) -> int:
    return n * n


def adder(n: int) -> Callable[[int], int]:
    return lambda m: m + n


add_two, add_three = adder(2), adder(3)
functions = (lambda n: n + 1, lambda n: n * 100)


def displays():
    a, b = [1, 2], {"z": 1, "a": 2}
    *beginning, last = [*a, 3, *a, 4]
    ordered = {**b, "q": 3, "a": 4, "b": {k: 2 * k for k in (9, 3, 7)}}
    return [beginning, last, (*a, 5), (*a,), sorted({*a, 7}), list(ordered.items()), list({}), list(ordered | {"c": 0})]


def texts():
    quote, width, n = "\"'{}", 3, 17
    return [
        f"{{{quote}}} {'it' if width > 2 else 'is'} {board.GOOD_NAMES[0]:>8}|{n:>4}|{-n:+d}|{n:+d}|{None}|{True}",
        f"{NAMES[1]}{n}",
        " & ".join(f"{name.upper()} {name.lower()} {name.capitalize()}" for name in (*NAMES, "ŒUVRE", "ÿ ß")),
        "a-b".removeprefix("a").removesuffix("-b"),
        [word for text in ("a\xa0b  c\u202fd", "\x1c", "à é ") for word in text.split()],
        ["é\xa0 ".strip(), "\xa0 à".rstrip(), "\u3000à ".lstrip(), "xax".strip("x"), NAMES[2].split(" a ")],
        [escape("<a & b>"), quoteattr('a<"b">'), quoteattr('it\'s "b"\n'), quoteattr("plain")],
    ]


def numbers():
    values = [k / 8 for k in range(-200, 200)] + [k / 7 for k in range(300)] + [k * 0.1 for k in range(500)]
    values += [12.25, 0.35, 1234.125, 99999.95, 999998.5, 1e6, 123456789.0, 1e-5, 0.00012345, 1e16, 1 / 3, -0.0, 1e22]
    return [
        " ".join([f"{x:g} {x:.1f} {x:.3f} {x} {round(x, 1)} {round(x)}" for x in values]),
        f"{0:g} {7:g} {1234567:g} {3:.1f} {True:g} {math.inf} {-math.inf:g}",
        f"{round(math.hypot(3, 4))} {math.sin(1.0):.1f} {7 // -2} {-7 % 3} {divmod(-7, 3)[1]} {1 << 40}",
    ]


def containers():
    rows = [(2, "a"), (1, "b"), (2, "c"), (1, "d")]
    numbers = count(5)
    return [
        sorted(rows, key=lambda row: row[0]),
        sorted(rows, key=lambda row: row[0], reverse=True),
        sorted({"b": 1, "a": 2}),
        [list(range(9))[::2], "abcdef"[::-1], (1, 2, 3, 4)[-1:0:-2], "abc"[5:0:-1], "abcdef"[-3::2], [1, 2][3::-1]],
        [x + y for x, y in zip([1, 2], [3, 4], strict=True)],
        list(Counter("abca").items()),
        [next(numbers), next(numbers), next((x for x in rows if x[0] > 2), None)],
        [isinstance("a", str), isinstance({}, dict), isinstance(1, (str, int)), list(map(str, (1, 2.5, "a")))],
        [board + 1 for board in board.PLAYER_COUNTS],
    ]


def classes():
    base, derived = Base(3), Derived(4, title="other")
    shared = [base.add(1), Base(5).add(1), derived.add(8), derived.doubled, Derived.half(9)]
    return [
        shared,
        [derived.numbers, derived.numbers, derived.parts, derived.title, Derived.of(2).title, Derived.of(2).parts],
        [list(Pair(1)), list(Pair(1, right="x")), Pair(1) == (1, "right"), Pair(2).right, Pair(3)[0], len(Pair(4))],
        [name for name in ("width", "nothing") if hasattr(base, name)],
    ]


def calls():
    def inner(*further, times=2, **options):
        nonlocal total
        total += times * sum(further)
        return sorted(options.items())

    total = 1
    look = {"fill": "red", "opacity": 2}
    result = [inner(1, *(2, 3), 4, times=3, **look), inner(), total]
    if (size := len(look)) > 1:
        result.append(size)
    return [
        *result,
        [add_two(1), add_three(1), [function(5) for function in functions], partial(adder(1), 5)(), squared(7)],
        [doubled(4), ask_card.card, board.EIGHT, NAMES[2], math.floor(2.5)],
        list(generated(3)),
    ]


def generated(n: int):
    for k in range(n):
        try:
            yield 10 // k
        except ZeroDivisionError as error:
            yield type(error).__name__
    yield from [caught("x")]


def caught(name: str) -> str:
    try:
        raise UnknownName("card", name, [f"{name!r}"])
    except ValueError:
        return "caught"


class Arrays:
    """Fields of a record, as drawings read them."""

    def __init__(self) -> None:
        self.record = RECORD

    def results(self) -> list[Any]:
        s = self.record.view(np.recarray)[0]
        counts, rows = s.counts, s.rows
        positive = counts[:, 1] > 0
        chosen = rows[rows != 0]
        return [
            [int(s.total), int(self.record["total"][0]), self.record["counts"].tolist(), len(rows), int(rows[-1])],
            [int(x) for x in rows] + [int(counts[1, 2]), int(counts[-1][0]), int(counts[0, -1])],
            [counts[1].tolist(), counts[:, 2].tolist(), counts[1:].tolist(), rows[1:3].tolist(), rows[:0].tolist()],
            [
                bool((counts != counts).any()),
                bool((rows >= -1).all()),
                int(rows.sum()),
                positive.tolist(),
                chosen.tolist(),
            ],
            [
                np.flatnonzero((counts < 0).any(axis=0)).tolist(),
                np.flatnonzero(rows).tolist(),
                counts.sum(axis=1).tolist(),
            ],
            [[int(row), int(column)] for row, column in np.argwhere(counts == 0)],
            [((rows > 0) & (rows < 10)).tolist(), ((rows <= 0) | (rows == 3)).tolist(), list(counts.shape)],
        ]


@dataclass(frozen=True)
class Cases:
    """What a page asks, from all functions."""

    cases: dict[str, Callable[[], Any]]

    def answer(self, question: str) -> str:
        return json.dumps({name: case() for name, case in self.cases.items()})


CASES = {case.__name__: case for case in (displays, texts, numbers, containers, classes, calls)}
CASES["arrays"] = Arrays().results


@needs_node
def test_micropython_does_what_python_does(monkeypatch, tmp_path):
    scene = Cases(CASES)
    source = python_source({"scene": scene}, ["answer"])
    assert "never_called" not in source and "padding" not in source and "Twice as much" not in source
    text = f"{RUNTIME.read_text(encoding='utf-8')}\n{source}\n"
    (answered,) = answers(text, [{}], tmp_path)
    monkeypatch.setitem(globals(), "doubled", getattr(doubled, "py_func", doubled))  # Python calls no compiled rule
    expected = json.loads(scene.answer(""))
    for name in CASES:
        assert answered[name] == expected[name], name


def formats(x):
    return f"{x:,}"


def computed_formats(x, width):
    return f"{x:{width}}"


def spellings(x):
    return f"{x!r}"


def old_formats(x):
    return "%d" % x  # noqa: UP031


def imports():
    import random

    return random


def matches(x):
    match x:
        case 1:
            return 2


async def waits():
    return 1


def titles(x):
    return x.title()


def strides(x):
    return x[1, ::2]


def keywords(x):
    return dict(a=x, b=x)  # noqa: C408


def decorated(x):
    @cache
    def inner():
        return x

    return inner


def hides(escape):
    return f"{len(escape):g} {quoteattr(escape)} {globals}"


def hidden(general, x):
    return f"{general}{x:g}"


def calls_numpy(x):
    return np.linalg.norm(x)


def writes_bytes():
    return memoryview(b"a")


@pytest.mark.parametrize(
    "function, words",
    [
        (formats, "format ','"),
        (computed_formats, "format"),
        (spellings, "format '!r'"),
        (old_formats, "format by %"),
        (imports, "Import"),
        (matches, "Match"),
        (waits, "no source of waits"),
        (titles, "method title"),
        (strides, "step in this slice"),
        (keywords, "order of keywords"),
        (decorated, "decorated function"),
        (hides, "built-in function globals"),
        (hidden, "a local name hides"),
        (calls_numpy, "norm"),
        (writes_bytes, "memoryview"),
    ],
)
def test_what_micropython_has_no_word_for_is_named_with_its_place(function, words):
    with pytest.raises(BadSource, match=words) as error:
        python_source({"scene": function})
    line = function.__code__.co_firstlineno
    assert any(f"{__file__}:{line + k}:" in str(error.value) for k in range(4))


def test_values_that_cannot_be_written():
    loop = []
    loop.append(loop)
    for value, words in ((loop, "holds itself"), (1j, "1j"), (np.zeros(3), "array"), ({"a": object()}, "object")):
        with pytest.raises(BadSource, match=words):
            python_source({"scene": value})


def test_micropython_needs_no_code_from_texts():
    """The page's policy forbids it."""
    text = (RUNTIME.parent / "micropython" / "micropython.mjs").read_text(encoding="utf-8")
    assert "eval(" not in text and "Function(" not in text and "instantiateStreaming" in text
