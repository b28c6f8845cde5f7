"""Compare searches with a budget in time and with a budget in simulations, at the same mean time of a decision.

    python -m training.research budgets --env Revolution-v0 LeveeEnMasse-v0
    python -m training.research budgets --write docs/lab/search.md

First the search with simulations plays some games, for the mean time of its decisions. The other search gets a budget
with which its decisions take this time. Then they play each other on the same deals in all seats; in a game of one seat
each plays the deals alone. Games are played one at a time on one core, so that every decision has its own time. Let
nothing else run beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rfop_env.command_line import environment, number
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.players import load_agent
from rfop_env.registry import get_game
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine
from rfop_training.evaluation import rows
from rfop_training.evaluation.games import play
from rfop_training.evaluation.timed import Timed

BLOCK = "search_budgets"  # of a page, filled by the table
GAMES = ("RedFlagOverParis-v1", "LeveeEnMasse-v0", "Revolution-v0")
TITLES = (
    "environment", "games", "search-N", "its time", "wins", "search in time", "its time", "wins", "95 % interval",
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Two searches of a game: with a budget in simulations, and with one in time."""

    fixed: Timed
    timed: Timed
    fixed_wins: float  # share
    row: rows.Row  # of the search with a budget in time

    def cells(self, game: Game) -> list[str]:
        """The row of the table."""
        row = self.row
        return [
            game.id, f"{row.games:,}",
            self.fixed.name, f"{1000 * self.fixed.mean:.1f} ms", f"{self.fixed_wins:.1%}",
            self.timed.name, f"{1000 * self.timed.mean:.1f} ms", f"{row.win_rate:.1%}",
            f"{row.low:.1%} to {row.high:.1%}",
        ]  # fmt: skip


def search(game: Game, budget: str) -> Timed:
    """A search, by clock time, that plays one game at a time."""
    timed = Timed(load_agent(f"search-{budget}", game), time.perf_counter)
    timed.most_games = 1
    return timed


def in_time(game: Game, seconds: float) -> Timed:
    """A search with so many seconds for each decision."""
    return search(game, f"{seconds:.6f}s")


def compare(game: Game, simulations: int, deals: int, first_deals: int) -> Comparison:
    """Play the games: `first_deals` for the mean time, behind the `deals` in which the two searches are compared."""
    fixed = search(game, str(simulations))
    seats = [fixed] * game.spec.players
    play(game, seats, [deals])  # compiled before the clock runs
    fixed.forget()
    play(game, seats, range(deals, deals + first_deals))

    # What a decision takes beside its simulations is in no budget, so the time is taken off that it is exceeded by.
    budget = fixed.mean
    first = in_time(game, budget)
    play(game, [first] * game.spec.players, range(deals, deals + first_deals))
    timed = in_time(game, max(budget / 2, 2 * budget - first.mean))

    fixed.forget()
    if game.spec.players == 1:
        fixed_row, row = (rows.alone(game, agent, range(deals))[0] for agent in (fixed, timed))
        return Comparison(fixed, timed, fixed_row.win_rate, row)
    row = next(row for row in rows.pair(game, timed, fixed, range(deals)) if row.side == rows.ALL)
    return Comparison(fixed, timed, 1.0 - row.win_rate, row)


def table(games: Sequence[Game], simulations: int, deals: int, first_deals: int) -> str:
    """Compare, and put the figures into a Markdown table."""
    machine = describe_machine()
    cells = []
    for game in games:
        cells.append(compare(game, simulations, deals, first_deals).cells(game))
        print(f"| {' | '.join(cells[-1])} |", file=sys.stderr)
    head = f"{machine['cpu']}, one core. Load {machine['load_before']} before."
    return f"{head}\n\n{markdown_table(TITLES, cells, right=(1, 3, 4, 6, 7))}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--env", nargs="+", type=environment, default=list(GAMES), metavar="ID", help="(default: %(default)s)"
    )
    parser.add_argument("--simulations", type=number(int, 1), default=100, help="for a decision (default %(default)s)")
    parser.add_argument("--deals", type=number(int, 2), default=200, help="in all seats (default %(default)s)")
    parser.add_argument(
        "--first-deals", type=number(int, 1), default=20, help="others, for the mean time (default %(default)s)"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    games = [get_game(name) for name in args.env]
    print_measured(lambda: table(games, args.simulations, args.deals, args.first_deals), BLOCK, args.write)
    return 0
