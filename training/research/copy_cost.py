"""The cost of copying: the processor time of every way to copy a game, for every environment.

    python -m training.research copies
    python -m training.research copies --write docs/lab/speed.md

The games are a few random decisions old; a figure is the median of some slices.
"""

from __future__ import annotations

import argparse
import copy
import pickle
import statistics
import time
import timeit
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env import registry
from rfop_env.command_line import UsageError, environment
from rfop_env.core import position
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine

OLD = 10  # random decisions before the copies
MANY = 1024  # games in a large batch
SLICES = 5
BLOCK = "copying"  # the block of a page that the table fills


def ways(game: Game) -> dict[str, Callable[[], object]]:
    """Every way to copy a game, ready to be called any number of times; the first is one step, to compare with."""
    batch, autoresetting, large = (
        GameBatch(game, n, 0, autoreset=auto) for n, auto in ((1, False), (1, True), (MANY, False))
    )
    for part in (batch, autoresetting, large):
        part.step_random(OLD)
    env, state, saved = _environment(game), batch.get_state(), position.save_position(batch)
    keys = np.arange(MANY)
    return {
        "`step_random()`, for comparison": autoresetting.step_random,
        "`clone()`, `copy.deepcopy` of a batch": batch.clone,
        "`copy_from(...)`": lambda: batch.copy_from(autoresetting),
        "`get_state()`": batch.get_state,
        "`set_state(...)`": lambda: batch.set_state(state),
        "`determinize(...)`": lambda: batch.determinize(0, 7),
        "`copy.deepcopy` of an environment": lambda: copy.deepcopy(env),
        "`pickle`, there and back, of a batch": lambda: pickle.loads(pickle.dumps(batch)),
        "`save_position`": lambda: position.save_position(batch),
        "`load_position`": lambda: position.load_position(batch, saved),
        "`position_text`": lambda: position.position_text(batch),
        f"`clone()` of {MANY:,} games": large.clone,
        f"`determinize(...)` of {MANY:,} games": lambda: large.determinize(0, keys),
    }


def _environment(game: Game) -> Any:
    """A running environment of the interface that `rfop_env.make` gives."""
    from rfop_env.interfaces.gymnasium_env import GameEnv
    from rfop_env.interfaces.pettingzoo_aec import raw_env

    env = GameEnv(game) if registry.get_entry(game.id).interface == "gymnasium" else raw_env(game)
    env.reset(seed=0)
    return env


def microseconds(call: Callable[[], object], seconds: float) -> float:
    """Processor time of a call; the slices take about `seconds` together."""
    timer = timeit.Timer(call, timer=time.process_time)
    timer.timeit(1)  # compiled, and in the caches
    number = max(1, int(seconds / SLICES / max(timer.timeit(10) / 10, 1e-6)))
    return statistics.median(timer.repeat(SLICES, number)) / number * 1e6


def table(names: Sequence[str], seconds: float) -> str:
    """Measure, and put the figures into a Markdown table."""
    columns = [
        {way: microseconds(call, seconds) for way, call in ways(registry.get_game(name)).items()} for name in names
    ]
    rows = [[way, *(_figure(column[way]) for column in columns)] for way in columns[0]]
    machine = describe_machine()
    where = f"{machine['cpu']}, Python {machine['python']}, NumPy {machine['numpy']}"
    head = (
        f"Microseconds of processor time on one core ({where}), medians of {SLICES} slices; one game where no number is"
        f" named."
    )
    return f"{head}\n\n{markdown_table(['', *names], rows, right=range(1, 1 + len(names)))}"


def _figure(value: float) -> str:
    """Two significant digits."""
    digits = 2 - len(f"{value:.0f}")
    return f"{round(value, digits):,.0f}" if value >= 10 else f"{value:.1f}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--env", nargs="+", type=environment, default=registry.list_games(), help="environment ids")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each figure (default %(default)s)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if not 0 < args.seconds <= 60:
        raise UsageError("--seconds is above 0 and at most 60")

    print_measured(lambda: table(args.env, args.seconds), BLOCK, args.write)
    return 0
