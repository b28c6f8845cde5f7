"""Measure decisions per second of every environment."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.command_line import UsageError, environment, output_file

if TYPE_CHECKING:
    from rfop_env.testing.speed import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("--quick", action="store_true", help="small sizes, under 20 seconds once compiled")
    parser.add_argument("--games", nargs="+", type=environment, metavar="ID", help="only these environments")
    parser.add_argument(
        "--peers", action="store_true", help="beside other libraries, those that are installed (minutes)"
    )
    parser.add_argument(
        "--device", choices=["cpu", "cuda"], default="cpu", help="cuda: on a graphics card, beside one core"
    )
    parser.add_argument(
        "--cpu-time", action="store_true", help="per second of processor time, on a busy machine; one thread only"
    )
    parser.add_argument("--markdown", action="store_true", help="print tables in Markdown")
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write all figures to a file")
    parser.add_argument("--csv", metavar="FILE", type=output_file, help="with --peers: write all figures to a file")
    parser.add_argument(
        "--write", metavar="PAGE", type=Path, nargs="+", help="put the tables into the marked blocks of Markdown pages"
    )


def run(args: argparse.Namespace) -> int:
    """Measure, and print the tables."""
    if args.peers and args.json:
        raise UsageError("--json holds what is measured without --peers: give --csv FILE")
    if args.csv and not args.peers:
        raise UsageError("--csv holds what is measured with --peers: add --peers, or give --json FILE")
    if args.device == "cuda":
        if args.peers or args.cpu_time:
            raise UsageError("--device cuda is measured alone: leave out --peers and --cpu-time")
        return _on_device(args)
    return _peers(args) if args.peers else _environments(args)


def _environments(args: argparse.Namespace) -> int:
    """Measure every way to drive the environments."""
    from rfop_env.testing import speed

    _check_pages(args, speed.BLOCKS)
    report = speed.bench(_settings(args), args.games, tell=_tell)

    # Print, and write what was asked for.
    print(speed.tables(report, markdown=args.markdown))
    if args.json:
        speed.write_json(report, args.json)
    _write_pages(args, {name: block(report) for name, block in speed.BLOCKS.items()})
    return 0


def _on_device(args: argparse.Namespace) -> int:
    """Measure batches on a graphics card."""
    from rfop_env.testing import device_speed, speed

    _check_pages(args, device_speed.BLOCKS)
    sizes = device_speed.QUICK_SIZES if args.quick else device_speed.SIZES
    report = device_speed.bench(_settings(args), args.games, sizes, tell=_tell)

    # Print, and write what was asked for.
    print(device_speed.tables(report, markdown=args.markdown))
    if args.json:
        speed.write_json(report, args.json)
    _write_pages(args, {name: block(report) for name, block in device_speed.BLOCKS.items()})
    return 0


def _peers(args: argparse.Namespace) -> int:
    """Measure the environments beside other libraries."""
    from rfop_env.testing import peers

    _check_pages(args, [peers.BLOCK])
    rows = peers.bench(_settings(args), args.games, tell=_tell)

    # Print, and write what was asked for.
    print(peers.table(rows, markdown=args.markdown))
    if args.csv:
        peers.write_csv(rows, args.csv)
    _write_pages(args, {peers.BLOCK: peers.table(rows, markdown=True)})
    return 0


def _settings(args: argparse.Namespace) -> Settings:
    from rfop_env.testing import speed

    return replace(speed.QUICK if args.quick else speed.Settings(), cpu_time=args.cpu_time)


def _tell(line: str) -> None:
    print(f"rfop: {line}", file=sys.stderr)


def _check_pages(args: argparse.Namespace, blocks: Collection[str]) -> None:
    """Refuse a page without a place for the tables, before anything is measured."""
    from rfop_env.testing import marked_block

    for page in args.write or ():
        marked_block.check_place(page.read_text(encoding="utf-8"), blocks)


def _write_pages(args: argparse.Namespace, texts: Mapping[str, str]) -> None:
    from rfop_env.testing import marked_block

    for page in args.write or ():
        marked_block.rewrite(page, texts)
