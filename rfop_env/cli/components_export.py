"""Print the shipped component file of a game, a template for your own."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rfop_env.command_line import UsageError, environment
from rfop_env.registry import get_game, list_games


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--game", type=environment, metavar="ID", default=list_games()[0], help="default: %(default)s")


def run(args: argparse.Namespace) -> int:
    """The shipped file as it is, in UTF-8 whatever the terminal's encoding."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    content = getattr(get_game(args.game).load_components(None), "content", None)
    if content is None:
        raise UsageError(f"{args.game} has no component files")
    print(Path(content.files[0]).read_text(encoding="utf-8"), end="")
    return 0
