"""Mixed tables for games of several seats: who came in which place, with seats drawn at random from some agents.

    python -m training.placements --env Paris-v0 --option players=4 random greedy scripted --out runs/paris4.csv
    python -m training.ratings runs/paris4.csv

Every deal is one game. Its seats are dealt to the agents in a random order that the number of the deal decides, each
agent once before any has a second seat. The file counts finishing orders: so many games "scripted > greedy = random".
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.options import parse_options
from training.arguments import Parser
from training.evaluate import (
    PUBLISHED,
    Results,
    Setting,
    add_arguments,
    asked,
    called,
    play_tasks,
    remark,
    tasks_seated,
)
from training.records import read_records, require_writable, write_records

ABOVE, LEVEL = " > ", " = "
CHECKED = 50  # deals that a check plays again


@dataclass(frozen=True)
class Finish:
    """How many games ended in an order."""

    order: str  # from first to last: "scripted > greedy = random"
    games: int
    env: str
    options: str
    components: str  # digest of the set
    opening: int  # random decisions that began each game
    first_deal: int
    deals: int
    seed: int
    git: str
    check: int  # games of the first deals (`checked`), played by themselves, that ended in this order

    @property
    def places(self) -> tuple[list[str], list[int]]:
        """Who sat at the table, and the place of each, from 1; those who share one have the same."""
        names: list[str] = []
        places: list[int] = []
        for group in self.order.split(ABOVE):
            first = len(names) + 1
            for name in group.split(LEVEL):
                names.append(name)
                places.append(first)
        return names, places


def seats_drawn(agents: int, seats: int, deals: Sequence[int]) -> NDArray[np.intp]:
    """Which agent has each seat on each deal: int [n, P]; all have one before any has two."""
    rounds = -(-seats // agents)
    drawn = np.empty((len(deals), seats), np.intp)
    for row, deal in zip(drawn, deals, strict=True):
        rng = np.random.default_rng(deal)
        row[:] = rng.permutation(np.concatenate([rng.permutation(agents) for _ in range(rounds)])[:seats])
    return drawn


def placement_reward(game: Game) -> str:
    """The reward kind that orders the seats of an ended game: "placement" where there is one, or the points."""
    return "placement" if "placement" in [reward.name for reward in game.rewards] else game.points


def order_of(names: Sequence[str], points: NDArray[np.float64]) -> str:
    """The finishing order of a table, from the points of its seats [P]."""
    groups = []
    for value in sorted(set(np.round(points, 6).tolist()), reverse=True):
        groups.append(LEVEL.join(sorted(n for n, x in zip(names, points, strict=True) if abs(x - value) < 1e-5)))
    return ABOVE.join(groups)


def play_tables(setting: Setting, names: Sequence[str], deals: range, workers: int = 1) -> list[Finish]:
    """Play a game on each deal; the finishing orders, the most frequent first. Raises `RfopError`."""
    game = setting.game
    if game.spec.players == 1:
        raise RfopError(f"{setting.env} has one seat, so no places: python -m training.evaluate --env {setting.env}")
    if len(names) < 2:
        raise RfopError("a table is of two agents at least")
    shown = called(setting, names)
    names = sorted(names, key=lambda name: shown[name])  # on the command line their order means nothing
    counts, told = orders(setting, names, deals, workers), setting.provenance(deals)
    few = orders(setting, names, deals[: checked(len(deals))])
    return [Finish(order, games, **told, check=few[order]) for order, games in counts.most_common()]


def orders(setting: Setting, names: Sequence[str], deals: range, workers: int = 1) -> Counter[str]:
    """How many games on these deals end in each order; the order of the names decides who sits where."""
    shown = [setting.agent(name).name for name in names]
    seating = seats_drawn(len(names), setting.game.spec.players, deals)
    tasks = tasks_seated(setting, names, seating, deals, placement_reward(setting.game))
    points = Results.joined(list(play_tasks(tasks, workers))).points
    rows = zip(seating, points, strict=True)
    return Counter(order_of([shown[who] for who in seats], row) for seats, row in rows)


def checked(deals: int) -> int:
    """How many of the first deals are played again by a check."""
    return min(CHECKED, deals)


def entrants(finishes: Sequence[Finish]) -> tuple[list[str], Setting]:
    """Who sat at the tables of a file, in the order of their names, and the setting they played in."""
    names = sorted({name for finish in finishes for name in finish.places[0]})
    first = finishes[0]
    options = tuple(parse_options(first.options.split()).items())
    return names, Setting(first.env, options, seed=first.seed, opening=first.opening)


def read_finishes(path: Path) -> list[Finish]:
    """The finishing orders of a file, all of one game; `RfopError`."""
    found = read_records(path, Finish)
    if not found or len({(x.env, x.options, x.components, x.deals) for x in found}) > 1:
        raise RfopError(f"{path}: expected finishing orders of one game")
    return found


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.placements", __doc__)
    add_arguments(parser, "Paris-v0")
    parser.add_argument("--out", type=Path, required=True, help="the CSV file")
    told = parser.parse_args(arguments)
    require_writable(told.out, "--out")
    setting, deals = asked(told)
    deals = deals if told.deals else range(deals.start, deals.start + PUBLISHED)
    finishes = play_tables(setting, told.agents, deals, told.workers)
    write_records(told.out, finishes, Finish)
    for finish in finishes[:10]:
        print(f"{finish.games / len(deals):6.1%}  {finish.order}")
    if len(deals) < PUBLISHED:
        print(remark(len(deals)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
