"""Compare methods of training: how they play while they learn, and what best responses win from them in end games.

    python -m training.methods --workers 2
    python -m training.methods ppo expert-iteration --budget reduced --results runs/methods/results

`training/configs/methods.toml` lists the methods: trainer, settings, seeds and two budgets. Runs that are missing are
trained, with the learning curve against the scripted player; complete runs are not repeated. Then all of them play the
end games that the file lists for their environment, which are solved exactly (`training.end_games`), by their most
likely moves and sampling from their policies. The files of results are `runs.csv`, `points.csv` and `end_games.csv`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from rfop_env.process_pool import available_cpus
from training.common.command_line import Parser, whole
from training.publishing.jobs import REDUCED, chosen, read_config
from training.publishing.methods import CONFIG, RESULTS, end_games_of, measure, read_methods, runs_of, summary_table
from training.publishing.reproduce import publish
from training.publishing.results import FULL


@command(stopped="stopped: the same command makes what is missing")
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status: 2 if runs are missing."""
    parser = Parser("training.methods", __doc__)
    parser.add_argument("methods", nargs="*", help="names of methods (default: all)")
    parser.add_argument("--budget", choices=(FULL, REDUCED), default=FULL, help="(default %(default)s)")
    parser.add_argument(
        "--workers", type=whole(1), default=available_cpus(), help="parallel runs (default %(default)s)"
    )
    parser.add_argument("--runs", type=Path, default=Path("runs/methods"), help="folder (default %(default)s)")
    parser.add_argument("--config", type=Path, default=CONFIG, help="file that lists the methods")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the CSV files")
    args = parser.parse_args(words)

    # Refuse games whose end games cannot be solved before anything is trained.
    methods = chosen(read_config(args.config), args.methods)
    end_games = end_games_of(methods, args.config)

    args.results.mkdir(parents=True, exist_ok=True)
    missing = publish(methods, [args.budget], args.runs, args.results, args.workers)
    runs = runs_of(methods, args.budget, args.runs)
    if runs:
        measure(runs, end_games, args.results)
        tables = [summary_table(read_methods(played, args.budget, args.results)) for played in end_games.values()]
        print("\n\n".join(f"{env}\n\n{table}" for env, table in zip(end_games, tables, strict=True)))
    return 2 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
