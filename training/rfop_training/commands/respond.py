"""Find an approximate best response to a frozen agent by search, rollouts or training, and measure how much it wins.

    rfop respond revolution/ppo-2 --env Revolution-v0 --search 100
    rfop respond scripted --env Revolution-v0 --search 100 --guide revolution/ppo-2 --csv all.csv
    rfop respond paris/ppo-7 --env Paris-v0 --rollouts 32 --length 24
    rfop respond revolution/ppo-2 --env Revolution-v0 --steps 3000000 --run runs/ppo

What the response wins above its share is a lower bound of the exploitability of the agent; a larger budget may find
more.

With `--search` the response is a search that knows its opponent: inside its tree the agent itself decides for the other
seats. A network guides it: `--guide`, or the agent if that is a network.

With `--rollouts` that network tries its likely actions on common redraws and plays on from each, the agent for the
other seats. This finds more than a tree in Paris.

With `--steps` and `--run` the self-play network is trained against this agent alone, in a random seat of every game; if
the agent is a network, it starts from its weights. Its reward is the outcome, by which it is scored. Then both play on
public deals. Called again, the command resumes the training, or only plays if it is complete.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rfop_env.agent_names import AgentSpec
from rfop_env.command_line import UsageError
from rfop_env.game_setup import add_option
from rfop_training.common.command_line import add_env, whole
from rfop_training.common.records import require_rows
from rfop_training.evaluation.arguments import BY_NAME, add_deals
from rfop_training.evaluation.best_response import Response, exploitability, searched, verdict
from rfop_training.evaluation.rows import RecordedRow, rows_table, write_rows
from rfop_training.evaluation.tasks import Setting
from rfop_training.run import RunFolder
from rfop_training.trained_response import train_response


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", help=f"the agent to beat: {BY_NAME}")
    add_env(parser)
    add_option(parser)
    parser.add_argument("--search", type=whole(2), metavar="N", help="search with so many simulations a decision")
    parser.add_argument("--rollouts", type=whole(1), metavar="N", help="roll out likely actions on so many redraws")
    parser.add_argument("--length", type=whole(0), help="with --rollouts: decisions played on (default: the game's)")
    parser.add_argument("--guide", default="", help="with --search and --rollouts: the network that guides it")
    parser.add_argument("--steps", type=whole(1), help="train instead: decisions of the response in training")
    parser.add_argument("--run", type=Path, help="with --steps: folder of the run")
    parser.add_argument("--init-from", default="", help="with --steps: initial network (default: the agent, if it can)")
    parser.add_argument("--seed", type=whole(0), default=1, help="with --steps: seed of training (default %(default)s)")
    add_deals(parser)
    parser.add_argument("--workers", type=whole(1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    require_one_way(args)

    # Refuse wrong arguments and files before anything is trained or played.
    setting = Setting.parse(args.env, args.option)
    kind = Response if args.steps else RecordedRow
    if args.csv:
        require_rows(args.csv, "--csv", kind)

    rows = by_training(args, setting) if args.steps else by_looking_ahead(args, setting)
    print(f"{rows_table(rows)}\n\n{verdict(rows[-1], setting.game.spec.players, budget_of(args))}")
    if args.csv:
        write_rows(rows, args.csv, kind)
    return 0


def require_one_way(args: argparse.Namespace) -> None:
    """Raise `UsageError` unless the command line asks for one way to respond, with what that needs, to an agent."""
    if sum(map(bool, (args.search, args.rollouts, args.steps))) != 1:
        raise UsageError(
            "how? give --search N for a response by search, --rollouts N for one by rollouts, "
            "or --steps N --run FOLDER to train one"
        )
    if args.steps and not args.run:
        raise UsageError("--steps: say where the run is kept with --run FOLDER")
    if not args.steps and (args.run or args.init_from):
        raise UsageError("--run and --init-from are for training: leave them out with --search and --rollouts")
    if args.steps and args.guide:
        raise UsageError("--guide is for a search or rollouts; a training starts from --init-from")
    if args.length is not None and not args.rollouts:
        raise UsageError("--length is for --rollouts")
    if AgentSpec.parse(args.agent).runs_code:
        raise UsageError(
            f"{args.agent}: neither a search nor a training asks a function of your own or a language model: "
            "give an agent that is loaded by name"
        )


def budget_of(args: argparse.Namespace) -> str:
    """What the response may spend, in words."""
    if args.search:
        return f"{args.search:,} simulations a decision"
    if args.rollouts:
        return f"rollouts on {args.rollouts:,} redraw{'s' if args.rollouts > 1 else ''}"
    return f"{args.steps:,} decisions"


def by_looking_ahead(args: argparse.Namespace, setting: Setting) -> Sequence[RecordedRow]:
    """The rows of a response by search or by rollouts."""
    length = "" if args.length is None else f"x{args.length}"
    kind = f"response-{args.search}" if args.search else f"rollout-{args.rollouts}{length}"
    checked = args.csv is not None
    return searched(args.agent, setting, kind, args.guide, args.deals, args.workers, checked)


def by_training(args: argparse.Namespace, setting: Setting) -> Sequence[RecordedRow]:
    """The rows of a response that is trained, or has been."""
    try:
        train_response(args.agent, setting, args.run, args.steps, args.init_from, seed=args.seed)
        metadata = RunFolder(args.run).read_metadata()
        return exploitability(args.agent, setting, args.run, metadata, args.deals, args.workers)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; the run is kept in {args.run}, the same command continues it") from None
