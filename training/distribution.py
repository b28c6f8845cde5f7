"""How the games of agents are distributed over endings and points, on the fixed public list of deals.

    python -m training.distribution --env LeveeEnMasse-v0 random scripted --deals 10000
    python -m training.distribution scripted --at headline=22 headline=46 --watch politics disorder

The report by which a component set is calibrated: one table of quantiles of the points (`Game.points`), one of endings.
With `--watch`, a third of what stands in pieces of the observation at the end of the games, and with `--at` when an
entry of the observation is set for the first time (`training.checkpoints`). In a game of several seats the named agent
has all of them.
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
from rfop_env.options import add_option, parse_options
from rfop_env.registry import get_game
from training import checkpoints
from training.arguments import Parser, whole
from training.checkpoints import Count, Watch, Watched
from training.evaluate import MOST_DEALS, Setting, called, play
from training.pictures import check_picture
from training.records import require_writable, write_records

QUANTILES = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Outcome:
    """How many games of an agent ended in one way with so many points, from the side of seat 0."""

    agent: str
    ending: str  # an end reason of the game
    points: float
    games: int
    env: str
    options: str  # "scenario=extended"
    components: str  # digest of the set
    deals: int  # from number 0 on
    seed: int
    git: str


@dataclass(frozen=True)
class Distribution:
    """What happened in an agent's games, from the side of seat 0."""

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


def look_at(setting: Setting, name: str, deals: range, watch: Watch) -> tuple[list[Outcome], list[Count]]:
    """Play a game on each deal with the named agent in every seat; how they end, and what is seen on the way."""
    game, watched = setting.game, Watched(setting.agent(name), watch)
    found = play(
        game, [watched] * game.spec.players, deals, options=dict(setting.options), seed=setting.seed,
        components=game.load_components(setting.components), threads=setting.threads, opening=setting.begin,
    )  # fmt: skip
    ends = Counter(zip(found.end_reason.tolist(), found.points.tolist(), strict=True))
    told = {key: value for key, value in setting.provenance(deals).items() if key not in ("opening", "first_deal")}
    outcomes = [
        Outcome(watched.name, game.end_reasons[ending], points, games, **told)
        for (ending, points), games in sorted(ends.items())
    ]
    return outcomes, [Count(watched.name, *key, games, **told) for key, games in watched.counts().items()]


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


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.distribution", __doc__)
    parser.add_argument("agents", nargs="+", help="names, or a model's file or its run's folder")
    parser.add_argument("--env", default="LeveeEnMasse-v0", help="environment id (default %(default)s)")
    parser.add_argument("--deals", type=whole(1, MOST_DEALS), default=10_000, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=whole(0), default=0, help="of the agents' own chances (default %(default)s)")
    parser.add_argument("--threads", type=whole(1), default=1, help="threads of the environment (default %(default)s)")
    add_option(parser)
    parser.add_argument("--components", help="a component file (default: the shipped set)")
    parser.add_argument("--csv", type=Path, help="also write how many games ended how, with how many points")
    parser.add_argument("--watch", nargs="+", default=[], metavar="PIECE", help="pieces of the observation to look at")
    parser.add_argument("--at", nargs="+", default=[], metavar="PIECE=ENTRY", help="when, besides the end: headline=46")
    parser.add_argument("--checkpoints", type=Path, help="with --watch, also write a CSV file of these counts")
    parser.add_argument("--figure", type=Path, help="with --watch, also draw them: a .png, .svg or .pdf file")
    told = parser.parse_args(arguments)
    for flag, path in (("--csv", told.csv), ("--checkpoints", told.checkpoints), ("--figure", told.figure)):
        if path:
            require_writable(path, flag)
    if told.figure:
        check_picture(told.figure)
    if not told.watch and (told.at or told.checkpoints or told.figure):
        raise RfopError("--watch says what to look at: --watch politics disorder")
    options = tuple(parse_options(told.option).items())
    setting = Setting(told.env, options, told.components, told.seed, told.threads)
    watch = Watch.of(setting.game, told.at, told.watch)
    called(setting, told.agents)
    found = [look_at(setting, name, range(told.deals), watch) for name in told.agents]
    counts = [count for _, seen in found for count in seen]
    print(tables([Distribution.of(outcomes) for outcomes, _ in found]))
    if told.watch:
        print(f"\n{checkpoints.table(counts)}")
    if told.csv:
        write_records(told.csv, [outcome for outcomes, _ in found for outcome in outcomes], Outcome)
    if told.checkpoints:
        write_records(told.checkpoints, counts, Count)
    if told.figure:
        checkpoints.draw(counts, told.figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
