"""A component set in play: a game's shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from rfop_env.compiler import JIT
from rfop_env.core.component_file import ComponentRows, Table, read_component_file

Record = NDArray[np.void]  # structured, [1]


@dataclass(frozen=True, eq=False)
class CheckedSet:
    """A checked set: `record` ([1]; shared, never written to) for the rules, the rest for people."""

    record: Any = field(repr=False)
    name: str
    digest: str
    content: ComponentRows = field(repr=False)

    @property
    def tables(self) -> Any:
        """The record as the rules see it: `tables.name[i]`."""
        return self.record.view(np.recarray)[0]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Unpickle, also what was pickled with compiled rules and is read without, or the other way round."""
        self.__dict__.update(state, record=for_rules(state["record"]))

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table as they are in play, in the order of the shipped file."""
        return [dict(row.values) for row in self.content.table(table).values()]


S = TypeVar("S", bound=CheckedSet)


@dataclass(frozen=True)
class SetLoader(Generic[S]):
    """Loads and checks the component sets of a game."""

    shipped: Path
    schema: Sequence[Table]
    dtype: np.dtype[Any]  # of the record
    kind: type[S]
    fill: Callable[[Record, ComponentRows], None]  # write checked rows into an all-zero record
    check: Callable[[ComponentRows], None] = lambda content: None  # beyond single fields; raises `BadComponents`

    def load(self, path: str | Path | None = None) -> S:
        """The shipped set, or the shipped set with another file laid over it; raises `BadComponents`.

        `path`: that of the file, or the name of a further set that the game ships.
        """
        if path is None:
            return self._shipped_set
        over = read_component_file(file_of_set(self.shipped.parent, path), self.schema)
        return self.of(self._shipped_set.content.overlaid(over))

    @cached_property
    def _shipped_set(self) -> S:
        return self.of(read_component_file(self.shipped, self.schema))

    def of(self, content: ComponentRows) -> S:
        """Check what the rows say together, and fill the record; raises `BadComponents`."""
        self.check(content)
        record = np.zeros(1, self.dtype)
        self.fill(record, content)
        return self.kind(for_rules(record), content.name, content.digest, content)


def file_of_set(folder: Path, source: str | Path) -> str | Path:
    """The file in a folder that `source` names, without `.toml`; a path as it is."""
    file = folder / f"{source}.toml"
    return file if Path(source).name == str(source) and file.is_file() else source


def for_rules(record: Record) -> Any:
    """The same record as the rules read it: with its fields as attributes where they are plain Python."""
    plain = record.view(np.ndarray).view(np.dtype((np.void, record.dtype)))
    return plain if JIT else plain.view(np.recarray)
