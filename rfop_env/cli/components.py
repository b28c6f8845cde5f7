"""`rfop components`: check a component file, or print the shipped one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rfop_env.command_line import add_command
from rfop_env.core.errors import BadComponents, printable
from rfop_env.registry import get_game, list_games


def add_commands(parser: argparse.ArgumentParser) -> None:
    """The commands `check` and `export`."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    check = add_command(commands, "check", check_command, "is a component file valid, and what does it change")
    check.add_argument("file", type=Path)
    export = add_command(commands, "export", export_command, "print the shipped file, a template for your own")
    check.add_argument("--game", metavar="ID", help="default: the first that has all tables of the file")
    export.add_argument("--game", metavar="ID", default=list_games()[0], help="default: %(default)s")


def check_command(args: argparse.Namespace) -> int:
    """Exit code 0 and a summary, or 1 and the one error."""
    from collections import Counter

    from rfop_env.component_files import games_of

    try:
        game = get_game(games_of(args.file)[0] if args.game is None else args.game)
        loaded = game.load_components(args.file)
    except BadComponents as error:
        print(f"rfop: {error}", file=sys.stderr)
        return 1

    # Where the rows come from, by provenance.
    rows = [row for table in loaded.content.tables.values() for row in table.values() if row.provenance]
    own = [row for row in rows if row.file == loaded.content.files[-1]]
    print(f"{printable(str(args.file))}: valid for {game.id}, set {loaded.name!r} ({loaded.digest})")
    for name, some in (("rows in play", rows), ("of these from this file", own)):
        counts = Counter(row.provenance for row in some)
        numbers = ", ".join(f"{n} {provenance}" for provenance, n in sorted(counts.items())) or "none"
        print(f"{name}: {len(some)} ({numbers})")
    return 0


def export_command(args: argparse.Namespace) -> int:
    """The shipped file as it is, in UTF-8 whatever the terminal's encoding."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    content = get_game(args.game).load_components(None).content
    print(Path(content.files[0]).read_text(encoding="utf-8"), end="")
    return 0
