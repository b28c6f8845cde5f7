"""Do the tests notice a changed rule? One number, operator or comparison at a time, in places drawn by a seed.

    RFOP_JIT=0 python -m training.research mutation GAME [--places 300] [--seed 0] [--jobs 1] [--resume] [--survivors]

A mutant is the source of a game with one place changed. It is caught when a test of the game fails, takes far too long,
or cannot be collected; else it survives. Tests that never enter the changed rule are left out, those that catch most
for their time come first, and no more are begun once the budget is spent. Results are appended to `results/GAME.csv`
one by one: an interrupted run is taken up by `--resume`, and `--survivors` tries those again that nothing caught.
`make docs` writes the table of all games into `docs/lab/tests.md`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from rfop_env.command_line import UsageError, number
from rfop_env.compiler import JIT
from training.research.mutation import results
from training.research.mutation.places import Place, draw, find_places
from training.research.mutation.results import SURVIVES
from training.research.mutation.trial import Trial


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("game", choices=results.GAME_NAMES, metavar="GAME", help=", ".join(results.GAME_NAMES))
    add("--places", type=number(int, 1, 10**6), default=300, help="how many mutants (default 300)")
    add("--seed", type=number(int, 0, 2**63), default=0, help="which places are drawn (default 0)")
    add("--jobs", type=number(int, 1, 256), default=1, help="mutants tried at a time (default 1)")
    add("--budget", type=number(float, 1, 10**6), default=60.0, help="seconds of tests for a mutant (default 60)")
    add("--resume", action="store_true", help="keep the results that are there")
    add("--survivors", action="store_true", help="keep them, but try those again that survived without a reason")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if JIT:
        raise UsageError("mutants are plain Python: run with RFOP_JIT=0")
    places = draw(find_places(args.game), args.places, args.seed)
    try_places(args.game, places, args.resume or args.survivors, args.survivors, args.jobs, args.budget)
    return 0


def try_places(game: str, places: Sequence[Place], keep: bool, survivors: bool, jobs: int, budget: float) -> None:
    """Try the places drawn that have no result yet, and print what survives."""
    reasons, keys = results.read_reasons(game), {place.key for place in places}
    rows_kept = [row for row in results.read_rows(game) if keep and row.key in keys]
    if survivors:
        rows_kept = [row for row in rows_kept if row.caught_by != SURVIVES or row.key in reasons]
    trial = Trial(game, jobs=jobs, budget=budget, catches=[row.caught_by for row in rows_kept])
    results.write_rows(game, rows_kept)

    done_keys = {row.key for row in rows_kept}
    waiting = [place for place in places if place.key not in done_keys]

    def done(place: Place, caught_by: str, seconds: float) -> None:
        results.add_row(game, place, caught_by, seconds)
        done_now = len(results.read_rows(game))
        result = f"caught by {caught_by}" if caught_by else f"{SURVIVES}: {place.text}"
        words = f"{game} {done_now}/{len(places)} {place.module}.py:{place.line} {place.change}: {result}"
        print(f"{words} ({seconds:.1f} s)", file=sys.stderr, flush=True)

    trial.run(waiting, done)
    rows = results.read_rows(game)
    results.write_rows(game, rows)
    for row in rows:
        if row.caught_by == SURVIVES:
            print(f"  {SURVIVES}: {row.module}.py:{row.line}: {row.change}: {reasons.get(row.key, 'no reason known')}")
    print(f"{game}: {sum(row.caught_by != SURVIVES for row in rows)} of {len(rows)} mutants caught")
