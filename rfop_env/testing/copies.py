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

# Every copy has its own threads, compiled code, games that agents see, and what is handed to it.
_OWN = ("_team", "_board", "_sleepers", "_kernels", "_arrays", "_addresses", "_shown_mask", "_view")
_CODE = (type, FunctionType, MethodType, ModuleType)
_LEAVES = (np.ndarray, np.dtype, np.generic, str, bytes, int, float, type(None), *_CODE)


def check_every_moment(
    thing: Any, begin: Callable[[Any], Any], carry_on: Callable[[Any, np.random.Generator], bool], most: int
) -> None:
    """Copies made before the first reset, at the start, in mid-game and after an end are exact and go on alike.

    `begin` starts the games; `carry_on` takes one decision in each, by the masks that the environment itself shows, and
    says whether a game has ended; after `most` decisions one has to.
    """
    for way in WAYS.values():
        check_copy(thing, way(thing))
    begin(thing)
    _check_ways(thing, carry_on)
    for _ in range(MID_GAME):
        carry_on(thing, np.random.default_rng(1))
    _check_ways(thing, carry_on)
    for _ in range(most):
        if carry_on(thing, np.random.default_rng(2)):
            break
    else:
        raise AssertionError(f"no game has ended within {most} decisions")
    _check_ways(thing, carry_on)


def _check_ways(thing: Any, carry_on: Callable[[Any, np.random.Generator], bool]) -> None:
    """Copy in every way, then take the same decisions in all copies, and last of all in the original."""
    copies = [way(thing) for way in WAYS.values()]
    for other in copies:
        check_copy(thing, other)
    for one in (*copies, thing):
        rng = np.random.default_rng(0)
        for _ in range(TOGETHER):
            carry_on(one, rng)
    for other in copies:
        check_copy(thing, other)


def check_copy(thing: Any, other: Any) -> None:
    """Fails unless `other` holds what `thing` holds, to the last byte, and shares no array with it."""
    ours, theirs = contents(thing), contents(other)
    assert ours.keys() == theirs.keys(), f"only one has {sorted(ours.keys() ^ theirs.keys())}"
    for path, value in ours.items():
        assert _same(value, theirs[path]), f"{path} is {theirs[path]!r} in the copy, not {value!r}"
    check_apart(ours, theirs)


def check_apart(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Fails if an array among some contents shares memory with one among the others."""
    for path, array in _arrays(ours):
        for other_path, other in _arrays(theirs):
            assert not np.shares_memory(array, other), f"{path} of the one is {other_path} of the other"


def contents(thing: Any) -> dict[str, Any]:
    """All values that can be reached from an object, by path: arrays, numbers, texts; the keys of random generators.

    A game and a component set count as their names.
    """
    return dict(_reached(thing, "", {}))


def _reached(thing: Any, path: str, seen: dict[int, Any]) -> Iterator[tuple[str, Any]]:
    # `seen` keeps what it has seen, by its id: the id of a dictionary that is gone may become that of the next one.
    if isinstance(thing, _LEAVES):
        yield path, thing
    elif isinstance(thing, np.random.Generator):
        yield from _reached(thing.bit_generator.state, path, seen)
    elif isinstance(thing, Game):
        yield path, (thing.id, thing.spec, thing.state)
    elif hasattr(thing, "digest") and hasattr(thing, "record"):
        yield path, (thing.name, thing.digest, bytes(_raw(thing.record)))
    elif id(thing) not in seen:
        seen[id(thing)] = thing
        for name, part in _parts(thing):
            yield from _reached(part, f"{path}.{name}", seen)


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, Mapping):
        yield from ((str(key), value) for key, value in thing.items())
    elif isinstance(thing, (list, tuple)):
        yield "length", len(thing)
        yield from ((str(k), value) for k, value in enumerate(thing))
    else:
        yield "class", type(thing)
        yield from ((name, value) for name, value in getattr(thing, "__dict__", {}).items() if name not in _OWN)


def _arrays(found: Mapping[str, Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    return ((path, value) for path, value in found.items() if isinstance(value, np.ndarray))


def _same(one: Any, other: Any) -> bool:
    """Equal; arrays in dtype, shape, permission to write and every byte, those between the fields of records too."""
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return type(one) is type(other) and bool(one == other)
    alike = (one.dtype, one.shape, one.flags.writeable) == (other.dtype, other.shape, other.flags.writeable)
    return alike and np.array_equal(_raw(one), _raw(other))


def _raw(array: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of an array; NumPy's own copies of records forget the bytes between fields."""
    if array.dtype.hasobject or (array.dtype.names and not array.flags.c_contiguous):
        return np.frombuffer(repr(array.tolist()).encode(), np.uint8)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
