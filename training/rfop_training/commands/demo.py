"""`make demo`: train against the Solo Opponent for five minutes, then compare with random and greedy play.

A network learns the two-player game first, from itself and from the Solo Opponent's tables, and then the solo game: it
learns faster this way, because both games share their board and cards. In the comparison it plays once by itself, and
once with a search of 50 simulations for every decision. The folder runs/demo then holds model.safetensors, curve.csv,
results.csv and curve.png. Called again, the command continues the training.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rfop_env.command_line import number
from rfop_env.process_pool import available_cpus
from rfop_training.common.records import write_records
from rfop_training.evaluation.games import MAX_DEALS
from rfop_training.evaluation.matchups import evaluate
from rfop_training.evaluation.rows import RecordedRow, Row, rows_table
from rfop_training.figures.run_curves import Level, draw_runs
from rfop_training.ppo import PPOArguments, train
from rfop_training.run import RunFolder

TWO_PLAYERS, SOLO = "RedFlagOverParis-v1", "RedFlagOverParisSolo-v1"
FIRST = "two_players"  # the folder, inside that of the run, of the training in the two-player game
OPPONENTS = "self=0.5,solo-opponent=0.5"  # in the two-player game
SHARE = 0.3  # of the minutes, for the two-player game
SETTINGS: dict[str, Any] = {"width": 128, "update_epochs": 2, "ent_coef": 0.03, "evaluate_every": 20.0}
SEARCH, SEARCH_DEALS = "search-50", 100  # the search that the network guides, and how many deals a side it plays
MOST_THREADS = 2  # of the training by default: more would take a computer that is also used for other things


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--minutes", type=float, default=5.0, help="of training (default %(default)s)")
    parser.add_argument(
        "--deals",
        type=number(int, 1, MAX_DEALS),
        default=1000,
        help="deals per side of the comparison (default %(default)s)",
    )
    parser.add_argument("--run", type=Path, default=Path("runs/demo"), help="folder of the run")
    threads = min(MOST_THREADS, available_cpus())
    parser.add_argument("--threads", type=number(int, 1), default=threads, help="of the training (default %(default)s)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    try:
        learn(args.run, args.minutes, args.threads, args.quiet)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; the run is kept in {args.run}, the same command continues it") from None
    compare(args.run, args.deals)
    return 0


def learn(path: Path, minutes: float, threads: int, quiet: bool) -> None:
    """Train the run in this folder for so many minutes: a new one in both games, an older one goes on in the second."""
    folder, first = RunFolder(path), RunFolder(path / FIRST)
    first_minutes = SHARE * minutes
    if folder.checkpoint.exists():
        first_minutes = 0.0
        print(f"{path}: {minutes:g} more minutes against the Solo Opponent")
    else:
        print(f"1 of 2: the two-player game, {first_minutes:g} minutes; wins against the Solo Opponent's tables")
        resume = first.checkpoint.exists()
        train(arguments(first, TWO_PLAYERS, first_minutes, threads, quiet, resume, opponents=OPPONENTS))
        print(f"2 of 2: the solo game, {minutes - first_minutes:g} minutes; wins against the Solo Opponent")

    resume = folder.checkpoint.exists()
    init_from = "" if resume else str(first.path)
    train(arguments(folder, SOLO, minutes - first_minutes, threads, quiet, resume, init_from=init_from))


def arguments(
    folder: RunFolder, env: str, minutes: float, threads: int, quiet: bool, resume: bool, **changes: str
) -> PPOArguments:
    """The trainer's arguments for one of the two games."""
    settings = SETTINGS | changes
    return PPOArguments(
        run=folder.path, env=env, minutes=minutes, threads=threads, quiet=quiet, resume=resume, **settings
    )


def compare(path: Path, deals: int) -> None:
    """Play the run, random and greedy on the same deals; write the table and the curve, and say what comes next."""
    folder, thinking = RunFolder(path), f"{SEARCH}+{path}"
    searched = min(deals, SEARCH_DEALS)
    print(f"playing {deals:,} deals a side against the Solo Opponent, and {searched:,} with {SEARCH} ...")
    alone = evaluate(SOLO, ["random", "greedy", str(path)], range(deals))
    with_search = evaluate(SOLO, [thinking], range(searched))
    rows = [*alone, *with_search]
    print(rows_table(rows))

    # What is kept.
    results, picture = path / "results.csv", path / "curve.png"
    write_records(results, rows, RecordedRow)
    draw(path, picture, [row for row in alone if row.agent == "greedy"], with_search)
    names = ", ".join(file.name for file in (folder.model, folder.curve, results, picture))
    print(f"\n{path} holds {names}; the same command continues the training\n")

    # What to do with it. Its network values the solo game: in the other one a search asks the network from before.
    first = path / FIRST
    of_two = f"{SEARCH}+{first}" if RunFolder(first).model.exists() else thinking
    rfop = Path(sys.executable).with_name("rfop")
    program = rfop.relative_to(Path.cwd()) if rfop.is_relative_to(Path.cwd()) else rfop
    print(f"play against it:  {program} play {TWO_PLAYERS} --opponent {shlex.quote(str(path))}")
    print(f"with the search:  {program} play {TWO_PLAYERS} --opponent {shlex.quote(of_two)}")
    print(f"watch it play:    {program} watch {SOLO} {shlex.quote(thinking)} --delay 1 --draw")


def draw(path: Path, picture: Path, greedy: Sequence[Row], searched: Sequence[Row]) -> None:
    """Draw the curves of both parts of the training, in the solo game beside greedy play and the search."""
    parts = {path / FIRST: "Part 1 of 2: the two-player game", path: "Part 2 of 2: the solo game"}
    there = {run: name for run, name in parts.items() if RunFolder(run).curve.exists()}
    levels = [
        Level(name, row.side, row.win_rate, "")
        for name, rows in (("greedy", greedy), (f"with {SEARCH}", searched))
        for row in rows
    ]
    draw_runs([*there], picture, levels={SOLO: levels}, names=there)
