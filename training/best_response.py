"""Train an approximate best response to a frozen agent, and measure how much it wins.

    python -m training.best_response scripted --env Revolution-v0 --steps 3000000 --run runs/response
    python -m training.best_response revolution/ppo-1 --env Revolution-v0 --steps 3000000 --run runs/ppo --csv all.csv

The command trains the self-play network against this agent alone, in a random seat of every game, for a fixed number of
decisions; if the agent is a network, the response starts from its weights. Then both play on public deals. What the
response wins above its share is a lower bound of the exploitability of the agent; a larger budget may find more. Called
again, the command resumes the training, or only plays if it is complete.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import command
from rfop_env.options import add_option
from training.common.command_line import Parser, add_env, whole
from training.common.records import require_writable
from training.evaluation.arguments import AGENT, add_deals
from training.evaluation.best_response import Response, exploitability, verdict
from training.evaluation.rows import read_rows, rows_table, write_rows
from training.evaluation.tasks import Setting
from training.learning.run_folder import RunFolder
from training.ppo.best_response import respond


@command()
def main(words: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.best_response", __doc__)
    parser.add_argument("agent", help=f"the agent to beat: {AGENT}")
    add_env(parser)
    add_option(parser)
    parser.add_argument("--steps", type=whole(1), required=True, help="budget: decisions of the response in training")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--init-from", default="", help="initial network (default: the agent, if it is a network)")
    parser.add_argument("--seed", type=whole(0), default=1, help="seed of the training (default %(default)s)")
    add_deals(parser)
    parser.add_argument("--workers", type=whole(1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")
    args = parser.parse_args(words)

    # Refuse wrong arguments and files before anything is trained.
    setting = Setting.parse(args.env, args.option)
    if args.csv:
        require_writable(args.csv, "--csv")
        read_rows(args.csv, Response)

    try:
        respond(args.agent, setting, args.run, args.steps, args.init_from, seed=args.seed)
        metadata = RunFolder(args.run).read_metadata()
        rows = exploitability(args.agent, setting, args.run, metadata, args.deals, args.workers)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; the run is kept in {args.run}, the same command continues it") from None
    print(f"{rows_table(rows)}\n\n{verdict(rows[-1], setting.game.spec.players, args.steps)}")
    if args.csv:
        write_rows(rows, args.csv, Response)
    return 0


if __name__ == "__main__":
    sys.exit(main())
