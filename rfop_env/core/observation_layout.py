"""The observation: one list of named pieces from which offsets, bounds, documentation and `describe` come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.record import Indices
from rfop_env.markdown import markdown_table


@dataclass(frozen=True)
class Piece:
    """A named stretch of the observation vector.

    `visibility` is "public" (both sides could see it on the table) or "private" (the acting player alone).
    """

    name: str
    size: int
    low: int
    high: int
    visibility: str
    meaning: str
    entries: tuple[str, ...] = ()


def flags(name: str, entries: Sequence[str], meaning: str) -> Piece:
    """A public piece with a 0 or 1 for each of some named entries."""
    return Piece(name, len(entries), 0, 1, "public", meaning, tuple(entries))


class ObservationLayout:
    """All pieces of a game's observation in order; the vector is int8 of shape [D]."""

    def __init__(self, pieces: Sequence[Piece]):
        self.pieces = tuple(pieces)
        self._start: dict[str, int] = {}
        end = 0
        for piece in self.pieces:
            if piece.name in self._start:
                raise ValueError(f"two pieces are called {piece.name!r}")
            if piece.entries and len(piece.entries) != piece.size:
                raise ValueError(f"piece {piece.name!r}: {len(piece.entries)} entry names for {piece.size} entries")
            self._start[piece.name] = end
            end += piece.size
        self.size = end

    def start(self, name: str) -> int:
        """The index of a piece's first entry."""
        return self._start[name]

    @property
    def offsets(self) -> Indices:
        """The index of each piece's first entry, by name."""
        return Indices(**self._start)

    def part(self, observation: NDArray[Any], name: str) -> NDArray[Any]:
        """The stretch of one piece: [..., size] of an observation, or of figures about one, [..., D], a view."""
        start = self._start[name]
        size = next(p.size for p in self.pieces if p.name == name)
        return observation[..., start : start + size]

    @property
    def low(self) -> NDArray[np.int8]:
        """Lowest value of each entry, int8 [D]."""
        return np.concatenate([np.full(p.size, p.low, np.int8) for p in self.pieces])

    @property
    def high(self) -> NDArray[np.int8]:
        """Highest value of each entry, int8 [D]."""
        return np.concatenate([np.full(p.size, p.high, np.int8) for p in self.pieces])

    def private(self) -> tuple[ObservationLayout, NDArray[np.intp]]:
        """The layout of the private pieces alone, of size H, and where their entries stand in the whole: int [H]."""
        pieces = [piece for piece in self.pieces if piece.visibility == "private"]
        entries = [np.arange(self._start[p.name], self._start[p.name] + p.size) for p in pieces]
        return ObservationLayout(pieces), np.concatenate([np.zeros(0, np.intp), *entries])

    def describe(self, observation: NDArray[np.int8]) -> dict[str, object]:
        """One observation [D] as a dictionary: a number, a list, or the names of the entries that are set."""
        described: dict[str, object] = {}
        for piece in self.pieces:
            part = self.part(observation, piece.name)
            if piece.entries and (piece.low, piece.high) == (0, 1):
                described[piece.name] = [piece.entries[i] for i in np.flatnonzero(part)]
            elif piece.entries:
                described[piece.name] = {n: int(v) for n, v in zip(piece.entries, part, strict=True)}
            else:
                described[piece.name] = int(part[0]) if piece.size == 1 else [int(v) for v in part]
        return described

    def markdown(self) -> str:
        """The table for the documentation."""
        rows = []
        for piece in self.pieces:
            start = self._start[piece.name]
            span = f"{start}" if piece.size == 1 else f"{start} to {start + piece.size - 1}"
            rows.append([span, piece.name, f"{piece.low} to {piece.high}", piece.visibility, piece.meaning])
        return markdown_table(["entries", "piece", "range", "seen by", "meaning"], rows)
