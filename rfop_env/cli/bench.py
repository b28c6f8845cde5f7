"""Measure decisions per second of every environment."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from rfop_env.command_line import environment, output_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("--quick", action="store_true", help="small sizes, under 20 seconds once compiled")
    parser.add_argument("--games", nargs="+", type=environment, metavar="ID", help="only these environments")
    parser.add_argument(
        "--cpu-time", action="store_true", help="per second of processor time, on a busy machine; one thread only"
    )
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write all figures to a file")
    parser.add_argument(
        "--write", metavar="PAGE", type=Path, nargs="+", help="put the tables into the marked blocks of Markdown pages"
    )


def run(args: argparse.Namespace) -> int:
    """Measure, and print the tables."""
    from rfop_env.testing import marked_block, speed

    # A page without a place for the tables is refused first.
    pages = args.write or ()
    for page in pages:
        marked_block.check_place(page.read_text(encoding="utf-8"), speed.BLOCKS)

    settings = replace(speed.QUICK if args.quick else speed.Settings(), cpu_time=args.cpu_time)
    report = speed.bench(settings, args.games, log=log)

    print(speed.tables(report, markdown=args.markdown))
    if args.json:
        speed.write_json(report, args.json)
    for page in pages:
        marked_block.rewrite(page, {name: block(report) for name, block in speed.BLOCKS.items()})
    return 0


def log(line: str) -> None:
    """Print how far a measurement is."""
    print(f"rfop: {line}", file=sys.stderr)
