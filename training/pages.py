"""Rewrite the tables of published results in the README and in docs, from the files of results.

    python -m training.pages

`make docs` calls this command; a test fails if a page is stale.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rfop_env.command_line import command
from rfop_env.core.files import write_whole
from training.publishing.pages import stale


@command()
def main(words: Sequence[str] | None = None) -> int:
    """Rewrite the stale pages; returns the exit status."""
    for page, text in stale().items():
        write_whole(page, text)
        print(f"wrote {page.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
