"""Rewrite the generated parts of README, docs and RULES.md: tables, pictures of positions, figures of results.

    python -m training.research docs
    python -m training.research docs --check

Figures that are measured, such as speed, are left as they are: each of these blocks has its own command.
"""

from __future__ import annotations

import argparse

from rfop_env.core.files import write_whole
from training.research import ROOT
from training.research.generator import figures, pages


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--check", action="store_true", help="print stale files, write nothing; exit status 1 if any is"
    )


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    stale = pages.stale(ROOT) | figures.stale(ROOT)
    names = "\n".join(path.relative_to(ROOT).as_posix() for path in stale)
    if args.check:
        print(names or "nothing is stale")
        return 1 if names else 0
    for path, text in stale.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    print(names or "nothing to rewrite")
    return 0
