"""Are copies exact and apart: everything that can be reached from an object, compared with a copy of it.

    from rfop_env.testing.copies import WAYS, check_copy
    for way in WAYS.values():
        check_copy(batch, way(batch))

Games and component sets are shared between copies: nothing ever writes to them.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from rfop_env.core.game import Game

WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "old pickle": lambda thing: pickle.loads(pickle.dumps(thing, protocol=2)),
    "cloudpickle": lambda thing: cloudpickle.loads(cloudpickle.dumps(thing)),
}

MID_GAME, TOGETHER = 12, 6  # decisions before the copies in mid-game, and with each copy

# Every copy has its own compiled code, threads and games that agents see.
_OWN = ("_kernels", "_runner", "_view")
_CODE = (type, FunctionType, MethodType, ModuleType)
_LEAVES = (np.ndarray, np.dtype, np.generic, str, bytes, int, float, type(None), *_CODE)


def check_every_moment(
    thing: Any, begin: Callable[[Any], Any], carry_on: Callable[[Any, np.random.Generator], bool], max_steps: int
) -> None:
    """Copies made before the first reset, at the start, in mid-game and after an end are exact and go on alike.

    `begin` starts the games; `carry_on` takes one decision in each, by the masks that the environment itself shows, and
    says whether a game has ended; after `max_steps` decisions one has to.
    """
    for way in WAYS.values():
        check_copy(thing, way(thing))
    begin(thing)
    _check_ways(thing, carry_on)
    for _ in range(MID_GAME):
        carry_on(thing, np.random.default_rng(1))
    _check_ways(thing, carry_on)
    for _ in range(max_steps):
        if carry_on(thing, np.random.default_rng(2)):
            break
    else:
        raise AssertionError(f"no game has ended within {max_steps} decisions")
    _check_ways(thing, carry_on)


def _check_ways(thing: Any, carry_on: Callable[[Any, np.random.Generator], bool]) -> None:
    """Copy in every way, then take the same decisions in all copies, and last of all in the original."""
    copies = [way(thing) for way in WAYS.values()]
    for twin in copies:
        check_copy(thing, twin)
    for each_thing in (*copies, thing):
        rng = np.random.default_rng(0)
        for _ in range(TOGETHER):
            carry_on(each_thing, rng)
    for twin in copies:
        check_copy(thing, twin)


def check_copy(thing: Any, twin: Any) -> None:
    """Fails unless `twin` equals `thing` to the last byte, and shares no array with it."""
    first, second = contents(thing), contents(twin)
    assert first.keys() == second.keys(), f"only one has {sorted(first.keys() ^ second.keys())}"
    for path, value in first.items():
        assert _same(value, second[path]), f"{path} is {second[path]!r} in the copy, not {value!r}"
    check_apart(first, second)


def check_apart(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Fails if an array among some contents shares memory with one among the others."""
    for path, array in _arrays(first):
        for other_path, twin in _arrays(second):
            assert not np.shares_memory(array, twin), f"{path} of one is {other_path} of the other"


def contents(thing: Any) -> dict[str, Any]:
    """All values that can be reached from an object, by path: arrays, numbers, texts; the keys of random generators.

    A game and a component set count as their names.
    """
    return dict(_reached(thing, "", {}))


def _reached(thing: Any, path: str, visited: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    # `visited` holds the objects, not their ids alone: the id of a freed dictionary may be given to the next one.
    if isinstance(thing, _LEAVES):
        yield path, thing
    elif isinstance(thing, np.random.Generator):
        yield from _reached(thing.bit_generator.state, path, visited)
    elif isinstance(thing, Game):
        yield path, (thing.id, thing.spec, thing.state)
    elif hasattr(thing, "digest") and hasattr(thing, "record"):
        yield path, (thing.name, thing.digest, bytes(_raw(thing.record)))
    elif id(thing) not in visited:
        visited[id(thing)] = thing
        for name, part in _parts(thing):
            yield from _reached(part, f"{path}.{name}", visited)


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, Mapping):
        yield from ((str(key), value) for key, value in thing.items())
    elif isinstance(thing, (list, tuple)):
        yield "length", len(thing)
        yield from ((str(k), value) for k, value in enumerate(thing))
    else:
        yield "class", type(thing)
        yield from ((name, value) for name, value in getattr(thing, "__dict__", {}).items() if name not in _OWN)


def _arrays(arrays: Mapping[str, Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    return ((path, value) for path, value in arrays.items() if isinstance(value, np.ndarray))


def _same(a: Any, b: Any) -> bool:
    """Equal; arrays in dtype, shape, permission to write and every byte, those between the fields of records too."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return type(a) is type(b) and bool(a == b)
    alike = (a.dtype, a.shape, a.flags.writeable) == (b.dtype, b.shape, b.flags.writeable)
    return alike and np.array_equal(_raw(a), _raw(b))


def _raw(array: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of an array; NumPy's own copies of records forget the bytes between fields."""
    if array.dtype.hasobject or (array.dtype.names and not array.flags.c_contiguous):
        return np.frombuffer(repr(array.tolist()).encode(), np.uint8)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
