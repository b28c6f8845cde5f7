"""Tell whether a component file is valid, and what it changes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rfop_env.command_line import environment
from rfop_env.core.errors import BadComponents, printable
from rfop_env.registry import get_game


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--game", type=environment, metavar="ID", help="default: the first that has all tables of the file"
    )


def run(args: argparse.Namespace) -> int:
    """Exit code 0 and a summary, or 1 and the one error."""
    from collections import Counter

    from rfop_env.game_setup import fitting_games

    try:
        game = get_game(fitting_games(args.file)[0] if args.game is None else args.game)
        loaded = game.load_components(args.file)
    except BadComponents as error:
        print(f"rfop: {error}", file=sys.stderr)
        return 1

    if not hasattr(loaded, "content"):
        print(f"{printable(str(args.file))}: valid for {game.id}, set {loaded.name!r} ({loaded.digest})")
        return 0

    # Where the rows come from, by provenance.
    rows = [row for table in loaded.content.tables.values() for row in table.values() if row.provenance]
    own = [row for row in rows if row.file == loaded.content.files[-1]]
    print(f"{printable(str(args.file))}: valid for {game.id}, set {loaded.name!r} ({loaded.digest})")
    for name, some in (("rows in play", rows), ("of these from this file", own)):
        counts = Counter(row.provenance for row in some)
        numbers = ", ".join(f"{n} {provenance}" for provenance, n in sorted(counts.items())) or "none"
        print(f"{name}: {len(some)} ({numbers})")
    return 0
