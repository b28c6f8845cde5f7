"""An approximate best response to a frozen agent: how much can be won from it by learning nothing but to beat it?

    python -m training.best_response scripted --env Revolution-v0 --steps 3000000 --run runs/response
    python -m training.best_response revolution/ppo-1 --env Revolution-v0 --steps 3000000 --run runs/ppo --csv all.csv

Trains the network of training/ppo_self_play.py against the agent alone, in a seat drawn for every game, for so many
decisions, beginning with the agent's own weights where it is a network; then the two play on public deals. What the
response wins above its share bounds the exploitability of the agent from below; a larger budget may find more. Called
again, the command goes on, and once trained it only plays.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.network import MODEL, NetworkAgent
from rfop_env.command_line import command
from rfop_env.core.errors import RfopError
from rfop_env.options import add_option, option_text, parse_options
from rfop_env.registry import get_game
from training.arguments import Parser, whole
from training.curves import CURVE
from training.evaluate import (
    ALL,
    MOST_DEALS,
    PUBLISHED,
    RecordedRow,
    Row,
    Setting,
    deals_for,
    evaluate,
    record,
    recorded,
    table,
)  # fmt: skip
from training.records import require_writable
from training.reproduce import last_steps
from training.run_folder import CHECKPOINT, read_card

RESPONSE = "best response"
# For what begins with a trained network: with the trainer's own it would first forget much of what it knows.
GENTLY = {"learning_rate": 3e-4, "entropy": 0.01, "entropy_end": 0.003}


def respond(agent: str, setting: Setting, run: Path, steps: int, start: str = "", **settings: Any) -> None:
    """Train the response in its run's folder, or go on with it; `settings` are of `ppo_self_play.Arguments`.

    It begins with the network `start`, or with the agent itself if that is one: so it loses nothing to begin with.
    Raises `RfopError`.
    """
    from training.network import sizes_of
    from training.ppo_self_play import Arguments, train  # brings torch

    if setting.game.spec.players == 1:
        raise RfopError(f"{setting.env} has one seat, so nobody to respond to")
    first = setting.agent(start or agent)
    setting.agent(agent)  # refuses a wrong name before anything is trained
    if isinstance(first, NetworkAgent):
        start, settings = start or agent, GENTLY | settings | sizes_of(first.weights)
    opponents, begun = f"{agent}=1", (run / CHECKPOINT).exists()
    if begun:
        trained = read_card(run)["arguments"]
        if tuple(map(trained.get, ("opponents", "steps", "env"))) != (opponents, steps, setting.env):
            raise RfopError(f"{run} is another run: choose another --run")
    if begun and (run / MODEL).exists() and (run / CURVE).exists() and last_steps(run) >= steps:
        return
    option = option_text(dict(setting.options))
    fixed: dict[str, Any] = {
        "env": setting.env,
        "option": option,
        "opponents": opponents,
        "evaluate_against": agent,
        "start": start,
    }
    train(Arguments(run=run, steps=steps, resume=begun, **fixed, **settings))


@dataclass(frozen=True)
class Response(RecordedRow):
    """How a response does against the agent it was trained to beat, and what was spent on it."""

    steps: int  # decisions of the response in training
    run_seed: int
    trained: str  # git revision of the training


def exploitability(
    agent: str, setting: Setting, run: Path, deals: int | None = None, workers: int = 1
) -> list[Response]:
    """The rows of the response against the agent; the last is for all seats."""
    numbers = range(deals or deals_for(setting))
    rows = evaluate(get_game(setting.env), [str(run), agent], numbers, options=dict(setting.options), workers=workers)
    told = read_card(run)
    spent = {"steps": told["arguments"]["steps"], "run_seed": told["arguments"]["seed"], "trained": told["git"]}
    return [Response(**asdict(row) | {"agent": RESPONSE}, **spent) for row in rows]


def table_of_responses(rows: Sequence[Response]) -> str:
    """What was won from each agent, over all seats, in Markdown."""
    lines = ["| agent | environment | response wins | 95 % interval | exploitable by at least | games | decisions |"]
    lines.append("|---|---|---:|---|---:|---:|---:|")
    for row in rows:
        if row.side == ALL:
            env, budget = f"`{row.env}` {row.options}".strip(), f"{row.steps / 1e6:.1f} million"
            share = 1 / Setting(row.env, tuple(parse_options(row.options.split()).items())).game.spec.players
            least = f"{row.low - share:.1%}" if row.low > share else "none found"
            figures = f"{row.win_rate:.1%} | {row.low:.1%} to {row.high:.1%} | {least} | {row.games:,} | {budget}"
            lines.append(f"| {row.opponent} | {env} | {figures} |")
    return "\n".join(lines)


def verdict(row: Row, seats: int, steps: int) -> str:
    """The bound, in a sentence."""
    gain, low, high = (x - 1 / seats for x in (row.win_rate, row.low, row.high))
    if low <= 0:
        return f"With {steps:,} decisions no response was found that wins more than its share against {row.opponent}."
    found = f"With {steps:,} decisions the response wins {gain:.1%} of all games more than its share"
    return f"{found} ({low:.1%} to {high:.1%}): {row.opponent} is exploitable by at least that."


@command()
def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser("training.best_response", __doc__)
    parser.add_argument("agent", help="whom to beat: a name, or a model's file or its run's folder")
    parser.add_argument("--env", default="Revolution-v0", help="environment id (default %(default)s)")
    add_option(parser)
    parser.add_argument("--steps", type=whole(1), required=True, help="budget: decisions of the response in training")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--start", default="", help="a network to begin with (default: the agent, if it is one)")
    parser.add_argument("--seed", type=whole(0), default=1, help="of the training (default %(default)s)")
    parser.add_argument("--deals", type=whole(1, MOST_DEALS), help=f"how many (default: {PUBLISHED:,} games)")
    parser.add_argument("--workers", type=whole(1), default=1, help="processes that play (default %(default)s)")
    parser.add_argument("--csv", type=Path, help="also write the rows into this file, which keeps its other rows")
    told = parser.parse_args(arguments)
    setting = Setting(told.env, tuple(parse_options(told.option).items()))
    if told.csv:
        require_writable(told.csv, "--csv")
        recorded(told.csv, Response)  # refuses another file before anything is trained
    respond(told.agent, setting, told.run, told.steps, told.start, seed=told.seed)
    rows = exploitability(told.agent, setting, told.run, told.deals, told.workers)
    print(f"{table(rows)}\n\n{verdict(rows[-1], setting.game.spec.players, told.steps)}")
    if told.csv:
        record(rows, told.csv, Response)
    return 0


if __name__ == "__main__":
    sys.exit(main())
