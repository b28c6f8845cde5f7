"""Files that are no component files, or hostile ones: each is refused by one line that says where and why."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rfop_env.core.component_file import (
    INTEGER,
    LIST,
    LONGEST_LINE,
    LONGEST_TEXT,
    MOST_BYTES,
    SET_TABLE,
    ComponentRows,
    TableField,
    Table,
    read_component_file,
)
from rfop_env.core.errors import BadComponents, printable, shown

pytestmark = pytest.mark.plain

SCHEMA = (
    SET_TABLE,
    Table(
        "tile",
        ("name",),
        {
            "name": TableField(low=1, high=60),
            "vp": TableField(INTEGER, 0, 9),
            "words": TableField(LIST, 0, 3, default=[]),
        },
    ),
)

Reader = Callable[[str | bytes], ComponentRows]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def reader(content: str | bytes) -> ComponentRows:
        path = tmp_path / "hostile.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_component_file(path, SCHEMA)

    return reader


def tile(**fields: str) -> str:
    """A row of valid fields, but for those given as TOML."""
    values = {"name": '"Press"', "vp": "1", "provenance": '"printed"'} | fields
    return "[[tile]]\n" + "".join(f"{name} = {value}\n" for name, value in values.items())


def refused(path: object) -> BadComponents:
    """The error, which is one line that a terminal shows as it is."""
    with pytest.raises(BadComponents) as caught:
        read_component_file(path, SCHEMA)  # type: ignore[arg-type]
    assert str(caught.value).isprintable() and len(str(caught.value)) < 3000
    return caught.value


def test_the_row_itself_is_valid(read: Reader) -> None:
    assert read(tile()).table("tile")[("Press",)].values["vp"] == 1


# content, row, field, part of what was expected
HOSTILE = {
    "lists nested deeply": ("x = " + "[\n" * 1000 + "]" * 1000, "file", "nesting", "single values"),
    "a dotted key without end": ("a" + ".a" * LONGEST_LINE + " = 1", "line 1", "length", f"{LONGEST_LINE} characters"),
    "a decimal of thousands of digits": (tile(vp="1" * 1500 + "_1" * 200), "tile Press", "vp", "from 0 to 9"),
    "a number beyond 64 bits": (tile(vp="18446744073709551617"), "tile Press", "vp", "from 0 to 9"),
    "true for a number": (tile(vp="true"), "tile Press", "vp", "an integer"),
    "a list for a text": (tile(name='["a"]'), "tile ['a']", "name", "a text"),
    "a number in a list": (tile(words='["a", 1]'), "tile Press", "words", "entry 2"),
    "a text for a table": ("set = 'a'", "set", "table", "one table headed [set]"),
    "a row twice": (tile() + tile(), "tile Press", "name", "each row once"),
    "not UTF-8": (b"# \xff\xfe\n", "line 1", "encoding", "UTF-8"),
    "an escape sequence in a comment": ("# \x1b[2J\n", "line 1", "syntax", "valid TOML"),
    "an escape sequence in a text": (
        tile(name=r'"a\u001b[31mb"'), r"tile a\x1b[31mb", "name", r"in one line, not '\x1b'",
    ),
    "a change of direction in a text": (tile(name=r'"a\u202Eb"'), r"tile a\u202eb", "name", "printable characters"),
    "an escape sequence in a list": (tile(words=r'["\u001b]0;x\u0007"]'), "tile Press", "words", "printable"),
    "an escape sequence in the name of a field": (tile(**{r'"\u001b[2J"': "1"}), "tile Press", "\x1b[2J", "a field of"),
    "a long name": (tile(name=f'"{"x" * 61}"'), f"tile {'x' * 61}", "name", "from 1 to 60"),
    "a long note": (
        f'[set]\nname = "a"\nversion = 1\nnote = "{"x" * (LONGEST_TEXT + 1)}"', "set", "note", f"to {LONGEST_TEXT}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused(read: Reader, tmp_path: Path, case: str) -> None:
    content, row, field, expected = HOSTILE[case]
    with pytest.raises(BadComponents):
        read(content)
    error = refused(tmp_path / "hostile.toml")
    assert (error.row, error.field) == (row, field) and expected in error.expected


def test_integers_of_more_digits_than_python_reads_or_writes(read: Reader, tmp_path: Path) -> None:
    path, usual = tmp_path / "hostile.toml", sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        for number, row, field in (("1" * 1900, "file", "number"), ("0x" + "f" * 1900, "tile Press", "vp")):
            with pytest.raises(BadComponents):
                read(tile(vp=number))
            assert (refused(path).row, refused(path).field) == (row, field)
        path.write_text(tile(name="0x" + "f" * 1900))
        assert refused(path).row == "tile int too large to show"
    finally:
        sys.set_int_max_str_digits(usual)


def test_files_have_a_most(tmp_path: Path) -> None:
    path = tmp_path / "large.toml"
    path.write_bytes(b"#\n" * (MOST_BYTES // 2))
    assert read_component_file(path, SCHEMA).name == ""
    with path.open("ab") as file:
        file.truncate(2**30)  # a gigabyte that takes no room on the disk
    error = refused(path)
    assert (error.field, error.value) == ("size", 2**30)


def test_a_file_at_the_limits_is_read_soon(tmp_path: Path) -> None:
    """The TOML parser's time grows with the square of a dotted key's length; processor time, so load does not count."""
    path = tmp_path / "dots.toml"
    key = ".".join("a" * (LONGEST_LINE // 2 - 10))
    path.write_text("".join(f"{key}.k{i} = 1\n" for i in range(20)))
    start = time.process_time()
    assert refused(path).field == "table"
    assert time.process_time() - start < 60


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this file system")
def test_pipes_devices_and_folders_are_not_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    assert refused(pipe).expected == "an ordinary file"
    assert refused(os.devnull).expected == "an ordinary file"
    assert "not a folder" in refused(tmp_path).expected


def test_french_spaces_are_printable(read: Reader) -> None:
    assert read(tile(name='"Aux\u00a0armes\u202f!"')).table("tile")


def test_any_value_can_be_shown() -> None:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert shown(nested) == "list too large to show" and shown(1 << 20_000) == "int too large to show"
    assert shown("a\x1b") == r"'a\x1b'" and len(shown("a" * 10**6)) < 1000
    assert printable("a\x1b[0m\nb é") == r"a\x1b[0m\nb é"
