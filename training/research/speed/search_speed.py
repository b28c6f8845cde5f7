"""The speed of the search: games played to the end, and simulations of a tree, per second; or the time of decisions.

    python -m training.research search
    python -m training.research search --env RedFlagOverParis-v1 --seconds 5
    python -m training.research search --write docs/lab/search.md
    python -m training.research search --device cuda
    python -m training.research search --decisions --write docs/lab/search.md

Every row is measured from the start of the game, in processor time on one thread; a figure is the median of its slices.
Those of a graphics card are by the clock, with thousands of trees.

With `--decisions` the command times decisions in a single game of searches that a network guides, with one leaf or
several leaves of its tree judged together.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rfop_agents.search.agent import forests_on
from rfop_agents.search.forest import Forest
from rfop_agents.search.settings import PLAIN, SearchSettings, search_settings
from rfop_env.agent import Agent, act_for
from rfop_env.command_line import UsageError, environment
from rfop_env.core.batch import GameBatch
from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.game import Game
from rfop_env.players import load_agent
from rfop_env.registry import get_game, list_games
from rfop_env.testing.marked_block import check_place, rewrite

POSITIONS = {"cpu": 8, CARD: 2**14}  # starts of games with different seeds, searched side by side
CLOCKS = {"cpu": time.process_time, CARD: time.perf_counter}
TREE = 400  # simulations of the trees that are measured
BLOCK = "search_speed"  # of a page, filled by the table
TITLES = ("environment", "random rollouts", "scripted rollouts", "search, random", "search, scripted")

GUIDED = {  # searches whose decisions are timed: simulations and network, by environment
    "RedFlagOverParisSolo-v1": (400, "red-flag/solo-12"),
    "Revolution-v0": (100, "revolution/xi-2"),
}
LEAVES = (1, 4, 8, 16)  # judged together
POSITION = 8  # random decisions before those that are timed, with other seeds
DECISIONS = 10  # in a slice
DECISIONS_BLOCK = "search_decisions"  # of a page


class Slices(NamedTuple):
    """What a figure is measured in."""

    seconds: float = 2.0  # in all
    number: int = 5
    device: str = "cpu"


def new_forest(game: Game, settings: SearchSettings, nodes: int, device: str = "cpu") -> Forest:
    """Empty trees at the start of some games."""
    batch = GameBatch(game, POSITIONS[device], 0)
    keys = np.arange(POSITIONS[device], dtype=np.int64)
    return forests_on(device)(game, batch.components, batch.get_state(), keys, settings, nodes)


def per_second(game: Game, settings: SearchSettings, nodes: int, slices: Slices) -> float:
    """Simulations a second in trees of so many nodes; with one node they are rollouts from the root."""
    clock = CLOCKS[slices.device]
    new_forest(game, settings, nodes, slices.device).simulate(1)  # compiled before the clock runs
    rates = []
    for _ in range(slices.number):
        start = clock()
        done = 0
        while (spent := clock() - start) < slices.seconds / slices.number or not done:
            new_forest(game, settings, nodes, slices.device).simulate(TREE)
            done += POSITIONS[slices.device] * TREE
        rates.append(done / spent)
    return statistics.median(rates)


def measure(game: Game, slices: Slices) -> tuple[float, float, float, float]:
    """Random and scripted rollouts a second, and simulations of a search with either."""
    kinds = ((PLAIN, 1), (SearchSettings(prior_weight=0.0), 1), (PLAIN, TREE), (search_settings(game), TREE))
    first, second, third, fourth = (per_second(game, settings, nodes, slices) for settings, nodes in kinds)
    return first, second, third, fourth


def milliseconds(game: Game, simulations: int, network: str, slices: int) -> list[float]:
    """Processor time of a decision of a search in a single game, for each of `LEAVES`; slices of them take turns."""
    searches = [load_agent(f"search-{simulations}x{leaves}+{network}", game) for leaves in LEAVES]
    for search in searches:
        _decision_seconds(search, game, 0)  # compiled before the clock runs
    spent = [[_decision_seconds(search, game, DECISIONS * k) for search in searches] for k in range(slices)]
    return [1000.0 / DECISIONS * statistics.median(seconds) for seconds in zip(*spent, strict=True)]


def _decision_seconds(search: Agent, game: Game, first: int) -> float:
    """Processor time of the decisions of a slice, each in a game of its own from seed `first` on."""
    spent = 0.0
    for seed in range(first, first + DECISIONS):
        batch = GameBatch(game, 1, seed)
        batch.step_random(POSITION)
        start = time.process_time()
        act_for(search, batch, np.arange(1), np.random.default_rng(seed))
        spent += time.process_time() - start
    return spent


def speed_table(games: Sequence[str], slices: Slices) -> str:
    """Measure simulations a second, and print each row as soon as it is known; returns the table."""
    lines = ["| " + " | ".join(TITLES) + " |", "|---" + "|---:" * (len(TITLES) - 1) + "|"]
    print("\n".join(lines))
    for name in games:
        figures = measure(get_game(name), slices)
        lines.append(f"| {name} | " + " | ".join(f"{figure:,.0f}" for figure in figures) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def decisions_table(games: Sequence[str], slices: int) -> str:
    """Measure the time of decisions, and print each row as soon as it is known; returns the table."""
    titles = ["agent", "one leaf", *(f"{leaves} leaves" for leaves in LEAVES[1:])]
    lines = ["| " + " | ".join(titles) + " |", "|---" + "|---:" * len(LEAVES) + "|"]
    print("\n".join(lines))
    for name in games:
        simulations, network = GUIDED[name]
        figures = milliseconds(get_game(name), simulations, network, slices)
        row = f"| search-{simulations}+{network} | "
        lines.append(row + " | ".join(f"{figure:.1f} ms" for figure in figures) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--env", nargs="+", type=environment, help="environment ids (default: all)")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure (default %(default)s)")
    parser.add_argument("--slices", type=int, default=5, help="a figure is their median (default %(default)s)")
    parser.add_argument("--device", choices=POSITIONS, default="cpu", help="where the trees are (default %(default)s)")
    parser.add_argument("--decisions", action="store_true", help="time decisions in a single game instead")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if args.seconds <= 0 or args.slices < 1:
        raise UsageError("--seconds is above 0 and --slices at least 1")
    games = args.env or list(GUIDED if args.decisions else list_games())
    if args.decisions and (args.device == CARD or not GUIDED.keys() >= set(games)):
        raise UsageError(f"--decisions times those of {', '.join(GUIDED)} on the processor")
    block = DECISIONS_BLOCK if args.decisions else BLOCK
    if args.write:
        check_place(args.write.read_text(encoding="utf-8"), [block])  # fails before anything is measured

    slices = Slices(args.seconds, args.slices, args.device)
    table = decisions_table(games, slices.number) if args.decisions else speed_table(games, slices)
    if args.write:
        rewrite(args.write, {block: table})
    return 0
