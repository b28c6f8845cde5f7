"""Check a game: play it through every interface, and hold it to all that it declares.

    rfop check my_game.py
    rfop check my_game.py:two_player --only check_hidden_information
    rfop check Paris-v0 --option players=3

Every check plays with fixed seeds, so it fails again in the same way. RFOP_JIT=0 in the environment runs the rules in
plain Python, where prints and breakpoints work.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Any

from rfop_env.command_line import environment
from rfop_env.core.errors import UnknownName, printable
from rfop_env.game_setup import add_option, parse_options
from rfop_env.registry import get_game

MOST_LINES = 12  # of a reason; Numba writes many
STOPPED = "Stopped; not all checks have run."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument("game", type=environment, help="FILE.py or FILE.py:NAME of a game of your own, or an id")
    parser.add_argument("--only", nargs="+", metavar="CHECK", default=[], help="run these checks alone")
    add_option(parser)


def run(args: argparse.Namespace) -> int:
    """Run the checks, a line for each; status 1 where one has failed."""
    game, options = get_game(args.game), dict(parse_options(args.option))
    game.under(options)
    print(f"{game.id}: {game.title}", flush=True)
    from rfop_env.testing.conformance import game_checks

    checks = game_checks(game.id)
    names = [check.__name__ for check, _ in checks]
    for name in args.only:
        if name not in names:
            raise UnknownName(f"check of {game.id}", name, names)

    failed = []
    for number, (check, arguments) in enumerate(checks, 1):
        name = check.__name__
        if args.only and name not in args.only:
            continue
        title = name.removeprefix("check_").replace("_", " ") + _opponents(arguments)
        print(f"[{number}/{len(checks)}] {title} ... ", end="", flush=True)
        start = time.perf_counter()
        try:
            check(game.id, **arguments | options)
        except Exception as error:  # whatever the game, or a checker of another library, raises
            failed.append(name)
            print(f"FAILED\n{_reason(error)}", flush=True)
            document = (check.__doc__ or "").strip().splitlines()[0]
            print(f"    What is checked: {document}\n    Again: {_again(name)}", flush=True)
        else:
            print(f"ok, {time.perf_counter() - start:.1f} s", flush=True)

    if failed:
        print(f"{len(failed)} failed: {', '.join(failed)}. docs/extend.md says what a game has to keep.")
        return 1
    print("All checks pass.")
    return 0


def _opponents(arguments: Mapping[str, Any]) -> str:
    """The players of the other seats in a check."""
    players = arguments.get("opponent", ())
    names = [players] if isinstance(players, str) else [getattr(player, "__name__", player) for player in players]
    return f", against {' and '.join(map(str, names))}" if names else ""


def _reason(error: Exception) -> str:
    """The error and its place: in the game if the traceback reaches it, else in the check."""
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.startswith(package)]
    outside = [frame for frame in frames if frame not in inside and "site-packages" not in frame.filename]
    place = (outside or inside or frames)[-1]
    kind = "" if isinstance(error, AssertionError) and str(error) else f"{type(error).__name__}: "
    lines = f"{kind}{str(error).strip() or place.line}".splitlines()
    return "\n".join(f"    {printable(line)}" for line in [*lines[:MOST_LINES], f"at {place.filename}:{place.lineno}"])


def _again(name: str) -> str:
    """The command line that runs one check alone, in plain Python."""
    words, command = sys.argv[1:], "RFOP_JIT=0 rfop "
    beginning = words[: words.index("--only")] if "--only" in words else words
    return command + shlex.join([*beginning, "--only", name])
