"""The commands for component files: check one, and print the one that a game ships."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from rfop_env import registry
from rfop_env.command_line import UsageError, environment
from rfop_env.core import errors


class ComponentsCheck:
    """Tell whether a component file is valid, and what it changes."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The arguments of the command."""
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--game", type=environment, metavar="ID", help="default: the first that has all tables of the file"
        )

    @staticmethod
    def run(args: argparse.Namespace) -> int:
        """Print a summary of a valid file, status 0; print what is wrong with another one, status 1."""
        from rfop_env.game_setup import fitting_games

        try:
            game = registry.get_game(fitting_games(args.file)[0] if args.game is None else args.game)
            components = game.load_components(args.file)
        except errors.BadComponents as error:
            print(f"rfop: {error}", file=sys.stderr)
            return 1

        file = errors.printable(str(args.file))
        print(f"{file}: valid for {game.id}, set {components.name!r} ({components.digest})")
        if not hasattr(components, "content"):
            return 0

        # Where the rows come from, by provenance.
        content = components.content
        rows = [row for table in content.tables.values() for row in table.values() if row.provenance]
        own = [row for row in rows if row.file == content.files[-1]]
        for title, group in (("rows in play", rows), ("of these from this file", own)):
            counts = sorted(Counter(row.provenance for row in group).items())
            numbers = ", ".join(f"{count} {provenance}" for provenance, count in counts) or "none"
            print(f"{title}: {len(group)} ({numbers})")
        return 0


class ComponentsExport:
    """Print the shipped component file of a game, a template for your own."""

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """The arguments of the command."""
        parser.add_argument(
            "--game", type=environment, metavar="ID", default=registry.list_games()[0], help="default: %(default)s"
        )

    @staticmethod
    def run(args: argparse.Namespace) -> int:
        """Print the file as it is, in UTF-8 whatever the terminal's encoding."""
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")
        content = getattr(registry.get_game(args.game).load_components(None), "content", None)
        if content is None:
            raise UsageError(f"{args.game} has no component files")
        print(Path(content.files[0]).read_text(encoding="utf-8"), end="")
        return 0
