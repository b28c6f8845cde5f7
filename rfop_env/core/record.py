"""The layout of a game's state record: its fields, what each may hold, and what the frames on its stack may hold.

A game declares each field once, with its range. The NumPy dtype follows from the declaration, and so does the check
that every record from outside passes before compiled code reads it: compiled rules have no bounds checks of their own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

ARGUMENTS = "ABCDEF"  # the names of a frame's arguments
FIRST_ARGUMENT = 2  # the column of A; kind and side come before it

Range = tuple[int, int]  # lowest and highest, both included
NONE: Range = (0, 0)  # an argument that a kind of frame does not use


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


@dataclasses.dataclass(frozen=True)
class Frame:
    """What the frames of one kind may hold: the side they belong to, and the arguments that they use, by column."""

    name: str
    side: Range
    arguments: Mapping[int, Range] = dataclasses.field(default_factory=dict)

    @property
    def columns(self) -> tuple[Range, ...]:
        """The ranges of all arguments, A to F; `NONE` for those that the kind does not use."""
        return tuple(self.arguments.get(FIRST_ARGUMENT + i, NONE) for i in range(len(ARGUMENTS)))


class RecordLayout:
    """The fields of a record in order, and the kinds of frames that its stack may hold.

    `frames`: by kind, from 0 to less than 2**31. Without frames the stack stays empty.
    """

    def __init__(self, fields: Sequence[Field], frames: Mapping[int, Frame] | None = None):
        self.fields = tuple(fields)
        self.frames = dict(frames or {})
        self.dtype = np.dtype([(f.name, f.dtype, f.shape) for f in fields], align=True)

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
            low[kind], high[kind] = zip((kind, kind), frame.side, *frame.columns, strict=True)
        return low, high

    def _frame_problems(self, states: NDArray[Any]) -> Iterator[tuple[int, str]]:
        """Frames of no known kind, numbers outside their kind's range, and anything above the top of the stack."""
        low, high = self._frame_limits
        stack, depth = np.asarray(states["stack"]).astype(np.int64), np.asarray(states["depth"])
        pending = np.arange(stack.shape[1]) < depth[:, None]

        # All records at once: which numbers of which frames are wrong.
        known = (stack[:, :, 0] >= 0) & (stack[:, :, 0] < len(low))
        kind = np.where(known, stack[:, :, 0], 0)
        wrong = ~known[:, :, None] | (stack < low[kind]) | (stack > high[kind])
        wrong = np.where(pending[:, :, None], wrong, stack != 0)

        # A sentence for each frame with a wrong number.
        for game, level in np.argwhere(wrong.any(axis=2)).tolist():
            if not pending[game, level]:
                yield game, f"stack: row {level} is not 0, and depth is {depth[game]}"
                continue
            frame = self.frames.get(int(stack[game, level, 0]))
            if frame is None:
                yield game, f"stack: row {level} has kind {stack[game, level, 0]}, which does not exist"
                continue
            column = int(wrong[game, level].argmax())
            name = "side" if column == 1 else f"argument {ARGUMENTS[column - 2]}"
            lowest, highest = low[kind[game, level], column], high[kind[game, level], column]
            number = stack[game, level, column]
            yield game, f"stack: row {level} ({frame.name}): {name} is {number}, outside {lowest} to {highest}"


def _outside(field: Field, values: NDArray[Any], low: ArrayLike, high: ArrayLike) -> Iterator[tuple[int, str]]:
    """The first number of each record that is outside the field's range: (record, sentence)."""
    low, high = np.asarray(low), np.asarray(high)
    wrong = (values < low) | (values > high)
    if not wrong.any():
        return

    lows, highs = np.broadcast_to(low, values.shape[1:]), np.broadcast_to(high, values.shape[1:])
    for game in np.flatnonzero(wrong.reshape(len(values), -1).any(axis=1)).tolist():
        at = tuple(np.argwhere(wrong[game])[0].tolist())
        place = field.name + "".join(f"[{i}]" for i in at)
        yield game, f"{place} is {values[game][at]}, outside {lows[at]} to {highs[at]}"
