"""`rfop compile`: compile the rules of games now, side by side, instead of at their first use."""

from __future__ import annotations

import argparse
import os
import time

from rfop_env.command_line import examples, number
from rfop_env.registry import list_games

EXAMPLES = examples("""\
rfop compile
rfop compile RedFlagOverParis-v0 Revolution-v0 --processes 1""")
MOST_PROCESSES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("games", nargs="*", metavar="ID", help="environments (default: all)")
    parser.add_argument(
        "--processes",
        type=number(int, 1, MOST_PROCESSES),
        default=min(os.cpu_count() or 1, MOST_PROCESSES),
        help="at a time (default %(default)s)",
    )


def compile_command(args: argparse.Namespace) -> int:
    """Compile, and say how long it took and where the compiled rules lie."""
    from rfop_env.compiling import compile_games
    from rfop_env.core.kernel_cache import cache_root

    start = time.perf_counter()
    titles = compile_games(args.games or list_games(), args.processes)
    print(f"ready after {time.perf_counter() - start:.0f} s: {', '.join(titles)}; kept in {cache_root()}")
    return 0
