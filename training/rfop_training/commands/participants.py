"""What the folder of a study holds: wins of people against each opponent, and files to work with.

    rfop participants runs/my-study
    rfop participants runs/my-study --out runs/my-study-tables --dataset people-v0

The table has the share of wins and its 95 % interval, whose independent units are the participants. `--out` writes
answers, games and decisions with their times as CSV, and a replay of each game; `--dataset` a Minari data set of the
games that are over. Nothing is overwritten. docs/study.md says more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_training.datasets import people
from rfop_training.datasets.minari_files import require_minari, write_episodes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", type=Path, help="the folder that rfop study has written")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write tables and replays into this new folder")
    parser.add_argument("--dataset", metavar="NAME", help="write a Minari data set of this name, as in people-v0")
    parser.add_argument("--env", metavar="ID", help="the environment of the data set, where the study has several")
    parser.add_argument("--root", type=Path, metavar="FOLDER", help="the folder of data sets (default: Minari's own)")
    parser.add_argument(
        "--agent", action="append", default=[], metavar="NAME", help="a program of your own that the study names"
    )
    parser.add_argument("--components", type=Path, action="append", default=[], metavar="FILE", help="as in rfop study")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if args.dataset is not None:
        require_minari()
    data = people.read_folder(args.folder, AgentLoader(own=args.agent), ComponentSets(args.components))
    over = sum(game.session.over for game in data.games)
    print(f"{data.study.title}: {len(data.participants)} participants, {over} of {len(data.games)} games are over\n")
    print(people.table(data))
    if args.out is not None:
        people.write_tables(data, args.out)
        print(f"\nWritten: {args.out}")
    if args.dataset is not None:
        print(f"\nWritten: {write_episodes(args.dataset, people.source(data, args.env), args.root)}")
    return 0
