"""Component files: TOML tables of rows, checked against a small schema, laid over one another.

A game ships one complete file. A user's file may hold only some tables and only some rows: each of its rows replaces
the row with the same key as a whole, so that a row always shows everything it says.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rfop_env.core.errors import BadComponents, RfopError, UnknownName, nearest, printable, shown
from rfop_env.core.files import UnreadableFile, read_text

Key = tuple[Any, ...]

MOST_BYTES = 256 * 1024  # of a file; those that the package ships have 20 KiB at most
LONGEST_LINE = 2000  # characters; the TOML parser takes time that grows with the square of a dotted key's length
LONGEST_TEXT = 1000  # characters of a text that declares no most itself
LONGEST_ENTRY = 200  # characters of an entry of a list or set

FEW = 4  # so many choices are listed in a message; of more only the nearest

INTEGER, TEXT, YES_NO, LIST, SET = "an integer", "a text", "true or false", "a list of texts", "a set of texts"
_PYTHON_TYPE: dict[str, type] = {INTEGER: int, TEXT: str, YES_NO: bool, LIST: list, SET: list}

PROVENANCE = "provenance"  # of a row
PUBLISHED_FIELDS = "published"  # the fields of a row that are published although the row as a whole is not
PRINTED, PUBLISHED, RECONSTRUCTED = PROVENANCES = ("printed", "published", "reconstructed")


class WrongText(RfopError, ValueError):
    """A text that a game's own small language cannot read: the text, the word in question, what was expected there."""

    def __init__(self, text: str, word: str, expected: str):
        self.text = text
        self.word = word
        self.expected = expected
        super().__init__(f"{text!r}: expected {expected}, found {word!r}")


@dataclass(frozen=True)
class TableField:
    """One field of a row. `low` and `high` bound an integer, or the length of a text, list or set.

    Every integer declares both: rules use it as an index, a count or a summand. A text has at most `LONGEST_TEXT`
    characters, an entry of a list or set `LONGEST_ENTRY`, and all of them must be printable.
    """

    kind: str = TEXT
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()  # of the text, or of every entry of the list or set
    default: Any = None  # None: the field is required
    canonical: Callable[[Any], Any] | None = None  # one spelling for equal contents; raises `WrongText`

    def __post_init__(self) -> None:
        if self.kind == INTEGER and (self.low is None or self.high is None):
            raise ValueError("an integer field declares its lowest and its highest value")

    @property
    def expected(self) -> str:
        """The field in words, for error messages."""
        span = f"from {self.low or 0} to {self.high}" if self.high is not None else f"of at least {self.low}"
        bounds = (
            ""
            if self.low is None and self.high is None
            else f" {span}"
            if self.kind == INTEGER
            else f" with a length {span}"
        )
        choices = f": one of {', '.join(map(repr, self.choices))}" if 0 < len(self.choices) <= FEW else ""
        return self.kind + bounds + choices


@dataclass(frozen=True)
class Table:
    """One table of a component file: the fields that name a row, and all its fields.

    Without key fields it is a single `[table]` that describes the file; otherwise `[[table]]` rows, each with a
    provenance.
    """

    name: str
    key: tuple[str, ...]
    fields: Mapping[str, TableField]

    def all_fields(self) -> dict[str, TableField]:
        """The declared fields and, for rows, the provenance."""
        return {**self.fields, **({PROVENANCE: TableField(TEXT, choices=PROVENANCES)} if self.key else {})}


SET_TABLE = Table(
    "set",
    (),
    {
        "name": TableField(low=1, high=60),
        "version": TableField(INTEGER, 1, 9999),
        "note": TableField(high=LONGEST_TEXT, default=""),
    },
)
"""The fields in which every component file may describe itself."""


@dataclass(frozen=True)
class TableRow:
    """A checked row: where it comes from, its name in messages (`strategy_card 23`), and its values."""

    file: str
    label: str
    values: Mapping[str, Any]

    @property
    def provenance(self) -> str:
        """`printed`, `published` or `reconstructed`; empty for a table that describes the file."""
        return str(self.values.get(PROVENANCE, ""))

    def error(self, name: str, expected: str, found: object) -> BadComponents:
        """The error that blames one field of this row."""
        return BadComponents(self.file, self.label, name, expected, found)


@dataclass(frozen=True)
class ComponentRows:
    """The rows of one file, or of several laid over one another (oldest first)."""

    name: str
    files: tuple[str, ...]
    tables: Mapping[str, Mapping[Key, TableRow]] = field(repr=False)

    def table(self, name: str) -> Mapping[Key, TableRow]:
        """The rows of a table by key, in the order of the oldest file."""
        if name not in self.tables:
            raise UnknownName("component table", name, self.tables)
        return self.tables[name]

    def oldest_first(self, *names: str) -> list[TableRow]:
        """The rows of some tables, those of later files last, so that a clash is blamed on the later file."""
        rows = [row for name in names for row in self.table(name).values()]
        return sorted(rows, key=lambda row: self.files.index(row.file))

    def require(self, required: Mapping[str, Iterable[Key]]) -> None:
        """Refuse content that lacks one of these rows, by table and key: `BadComponents`."""
        for table, keys in required.items():
            for key in keys:
                if key not in self.table(table):
                    label = " ".join(map(str, (table, *key)))
                    raise BadComponents(
                        self.files[-1], label, "row", "this row in the file or in the shipped set", None
                    )

    def overlaid(self, over: ComponentRows) -> ComponentRows:
        """These rows with every row of `over` in the place of the row with the same key."""
        tables = {name: {**rows, **over.tables[name]} for name, rows in self.tables.items()}
        return replace(
            over,
            name=over.name or f"{self.name} + {Path(over.files[-1]).stem}",
            files=self.files + over.files,
            tables=tables,
        )

    @property
    def digest(self) -> str:
        """12 hex digits of the content that is played: not the file's own description, not the provenances."""
        content = {
            name: sorted((_played(row) for row in rows.values()), key=repr)
            for name, rows in self.tables.items()
            if rows and () not in rows
        }
        text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def require_unique(rows: Iterable[TableRow], name: str) -> None:
    """Refuse two rows with the same value in a field, large and small letters alike: `BadComponents`."""
    owners: dict[str, TableRow] = {}
    for row in rows:
        value = row.values[name]
        owner = owners.setdefault(str(value).casefold(), row)
        if owner is not row:
            raise row.error(name, f"a {name} of its own, not that of {owner.label}", value)


def _played(row: TableRow) -> dict[str, Any]:
    return {name: value for name, value in sorted(row.values.items()) if name not in (PROVENANCE, PUBLISHED_FIELDS)}


def table_names(path: str | Path) -> set[str]:
    """The names of the tables in a file, whether its game knows them or not; raises `BadComponents`."""
    return set(_parsed(Path(path)))


def read_component_file(path: str | Path, schema: Sequence[Table]) -> ComponentRows:
    """Read and check one file; every table of the schema is there in the result, if only empty.

    A table without key fields may name the set (`name`); without it the result's name is empty.
    """
    file = str(path)
    document = _parsed(Path(path))
    by_name = {table.name: table for table in schema}
    for name in document:
        if name not in by_name:
            raise BadComponents(file, "file", "table", f"a known table ({nearest(name, list(by_name))})", name)
    tables = {name: _check_rows(file, table, document.get(name)) for name, table in by_name.items()}
    names = [str(row.values["name"]) for rows in tables.values() for row in rows.values() if _names_set(rows, row)]
    return ComponentRows(names[0] if names else "", (file,), tables)


def _names_set(rows: Mapping[Key, TableRow], row: TableRow) -> bool:
    return () in rows and "name" in row.values


def _parsed(path: Path) -> dict[str, Any]:
    """The TOML document; what is wrong with the file or its syntax becomes a `BadComponents` too."""
    text = _read_lines(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        number = at[1] if at and at[1] else text.count("\n") + 1
        message = str(error).replace(at[0], "") if at else str(error)
        raise BadComponents(path, f"line {number}", "syntax", "valid TOML", message) from None
    except RecursionError:
        raise BadComponents(path, "file", "nesting", "rows of single values and lists", "lists within lists") from None
    except ValueError:  # Python reads no decimal number of more than 4300 digits
        raise BadComponents(path, "file", "number", "integers of a few digits", "thousands of digits") from None


def _read_lines(path: Path) -> str:
    """The text of a file, in lines of a length that the parser can cope with."""
    try:
        text = read_text(path, MOST_BYTES)
    except UnreadableFile as error:
        raise BadComponents(path, error.row, error.field, error.expected, error.value) from None
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            expected = f"at most {LONGEST_LINE} characters in a line"
            raise BadComponents(path, f"line {number}", "length", expected, len(line))
    return text


def _check_rows(file: str, table: Table, content: Any) -> dict[Key, TableRow]:
    """The checked rows of one table by key."""
    if content is None:
        return {}
    shape = list if table.key else dict
    if not isinstance(content, shape) or not all(isinstance(row, dict) for row in (content if table.key else ())):
        expected = f"rows headed [[{table.name}]]" if table.key else f"one table headed [{table.name}]"
        raise BadComponents(file, table.name, "table", expected, type(content).__name__)
    rows: dict[Key, TableRow] = {}
    for i, values in enumerate(content if table.key else [content]):
        row = _row(file, table, values, i)
        key = tuple(row.values[name] for name in table.key)
        if key in rows:
            raise row.error(" and ".join(table.key), "each row once", key[0] if len(key) == 1 else key)
        rows[key] = row
    return rows


def _row(file: str, table: Table, values: dict[str, Any], place: int) -> TableRow:
    """Check one row: no unknown field, none missing, each value as declared."""
    key = [_row_label(values[name]) for name in table.key if name in values]
    named = " ".join(key) if len(key) == len(table.key) else f"(row {place + 1} of the file)"
    row = TableRow(file, f"{table.name} {named}".strip(), values)
    fields = table.all_fields()
    for name in values:
        if name not in fields:
            raise row.error(name, f"a field of {table.name} ({nearest(name, list(fields))})", name)
    return replace(row, values={name: _value(row, name, field) for name, field in fields.items()})


def _row_label(value: object) -> str:
    """A key's value as part of a row's name."""
    return printable(value) if isinstance(value, str) else shown(value)


def _value(row: TableRow, name: str, field: TableField) -> Any:
    """One field's value in its canonical form."""
    if name not in row.values:
        if field.default is None:
            raise row.error(name, field.expected, None)
        return field.default
    value = row.values[name]
    if not _is_a(field.kind, value):
        raise row.error(name, field.expected, value)
    _check_bounds(row, name, field, value)
    if field.kind == TEXT:
        _check_text(row, name, value, LONGEST_TEXT)
    if field.kind in (LIST, SET):
        _check_entries(row, name, field, value)
    elif field.choices:
        _check_choice(row, name, field, value)
    return _canonical(row, name, field, sorted(value) if field.kind == SET else value)


def _is_a(kind: str, value: object) -> bool:
    return type(value) is _PYTHON_TYPE[kind]  # not isinstance: true is an int in Python


def _check_bounds(row: TableRow, name: str, field: TableField, value: Any) -> None:
    size = value if field.kind == INTEGER else len(value) if field.kind != YES_NO else 0
    low = field.low is not None and size < field.low
    if low or (field.high is not None and size > field.high):
        raise row.error(name, field.expected, value)


def _check_entries(row: TableRow, name: str, field: TableField, entries: list[Any]) -> None:
    for i, entry in enumerate(entries):
        if not isinstance(entry, str):
            raise row.error(name, f"{field.kind}; entry {i + 1} is none", entry)
        _check_text(row, name, entry, LONGEST_ENTRY)
        if field.choices:
            _check_choice(row, name, field, entry)
        if field.kind == SET and entry in entries[:i]:
            raise row.error(name, "each entry once", entry)


def _check_text(row: TableRow, name: str, text: str, longest: int) -> None:
    """Texts reach terminals, pictures and messages: they are short, and nothing in them is a command."""
    if len(text) > longest:
        raise row.error(name, f"a text of at most {longest} characters", text)
    for c in text:
        if not c.isprintable() and unicodedata.category(c) != "Zs":  # the spaces of French typography are welcome
            raise row.error(name, f"printable characters in one line, not {c!a}", text)


def _check_choice(row: TableRow, name: str, field: TableField, value: str) -> None:
    if value not in field.choices:
        hint = f"one of the valid names ({nearest(value, list(field.choices))})"
        raise row.error(name, field.expected if len(field.choices) <= FEW else hint, value)


def _canonical(row: TableRow, name: str, field: TableField, value: Any) -> Any:
    if field.canonical is None:
        return value
    try:
        return field.canonical(value)
    except WrongText as error:
        raise row.error(name, f"{error.expected} instead of {error.word!r}", error.text) from None
