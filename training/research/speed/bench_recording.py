"""The speed of recording: decisions per second of processor time, beside Minari's own `DataCollector`.

    python -m training.research recording
    python -m training.research recording --write docs/lab/speed.md

Both play random legal actions in RedFlagOverParisSolo-v1 and write a data set. The rules are compiled before.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import gymnasium

import rfop_agents
from rfop_env.command_line import number
from rfop_env.core.errors import extra
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine
from rfop_training.datasets import minari_files
from rfop_training.datasets.collect import Plan

BLOCK = "datasets"  # of a page, filled by the table
GAME = "RedFlagOverParisSolo-v1"
GAMES, COLLECTED = 400, 20


def recorded(games: int, folder: Path) -> float:
    """Decisions per second of the recorder."""
    game = get_game(GAME)
    plan = Plan(game, {}, game.load_components(None), [rfop_agents.load("random", game)], games)
    steps = 0

    def tell(_: int, total: int) -> None:
        nonlocal steps
        steps = total

    start = time.process_time()
    minari_files.write_dataset(f"recorded-{games}-v0", plan, folder, tell)
    return steps / (time.process_time() - start)


def collected(games: int, folder: Path) -> float:
    """Decisions per second of Minari's `DataCollector`. Raises `MissingExtra`, `BrokenExtra`."""
    minari = minari_files.require_minari()
    with extra("minari", "the DataCollector of Minari", "jax", install='"minari[create]"'):
        import jax  # noqa: F401 the collector asks for it with the first step
    os.environ[minari_files.ROOT] = str(folder)

    start, steps = time.process_time(), 0
    env = minari.DataCollector(gymnasium.make(f"rfop/{GAME}"))
    for seed in range(games):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, terminated, truncated, info = env.step(env.action_space.sample(mask=info["action_mask"]))
            over = terminated or truncated
            steps += 1
    env.create_dataset(f"collected-{games}-v0", algorithm_name="random")
    return steps / (time.process_time() - start)


def table(games: int, by_collector: int) -> str:
    """Measure, and put the figures into a Markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        recorded(2, root)  # compiles the rules, imports the libraries
        rows = [
            ("`rfop dataset`", f"{recorded(games, root):,.0f}"),
            ("`minari.DataCollector`, one environment", f"{collected(by_collector, root):,.0f}"),
        ]
    machine = describe_machine()
    head = f"`{GAME}`, random legal play, the files included ({machine['cpu']}, Python {machine['python']})."
    return f"{head}\n\n{markdown_table(['', 'decisions per second of processor time'], rows, right=(1,))}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--games", type=number(int, 1, 100_000), default=GAMES, help="of the recorder (default %(default)s)"
    )
    parser.add_argument(
        "--collected",
        type=number(int, 1, 10_000),
        default=COLLECTED,
        help="games of the collector (default %(default)s)",
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    print_measured(lambda: table(args.games, args.collected), BLOCK, args.write)
    return 0
