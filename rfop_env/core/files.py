"""Files, read and written whole.

What comes from outside is read only from ordinary files of a declared size, and as text only UTF-8. What is written is
there whole or not at all: after a stop, a crash or on a full disk the old content stays.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rfop_env.core.errors import RfopError, printable, shown

PART = ".part"  # suffix of a file that is being written


class UnreadableFile(RfopError, OSError):
    """A file that cannot be read: what was expected of its path, size or encoding, and what was found.

    `row` is the part of the file that is meant: "file", or a line.
    """

    def __init__(self, path: Path, row: str, field: str, expected: str, value: object):
        self.row = row
        self.field = field
        self.expected = expected
        self.value = value
        super().__init__(f"{printable(str(path))}: {row}: {field}: expected {expected}, found {shown(value)}")


def read_file(path: Path, most: int) -> bytes:
    """The content of an ordinary file of at most so many bytes; raises `UnreadableFile`."""
    with readable(path, most):
        return path.read_bytes()


@contextmanager
def readable(path: Path, most: int) -> Iterator[None]:
    """Check that a file is an ordinary one of at most so many bytes, before the block reads it.

    Raises `UnreadableFile`, also where the system lets nobody read it.
    """
    try:
        size = _file_size(path)
        if size > most:
            raise UnreadableFile(path, "file", "size", f"at most {most} bytes", size)
        yield
    except UnreadableFile:
        raise
    except FileNotFoundError:
        expected = f"a file, by its full path or from {Path.cwd()}"
        raise UnreadableFile(path, "file", "path", expected, "no such file") from None
    except OSError as error:
        raise UnreadableFile(path, "file", "path", "a file that can be read", error.strerror or str(error)) from None


def read_text(path: Path, most: int) -> str:
    """The text of such a file; raises `UnreadableFile`, also with the line that is not UTF-8."""
    data = read_file(path, most)
    try:
        return data.decode("utf-8-sig")  # some editors put a byte order mark first
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableFile(path, f"line {line}", "encoding", "UTF-8", data[error.start : error.end]) from None


def read_toml(path: Path, most: int) -> dict[str, Any]:
    """The content of a TOML file; raises `UnreadableFile`."""
    try:
        return tomllib.loads(read_text(path, most))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(path, "file", "syntax", "valid TOML", str(error)) from None


def _file_size(path: Path) -> int:
    """The size of an ordinary file, in bytes; to read a device or a pipe might never end."""
    try:
        status = path.stat()
    except ValueError as error:  # a name with a NUL character
        raise OSError(str(error)) from None
    if stat.S_ISDIR(status.st_mode):
        here = ", ".join(sorted(p.name for p in path.glob("*.toml"))) or "none"
        raise UnreadableFile(path, "file", "path", f"a file, not a folder (.toml files in it: {here})", "a folder")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile(path, "file", "path", "an ordinary file", "a device or a pipe")
    return status.st_size


# -- writing -----------------------------------------------------------------------------------------------------------


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file, making its folder if there is none; text is written as UTF-8. Raises `RfopError`.

    The content goes to the disk in a temporary file of the same folder, which then takes the place of the old file. So
    no reader ever sees half of it. The mode is the usual one for new files (umask).
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with telling_what_fails(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)


def write_atomically(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file of a mode, less the umask, so that no reader sees half of it; raises `OSError`."""
    part = path.with_name(f".{path.name}.{os.getpid()}{PART}")
    try:
        with open(part, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def append_whole(path: Path, content: str) -> None:
    """Append lines to a file, as UTF-8 and in one write; where that fails the file keeps its length. `RfopError`."""
    data = content.encode("utf-8")
    with telling_what_fails(path), path.open("ab", buffering=0) as file:
        length = file.seek(0, os.SEEK_END)
        try:
            while data:
                data = data[file.write(data) :]
        except OSError:
            file.truncate(length)
            raise


@contextmanager
def telling_what_fails(path: Path) -> Iterator[None]:
    """Turn an `OSError` of the block (a full disk, a missing permission) into an `RfopError` that names the file."""
    try:
        yield
    except OSError as error:
        raise RfopError(
            f"{path} cannot be written: {error.strerror or error}; what was written before stays"
        ) from error
