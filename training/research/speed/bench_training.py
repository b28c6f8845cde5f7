"""The speed of training: decisions and labels a second by the clock, on one thread and on two, in every game.

    python -m training.research training --precision bfloat16
    python -m training.research training --precision bfloat16 --write docs/lab/training.md

Self-play PPO and expert iteration, with layers over the whole observation, in Revolution also with a network for
boards. Each thread has 512 games. Each figure is of a short training run with its learning curve, in turn. Let
nothing else run beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rfop_env.command_line import environment, number
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game, list_games
from rfop_env.testing import speed
from rfop_env.testing.marked_block import print_measured

BLOCK = "training_speed"  # of a page, filled by the table
THREADS = (1, 2)
BOARD = {"space_units": 32, "layers": 4, "width": 128}
GAMES = 512  # of each thread
SHARED: dict[str, Any] = {"minibatch_size": 4096}
PRECISIONS = ("float32", "bfloat16")


def rates(game: Game, board: bool, precision: str, seconds: int) -> list[float]:
    """Decisions a second of self-play, then labels a second of expert iteration, each for every number of threads."""
    # Here, so that the documentation can name the block of the table without torch.
    from rfop_training.expert_iteration import ExpertArguments
    from rfop_training.ppo import PPOArguments
    from training.research.speed.profile import measure

    network = BOARD if board else {}
    decisions, labels = [], []
    for threads in THREADS:
        games = {"env": game.id, "threads": threads, "num_envs": threads * GAMES}
        options: dict[str, Any] = {"precision": precision, **games, **SHARED, **network}
        measurement = measure("ppo", PPOArguments(**options), seconds)
        decisions.append(measurement.counts["decisions"] / measurement.wall)
        measurement = measure("expert", ExpertArguments(**options), seconds)
        labels.append(measurement.counts["labels"] / measurement.wall)
    return [*decisions, *labels]


def table(games: Sequence[Game], precision: str, seconds: int) -> str:
    """Measure, and put the figures into a Markdown table."""
    load_before = speed.load_average()
    rows = []
    for game in games:
        for board in (False, True) if game.board() else (False,):
            name = f"{game.id}, network for boards" if board else game.id
            figures = [f"{rate:,.0f}" for rate in rates(game, board, precision, seconds)]
            print(f"{name}: {', '.join(figures)}", file=sys.stderr)
            rows.append([name, *figures])

    machine = speed.describe_machine()
    where = f"{machine['cpu']}, {machine['cores']} cores; torch {speed.package_version('torch')}, {precision}"
    head = (
        f"A second by the clock: {where}, {GAMES} games for each thread, "
        f"{seconds} seconds for each figure. Load {load_before} before."
    )
    ways = "self-play PPO: decisions, one thread", "two threads", "expert iteration: labels, one thread", "two threads"
    return f"{head}\n\n{markdown_table(['', *ways], rows, right=range(1, 5))}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--games", nargs="+", type=environment, default=list_games(), metavar="ENV", help="(default: all)"
    )
    parser.add_argument(
        "--precision", choices=PRECISIONS, default=PRECISIONS[0], help="of the hidden layers (default %(default)s)"
    )
    parser.add_argument(
        "--seconds", type=number(int, 1), default=20, help="of training for each figure (default %(default)s)"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    games = [get_game(name) for name in args.games]
    print_measured(lambda: table(games, args.precision, args.seconds), BLOCK, args.write)
    return 0
