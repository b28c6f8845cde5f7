"""How the games of agents are distributed over endings and points, on the fixed public list of deals.

    python -m training.distribution --env LeveeEnMasse-v0 random scripted --deals 10000

The report by which a component set is calibrated: one table of quantiles of the points (`Game.points`), one of endings.
In a game of several seats the named agent has all of them.
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
from rfop_env.options import add_option, parse_options
from rfop_env.registry import get_game
from training.arguments import Parser, whole
from training.evaluate import MOST_DEALS, Setting, called
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


def outcomes_of(setting: Setting, name: str, deals: range) -> list[Outcome]:
    """Play a game on each deal with the named agent in every seat, and count how they end."""
    game = setting.game
    seating = np.zeros((len(deals), game.spec.players), np.intp)
    found = setting.play([name], seating, deals).of(0)
    counts = Counter(zip(found.end_reason.tolist(), found.points.tolist(), strict=True))
    told = {key: value for key, value in setting.provenance(deals).items() if key not in ("opening", "first_deal")}
    shown = setting.agent(name).name
    return [
        Outcome(shown, game.end_reasons[ending], points, games, **told)
        for (ending, points), games in sorted(counts.items())
    ]


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
    told = parser.parse_args(arguments)
    if told.csv:
        require_writable(told.csv, "--csv")
    options = tuple(parse_options(told.option).items())
    setting = Setting(told.env, options, told.components, told.seed, told.threads)
    called(setting, told.agents)
    found = [outcomes_of(setting, name, range(told.deals)) for name in told.agents]
    print(tables([Distribution.of(outcomes) for outcomes in found]))
    if told.csv:
        write_records(told.csv, [outcome for outcomes in found for outcome in outcomes], Outcome)
    return 0


if __name__ == "__main__":
    sys.exit(main())
