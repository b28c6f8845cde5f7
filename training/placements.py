"""Play mixed tables in games of several seats: finishing orders, with seats assigned at random.

    python -m training.placements --env Paris-v0 --option players=4 random scripted paris/ppo-7 --out runs/paris4.csv
    python -m training.placements --env Paris-v0 --option players=3 scripted search-400 --out runs/search.csv
    python -m training.ratings runs/paris4.csv

Each deal is one game. The number of the deal decides at random which agent has which seat; every agent has one seat
before any has two. The file counts finishing orders, such as 120 games of "paris/ppo-7 > scripted = random".
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from training.common.command_line import Parser
from training.common.records import require_rows, write_records
from training.evaluation.arguments import add_arguments, parse_setting, progress_of
from training.evaluation.placements import Finish, play_mixed_tables
from training.evaluation.rows import PUBLISHED, remark

SHOWN = 10  # finishing orders that are printed


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.placements", __doc__)
    add_arguments(parser)
    parser.add_argument("--out", type=Path, required=True, help="the CSV file")
    args = parser.parse_args(words)

    # Refuse wrong arguments and files before anything is played.
    require_rows(args.out, "--out", Finish)

    setting, deals = parse_setting(args)
    deals = deals if args.deals else range(deals.start, deals.start + PUBLISHED)
    finishes = play_mixed_tables(setting, args.agents, deals, args.workers, progress_of(args))
    write_records(args.out, finishes, Finish)

    for finish in [finish for finish in finishes if finish.games][:SHOWN]:
        print(f"{finish.games / len(deals):6.1%}  {finish.order}")
    if few := remark(len(deals), args.agents):
        print(few)
    return 0


if __name__ == "__main__":
    sys.exit(main())
