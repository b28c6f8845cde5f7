"""`rfop compile`: compile the rules of games now, side by side, instead of at their first use."""

from __future__ import annotations

import argparse
import os
import sys
import time

from rfop_env.command_line import examples, number
from rfop_env.registry import list_games

EXAMPLES = examples("""\
rfop compile
rfop compile RedFlagOverParis-v0 Revolution-v0 --processes 1
rfop compile --shared""")
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
    parser.add_argument(
        "--shared",
        action="store_true",
        help="into the installed package, for all its users and every processor of this one's kind",
    )


def compile_command(args: argparse.Namespace) -> int:
    """Compile, and say how long it took and where the compiled rules lie."""
    from rfop_env import compiling
    from rfop_env.core import kernel_cache, shared_kernels

    start = time.perf_counter()
    names = args.games or list_games()
    if args.shared:
        print("compiling for all users and every processor of this kind ...", file=sys.stderr, flush=True)
        titles, place = compiling.compile_shared(names, args.processes), shared_kernels.FOLDER
    else:
        titles, place = compiling.compile_games(names, args.processes), kernel_cache.cache_root()
    print(f"ready after {time.perf_counter() - start:.0f} s: {', '.join(titles)}; kept in {place}")
    return 0
