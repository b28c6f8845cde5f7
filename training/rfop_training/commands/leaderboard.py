"""Play an agent on the fixed ladder of an environment, and write an entry that anyone can check.

    rfop leaderboard my_agent.py:act --env Revolution-v0 --declare 40000000 --out runs/leaderboard/mine
    rfop leaderboard my_agent.py:act --env Revolution-v0 --value HEX --out runs/leaderboard/mine
    rfop leaderboard revolution/ppo-2 --env Revolution-v0 --seed 2026 --chosen-by "Jane Doe"
    rfop leaderboard my_agent.py:act --check runs/leaderboard/mine/entry.json
    rfop leaderboard --table runs/leaderboard/*/entry.json

`evaluation/ladder.toml` lists the opponents. Nobody can have tuned an agent to the deals: they follow from a later
round of the beacon drand quicknet, which `--declare` names and `--value` brings once it is drawn, or from a number
that another person has chosen. `--out` gets entry.json (the rows, versions, the agent's fingerprint, its time for a
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
from rfop_env.command_line import UsageError, number
from rfop_env.core.errors import RfopError
from rfop_training.common.command_line import add_env
from rfop_training.common.records import require_writable
from rfop_training.evaluation import leaderboard
from rfop_training.evaluation.arguments import AGENT, parse_progress
from rfop_training.evaluation.rows import rows_table
from rfop_training.evaluation.setting import Setting, display_names

STOPPED = "stopped: the same command plays what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agent", nargs="?", metavar="AGENT", help=AGENT)
    add_env(parser)
    parser.add_argument(
        "--declare",
        type=number(int, 1),
        metavar="ROUND",
        help="name a later round of the beacon, and play nothing: declaration.json is to be made known",
    )
    parser.add_argument("--value", metavar="HEX", help="the randomness of the round that was named")
    parser.add_argument(
        "--seed", type=number(int, 0, leaderboard.MAX_NUMBER), help="chooses the deals: a number of another person"
    )
    parser.add_argument("--chosen-by", default="", metavar="NAME", help="who chose the number of --seed")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of the games, above 0; below 1 for a trial (default 1)"
    )
    parser.add_argument("--out", type=Path, help="folder of the entry (default: one in runs/leaderboard)")
    parser.add_argument("--workers", type=number(int, 1), default=1, help="processes that play (default %(default)s)")
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
    if [args.declare is None, args.value is None, args.seed is None].count(False) != 1:
        raise UsageError("where do the deals come from? one of --declare ROUND (later --value HEX), or --seed N")
    if (args.seed is None) == bool(args.chosen_by):
        raise UsageError("--seed and --chosen-by: the number, and the name of who chose it")
    if not 0 < args.share <= 1:
        raise UsageError(f"--share: above 0 and at most 1, found {args.share:g}")

    leaderboard.read_ladder(args.env)
    displayed = display_names(Setting(args.env), [args.agent])[args.agent]
    suffix = "" if args.seed is None else f"_{args.seed}"
    folder = args.out or Path("runs/leaderboard") / re.sub(r"[^\w.+-]+", "_", f"{args.env}_{displayed}{suffix}")
    require_writable(folder / leaderboard.ENTRY, "--out")

    if args.declare is not None:
        leaderboard.declare(args.agent, args.env, args.declare, folder)
        when = leaderboard.shown_time(leaderboard.round_time(args.declare))
        print(f"{folder / leaderboard.DECLARATION}: make it known before {when}, when round {args.declare} is drawn")
        return 0

    if args.value is not None:
        draw = leaderboard.read_declaration(args.agent, args.env, folder).draw(args.value)
    else:
        draw = leaderboard.Draw(args.chosen_by, 0, str(args.seed), "")
        draw.check()

    try:
        entry = leaderboard.make_entry(
            args.agent,
            args.env,
            draw,
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
