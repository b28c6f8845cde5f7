"""The arrays that a batch publishes: their shapes, and those that its caller owns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import BadArgument, UnknownName, shown
from rfop_env.core.game import Game

Shapes = dict[str, tuple[tuple[int, ...], np.dtype[Any]]]


def output_shapes(game: Game, num_games: int) -> Shapes:
    """The shape and the dtype of every array that a batch of a game publishes, by name."""
    n = num_games
    observation = (n, game.observation.size), np.dtype(np.int8)
    flag, number = ((n,), np.dtype(np.bool_)), ((n,), np.dtype(np.int32))
    return {
        "observation": observation,
        "final_observation": observation,
        "action_mask": ((n, game.actions.size), np.dtype(np.bool_)),
        "current_player": number,
        "learner": number,
        "rewards": ((n, game.spec.players), np.dtype(np.float32)),
        "terminated": flag,
        "truncated": flag,
        "end_reason": number,
    }


def output_arrays(game: Game, num_games: int, out: object) -> dict[str, NDArray[Any]]:
    """The arrays of a caller, by name, once a batch can write into each.

    Raises `BadArgument` for another shape or dtype, a read-only array, rows that are not in C order and arrays that
    overlap, and `UnknownName` for a name that no array of a batch has.
    """
    if not isinstance(out, Mapping):
        raise BadArgument(f"out: expected a mapping from names to arrays, found {shown(out)}")

    expected = output_shapes(game, num_games)
    for name, array in out.items():
        if name not in expected:
            raise UnknownName("array of a batch", name, expected)
        _check(name, array, *expected[name])
    for (name, first), (second_name, second) in combinations(out.items(), 2):
        if np.shares_memory(first, second):
            raise BadArgument(f"out: {name} and {second_name} overlap in memory, and each needs its own")
    return dict(out)


def _check(name: str, array: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """Raise `BadArgument` unless a batch can write into an array."""
    what = f"out: {name}: expected a writeable {dtype} array of shape {list(shape)}, each row in C order"
    if not isinstance(array, np.ndarray):
        raise BadArgument(f"{what}; found {shown(array)}")
    if array.dtype != dtype or array.shape != shape:
        hint = "; use array.view(bool)" if array.shape == shape and dtype == np.bool_ and array.itemsize == 1 else ""
        raise BadArgument(f"{what}; found {array.dtype} {list(array.shape)}{hint}")
    if not array.flags.writeable:
        raise BadArgument(f"{what}; found a read-only one")

    # The numbers of a row lie side by side, and rows one after the other, perhaps with gaps.
    row_bytes = dtype.itemsize * (shape[1] if len(shape) == 2 else 1)
    inside = len(shape) == 1 or shape[1] == 1 or array.strides[1] == dtype.itemsize
    between = shape[0] == 1 or (array.strides[0] == row_bytes if len(shape) == 1 else array.strides[0] >= row_bytes)
    if not inside or not between or not array.flags.aligned or array.strides[0] % dtype.itemsize:
        raise BadArgument(f"{what}; found strides {list(array.strides)}: use numpy.ascontiguousarray")
