"""The learning curve of a run: wins on fixed evaluation seeds while it trains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from rfop_env.agent import Agent
from rfop_env.core.game import Game
from rfop_training.evaluation.rows import Row, alone, pair
from rfop_training.learning.phases import Spent

CURVE_DEALS = 500_000  # the first deal of learning curves, far from those of published tables


@dataclass(frozen=True)
class CurveRow:
    """A line of a run's curve.csv: how the network did on the fixed deals, as one side."""

    seconds: float  # of training so far, by the clock
    processor_seconds: float  # the same on processors, of all threads of the process that trains
    steps: int
    side: str
    opponent: str  # who has all other seats; "-" in a game of one seat
    win_rate: float
    low: float
    high: float
    points: float
    seed: int


COLUMNS = tuple(f.name for f in fields(CurveRow))


def curve_rows(
    game: Game, agent: Agent, opponent: Agent | None, deals: int, *, options: dict[str, Any], **settings: Any
) -> list[Row]:
    """Play the deals of the learning curve: a row for each side in a game of one seat, for each seat in others.

    In a game of more than two seats there is one row for all seats. `settings` are those of `play_seated`.
    """
    numbers = range(CURVE_DEALS, CURVE_DEALS + deals)
    if opponent is None:
        if options.get("side") == "random":
            options = {name: value for name, value in options.items() if name != "side"}
        return alone(game, agent, numbers, options=options, **settings)
    rows = pair(game, agent, opponent, numbers, options=options, **settings)
    return rows[:-1] if game.spec.players == 2 else rows[-1:]


def curve_lines(rows: Sequence[Row], spent: Spent, steps: int, seed: int) -> list[dict[str, object]]:
    """The lines of curve.csv for these rows, in its columns; `spent` is the time of training so far."""
    times, lines = [round(spent.wall, 1), round(spent.processor, 1)], []
    for row in rows:
        figures = (f"{value:.4f}" for value in (row.win_rate, row.low, row.high, row.points))
        lines.append(dict(zip(COLUMNS, [*times, steps, row.side, row.opponent, *figures, seed], strict=True)))
    return lines
