"""CSV files: tables of dataclass instances, read with checks; logs of runs, written row by row; and lock files."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from rfop_env.core import files
from rfop_env.core.errors import RfopError

T = TypeVar("T")
_TYPE_NAMES = {int: "a whole number", float: "a number"}
LOCK = ".lock"  # suffix of the file that a process holds while it writes another
MOST_BYTES = 2**30  # of a CSV file
WAIT = 60.0  # seconds to wait for another process that writes a file of rows


# -- tables ------------------------------------------------------------------------------------------------------------


def write_records(path: Path, rows: Sequence[Any], kind: type[Any]) -> None:
    """Write dataclass instances as a CSV file with a header, whole. Raises `RfopError` where it cannot be written."""
    columns = columns_of(kind)
    files.write_whole(path, _csv_text([columns, *([_text(asdict(row)[name]) for name in columns] for row in rows)]))


def columns_of(kind: type[Any]) -> list[str]:
    """The columns of a dataclass: its fields, those with a keyword alone last."""
    return [f.name for f in sorted(fields(kind), key=lambda f: bool(f.kw_only))]


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _csv_text(lines: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def require_writable(path: Path, flag: str) -> None:
    """Make the folder of a file that is to be written later.

    Raises `RfopError` if the file could not be written, so that nothing is played in vain.
    """
    if "\0" in str(path):
        raise RfopError(f"{flag} {path} cannot be written: a name has no NUL character")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RfopError(f"{flag} {path}: its folder cannot be made: {error.strerror}") from error
    if path.is_dir():
        raise RfopError(f"{flag} {path} is a folder: give the name of a file")
    if not os.access(path if path.exists() else path.parent, os.W_OK) or not os.access(path.parent, os.W_OK):
        raise RfopError(f"{flag} {path} cannot be written: give a file in a folder of your own")


def require_rows(path: Path, flag: str, kind: type[T]) -> None:
    """The same for a file of rows: raises `RfopError` also where it holds something else, which stays."""
    require_writable(path, flag)
    read_rows(path, kind)


def read_records(path: Path, kind: type[T], fault: Callable[[T], str] = lambda row: "") -> list[T]:
    """The rows of a CSV file as instances of a dataclass of str, int and float. Raises `RfopError` with the line.

    A field of a type or None is None where the file has nothing. `fault` tells what else is wrong with a row; "" where
    nothing is.
    """
    if not path.exists():
        raise RfopError(f"{path} does not exist")
    types, columns = get_type_hints(kind), columns_of(kind)
    with _reading(path) as reader:
        if reader.fieldnames != columns:
            raise RfopError(f"{path}: expected the columns {', '.join(columns)}, found {_listed(reader.fieldnames)}")
        rows = []
        for line in reader:
            place = f"{path}:{reader.line_num}"
            rows.append(kind(**_checked(place, line, types)))
            if problem := fault(rows[-1]):
                raise RfopError(f"{place}: {problem}")
        return rows


def read_rows(path: Path, kind: type[T]) -> list[T]:
    """The rows of a CSV file; none if it does not exist. Raises `RfopError`."""
    return read_records(path, kind) if path.exists() else []


def add_records(
    path: Path, rows: Sequence[T], kind: type[T], subject: Callable[[T], object] = attrgetter("subject")
) -> None:
    """Add rows to a CSV file. They replace the rows of the same subjects.

    Several processes can write to one file: each holds its lock while it reads and writes.
    """
    with writing(path):
        replaced = {subject(row) for row in rows}
        remaining = [row for row in read_rows(path, kind) if subject(row) not in replaced]
        write_records(path, [*remaining, *rows], kind)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the lock of a CSV file during the block, which reads the file and writes it anew.

    Raises `RfopError` if another process holds it for longer than `WAIT` seconds.
    """
    with locked(path.with_name(path.name + LOCK), f"{path} is being written by another process", wait=WAIT):
        yield


@contextmanager
def _reading(path: Path, whole_lines: bool = False) -> Iterator[csv.DictReader[str]]:
    """A reader of a CSV file; spreadsheets put a byte order mark first. Raises `RfopError` for what is no CSV.

    With `whole_lines` a missing file is empty, and a last line without a newline is not read.
    """
    try:
        text = "" if whole_lines and not path.exists() else files.read_text(path, MOST_BYTES)
        text = text[: text.rfind("\n") + 1] if whole_lines else text
        yield csv.DictReader(io.StringIO(text, newline=""))
    except files.UnreadableFile as error:
        if error.field != "encoding":
            raise
        raise RfopError(f"{path} is no CSV file ({error.row}: no UTF-8): give another, or delete it") from error
    except csv.Error as error:
        raise RfopError(f"{path} is no CSV file ({error}): give another, or delete it") from error


def _listed(names: Sequence[str] | None) -> str:
    return ", ".join(names or ["none"])


def _checked(place: str, line: dict[str, str | None], types: dict[str, type]) -> dict[str, Any]:
    """The values of a line, converted to the types of its columns."""
    values: dict[str, Any] = {}
    for name, text in line.items():
        if text is None or name is None:
            raise RfopError(f"{place}: expected {len(types)} values")
        kind, *none = get_args(types[name]) or (types[name],)
        if none and text == "":
            values[name] = None
            continue
        try:
            values[name] = kind(text)
        except ValueError as error:
            raise RfopError(f"{place}: {name}: expected {_TYPE_NAMES[kind]}, found {text!r}") from error
        if kind is float and not math.isfinite(values[name]):
            raise RfopError(f"{place}: {name}: expected a finite number, found {text!r}")
    return values


# -- logs: a line at a time --------------------------------------------------------------------------------------------


def append_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Append rows to a CSV log, and make it if it does not exist. New columns are added to the whole file.

    All rows are written at once, or none. Raises `RfopError`.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = header(path)
    missing = [name for name in names if name not in columns]
    previous = read_log(path) if missing and columns else []
    lines = [[row.get(name, "") for name in [*columns, *missing]] for row in [*previous, *rows]]
    if missing:
        files.write_whole(path, _csv_text([[*columns, *missing], *lines]))
    else:
        files.append_whole(path, _csv_text(lines))


def read_log(path: Path) -> list[dict[str, str]]:
    """The rows of a log as text, none without a file; ignores a last line without a newline. Raises `RfopError`."""
    columns, rows = header(path), []
    with _reading(path, whole_lines=True) as reader:
        for row in reader:
            if len(row) != len(columns) or None in row.values():
                raise RfopError(f"{path}:{reader.line_num}: expected {len(columns)} values: delete the line")
            rows.append(row)
    return rows


def header(path: Path) -> list[str]:
    """The columns of a CSV file; none without a file, or without a whole first line. Raises `RfopError`."""
    with _reading(path, whole_lines=True) as reader:
        return list(reader.fieldnames or [])


def cut_back(path: Path, column: str, last_step: float) -> None:
    """Remove the rows of a log whose steps, in `column`, exceed `last_step`, and a last line without a newline.

    Does nothing if there is no log. Raises `RfopError` for a log that is broken elsewhere.
    """
    if not path.exists():
        return
    columns, rows = header(path), read_log(path)
    rows = [row for row in rows if _steps(path, column, row) <= last_step]
    text = _csv_text([columns, *([row[name] for name in columns] for row in rows)])
    if text != files.read_text(path, MOST_BYTES):
        files.write_whole(path, text if columns else "")


def _steps(path: Path, column: str, row: Mapping[str, str]) -> float:
    text = row.get(column, "")
    try:
        return float(text)
    except ValueError:
        raise RfopError(f"{path}: {column}: expected a number, found {text!r}: delete the line, or the file") from None


# -- one process at a time ---------------------------------------------------------------------------------------------


@contextmanager
def locked(path: Path, busy: str, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock file `path` during the block, so that no other process does.

    Raises `RfopError(busy)` if another process holds it for longer than `wait` seconds (negative: no limit). The system
    releases the lock when a process ends, however it ends; the empty lock file stays.
    """
    from filelock import FileLock, Timeout

    with files.telling_what_fails(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path, timeout=wait)
        try:
            lock.acquire()
        except Timeout:
            raise RfopError(busy) from None
    try:
        yield
    finally:
        lock.release()
