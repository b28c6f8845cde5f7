"""Play agents against each other, or alone in a game of one seat, on fixed public deals.

    rfop evaluate --env RedFlagOverParisSolo-v1 random greedy runs/demo
    rfop evaluate --env Revolution-v0 random scripted --workers 2
    rfop evaluate --env Paris-v0 random scripted --option players=4
    rfop evaluate --env Revolution-v0 scripted search-400 --deals 500 --workers 2
    rfop evaluate --env Revolution-v0 search-400 search-100+revolution/ppo-2 --deals 500
    rfop evaluate --env Revolution-v0 scripted revolution/ppo-2 --replays runs/games
    rfop evaluate --env Revolution-v0 scripted search-400 --ray 10.0.0.1:6379
    rfop evaluate scripted "language-model --endpoint http://127.0.0.1:8000/v1 --model NAME" --deals 20

A deal is an evaluation seed: deal i is the game with seed 2**40 + i, which no trainer of this package reaches. In a
game of several seats each deal is played once with the first agent in every seat, the second agent in all others.
Intervals are 95 %. A shared win counts as its share, a draw as if all had shared it. Ctrl-C or SIGTERM prints the table
of the games that are done, and so does a language model that gives no answer. docs/evaluate.md says more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.agent import NoAnswer
from rfop_env.command_line import UsageError, number
from rfop_env.core.errors import RfopError
from rfop_training.common.records import add_records, require_rows
from rfop_training.evaluation import arguments
from rfop_training.evaluation.cluster import add_ray, parse_workers
from rfop_training.evaluation.games import BLOCK, MAX_DEALS
from rfop_training.evaluation.matchups import Tournament
from rfop_training.evaluation.recorded import REPLAY_GAMES, Replays
from rfop_training.evaluation.rows import RecordedRow, rows_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    arguments.add_game_arguments(parser)
    add_ray(parser)
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")
    parser.add_argument("--replays", type=Path, metavar="FOLDER", help="record games, for 'rfop replay'")
    parser.add_argument(
        "--replay-games", type=number(int, 1, MAX_DEALS), metavar="N",
        help=f"the first so many games of each line-up are recorded (default {REPLAY_GAMES})",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    setting, deals = arguments.parse_setting(args)
    if args.csv:
        require_rows(args.csv, "--csv", RecordedRow)
    if args.replay_games and not args.replays:
        raise UsageError("--replay-games: say where they go with --replays FOLDER")
    if args.replays and args.ray:
        raise UsageError("--replays: recorded games would lie on the nodes that play them; leave out --ray")
    replays = Replays.into(args.replays, args.replay_games or REPLAY_GAMES) if args.replays else None

    tournament = Tournament(setting, args.agents, deals, replays)
    try:
        with parse_workers(args) as workers:
            tournament.play(workers, arguments.parse_progress(args))
        if args.csv:
            tournament.check(arguments.parse_progress(args))
    except NoAnswer as error:
        raise RfopError(f"{error}; {report_part(tournament, args.csv)}") from error
    except KeyboardInterrupt:
        raise KeyboardInterrupt(report_part(tournament, args.csv)) from None

    rows = tournament.recorded_rows()
    print(rows_table(rows))
    if args.csv:
        add_records(args.csv, rows, RecordedRow)
    return 0


def report_part(tournament: Tournament, csv: Path | None) -> str:
    """Print the table of an evaluation that was interrupted; returns a sentence about it."""
    rows, deals = tournament.rows(), len(tournament.deals)
    unwritten = f"; {csv} is as it was" if csv else ""
    if not rows:
        return f"stopped before the first {min(BLOCK, deals):,} deals were over, so there is no table{unwritten}"
    print(f"\n{rows_table(rows)}")
    if tournament.complete:
        return f"stopped: all games were played, but not the few that check the rows of a file{unwritten}"
    return f"stopped: the table is partial, of the first of the {deals:,} deals that were asked for{unwritten}"
