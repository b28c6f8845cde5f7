"""How the games of an agent are distributed over endings and points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rfop_env.registry import get_game
from rfop_training.evaluation.checkpoints import CheckpointCount, Watch, WatchedAgent
from rfop_training.evaluation.games import play
from rfop_training.evaluation.tasks import Setting

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
    setting: Setting, name: str, deals: range, watch: Watch
) -> tuple[list[Outcome], list[CheckpointCount]]:
    """Play a game on each deal with the agent in every seat: how the games end, and the counts at the moments."""
    game, watched = setting.game, WatchedAgent(setting.agent(name), watch)
    results = play(
        game, [watched] * game.spec.players, deals, options=dict(setting.options), seed=setting.seed,
        components=game.load_components(setting.components), threads=setting.threads, opening=setting.opening_decisions,
    )  # fmt: skip
    ends = Counter(zip(results.end_reason.tolist(), results.points.tolist(), strict=True))
    provenance = {
        key: value for key, value in setting.provenance(deals).items() if key not in ("opening", "first_deal")
    }
    outcomes = [
        Outcome(watched.name, game.end_reasons[ending], points, games, **provenance)
        for (ending, points), games in sorted(ends.items())
    ]
    return outcomes, [
        CheckpointCount(watched.name, *key, games, **provenance) for key, games in watched.counts().items()
    ]


def distribution_tables(distributions: Sequence[Distribution]) -> str:
    """Points and endings as two Markdown tables."""
    heads = ["agent", "games", "mean points", *(f"{q} %" for q in QUANTILES)]
    lines = [heads, ["---"] * len(heads)]
    for one in distributions:
        marks = np.percentile(one.points, QUANTILES)
        lines.append([one.agent, str(len(one.points)), f"{one.points.mean():+.2f}", *(f"{m:+g}" for m in marks)])
    endings = [
        [f"ending, of {len(distributions[0].points)} games", *(one.agent for one in distributions)],
        ["---"] * (len(distributions) + 1),
    ]
    for name in distributions[0].endings:
        endings.append([name, *(f"{one.endings[name] / len(one.points):.1%}" for one in distributions)])
    return "\n\n".join("\n".join(f"| {' | '.join(line)} |" for line in table) for table in (lines, endings))
