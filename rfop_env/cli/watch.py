"""`rfop watch`: a random game, its journal and its end."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.cli import games
from rfop_env.command_line import number, output_file

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch

LONGEST_DELAY = 3600  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    games.add_arguments(parser)
    parser.add_argument(
        "--delay", type=number(float, 0, LONGEST_DELAY), default=0.0, metavar="SECONDS", help="between two decisions"
    )
    parser.add_argument("--draw", action="store_true", help="draw every position")
    parser.add_argument(
        "--svg",
        metavar="FILE",
        type=output_file,
        help="write the last position, or with {} in the name every one, numbered",
    )


def watch_command(args: argparse.Namespace) -> int:
    """A random game, its journal and its end."""
    import time

    # The start.
    batch, decision = games.new_batch(args), 0
    games.print_journal(batch)
    _write_svg(batch, args.svg, decision)

    # A random decision at a time.
    with games.recording(batch, args.record, ["random"] * batch.game.spec.players) as recorder:
        while not games.over(batch):
            time.sleep(args.delay)
            batch.step_random()
            if recorder is not None:
                recorder.add_random()
            decision += 1
            games.print_journal(batch)
            _write_svg(batch, args.svg, decision)
            if args.draw:
                print(f"\n{batch.draw_text()}\n")

    # The end.
    if not args.draw:
        print(f"\n{batch.draw_text()}\n")
    print(games.result(batch))
    return 0


def _write_svg(batch: GameBatch, path: Path | None, decision: int) -> None:
    """The position into its own file, or the last one into the only file."""
    from rfop_env.core.files import write_whole

    if path and ("{}" in path.name or games.over(batch)):
        write_whole(path.with_name(path.name.replace("{}", f"{decision:03}")), batch.draw_svg())
