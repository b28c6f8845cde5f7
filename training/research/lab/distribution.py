"""Print how the games of agents are distributed over endings and points, on fixed public deals.

    python -m training.research distribution --env LeveeEnMasse-v0 random scripted --deals 10000
    python -m training.research distribution --env LeveeEnMasse-v0 scripted --at headline=22 --watch disorder

The command prints the quantiles of the points (`Game.points`) and the shares of the endings; component sets are
calibrated by them. With `--watch` it also counts the values of pieces of the observation at the end of the games, and
with `--at` at the first decision at which an entry of the observation is set. In a game of several seats the agent has
all of them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.command_line import number
from rfop_env.core.errors import RfopError
from rfop_env.markdown import markdown_table
from rfop_env.registry import get_game
from rfop_training.common import records
from rfop_training.evaluation.arguments import AGENT, add_deals, add_setting, make_setting
from rfop_training.evaluation.rows import PUBLISHED
from rfop_training.evaluation.setting import Setting, display_names
from rfop_training.figures.pictures import check_picture
from training.research.lab import checkpoints

QUANTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Outcome:
    """The number of games of an agent with one ending and one number of points, from the side of seat 0."""

    agent: str
    ending: str  # an end reason of the game
    points: float
    games: int
    env: str
    options: str  # "scenario=extended"
    components: str  # digest of the set
    deals: int  # starting with deal 0
    seed: int
    git: str


@dataclass(frozen=True)
class Distribution:
    """The results of an agent's games, from the side of seat 0."""

    agent: str
    points: NDArray[np.float64]  # [n]
    endings: dict[str, int]  # by end reason, in the game's order

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Distribution:
        """The distribution that the outcomes of one agent in one setting add up to."""
        counts = dict.fromkeys(get_game(outcomes[0].env).end_reasons[1:], 0)
        for outcome in outcomes:
            counts[outcome.ending] += outcome.games
        points = np.repeat([outcome.points for outcome in outcomes], [outcome.games for outcome in outcomes])
        return cls(outcomes[0].agent, points, counts)


def play_and_count(
    setting: Setting, name: str, deals: range, watch: checkpoints.Watch
) -> tuple[list[Outcome], list[checkpoints.CheckpointCount]]:
    """Play a game on each deal with the agent in every seat: how the games end, and the counts at the moments."""
    game, watched = setting.game, checkpoints.WatchedAgent(setting.agent(name), watch)
    results = setting.self_play(watched, deals).from_seat(0)
    ends = Counter(zip(results.end_reason.tolist(), results.points.tolist(), strict=True))
    provenance = {
        key: value for key, value in setting.provenance(deals).items() if key not in ("opening", "first_deal")
    }
    outcomes = [
        Outcome(watched.name, game.end_reasons[ending], points, games, **provenance)
        for (ending, points), games in sorted(ends.items())
    ]
    return outcomes, [
        checkpoints.CheckpointCount(watched.name, *key, games, **provenance) for key, games in watched.counts().items()
    ]


def distribution_tables(distributions: Sequence[Distribution]) -> str:
    """Points and endings as two Markdown tables."""
    points = []
    for d in distributions:
        marks = [f"{mark:+g}" for mark in np.percentile(d.points, QUANTILES)]
        points.append([d.agent, str(len(d.points)), f"{d.points.mean():+.2f}", *marks])
    endings = [
        [name, *(f"{d.endings[name] / len(d.points):.1%}" for d in distributions)] for name in distributions[0].endings
    ]
    agents = [distribution.agent for distribution in distributions]
    return "\n\n".join([
        markdown_table(["agent", "games", "mean points", *(f"{q} %" for q in QUANTILES)], points),
        markdown_table([f"ending, of {len(distributions[0].points)} games", *agents], endings),
    ])  # fmt: skip


# -- the command -------------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help=AGENT)
    add_setting(parser)
    add_deals(parser)
    parser.add_argument(
        "--threads", type=number(int, 1), default=1, help="threads of the environment (default %(default)s)"
    )
    parser.add_argument("--csv", type=Path, help="also write the number of games by ending and points")
    parser.add_argument("--watch", nargs="+", default=[], metavar="PIECE", help="pieces of the observation to count")
    parser.add_argument(
        "--at", nargs="+", default=[], metavar="PIECE=ENTRY", help="moments besides the end, as in headline=46"
    )
    parser.add_argument("--checkpoints", type=Path, help="with --watch, also write the counts to a CSV file")
    parser.add_argument("--figure", type=Path, help="with --watch, also draw the counts: a .png, .svg or .pdf file")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    # Refuse wrong arguments and files before anything is played.
    if args.csv:
        records.require_rows(args.csv, "--csv", Outcome)
    if args.checkpoints:
        records.require_rows(args.checkpoints, "--checkpoints", checkpoints.CheckpointCount)
    if args.figure:
        records.require_writable(args.figure, "--figure")
        check_picture(args.figure)
    if not args.watch and (args.at or args.checkpoints or args.figure):
        raise RfopError("--at, --checkpoints and --figure need --watch, as in --watch politics disorder")
    setting = make_setting(args, threads=args.threads)
    watch = checkpoints.Watch.of(setting.game, args.at, args.watch)
    display_names(setting, args.agents)

    # Play.
    results = [play_and_count(setting, name, range(args.deals or PUBLISHED), watch) for name in args.agents]
    counts = [count for _, of_agent in results for count in of_agent]

    # Print and write.
    print(distribution_tables([Distribution.of(outcomes) for outcomes, _ in results]))
    if args.watch:
        print(f"\n{checkpoints.counts_table(counts)}")
    if args.csv:
        records.write_records(args.csv, [outcome for outcomes, _ in results for outcome in outcomes], Outcome)
    if args.checkpoints:
        records.write_records(args.checkpoints, counts, checkpoints.CheckpointCount)
    if args.figure:
        checkpoints.draw_counts(counts, args.figure)
    return 0
