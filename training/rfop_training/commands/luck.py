"""Play a game of one or two seats, and take the luck out of the results: fewer games for the same interval.

    rfop luck scripted levee/ppo-2 --env LeveeEnMasse-v0 --judge levee/ppo-2 --deals 1000
    rfop luck search-100+levee/ppo-2 --env LeveeEnMasse-v0 --judge levee/ppo-2 --deals 500
    rfop luck red-flag/ppo-2 --env RedFlagOverParis-v0 --opponent red-flag/ppo-1 --judge red-flag/ppo-2

The judge, a network, tells how much better or worse than expected each step of chance was; the sum over a game is its
luck, a control variate. The means are unbiased whatever the judge is worth. "worth" tells how many games without it
one game with it is worth.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from rfop_env.game_setup import add_components, add_option
from rfop_training.common.command_line import add_env, whole
from rfop_training.common.records import require_rows
from rfop_training.evaluation.arguments import AGENT, add_deals, progress_of
from rfop_training.evaluation.games import FIRST_DEAL
from rfop_training.evaluation.luck import REDRAWS, LuckRow, luck_table, matchups_measured, measured_rows, write_luck
from rfop_training.evaluation.progress import Progress
from rfop_training.evaluation.rows import NO_OPPONENT
from rfop_training.evaluation.tasks import Setting, deals_for, display_names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument("--opponent", default=NO_OPPONENT, metavar="AGENT", help="who has the other seat")
    parser.add_argument("--judge", required=True, metavar="NETWORK", help="a network of this environment")
    parser.add_argument(
        "--redraws", type=whole(1), default=REDRAWS, help="of each step of chance (default %(default)s)"
    )
    add_deals(parser)
    parser.add_argument(
        "--first-deal", type=whole(0, FIRST_DEAL), default=0, help="number of the first deal (default %(default)s)"
    )
    parser.add_argument(
        "--seed", type=whole(0), default=0, help="of agents' random numbers and redraws (default %(default)s)"
    )
    add_option(parser)
    add_components(parser)
    parser.add_argument(
        "--progress", action="store_true", help="count the games on stderr also where that is no terminal"
    )
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        require_rows(args.csv, "--csv", LuckRow)
    setting = Setting.parse(
        args.env, args.option, components=args.components, any_components=args.any_components, seed=args.seed
    )
    deals = range(args.first_deal, args.first_deal + (args.deals or deals_for(setting)))

    matchups = [one for agent in args.agents for one in matchups_measured(setting, agent, args.opponent)]
    displayed = display_names(setting, [*args.agents, *([] if args.opponent == NO_OPPONENT else [args.opponent])])
    games = len(deals) * sum(len(matchup.lineups) for matchup in matchups)

    rows: list[LuckRow] = []
    with closing(Progress(games, progress_of(args))) as bar:
        for matchup in matchups:
            rows += (new := measured_rows(matchup, displayed, args.judge, deals, args.redraws, bar.played))
            if args.csv:
                write_luck(new, args.csv)
    print(luck_table(rows))
    return 0
