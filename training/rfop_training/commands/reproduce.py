"""Train the published learning curves, or train a reduced set of them again and print it beside the published one.

    rfop reproduce
    rfop reproduce red-flag revolution --publish full reduced --workers 2
    rfop reproduce --publish baselines scores searches matrices tables

`training/configs/curves.toml` lists the curves: trainer, environment, settings, seeds, and two budgets, full and
reduced. Without `--publish` (`make curves`) the first seed of each curve is trained on the reduced budget. On the class
of machine that made the published run, with the code of its revision, it comes out to the last digit. Where it does
not, `--seeds` new seeds are trained, and their share of wins at the end is compared with the published one, with a
margin of five points, or a sixth of what training gains if that is less. Seeds vary so much that not every side agrees
on another kind of processor (docs/evaluation.md). With `--publish` all seeds are trained and `training/results` is
written. Each run has its own folder; complete runs are not repeated.

The same command publishes tables of games: the scores of `baselines`, `scores` of agents, `searches`, pay-off
`matrices`, and mixed `tables` of three and four players, with the ratings of both. A few deals of each row show whether
it is stale; stale rows are played again and written one by one. `--env` limits this to one environment.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.process_pool import available_cpus
from rfop_env.registry import get_game
from rfop_training.common.command_line import whole
from rfop_training.publishing.jobs import CONFIG, REDUCED, chosen, read_config
from rfop_training.publishing.reproduce import PLAYED, check, play_stale, publish, verdicts_table
from rfop_training.publishing.results import FULL, RESULTS, read_results, require_checkout

STOPPED = "stopped: the same command makes what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("curves", nargs="*", help="names of curves, in front of all options (default: all)")
    parser.add_argument(
        "--publish", nargs="+", choices=(FULL, REDUCED, *PLAYED), help="write the results of these budgets or tables"
    )
    parser.add_argument("--env", default="", help="with --publish: only tables of this environment")
    parser.add_argument(
        "--budget", choices=(FULL, REDUCED), default=REDUCED, help="which runs are compared (default %(default)s)"
    )
    parser.add_argument(
        "--seeds", type=whole(1), default=8, help="new ones, of a curve that differs in digits (default %(default)s)"
    )
    parser.add_argument(
        "--workers", type=whole(1), default=available_cpus(), help="parallel runs (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, help="folder of the runs (default: runs/published, runs/again)")
    parser.add_argument("--file", type=Path, default=CONFIG, help="file that lists the curves")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published CSV files")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 if a side is neither identical nor agrees, 2 if runs are missing."""
    require_checkout(args.file, args.results)
    curves = chosen(read_config(args.file), args.curves)
    if args.env:
        get_game(args.env)

    # Publish tables of games, then learning curves.
    if args.publish:
        for name in [name for name in PLAYED if name in args.publish]:
            play_stale(name, args.workers, args.env)
        budgets = [budget for budget in (FULL, REDUCED) if budget in args.publish]
        runs = args.runs or Path("runs/published")
        missing = publish(curves, budgets, runs, args.results, args.workers) if budgets else 0
        print(f"{args.results}: {'complete' if missing == 0 else f'{missing} runs are missing'}")
        return 2 if missing else 0

    # Or compare with the published curves.
    published = read_results(args.results)
    verdicts = check(curves, args.seeds, args.runs or Path("runs/again"), published, args.workers, args.budget)
    print(verdicts_table(verdicts))
    return 0 if all(verdict.passed for verdict in verdicts) else 1
