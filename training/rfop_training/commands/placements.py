"""Play mixed tables in games of several seats: finishing orders, with seats assigned at random.

    rfop placements --env Paris-v0 --option players=4 random scripted paris/ppo-7 --out runs/paris4.csv
    rfop placements --env Paris-v0 --option players=3 scripted search-400 --out runs/search.csv
    rfop ratings runs/paris4.csv

Each deal is one game. The number of the deal decides at random which agent has which seat; every agent has one seat
before any has two. The file counts finishing orders, such as 120 games of "paris/ppo-7 > scripted = random".
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_training.common.records import require_rows, write_records
from rfop_training.evaluation import arguments
from rfop_training.evaluation.placements import Finish, play_mixed_tables
from rfop_training.evaluation.rows import PUBLISHED, remark

SHOWN = 10  # finishing orders that are printed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    arguments.add_game_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="the CSV file")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    require_rows(args.out, "--out", Finish)

    setting, deals = arguments.parse_setting(args)
    deals = deals if args.deals else range(deals.start, deals.start + PUBLISHED)
    finishes = play_mixed_tables(setting, args.agents, deals, args.workers, arguments.parse_progress(args))
    write_records(args.out, finishes, Finish)

    for finish in [finish for finish in finishes if finish.games][:SHOWN]:
        print(f"{finish.games / len(deals):6.1%}  {finish.order}")
    if note := remark(len(deals), args.agents):
        print(note)
    return 0
