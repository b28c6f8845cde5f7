"""Generated parts of a Markdown page: what stands between `<!-- NAME -->` and `<!-- /NAME -->`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from rfop_env.core.errors import BadArgument
from rfop_env.core.files import write_whole


def blocks_of(page: str, names: Mapping[str, object]) -> list[str]:
    """The names, of those given, whose marks are in the page; `BadArgument` if there is none."""
    present = [name for name in names if _pattern(name).search(page)]
    if not present:
        marks = " or ".join(f"<!-- {name} --> and <!-- /{name} -->" for name in names)
        raise BadArgument(f"the page has no place for the table: it needs a line {marks}")
    return present


def replaced(page: str, name: str, text: str) -> str:
    """The page with `text` between the marks of the block `name`."""
    return _pattern(name).sub(lambda match: f"{match[1]}{text}\n{match[2]}", page)


def rewrite(path: Path, texts: Mapping[str, str]) -> None:
    """Write the blocks of `texts` that a page has places for; `BadArgument` if it has none."""
    page = path.read_text(encoding="utf-8")
    for name in blocks_of(page, texts):
        page = replaced(page, name, texts[name])
    write_whole(path, page)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- /{re.escape(name)} -->)", re.DOTALL)
