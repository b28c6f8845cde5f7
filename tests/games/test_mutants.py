"""Mutants of the shipped component files are refused with a reason, or play whole games within the declared bounds."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core import kernels as core_kernels
from rfop_env.core.batch import GameBatch
from rfop_env.core.component_file import TEXT
from rfop_env.core.errors import BadComponents
from rfop_env.registry import get_game, list_games
from rfop_env.testing.random_play import check_position
from tests.games import mutants
from tests.games.eager import eager_action

FEW, MANY = 40 if JIT else 20, 4000  # mutants of each environment
PART = 50  # decisions of most games where rules are plain Python, which takes a second or more for a whole game
WHOLE = 16  # of so many mutants there one plays to the end
EACH = pytest.mark.parametrize("name", list_games())


# -- rules in plain Python, where a negative index is silent -----------------------------------------------------------


class _Strict(np.ndarray):  # type: ignore[type-arg]
    """An array that refuses negative indices, which Python and compiled rules take for places counted from the end."""

    def __getitem__(self, key: Any) -> Any:
        _refuse_negative(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _refuse_negative(key)
        super().__setitem__(key, value)


def _refuse_negative(key: Any) -> None:
    for index in key if isinstance(key, tuple) else (key,):
        if isinstance(index, int | np.integer) and index < 0:
            raise IndexError(f"index {index} is negative")


class _StrictRecord:
    """A record whose arrays are strict."""

    def __init__(self, record: Any):
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._record, name)
        return value.view(_Strict) if isinstance(value, np.ndarray) else value

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._record, name, value)


class _StrictRecords:
    """Records that are strict."""

    def __init__(self, records: Any):
        self._records = records

    def __getitem__(self, i: int) -> _StrictRecord:
        return _StrictRecord(self._records[i])

    def __setitem__(self, i: int, record: Any) -> None:
        self._records[i] = record


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Rules that are plain Python refuse negative indices into records; compiled ones are as they are."""
    if not JIT:
        plain = core_kernels.Kernels.of

        def of(game: Any) -> Any:
            kernels = copy.copy(plain(game))
            kernels.advance = _strict_advance(kernels.advance)
            return kernels

        monkeypatch.setattr(core_kernels.Kernels, "of", of)
    yield


def _strict_advance(advance: Any) -> Any:
    def run(arrays: Any, *extra: Any) -> Any:
        records = {name: _StrictRecords(getattr(arrays, name)) for name in ("states", "components")}
        return advance(arrays._replace(**records), *extra)

    return run


# -- mutants -----------------------------------------------------------------------------------------------------------


def play(name: str, components: Any, number: int, limit: int | None) -> GameBatch:
    """Play a game with options and an opponent of the mutant's own, to its end or for some decisions.

    Every second game goes on for as long as it can, the others are random.
    """
    rng, game = random.Random(f"{name} {number} options"), get_game(name)
    options = {option.name: rng.choice(option.values) for option in game.options}
    opponent = rng.choice([None, *(player.name for player in game.opponents)])
    batch = GameBatch(game, 1, number, options=options, components=components, opponent=opponent)
    check_position(batch)
    count = 0
    while not batch.states["over"][0] and count != limit:
        if number % 2:
            batch.step([eager_action(batch, rng)])
        else:
            batch.step_random()
        count += 1
        check_position(batch, [0] if count % 8 == 0 or batch.terminated[0] else [])
    assert batch.draw_text() and batch.draw_svg() and all(map(str, batch.journal()))
    return batch


def try_mutants(name: str, numbers: range, folder: Path) -> Counter[str]:
    """How many mutants are refused and how many play; any other outcome fails, with the mutant's number."""
    outcomes: Counter[str] = Counter()
    for number in numbers:
        try:
            components = mutants.load(name, number, folder)
        except BadComponents as error:
            assert str(error).isprintable() and error.row and error.field and error.expected
            outcomes["refused"] += 1
            continue
        except Exception as error:
            raise AssertionError(f"mutant {number} of {name} is not refused but fails to load") from error
        try:
            play(name, components, number, None if JIT or number % WHOLE == 0 else PART)
        except Exception as error:
            raise AssertionError(f"mutant {number} of {name} loads but does not play") from error
        outcomes["played"] += 1
    return outcomes


@pytest.mark.parametrize("name", [name for name in list_games() if name != "Revolution-v0"])  # which names nothing
def test_names_are_no_markup(name: str, tmp_path: Path) -> None:
    """What a file calls things stands in pictures as it is, and is never an element of them."""
    document, loader = mutants.shipped_document(name), mutants.component_loader(name)
    free = {(t.name, f) for t in loader.schema for f, d in t.fields.items() if d.kind == TEXT and not d.choices}
    for table, rows in document.items():
        for i, row in enumerate(rows if isinstance(rows, list) else [rows]):
            row.update({field: f"<b>&\"'{table[0]}{i}" for field in row if (table, field) in free and field != "date"})
    path = tmp_path / "markup.toml"
    path.write_text(mutants.toml_text(document), encoding="utf-8")
    batch = GameBatch(get_game(name), 1, 0, components=path)
    for _ in range(12):
        picture = ElementTree.fromstring(batch.draw_svg())
        assert not [element for element in picture.iter() if element.tag.endswith("}b")]
        assert any("<b>" in words for words in picture.itertext())
        batch.step_random()


@EACH
def test_mutants_are_refused_or_play(name: str, tmp_path: Path, strict: None) -> None:
    outcomes = try_mutants(name, range(FEW), tmp_path)
    assert min(outcomes["refused"], outcomes["played"]) >= FEW // 10, outcomes


@pytest.mark.slow
@EACH
def test_many_mutants_are_refused_or_play(name: str, tmp_path: Path, strict: None) -> None:
    """Best with `NUMBA_BOUNDSCHECK=1`, where an index out of range is an error and not a crash."""
    outcomes = try_mutants(name, range(FEW, FEW + MANY), tmp_path)
    assert min(outcomes["refused"], outcomes["played"]) >= MANY // 10, outcomes
