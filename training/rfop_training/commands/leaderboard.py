"""Play an agent on the fixed ladder of an environment, and write an entry that anyone can check.

    rfop leaderboard revolution/ppo-2 --env Revolution-v0 --seed 2026 --out runs/leaderboard/ppo-2
    rfop leaderboard my_agent.py:act --env Revolution-v0 --seed 2026 --out runs/leaderboard/mine
    rfop leaderboard my_agent.py:act --check runs/leaderboard/mine/entry.json
    rfop leaderboard --table runs/leaderboard/*/entry.json

`evaluation/ladder.toml` lists the opponents. The deals follow from a seed that you choose, so that nobody can
have tuned an agent to them. `--out` gets entry.json (the rows, versions, the agent's fingerprint, its time for a
decision and a checksum), card.md, and rows.csv, with which the same command goes on after Ctrl-C.

`--check` plays a few deals of each row again, and compares the figures with each other. The other games are taken at
the word of whoever wrote the entry: anyone can compute its checksum.

`my_agent.py:act` is a function of your own: int [n] from observations int8 [n, D] and masks bool [n, A]. Its file is
run.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from rfop_env.agent import NoAnswer
from rfop_env.command_line import UsageError
from rfop_env.core.errors import RfopError
from rfop_training.common.command_line import add_env, whole_number
from rfop_training.common.records import require_writable
from rfop_training.evaluation import leaderboard
from rfop_training.evaluation.arguments import AGENT, parse_progress
from rfop_training.evaluation.rows import rows_table
from rfop_training.evaluation.setting import Setting, display_names

MANY_SEEDS = 2**63 - 1


STOPPED = "stopped: the same command plays what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", nargs="?", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument("--seed", type=whole_number(0, MANY_SEEDS), help="chooses the deals; any number that is new")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the games, above 0; below 1 for a trial (default 1)"
    )
    parser.add_argument("--out", type=Path, help="folder of the entry (default: one in runs/leaderboard)")
    parser.add_argument("--workers", type=whole_number(1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--progress", action="store_true", help="count games on stderr also where that is no terminal")
    parser.add_argument("--check", type=Path, metavar="FILE", help="play a few deals of an entry again")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="print a table of entries")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status: 1 if an entry is not confirmed."""
    if args.table:
        print(leaderboard.table([leaderboard.read_entry(path) for path in args.table]))
        return 0
    if args.agent is None:
        raise UsageError("AGENT: say who plays, or --table FILE ... to compare entries")
    if args.check:
        return check(args.agent, args.check)

    # A new entry.
    if args.seed is None:
        raise UsageError("--seed: choose a number; the deals follow from it")
    if not 0 < args.share <= 1:
        raise UsageError(f"--share: above 0 and at most 1, found {args.share:g}")
    leaderboard.read_ladder(args.env)
    displayed = display_names(Setting(args.env), [args.agent])[args.agent]
    folder = args.out or Path("runs/leaderboard") / re.sub(r"[^\w.+-]+", "_", f"{args.env}_{displayed}_{args.seed}")
    require_writable(folder / leaderboard.ENTRY, "--out")
    try:
        entry = leaderboard.make_entry(
            args.agent,
            args.env,
            args.seed,
            folder,
            share=args.share,
            workers=args.workers,
            progress=parse_progress(args),
        )
    except NoAnswer as error:
        raise RfopError(f"{error}; {STOPPED}") from error
    print(rows_table(entry.rows))
    print(f"\n{folder}: entry and card, checksum {entry.checksum[:12]}")
    return 0


def check(agent: str, path: Path) -> int:
    """Play a few deals of an entry again; returns 1 where they come out differently."""
    entry = leaderboard.read_entry(path)
    differences = leaderboard.find_differences(entry, agent)
    for difference in differences:
        print(f"{path}: differs: {difference}")
    if not differences:
        print(f"{path}: confirmed: a few deals of each row come out as written, and its figures fit together")
    return 1 if differences else 0
