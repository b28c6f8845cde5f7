"""Files are written whole, logs row by row; a full disk undoes nothing that was written, and one process writes."""

from __future__ import annotations

import codecs
import os
import re
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_type_hints

import pytest

from rfop_env.core.errors import RfopError
from rfop_env.core.files import append_whole, write_whole
from rfop_training.evaluation.rows import RecordedRow
from rfop_training.common.records import (
    add_records,
    append_rows,
    cut_back,
    header,
    locked,
    read_log,
    read_records,
    write_records,
)

ROOT = Path(__file__).parents[2]

HOLD = """
import sys, time
from pathlib import Path
from rfop_training.common.records import locked
with locked(Path(sys.argv[1]), "busy"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def full_disk(limit: int):
    """No file may grow beyond so many bytes: the write that would do so is cut short, and the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@dataclass(frozen=True)
class Line:
    name: str
    games: int
    rate: float


def test_a_file_is_written_whole_or_stays_as_it_is(tmp_path):
    path = tmp_path / "folder" / "x.bin"
    write_whole(path, b"old")
    with full_disk(1000), pytest.raises(RfopError, match=r"x\.bin cannot be written: File too large"):
        write_whole(path, b"new" * 1000)
    assert path.read_bytes() == b"old" and [p.name for p in path.parent.iterdir()] == ["x.bin"]
    write_whole(path, "né")
    assert path.read_bytes() == "né".encode()


def test_the_mode_of_a_file_is_that_of_new_files(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "x", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RfopError, match=r"x cannot be written: (Not a directory|File exists)"):
        write_whole(tmp_path / "file" / "x", b"")


def test_what_cannot_be_appended_whole_is_not_appended(tmp_path):
    path = tmp_path / "log.csv"
    append_whole(path, "a\n")
    with full_disk(10), pytest.raises(RfopError, match=r"log\.csv cannot be written"):
        append_whole(path, "0123456789\n")
    assert path.read_text() == "a\n"


def test_a_log_takes_rows_and_new_columns(tmp_path):
    path = tmp_path / "log.csv"
    append_rows(path, [{"steps": 1, "loss": 0.5}])
    append_rows(path, [{"steps": 2, "loss": 0.25}, {"steps": 3}])
    append_rows(path, [{"steps": 4, "who": "a, b"}])
    assert path.read_text() == 'steps,loss,who\n1,0.5,\n2,0.25,\n3,,\n4,,"a, b"\n'
    assert [row["steps"] for row in read_log(path)] == ["1", "2", "3", "4"]


def test_a_log_is_cut_back_to_a_step_and_loses_a_line_without_an_end(tmp_path):
    path = tmp_path / "log.csv"
    cut_back(path, "steps", 2)
    assert not path.exists()
    for text in ("steps,x\n1,a\n2,b\n3,c\n", "steps,x\n1,a\n2,b\n3", "steps,x\n1,a\n2,b\n2,bb", "steps,x\n1,a\n2,b\n"):
        path.write_text(text)
        cut_back(path, "steps", 2)
        assert path.read_text() == "steps,x\n1,a\n2,b\n"
    path.write_text("steps,x")
    cut_back(path, "steps", 2)
    assert path.read_text() == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"steps,x\n1,a\n2\n3,c\n", r"log.csv:3: expected 2 values: delete the line"),
        (b"\xff\xfe\n\x00\n", r"log.csv is no CSV file .*: give another, or delete it"),
    ],
)
def test_a_broken_log_is_told_with_its_line(tmp_path, content, said):
    (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(RfopError, match=said):
        cut_back(tmp_path / "log.csv", "steps", 2)


def test_records_are_read_as_they_were_written(tmp_path):
    rows = [Line("a, b", 2, 0.5), Line("c", 10**6, 1e-9)]
    write_records(tmp_path / "x.csv", rows, Line)
    assert read_records(tmp_path / "x.csv", Line) == rows
    for content, said in (
        (b"\xff", "no CSV file"),
        (b"", "expected the columns"),
        (b"name,games,rate\na,b\n", "x.csv:2"),
    ):
        (tmp_path / "x.csv").write_bytes(content)
        with pytest.raises(RfopError, match=said):
            read_records(tmp_path / "x.csv", Line)


def test_a_byte_order_mark_of_a_spreadsheet_changes_nothing(tmp_path):
    rows, path, log = [Line("a, b", 2, 0.5)], tmp_path / "x.csv", tmp_path / "log.csv"
    write_records(path, rows, Line)
    log.write_text("steps,x\n1,a\n2,b\n")
    for file in (path, log):
        file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert read_records(path, Line) == rows
    add_records(path, [Line("c", 3, 0.25)], Line, lambda row: row.name)
    assert read_records(path, Line) == [*rows, Line("c", 3, 0.25)]

    assert header(log) == ["steps", "x"] and read_log(log) == [{"steps": "1", "x": "a"}, {"steps": "2", "x": "b"}]
    append_rows(log, [{"steps": 3, "x": "c", "y": "new"}])
    cut_back(log, "steps", 1)
    assert read_log(log) == [{"steps": "1", "x": "a", "y": ""}]


@pytest.mark.parametrize("read", [lambda path: read_records(path, Line), read_log, header])
def test_a_table_that_would_be_read_for_ever_is_refused(read, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(RfopError, match=r"pipe\.csv: .* an ordinary file"):
        read(tmp_path / "pipe.csv")
    (tmp_path / "huge.csv").touch()
    os.truncate(tmp_path / "huge.csv", 2**40)
    with pytest.raises(RfopError, match=r"huge\.csv: .* at most 1073741824 bytes"):
        read(tmp_path / "huge.csv")


def test_files_that_users_name_are_opened_in_one_place():
    """In agents and trainers; the others are files of the package, or what this process wrote."""
    reading = re.compile(r"\.read_bytes\(|(?<!files)\.read_text\(|\.open\(\"?[r)]|tomllib\.load\(|(?<!torch\.)\bopen\(")
    exceptions = (
        "baselines/__init__.py",
        "figures/pictures.py",
        "research/",
    )  # of the package, or written by this process
    for folder in (ROOT / "agents", ROOT / "training"):
        for path in folder.rglob("*.py"):
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if reading.search(line)]
            lines = [
                line
                for line in lines
                if not re.search(r"_opener|safe_open|def open|(cards|opener|Events|LEVELS)\.open|open\(\"wb", line)
            ]
            place = path.relative_to(ROOT).as_posix()
            assert not lines or any(exception in place for exception in exceptions), f"{path}: {lines}"


def test_a_lock_keeps_other_processes_out_until_its_own_is_killed(tmp_path):
    lock = tmp_path / ".lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert holder.stdin and holder.stdout and holder.stdout.readline() == "held\n"
    with pytest.raises(RfopError, match="busy"), locked(lock, "busy"):
        pass
    holder.kill()
    holder.wait()
    holder.stdin.close()
    holder.stdout.close()
    with locked(lock, "busy"), pytest.raises(RfopError, match="busy"), locked(lock, "busy"):
        pass  # in the same process neither
    with locked(lock, "busy"):
        pass


def test_two_evaluations_write_to_one_file(tmp_path):
    """Rows that another process wrote in the meantime are kept: each reads the file while it holds its lock."""
    path, n = tmp_path / "rows.csv", 8
    empty = {kind: kind() for kind in (str, int, float)}
    row = RecordedRow(**{name: empty[kind] for name, kind in get_type_hints(RecordedRow).items()})
    with ThreadPoolExecutor(n) as pool:
        list(pool.map(lambda k: add_records(path, [replace(row, agent=f"agent {k}")], RecordedRow), range(n)))
    assert sorted(found.agent for found in read_records(path, RecordedRow)) == [f"agent {k}" for k in range(n)]
