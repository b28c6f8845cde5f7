"""Rate agents: Elo and Nash averaging from a pay-off matrix, Plackett-Luce ratings from mixed tables.

    rfop ratings runs/revolution.csv
    rfop ratings runs/paris4.csv

The file comes from `rfop matrix` (two seats) or `rfop placements` (any number of seats). Elo is one number per
agent, so it cannot distinguish a cycle from equal strength, and it depends on how many similar agents there are. Nash
averaging (Balduzzi et al., Re-evaluating Evaluation, 2018) does not: it rates agents by their wins against the mix of
agents that no agent beats, of all such mixes the one of the highest entropy. Intervals are 95 %, by bootstrap over
deals, with the same deals for all pairs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.command_line import number
from rfop_training.evaluation import ratings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("results", type=Path, help="a CSV file of rfop matrix or rfop placements")
    parser.add_argument("--anchor", help="the agent whose rating is 0 (default: random, or else the first)")
    resamples = f"bootstrap resamples (default {ratings.RESAMPLES}, of mixed tables {ratings.ORDERS})"
    parser.add_argument("--resamples", type=number(int, ratings.LEAST_ORDERS, 100_000), help=resamples)
    parser.add_argument("--without", nargs="+", default=[], metavar="AGENT", help="agents of a matrix to leave out")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    print(ratings.report(args.results, args.anchor, args.resamples, args.without))
    return 0
