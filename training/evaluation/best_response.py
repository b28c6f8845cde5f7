"""Rows about an approximate best response: how much it wins from the agent it was trained to beat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rfop_env.registry import get_game
from training.evaluation.rows import RecordedRow, Row
from training.evaluation.tasks import Setting, deals_for, evaluate

RESPONSE = "best response"


@dataclass(frozen=True)
class Response(RecordedRow):
    """The row of a response against the agent it was trained to beat, with its training budget."""

    steps: int  # decisions of the response in training
    run_seed: int
    trained: str  # git revision of the training


def exploitability(
    agent: str, setting: Setting, run: Path, metadata: Mapping[str, Any], deals: int | None = None, workers: int = 1
) -> list[Response]:
    """Play the response, the model in the folder `run`, against the agent; the last row is for all seats.

    `metadata` are those of the run.
    """
    numbers = range(deals or deals_for(setting))
    rows = evaluate(get_game(setting.env), [str(run), agent], numbers, options=dict(setting.options), workers=workers)
    arguments = metadata["arguments"]
    training = {"steps": arguments["steps"], "run_seed": arguments["seed"], "trained": metadata["git"]}
    return [Response(**asdict(row) | {"agent": RESPONSE}, **training) for row in rows]


def verdict(row: Row, seats: int, steps: int) -> str:
    """The bound as a sentence."""
    gain, low, high = (x - 1 / seats for x in (row.win_rate, row.low, row.high))
    if low <= 0:
        return f"With {steps:,} decisions no response was found that wins more than its share against {row.opponent}."
    gained = f"With {steps:,} decisions the response wins {gain:.1%} of all games more than its share"
    return f"{gained} ({low:.1%} to {high:.1%}): {row.opponent} is exploitable by at least that."
