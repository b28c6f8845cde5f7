"""Files of results: CSV tables with a checked reader, whose columns and types a dataclass says; pictures."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from rfop_env.core.errors import RfopError

T = TypeVar("T")
_SAID = {int: "a whole number", float: "a number"}


def write_records(path: Path, rows: Sequence[Any], kind: type[Any]) -> None:
    """Write dataclass instances as a CSV file with a header; a stop in the middle leaves the old file whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(kind)], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _text(value) for name, value in asdict(row).items()} for row in rows)
    part.replace(path)


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def read_records(path: Path, kind: type[T]) -> list[T]:
    """The rows of a CSV file as instances of a dataclass of str, int and float; `RfopError` with file and line."""
    if not path.is_file():
        raise RfopError(f"{path} does not exist")
    types = get_type_hints(kind)
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns = [f.name for f in fields(kind)]  # type: ignore[arg-type]
        if reader.fieldnames != columns:
            raise RfopError(f"{path}: expected the columns {', '.join(columns)}, found {_listed(reader.fieldnames)}")
        return [kind(**_checked(f"{path}:{reader.line_num}", line, types)) for line in reader]


def _listed(names: Sequence[str] | None) -> str:
    return ", ".join(names or ["none"])


def _checked(place: str, line: dict[str, str | None], types: dict[str, type]) -> dict[str, Any]:
    """The values of a line in the types of its columns."""
    values: dict[str, Any] = {}
    for name, text in line.items():
        if text is None or name is None:
            raise RfopError(f"{place}: expected {len(types)} values")
        try:
            values[name] = types[name](text)
        except ValueError as error:
            raise RfopError(f"{place}: {name}: expected {_SAID[types[name]]}, found {text!r}") from error
    return values
