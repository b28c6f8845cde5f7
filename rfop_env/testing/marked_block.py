"""Generated blocks of a Markdown page.

A block stands between two lines of their own, `<!-- generated: NAME ARGUMENTS -->` and `<!-- /generated -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from rfop_env.core.errors import BadArgument
from rfop_env.core.files import write_whole

_OPENING, _CLOSING = r"^<!-- generated: ([^\n]+?) -->$", r"^<!-- /generated -->$"
_MARK = re.compile(rf"{_OPENING}|{_CLOSING}", re.MULTILINE)
_BLOCK = re.compile(rf"({_OPENING}\n)(.*?)({_CLOSING})", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block of a page; `body` is its text as it stands, with the last line break."""

    name: str
    arguments: tuple[str, ...]
    body: str


def find_blocks(page: str) -> list[Block]:
    """The blocks of a page, from top to bottom; `BadArgument` where a mark has no partner."""
    opened = None
    for mark in _MARK.finditer(page):
        if (mark[1] is None) == (opened is None):
            mark_alone = opened or mark
            raise BadArgument(
                f"line {page.count(chr(10), 0, mark_alone.start()) + 1} of the page, {mark_alone[0]}, has no partner: "
                "a block begins with <!-- generated: NAME --> and ends with <!-- /generated -->"
            )
        opened = None if opened else mark
    if opened:
        raise BadArgument(f"the page ends inside the block {opened[0]}: it needs a line <!-- /generated -->")
    return [_block(match) for match in _BLOCK.finditer(page)]


def replaced(page: str, body: Callable[[Block], str]) -> str:
    """The page with the body of each block replaced by what `body` returns for it; `BadArgument` as `find_blocks`."""
    find_blocks(page)
    return _BLOCK.sub(lambda match: f"{match[1]}{body(_block(match))}{match[4]}", page)


def check_place(page: str, names: Collection[str]) -> None:
    """`BadArgument` unless the page has a block of one of these names."""
    if not {block.name for block in find_blocks(page)} & set(names):
        marks = " or ".join(f"<!-- generated: {name} -->" for name in names)
        raise BadArgument(f"the page has no place for the table: it needs a line {marks}, then <!-- /generated -->")


def rewrite(path: Path, texts: Mapping[str, str]) -> None:
    """Write the blocks of `texts` that a page has places for; `BadArgument` if it has none."""
    page = path.read_text(encoding="utf-8")
    check_place(page, texts)
    new = replaced(page, lambda block: f"{texts[block.name]}\n" if block.name in texts else block.body)
    write_whole(path, new)


def print_measured(measure: Callable[[], str], name: str, path: Path | None) -> None:
    """Print what `measure` gives, and write it into the block of this name of a page, if one is given.

    `BadArgument` before anything is measured if the page has no such block.
    """
    if path is not None:
        check_place(path.read_text(encoding="utf-8"), [name])
    measured = measure()
    print(measured)
    if path is not None:
        rewrite(path, {name: measured})


def _block(match: re.Match[str]) -> Block:
    name, *arguments = match[2].split()
    return Block(name, tuple(arguments), match[3])
