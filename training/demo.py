"""`make demo`: train against the Solo Opponent for five minutes, then compare with random and greedy play.

Leaves in runs/demo: model.safetensors, curve.csv, results.csv and curve.png. Called again, it trains the same model on.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from agents.network import MODEL
from rfop_env.command_line import command
from rfop_env.registry import get_game
from training.arguments import Parser
from training.curves import draw
from training.evaluate import RecordedRow, evaluate, table
from training.ppo_maskable_sb3 import Arguments, train
from training.records import write_records
from training.run_folder import CHECKPOINT

ENVIRONMENT = "RedFlagOverParisSolo-v0"


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.demo", __doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="of training (default %(default)s)")
    parser.add_argument("--deals", type=int, default=1000, help="deals a side of the comparison (default %(default)s)")
    parser.add_argument("--run", type=Path, default=Path("runs/demo"), help="folder to leave things in")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    told = parser.parse_args(arguments)
    settings = Arguments(run=told.run, env=ENVIRONMENT, minutes=told.minutes, quiet=told.quiet)
    settings.resume = (told.run / CHECKPOINT).exists()
    print(f"training {'on ' if settings.resume else ''}for {told.minutes:g} minutes against the Solo Opponent ...")
    train(settings)
    print("playing against the Solo Opponent on fixed deals ...")
    rows = evaluate(get_game(ENVIRONMENT), ["random", "greedy", str(told.run)], range(told.deals))
    print(table(rows))
    write_records(told.run / "results.csv", rows, RecordedRow)
    greedy = {row.side: row.win_rate for row in rows if row.agent == "greedy"}
    draw([told.run], told.run / "curve.png", {"greedy": greedy})
    print(f"\nleft in {told.run}: {MODEL}, curve.csv, results.csv, curve.png; `make demo` again trains on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
