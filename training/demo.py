"""`make demo`: train against the Solo Opponent for five minutes, then compare with random and greedy play.

The folder runs/demo then holds model.safetensors, curve.csv, results.csv and curve.png. Called again, the command
continues the training.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from rfop_env.registry import get_game
from training.common.command_line import Parser
from training.common.records import write_records
from training.evaluation.rows import RecordedRow, rows_table
from training.evaluation.tasks import evaluate
from training.ppo.arguments import MaskableArguments
from training.ppo.maskable import train
from training.ppo.run_folder import RunFolder
from training.publishing.curve_figures import draw_runs

ENVIRONMENT = "RedFlagOverParisSolo-v0"


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.demo", __doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="of training (default %(default)s)")
    parser.add_argument(
        "--deals", type=int, default=1000, help="deals per side of the comparison (default %(default)s)"
    )
    parser.add_argument("--run", type=Path, default=Path("runs/demo"), help="folder of the run")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args(words)

    # Train.
    folder = RunFolder(args.run)
    resume = folder.checkpoint.exists()
    print(f"{'continuing the training' if resume else 'training'} for {args.minutes:g} minutes, Solo Opponent ...")
    train(MaskableArguments(run=args.run, env=ENVIRONMENT, minutes=args.minutes, quiet=args.quiet, resume=resume))

    # Compare.
    print("playing against the Solo Opponent on fixed deals ...")
    rows = evaluate(get_game(ENVIRONMENT), ["random", "greedy", str(args.run)], range(args.deals))
    print(rows_table(rows))
    results, picture = args.run / "results.csv", args.run / "curve.png"
    write_records(results, rows, RecordedRow)
    draw_runs([args.run], picture, {"greedy": {row.side: row.win_rate for row in rows if row.agent == "greedy"}})

    names = ", ".join(path.name for path in (folder.model, folder.curve, results, picture))
    print(f"\n{args.run} holds {names}; `make demo` again continues the training")
    return 0


if __name__ == "__main__":
    sys.exit(main())
