"""Compile the rules of games now, side by side, instead of at their first use.

    rfop compile
    rfop compile RedFlagOverParis-v1 Revolution-v0 --processes 1
    rfop compile Revolution-v0 --device cuda --capability 9.0

What is compiled is kept for later processes of this user.
"""

from __future__ import annotations

import argparse
import re
import time

from rfop_env.command_line import UsageError, environment, number
from rfop_env.core.errors import shown
from rfop_env.registry import list_games

MOST_PROCESSES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("games", nargs="*", type=environment, metavar="ID", help="environments (default: all)")
    parser.add_argument(
        "--processes",
        type=number(int, 1, MOST_PROCESSES),
        metavar="N",
        help="at a time (default: as many as this process has processors)",
    )
    parser.add_argument(
        "--device", choices=["cpu", "cuda"], default="cpu", help="cuda: for a graphics card instead (minutes)"
    )
    parser.add_argument(
        "--capability",
        type=_capability,
        metavar="N.N",
        help="with --device cuda: for cards of this compute capability, as 9.0 for an H100; none need be here "
        "(default: that of the card here)",
    )


def _capability(text: str) -> tuple[int, int]:
    """An argparse type: a compute capability."""
    match = re.fullmatch(r"(\d{1,2})\.(\d)", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a compute capability like 9.0, found {shown(text)}")
    return int(match[1]), int(match[2])


def run(args: argparse.Namespace) -> int:
    """Compile, and say how long it took and where the compiled rules lie."""
    from rfop_env import compiling
    from rfop_env.compiler import kernel_cache
    from rfop_env.process_pool import available_cpus

    on_card = args.device == "cuda"
    if args.capability and not on_card:
        raise UsageError("--capability is that of a graphics card: add --device cuda")

    start = time.perf_counter()
    names, processes = args.games or list_games(), args.processes or min(available_cpus(), MOST_PROCESSES)
    if on_card:
        titles = compiling.compile_for_card(names, processes, args.capability)
    else:
        titles = compiling.compile_games(names, processes)
    seconds = time.perf_counter() - start
    print(f"ready after {seconds:.0f} s: {', '.join(titles)}; kept in {kernel_cache.cache_root()}")
    return 0
