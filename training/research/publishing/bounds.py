"""The best opponent known of every agent: how exploitable it is at least.

It is taken from all published games of several seats: responses that were trained or that search, matrices, searches,
rollouts, scores of baselines.
Several opponents were tried, so the best of them is a little lucky; with a thousand games each that is a point or two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rfop_training.common.records import read_records
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import ALL, NO_OPPONENT, Recorded, RecordedRow
from rfop_training.evaluation.setting import Setting
from training.research.lab.best_response import Response
from training.research.publishing import replay
from training.research.publishing.results import RESULTS

RESPONSES = RESULTS / "best_responses.csv"


@dataclass(frozen=True)
class Bound:
    """What the best opponent known wins from an agent, over all seats."""

    env: str
    options: str
    agent: str
    opponent: str
    games: int
    win_rate: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """What an equal opponent wins."""
        return 1 / Setting.parse(self.env, self.options.split()).game.spec.players

    @property
    def least(self) -> float:
        """By how much the agent is exploitable at least; 0 where nobody is known who wins more than his share."""
        return max(0.0, self.low - self.share)


def best_known() -> list[Bound]:
    """The best opponent of every agent that somebody has answered, by the lower end of the interval."""
    best: dict[tuple[str, str, str], Bound] = {}
    answered = set()
    for bound, response in _played():
        key = bound.env, bound.options, bound.agent
        if response:
            answered.add(key)
        if key not in best or bound.low > best[key].low:
            best[key] = bound
    return [bound for key, bound in sorted(best.items()) if key in answered]


def _played() -> Iterator[tuple[Bound, bool]]:
    """All published results of pairs with the present component sets, and whether each is a best response's."""
    for trained in _present(read_records(RESPONSES, Response)):
        yield read_bound(trained, f"trained for {trained.steps / 1e6:.1f} million decisions"), True
    for searched in _present(read_records(replay.SEARCHED_RESPONSES, RecordedRow)):
        yield read_bound(searched, searched.agent), True
    files: list[tuple[Path, type[RecordedRow]]] = [
        (path, RecordedRow) for path in (replay.SEARCHES, replay.ROLLOUTS, replay.SCORES)
    ]
    files += [(path, MatrixRow) for path in replay.matrices()]
    for path, kind in files:
        for row in _present(read_records(path, kind)):
            bound = read_bound(row, row.agent)
            yield bound, False
            if bound.share == 1 / 2:
                yield _turned(bound), False


def _present(rows: Sequence[Recorded]) -> list[Recorded]:
    """The rows about all seats of a game of several, with the present component set."""
    return [
        row for row in rows
        if row.side == ALL and row.opponent != NO_OPPONENT and row.components == replay.component_digest(row)
    ]  # fmt: skip


def read_bound(row: RecordedRow, opponent: str) -> Bound:
    """What a row over all seats says about the agent that has the other seats."""
    return Bound(row.env, row.options, row.opponent, opponent, row.games, row.win_rate, row.low, row.high)


def _turned(bound: Bound) -> Bound:
    """The same games of two seats from the other side."""
    return Bound(
        bound.env, bound.options, bound.opponent, bound.agent, bound.games,
        1 - bound.win_rate, 1 - bound.high, 1 - bound.low,
    )  # fmt: skip
