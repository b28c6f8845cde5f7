"""The tables of published results in the documentation: rewritten from the files that hold them.

    python -m training.pages

A table stands between the comments `<!-- baselines -->` and `<!-- /baselines -->`, or those of another of `TABLES`.
`make docs` calls this; a test says which page is stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from agents import baselines
from rfop_env.command_line import command
from training import best_response, curves
from training.evaluate import RecordedRow, table_of_records
from training.records import read_records

DOCS = Path(__file__).parents[1] / "docs"
RESPONSES, SEARCHES = curves.RESULTS / "best_responses.csv", curves.RESULTS / "search.csv"
TABLES: dict[str, Callable[[], str]] = {
    "baselines": baselines.table,
    "curves": lambda: curves.table(curves.read_results()),
    "responses": lambda: best_response.table_of_responses(read_records(RESPONSES, best_response.Response)),
    "searches": lambda: table_of_records(read_records(SEARCHES, RecordedRow)),
}


_BLOCK = re.compile(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", re.DOTALL)


def fresh(text: str) -> str:
    """A page with all its tables as they are now."""
    return _BLOCK.sub(lambda found: _block(found[1]) if found[1] in TABLES else found[0], text)


def _block(name: str) -> str:
    return f"<!-- {name} -->\n{TABLES[name]()}\n<!-- /{name} -->"


def stale() -> list[Path]:
    """The pages whose tables are not those of the files."""
    return [page for page in sorted(DOCS.glob("*.md")) if fresh(old := page.read_text(encoding="utf-8")) != old]


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """Rewrite the stale pages; returns the exit status."""
    for page in stale():
        page.write_text(fresh(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"wrote {page.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
