"""Rewrite the generated parts of README, docs and RULES.md: tables, pictures of positions, figures of results.

    python -m docs.generator
    python -m docs.generator --check

Figures that are measured, such as speed, are left as they are: each of these blocks has its own command.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from docs.generator import figures, pages
from rfop_env.command_line import Parser, command


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("python -m docs.generator", __doc__)
    parser.add_argument(
        "--check", action="store_true", help="print stale files, write nothing; exit status 1 if any is"
    )
    if parser.parse_args(arguments).check:
        found = pages.names_of(pages.stale() | figures.stale())
        print("\n".join(found) or "nothing is stale")
        return 1 if found else 0

    print("\n".join([*pages.rewrite(), *figures.rewrite()]) or "nothing to rewrite")
    return 0


if __name__ == "__main__":
    sys.exit(main())
