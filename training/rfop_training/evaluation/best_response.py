"""Approximate best responses to a frozen agent, trained or searched for, and how much they win from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rfop_agents.catalogue import response_name
from rfop_env.core.errors import RfopError
from rfop_training.evaluation.rows import SEARCHED, RecordedRow, Row
from rfop_training.evaluation.tasks import Setting, deals_for, evaluate

RESPONSE = "best response"


@dataclass(frozen=True)
class Response(RecordedRow):
    """The row of a response against the agent it was trained to beat, with its training budget."""

    steps: int  # decisions of the response in training
    run_seed: int
    trained: str  # git revision of the training

    @property
    def subject(self) -> tuple[object, ...]:
        """As for other rows; responses trained with several seeds stand beside each other."""
        return *super().subject, self.run_seed


def exploitability(
    agent: str, setting: Setting, run: Path, metadata: Mapping[str, Any], deals: int | None = None, workers: int = 1
) -> list[Response]:
    """Play the response, the model in the folder `run`, against the agent; the last row is for all seats.

    `metadata` are those of the run.
    """
    numbers = range(deals or deals_for(setting))
    rows = evaluate(setting.env, [str(run), agent], numbers, options=dict(setting.options), workers=workers)
    arguments = metadata["arguments"]
    training = {"steps": arguments["steps"], "run_seed": arguments["seed"], "trained": metadata["git"]}
    return [Response(**asdict(row) | {"agent": RESPONSE}, **training) for row in rows]


def searched(
    agent: str, setting: Setting, kind: str, guide: str = "", deals: int | None = None, workers: int = 1,
    checked: bool = False,
) -> list[RecordedRow]:  # fmt: skip
    """Play an agent that looks ahead and knows its opponent against the agent; the last row is for all seats.

    `kind`: a search ("response-100") or rollouts ("rollout-16x8"). `guide` is the network that guides it; without one
    the agent itself does, if it is a network. `checked` is that of `evaluate`. Raises `RfopError` for a game of one
    seat, for an agent that cannot be asked inside a search, and for rollouts without a network.
    """
    require_several_seats(setting)
    names = [response_name(kind, guide, agent), agent]
    numbers = range(deals or deals_for(setting, SEARCHED))
    options = dict(setting.options)
    return evaluate(setting.env, names, numbers, options=options, workers=workers, checked=checked)


def require_several_seats(setting: Setting) -> None:
    """Raise `RfopError` for a game in which nobody else plays."""
    if setting.game.spec.players == 1:
        raise RfopError(f"{setting.env} has one seat, so nobody to respond to")


def verdict(row: Row, seats: int, budget: str) -> str:
    """The bound as a sentence; `budget`: that of the response, as in "3,000,000 decisions"."""
    gain, low, high = (x - 1 / seats for x in (row.win_rate, row.low, row.high))
    if low <= 0:
        return f"With {budget} no response was found that wins more than its share against {row.opponent}."
    gained = f"With {budget} the response wins {gain:.1%} of all games more than its share"
    return f"{gained} ({low:.1%} to {high:.1%}): {row.opponent} is exploitable by at least that."
