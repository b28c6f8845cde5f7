"""How the games of agents are distributed over endings and points, on the fixed public list of deals.

    python -m training.distribution --env LeveeEnMasse-v0 random scripted --deals 10000

The report by which a component set is calibrated: one table of quantiles of the points (`Game.points`), one of endings.
In a game of several seats the named agent has all of them.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import agents
from rfop_env.command_line import command
from rfop_env.core.game import Game
from rfop_env.registry import get_game
from training.evaluate import parse_options, play

QUANTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Distribution:
    """What happened in an agent's games, from the side of seat 0."""

    agent: str
    points: NDArray[np.float64]  # [n]
    endings: dict[str, int]  # by end reason, in the game's order


def distribution(game: Game, name: str, deals: Sequence[int], **told: object) -> Distribution:
    """Play a game on each deal with the named agent in every seat; `told` is for `training.evaluate.play`."""
    agent = agents.load(name, game, told.get("components"))
    options = told.get("options") or {}
    assert isinstance(options, dict)
    games = play(game, [agent] * game.under(options).spec.players, deals, **told)  # type: ignore[arg-type]
    counts = np.bincount(games.end_reason, minlength=len(game.end_reasons))
    return Distribution(agent.name, games.points, dict(zip(game.end_reasons[1:], counts[1:].tolist(), strict=True)))


def tables(found: Sequence[Distribution]) -> str:
    """Points and endings as two Markdown tables."""
    heads = ["agent", "games", "mean points", *(f"{q} %" for q in QUANTILES)]
    lines = [heads, ["---"] * len(heads)]
    for one in found:
        marks = np.percentile(one.points, QUANTILES)
        lines.append([one.agent, str(len(one.points)), f"{one.points.mean():+.2f}", *(f"{m:+g}" for m in marks)])
    endings = [[f"ending, of {len(found[0].points)} games", *(one.agent for one in found)], ["---"] * (len(found) + 1)]
    for name in found[0].endings:
        endings.append([name, *(f"{one.endings[name] / len(one.points):.1%}" for one in found)])
    return "\n\n".join("\n".join(f"| {' | '.join(line)} |" for line in table) for table in (lines, endings))


def write_csv(found: Sequence[Distribution], path: Path) -> None:
    """A line for every agent and number of points: how many games ended so."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["agent", "points", "games"])
        for one in found:
            for points, games in zip(*np.unique(one.points, return_counts=True), strict=True):
                writer.writerow([one.agent, f"{points:g}", int(games)])


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m training.distribution", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("agents", nargs="+", help="names, or models' .zip files or folders")
    parser.add_argument("--env", default="LeveeEnMasse-v0", help="environment id (default %(default)s)")
    parser.add_argument("--deals", type=int, default=10_000, help="how many deals (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the agents' own chances (default %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the environment (default %(default)s)")
    parser.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE", help="options of the game")
    parser.add_argument("--components", help="a component file (default: the shipped set)")
    parser.add_argument("--csv", type=Path, help="also write how many games ended with how many points")
    told = parser.parse_args(arguments)
    if told.deals < 1:
        parser.error("--deals is at least 1")
    game = get_game(told.env)
    components, options = game.load_components(told.components), parse_options(told.option)
    rest = {"components": components, "options": options, "seed": told.seed, "threads": told.threads}
    found = [distribution(game, name, range(told.deals), **rest) for name in told.agents]
    print(tables(found))
    if told.csv:
        write_csv(found, told.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
