"""Print how the games of agents are distributed over endings and points, on fixed public deals.

    rfop distribution --env LeveeEnMasse-v0 random scripted --deals 10000
    rfop distribution --env LeveeEnMasse-v0 scripted --at headline=22 headline=46 --watch disorder

The command prints the quantiles of the points (`Game.points`) and the shares of the endings; component sets are
calibrated by them. With `--watch` it also counts the values of pieces of the observation at the end of the games, and
with `--at` at the first decision at which an entry of the observation is set. In a game of several seats the agent has
all of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.core.errors import RfopError
from rfop_env.game_setup import add_components, add_option
from rfop_training.common.command_line import add_env, whole
from rfop_training.common.records import require_rows, require_writable, write_records
from rfop_training.evaluation.arguments import AGENT, add_deals
from rfop_training.evaluation.checkpoints import CheckpointCount, Watch, counts_table
from rfop_training.evaluation.distribution import Distribution, Outcome, distribution_tables, play_and_count
from rfop_training.evaluation.rows import PUBLISHED
from rfop_training.evaluation.tasks import Setting, display_names
from rfop_training.publishing.figures import draw_counts
from rfop_training.publishing.pictures import check_picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_env(parser)
    add_deals(parser)
    parser.add_argument(
        "--seed", type=whole(0), default=0, help="seed of the agents' own random numbers (default %(default)s)"
    )
    parser.add_argument("--threads", type=whole(1), default=1, help="threads of the environment (default %(default)s)")
    add_option(parser)
    add_components(parser)
    parser.add_argument("--csv", type=Path, help="also write the number of games by ending and points")
    parser.add_argument("--watch", nargs="+", default=[], metavar="PIECE", help="pieces of the observation to count")
    parser.add_argument(
        "--at", nargs="+", default=[], metavar="PIECE=ENTRY", help="moments besides the end, as in headline=46"
    )
    parser.add_argument("--checkpoints", type=Path, help="with --watch, also write the counts to a CSV file")
    parser.add_argument("--figure", type=Path, help="with --watch, also draw the counts: a .png, .svg or .pdf file")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        require_rows(args.csv, "--csv", Outcome)
    if args.checkpoints:
        require_rows(args.checkpoints, "--checkpoints", CheckpointCount)
    if args.figure:
        require_writable(args.figure, "--figure")
        check_picture(args.figure)
    if not args.watch and (args.at or args.checkpoints or args.figure):
        raise RfopError("--at, --checkpoints and --figure need --watch, as in --watch politics disorder")
    setting = Setting.parse(
        args.env,
        args.option,
        components=args.components,
        any_components=args.any_components,
        seed=args.seed,
        threads=args.threads,
    )
    watch = Watch.of(setting.game, args.at, args.watch)
    display_names(setting, args.agents)

    # Play.
    played = [play_and_count(setting, name, range(args.deals or PUBLISHED), watch) for name in args.agents]
    counts = [count for _, of_agent in played for count in of_agent]

    # Print and write.
    print(distribution_tables([Distribution.of(outcomes) for outcomes, _ in played]))
    if args.watch:
        print(f"\n{counts_table(counts)}")
    if args.csv:
        write_records(args.csv, [outcome for outcomes, _ in played for outcome in outcomes], Outcome)
    if args.checkpoints:
        write_records(args.checkpoints, counts, CheckpointCount)
    if args.figure:
        draw_counts(counts, args.figure)
    return 0
