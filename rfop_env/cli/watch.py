"""Watch a game between programs: its journal and its end.

    rfop watch LeveeEnMasse-v0 scripted --delay 1 --draw
    rfop watch Revolution-v0 scripted search-400                   a search
    rfop watch Revolution-v0 search-100+revolution/ppo-2 scripted  a search that a network guides
    rfop watch Revolution-v0 revolution/ppo-2 --record game.rfop   a baseline, a trained network, in all seats

A player of a seat is any agent: a search, a trained network, a run, a function of your own.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.cli import table_setup, terminal
from rfop_env.command_line import UsageError, number, output_file

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch

LONGEST_DELAY = 3600  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    table_setup.add_arguments(parser)
    seats = f"one for all seats or one for each (default: random): {table_setup.PLAYERS}"
    parser.add_argument("players", nargs="*", metavar="PLAYER", help=seats)
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


def run(args: argparse.Namespace) -> int:
    """A game between programs, its journal and its end."""
    import time

    from rfop_env.cli.table_setup import GameTable

    # The start.
    batch, decision = table_setup.new_batch(args), 0
    names = _seat_players(args.players, batch)
    table = GameTable(batch, names, batch.game_seed(0)[0], any_components=args.any_components)
    print(f"Players: {table_setup.seat_line(batch, names)}")
    terminal.print_journal(batch)
    _write_svg(batch, args.svg, decision)

    # A decision at a time.
    with table_setup.recording(batch, args.record, names) as table.recorder:
        while not terminal.over(batch):
            time.sleep(args.delay)
            table.let_program_decide()
            decision += 1
            _write_svg(batch, args.svg, decision)
            if args.draw:
                print(f"\n{batch.draw_text()}\n")

    # The end.
    if not args.draw:
        print(f"\n{batch.draw_text()}\n")
    print(terminal.result_line(batch))
    return 0


def _seat_players(names: Sequence[str], batch: GameBatch) -> list[str]:
    """A player for each seat; `UsageError` for another number of players than one or that of the seats."""
    from rfop_env.agent_names import RANDOM

    seats, players = batch.game.spec.players, list(names) or [RANDOM]
    if len(players) not in (1, seats):
        numbers = "1" if seats == 1 else f"1 or {seats}"
        raise UsageError(f"{batch.game.id} takes {numbers} players here, and {len(players)} are named")
    return players * seats if len(players) == 1 else players


def _write_svg(batch: GameBatch, path: Path | None, decision: int) -> None:
    """The position into its own file, or the last one into the only file."""
    from rfop_env.core.files import write_whole

    if path and ("{}" in path.name or terminal.over(batch)):
        write_whole(path.with_name(path.name.replace("{}", f"{decision:03}")), batch.draw_svg())
