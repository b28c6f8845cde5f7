"""Rewrite the generated parts of README, docs and RULES.md: tables, pictures of positions, figures of results.

    python -m training.research docs
    python -m training.research docs --check

Figures that are measured, such as speed, are left as they are: each of these blocks has its own command.
"""

from __future__ import annotations

import argparse

from training.research.generator import figures, pages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--check", action="store_true", help="print stale files, write nothing; exit status 1 if any is"
    )


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if not args.check:
        print("\n".join([*pages.rewrite(), *figures.rewrite()]) or "nothing to rewrite")
        return 0

    names = pages.page_names(pages.stale() | figures.stale())
    print("\n".join(names) or "nothing is stale")
    return 1 if names else 0
