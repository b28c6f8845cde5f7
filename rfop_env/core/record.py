"""The layout of a game's state record: its fields, what each may hold, and what the frames on its stack may hold.

A game declares its fields once, as a class (`Fields`). The NumPy dtype follows from it, the type of `s` for the type
checker, and the check that every record from outside passes: compiled rules have no bounds checks of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from types import ModuleType
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

ARGUMENTS = "ABCDEF"  # the names of a frame's arguments
FIRST_ARGUMENT = 2  # the column of A; kind and side come before it

Range = tuple[int, int]  # lowest and highest, both included
NONE: Range = (0, 0)  # an argument that a kind of frame does not use


class Vector(Protocol):
    """The type of a record's array [n] for type checkers: its entries count as plain integers."""

    shape: tuple[int, ...]

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def tolist(self) -> list[int]:
        """The entries as Python numbers."""
        ...

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Vector: ...
    def __setitem__(self, at: int, number: int, /) -> None: ...


class Grid(Protocol):
    """The type of a record's array [n, m] for type checkers."""

    shape: tuple[int, ...]

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Vector]: ...
    def tolist(self) -> list[list[int]]:
        """The entries as Python numbers."""
        ...

    @overload
    def __getitem__(self, at: int) -> Vector: ...
    @overload
    def __getitem__(self, at: slice) -> Grid: ...
    @overload
    def __getitem__(self, at: tuple[int, int]) -> int: ...
    @overload
    def __getitem__(self, at: tuple[slice, int] | tuple[int, slice]) -> NDArray[Any]: ...
    def __setitem__(self, at: tuple[int, int], number: int, /) -> None: ...


class Cube(Protocol):
    """The type of a record's array [n, m, k] for type checkers."""

    shape: tuple[int, ...]

    @overload
    def __getitem__(self, at: int) -> Grid: ...
    @overload
    def __getitem__(self, at: tuple[int, int]) -> Vector: ...
    @overload
    def __getitem__(self, at: tuple[int, int, int]) -> int: ...
    def __setitem__(self, at: tuple[int, int, int], number: int, /) -> None: ...


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a record: numbers of one integer type, each from `low` to `high`.

    `low` and `high` are one number for all, or an array that broadcasts to `shape`. `option`: the options of the
    environment set this field at the deal, and nothing changes it afterwards.
    """

    name: str
    dtype: Any
    low: ArrayLike
    high: ArrayLike
    shape: tuple[int, ...] = ()
    option: bool = False


def field(dtype: Any, low: ArrayLike, high: ArrayLike, shape: tuple[int, ...] = (), option: bool = False) -> Any:
    """A `Field` in a class of `Fields`: its name is that of the attribute."""
    return partial(Field, dtype=dtype, low=low, high=high, shape=shape, option=option)


def number(dtype: Any, *shape: int) -> Any:
    """A field of a component record; the loader of the game's files says what it may hold."""
    limits = np.iinfo(dtype)
    return field(dtype, limits.min, limits.max, shape)


class Fields:
    """The declaration of a record: a class with a `field` for each name, after those of the class that it derives from.

    It has no instances. Records are rows of NumPy arrays, and rules say `s: State` for the type checker.
    """

    @classmethod
    def fields(cls) -> tuple[Field, ...]:
        """All fields in order. One that is declared again keeps its place."""
        fields: dict[str, Callable[[str], Field]] = {}
        for base in reversed(cls.__mro__):
            fields |= {name: value for name, value in vars(base).items() if isinstance(value, partial)}
        return tuple(make(name) for name, make in fields.items())

    @classmethod
    def dtype(cls) -> np.dtype[Any]:
        """The NumPy type of the records."""
        return _dtype(cls.fields())


def _dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    return np.dtype([(field.name, field.dtype, field.shape) for field in fields], align=True)


class Indices(ModuleType):
    """Names of indices: `row[HEAD.colour]`. Compiled rules read them as constants, as they do those of any module.

    >>> HEAD = Indices(colour=0, expansion=1)
    >>> HEAD.expansion
    1
    """

    def __init__(self, **indices: int):
        super().__init__("indices")
        vars(self).update(indices)


class Frame(Indices):
    """A kind of frame: the side it belongs to, and the columns of the arguments that it uses, by name, from A on.

    A rule reads an argument as `frame[ask_use.card]`. `None` for a range leaves the column out.

    >>> ask = Frame("ask", (0, 1), card=(1, 60), unused=None, points=(0, 4))
    >>> ask.card, ask.points
    (2, 4)
    """

    def __init__(self, title: str, side: Range, **arguments: Range | None):
        if len(arguments) > len(ARGUMENTS):
            raise ValueError(f"frame {title!r}: {len(arguments)} arguments, and there are {len(ARGUMENTS)}")

        columns = enumerate(arguments.items(), FIRST_ARGUMENT)
        super().__init__(**{name: column for column, (name, limits) in columns if limits is not None})
        self.name = title
        self.ranges = (side, *(limits or NONE for limits in arguments.values()))
        self.ranges += (NONE,) * (1 + len(ARGUMENTS) - len(self.ranges))


class RecordLayout:
    """The fields of a record in order, and the kinds of frames that its stack may hold.

    `frames`: by kind, from 0 to less than 2**31. Without frames the stack stays empty.
    """

    def __init__(self, fields: Sequence[Field], frames: Mapping[int, Frame] | None = None):
        self.fields = tuple(fields)
        self.frames = dict(frames or {})
        self.dtype = _dtype(fields)

    def problems(self, states: NDArray[Any], limits: Mapping[str, int]) -> list[list[str]]:
        """List, for each of the records [n], what is out of range, a sentence each; an empty list for a sound record.

        `limits`: highest values of single fields that are narrower than declared, by name.
        """
        problems: list[list[str]] = [[] for _ in states]

        # Numbers outside their field's range.
        for field in self.fields:
            high = min(int(np.max(field.high)), limits[field.name]) if field.name in limits else field.high
            for game, sentence in _outside(field, np.asarray(states[field.name]), field.low, high):
                problems[game].append(sentence)

        # The frames on the stack.
        for game, sentence in self._frame_problems(states):
            problems[game].append(sentence)
        return problems

    @cached_property
    def _frame_limits(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Lowest and highest numbers of a frame, int64 [kinds, 8] each; impossible ones for kinds that do not exist."""
        kinds = max(self.frames, default=0) + 1
        low, high = np.ones((kinds, 2 + len(ARGUMENTS)), np.int64), np.zeros((kinds, 2 + len(ARGUMENTS)), np.int64)
        for kind, frame in self.frames.items():
            low[kind], high[kind] = zip((kind, kind), *frame.ranges, strict=True)
        return low, high

    def _frame_problems(self, states: NDArray[Any]) -> Iterator[tuple[int, str]]:
        """Frames of no known kind, numbers outside their kind's range, and anything above the top of the stack."""
        low, high = self._frame_limits
        stack, depth = np.asarray(states["stack"]).astype(np.int64), np.asarray(states["depth"])
        pending = np.arange(stack.shape[1]) < depth[:, None]

        # All records at once: which numbers of which frames are wrong.
        valid_kind = (stack[:, :, 0] >= 0) & (stack[:, :, 0] < len(low))
        kind = np.where(valid_kind, stack[:, :, 0], 0)
        faulty = ~valid_kind[:, :, None] | (stack < low[kind]) | (stack > high[kind])
        faulty = np.where(pending[:, :, None], faulty, stack != 0)

        # A sentence for each frame with a wrong number.
        for game, level in np.argwhere(faulty.any(axis=2)).tolist():
            if not pending[game, level]:
                yield game, f"stack: row {level} is not 0, and depth is {depth[game]}"
                continue
            frame = self.frames.get(int(stack[game, level, 0]))
            if frame is None:
                yield game, f"stack: row {level} has kind {stack[game, level, 0]}, which does not exist"
                continue
            column = int(faulty[game, level].argmax())
            name = "side" if column == 1 else f"argument {ARGUMENTS[column - 2]}"
            lowest, highest = low[kind[game, level], column], high[kind[game, level], column]
            number = stack[game, level, column]
            yield game, f"stack: row {level} ({frame.name}): {name} is {number}, outside {lowest} to {highest}"


def _outside(field: Field, values: NDArray[Any], low: ArrayLike, high: ArrayLike) -> Iterator[tuple[int, str]]:
    """The first number of each record that is outside the field's range: (record, sentence)."""
    low, high = np.asarray(low), np.asarray(high)
    outside = (values < low) | (values > high)
    if not outside.any():
        return

    lows, highs = np.broadcast_to(low, values.shape[1:]), np.broadcast_to(high, values.shape[1:])
    for game in np.flatnonzero(outside.reshape(len(values), -1).any(axis=1)).tolist():
        at = tuple(np.argwhere(outside[game])[0].tolist())
        place = field.name + "".join(f"[{i}]" for i in at)
        yield game, f"{place} is {values[game][at]}, outside {lows[at]} to {highs[at]}"


def record_bytes(states: Any) -> NDArray[np.uint8]:
    """Records [N] as uint8 [N, itemsize], a view where they lie side by side: NumPy's copies lose bytes in between."""
    records = np.ascontiguousarray(states)
    return records.view(np.ndarray).view(np.uint8).reshape(len(records), records.dtype.itemsize)
