"""The cost of first use: what compiling a game's search takes beside its rules, and loading both.

    python -m training.research first-use
    python -m training.research first-use --write docs/lab/speed.md

Processor time of new processes, the best of some; the first of each has an empty folder for compiled kernels. The
figures are shares of what the rules take to compile, whose seconds `rfop bench` measures.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rfop_env.command_line import UsageError
from rfop_env.markdown import markdown_table
from rfop_env.registry import list_games
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine

BLOCK = "first_use"  # of a page, filled by the table
RUNS = 3
WAYS = {  # what a process does: it compiles, if nothing was kept, and loads otherwise
    "rules": "batch = rfop_env.make_batch({game!r}, 1, 0); batch.step_random()",
    "search": """
from training.research.speed.search_speed import new_forest
from rfop_agents.search.settings import search_settings
from rfop_env.registry import get_game
new_forest(get_game({game!r}), search_settings(get_game({game!r})), 8).simulate(2)
""",
}
RULES = "its rules, compiled"
COLUMNS = {  # what processes do, one after the other, in a folder that is empty at first
    RULES: "rules",
    "its search after its rules, compiled": "search",
    "both, from the cache": "both",
}
_SCRIPT = """
import time
start = time.process_time()
import rfop_env
{work}
print(time.process_time() - start)
"""


def seconds(game: str, way: str, folder: str) -> float:
    """Processor time of a new process that keeps what it compiles in a folder."""
    work = "\n".join(WAYS.values()) if way == "both" else WAYS[way]
    environment = {**os.environ, "RFOP_CACHE_DIR": folder, "RFOP_QUIET": "1", "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    script = _SCRIPT.format(work=work.format(game=game))
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def measured(game: str, runs: int) -> dict[str, float]:
    """The best figure of each column."""
    figures: dict[str, list[float]] = {column: [] for column in COLUMNS}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            for column, way in COLUMNS.items():
                figures[column].append(seconds(game, way, folder))
    return {column: min(runs_of_column) for column, runs_of_column in figures.items()}


def table(games: Sequence[str], runs: int) -> str:
    """Measure, and put shares of the time for the rules into a Markdown table."""
    titles = [column for column in COLUMNS if column != RULES]
    rows = []
    for game in games:
        figures = measured(game, runs)
        rows.append([game, *(f"{figures[column] / figures[RULES]:.0%}" for column in titles)])
    machine = describe_machine()
    where = f"{machine['cpu']}, Python {machine['python']}, Numba {machine['numba']}"
    head = (
        f"Processor time of a process, imports included, as a share of that for compiling the rules ({where}); the best"
        f" of {runs}."
    )
    return f"{head}\n\n{markdown_table(['', *titles], rows, right=range(1, 1 + len(titles)))}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--env", nargs="+", default=list_games(), choices=list_games(), help="environment ids")
    parser.add_argument("--runs", type=int, default=RUNS, help="for each figure (default %(default)s)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if not 1 <= args.runs <= 100:
        raise UsageError("--runs is from 1 to 100")

    print_measured(lambda: table(args.env, args.runs), BLOCK, args.write)
    return 0
