"""Compare methods of training: how they play while they learn, and what best responses win from them in end games.

    rfop methods --workers 2
    rfop methods ppo expert-iteration --budget reduced --results runs/methods/results

`training/configs/methods.toml` lists the methods: trainer, settings, seeds and two budgets. Runs that are missing are
trained, with the learning curve against the scripted player; complete runs are not repeated. Then all of them play the
end games that the file lists for their environment, which are solved exactly (`rfop end-games`), by their most
likely moves and sampling from their policies. The files of results are `runs.csv`, `points.csv` and `end_games.csv`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.process_pool import available_cpus
from rfop_training.common.command_line import whole
from rfop_training.publishing.jobs import REDUCED, chosen, read_config
from rfop_training.publishing.methods import (
    CONFIG,
    RESULTS,
    end_games_of,
    measure,
    read_methods,
    runs_of,
    summary_table,
)
from rfop_training.publishing.reproduce import publish
from rfop_training.publishing.results import FULL, require_checkout

STOPPED = "stopped: the same command makes what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("methods", nargs="*", help="names of methods (default: all)")
    parser.add_argument("--budget", choices=(FULL, REDUCED), default=FULL, help="(default %(default)s)")
    parser.add_argument(
        "--workers", type=whole(1), default=available_cpus(), help="parallel runs (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, default=Path("runs/methods"), help="folder (default %(default)s)")
    parser.add_argument("--file", type=Path, default=CONFIG, help="file that lists the methods")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the CSV files")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 2 if runs are missing."""
    require_checkout(args.file, args.results)

    # Refuse games whose end games cannot be solved before anything is trained.
    methods = chosen(read_config(args.file), args.methods)
    end_games = end_games_of(methods, args.file)

    args.results.mkdir(parents=True, exist_ok=True)
    missing = publish(methods, [args.budget], args.runs, args.results, args.workers)
    runs = runs_of(methods, args.budget, args.runs)
    if runs:
        measure(runs, end_games, args.results)
        tables = [summary_table(read_methods(played, args.budget, args.results)) for played in end_games.values()]
        print("\n\n".join(f"{env}\n\n{table}" for env, table in zip(end_games, tables, strict=True)))
    return 2 if missing else 0
