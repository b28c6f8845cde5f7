"""Make a named baseline of a run: its network, and metadata with how it was trained and how it scores.

    rfop publish runs/revolution revolution/ppo-6
    rfop publish runs/red-flag red-flag/ppo-3 --against random greedy solo-opponent --workers 2

The network plays 10,000 games against each opponent (in a game of one seat: for each side, without opponents) on public
deals, in the environment of the run. Then weights and metadata are written to the checkout; `make docs` adds them
to the documentation. Weights above 2 MB are written as float16, and refused if they are still larger.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_agents.baselines import baselines_table
from rfop_training.common.command_line import whole
from rfop_training.evaluation.arguments import add_deals
from rfop_training.evaluation.rows import remark
from rfop_training.publishing.baselines import publish
from rfop_training.publishing.results import RESULTS, require_checkout


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("name", help="name of the baseline, as in red-flag/ppo-3")
    parser.add_argument("--against", nargs="+", help="opponents (default: random, greedy and scripted players)")
    parser.add_argument("--temperature", type=float, default=0.0, help="0: the likeliest action (default %(default)s)")
    add_deals(parser)
    parser.add_argument("--workers", type=whole(1), default=1, help="processes that play (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    require_checkout(RESULTS)
    metadata = publish(args.run, args.name, args.against, args.deals, args.temperature, args.workers)
    print(baselines_table([metadata]))
    games = min(score.games for score in metadata.headline)
    if few := remark(games, [args.name]):
        print(f"\n{few}")
    return 0
