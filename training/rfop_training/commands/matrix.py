"""Play every pair of some agents on the same deals; write the pay-off matrix to a CSV file and draw a heat-map.

    rfop matrix --env Revolution-v0 random scripted runs/mine --out runs/revolution.csv --workers 2
    rfop matrix scripted search-400 revolution/ppo-2 search-100+revolution/ppo-2 --out runs/strong.csv
    rfop matrix scripted runs/mine rollout-8x8+runs/mine --deals 5000 --slow-deals 500 --out runs/slow.csv
    rfop matrix random scripted search-100 --out runs/strong.csv --ray 10.0.0.1:6379
    rfop ratings runs/revolution.csv

A pair has a row for each seat and one for all seats, as in `rfop evaluate`. With three or four seats a pair has an
order: one agent against a table of the other. Searches and rollouts are slow: with `--slow-deals` their pairs play only
the first deals, and have wider intervals. Called again, the command plays what the file lacks: new agents, and
pairs of an agent whose fingerprint has changed, because it plays differently now.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rfop_env.agent import NoAnswer
from rfop_env.command_line import number
from rfop_env.core.errors import RfopError
from rfop_training.common.records import require_writable
from rfop_training.evaluation import arguments
from rfop_training.evaluation.cluster import add_ray, parse_workers
from rfop_training.evaluation.matrix import MatrixRow, fill, make_matrix, matrix_table
from rfop_training.figures.heat_maps import draw_matrix
from rfop_training.figures.pictures import check_picture

STOPPED = "stopped: the same command plays the pairs that are missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    arguments.add_game_arguments(parser)
    parser.add_argument(
        "--slow-deals",
        type=number(int, 1),
        metavar="N",
        help="deals of pairs in which an agent searches or rolls out (default: those of the others)",
    )
    add_ray(parser)
    parser.add_argument("--out", type=Path, required=True, help="CSV file; pairs that it has are not played again")
    parser.add_argument("--figure", type=Path, help="also draw the heat-map: a .png, .svg or .pdf file")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if len(args.agents) < 2:
        raise RfopError("a matrix is of two agents at least")
    require_writable(args.out, "--out")
    if args.figure:
        check_picture(args.figure)
        require_writable(args.figure, "--figure")

    setting, deals = arguments.parse_setting(args)
    with parse_workers(args) as workers:
        try:
            progress, slow = arguments.parse_progress(args), args.slow_deals
            rows = fill(setting, args.agents, deals, args.out, workers, progress, print_pair, slow)
        except NoAnswer as error:
            raise RfopError(f"{error}; {STOPPED}") from error
    matrix = make_matrix(rows)
    if args.figure:
        draw_matrix(matrix, args.figure)
    print(matrix_table(matrix))
    return 0


def print_pair(row: MatrixRow) -> None:
    """Print the result of a pair on stderr."""
    print(f"{row.agent} - {row.opponent}: {row.win_rate:.1%}", file=sys.stderr)
