"""What every trainer of this folder shares: settings from the command line, the budget, and the folder of a run.

A run's folder holds the model, `run.json` (arguments, versions, git revision) and `curve.csv`: wins on fixed deals
while training, a line for each side.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from agents.agent import Agent
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from training.evaluate import Row, alone, pair, parse_options
from training.provenance import revision

CARD, CURVE = "run.json", "curve.csv"
CURVE_DEALS = 500_000  # deals of the learning curve start here, far from those of published tables
COLUMNS = ("seconds", "steps", "side", "win_rate", "low", "high", "points", "seed")

Settings = TypeVar("Settings")


def parse_settings(kind: type[Settings], module: str, about: str, arguments: Sequence[str] | None) -> Settings:
    """The command line as a dataclass: an option for each field, whose metadata has its help."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {module}", description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for f in fields(kind):  # type: ignore[arg-type]
        name, text = "--" + f.name.replace("_", "-"), f.metadata["help"]
        assert f.default is not MISSING
        if isinstance(f.default, bool):
            parser.add_argument(name, action="store_true", help=text)
        else:
            parse = Path if isinstance(f.default, Path) else type(f.default)
            parser.add_argument(name, type=parse, default=f.default, help=text)
    return kind(**vars(parser.parse_args(arguments)))


class Budget:
    """How much of the run is over, by the clock or by decisions, whichever is further.

    `minutes`, `steps`: 0 for no limit. `seconds_before`: what runs that this one goes on from have taken.
    """

    def __init__(self, minutes: float, steps: int, seconds_before: float = 0.0):
        self.limit, self.steps, self.before = minutes * 60, steps, seconds_before
        self.start, self.spent = time.monotonic(), 0.0

    def seconds(self) -> float:
        """Seconds of training so far, those of resumed runs included."""
        return time.monotonic() - self.start + self.before

    def update(self, steps: int) -> float:
        """Note the decisions so far; the share spent, from 0 to 1."""
        clock = (time.monotonic() - self.start) / self.limit if self.limit else 0.0
        self.spent = min(1.0, max(clock, steps / self.steps if self.steps else 0.0))
        return self.spent


def check_budget(minutes: float, steps: int) -> None:
    """Refuse a run without an end; `RfopError`."""
    if minutes <= 0 and steps <= 0:
        raise RfopError("how long? give --minutes or --steps")


def check_folder(model: Path, resume: bool) -> None:
    """Refuse to overwrite a model, or to go on from none; `RfopError`."""
    if model.exists() and not resume:
        raise RfopError(f"{model} exists: add --resume to go on with it, or choose another --run")
    if resume and not model.exists():
        raise RfopError(f"{model} does not exist: nothing to resume; leave out --resume to start")


def options_of(option: str, game: Game) -> dict[str, Any]:
    """The options of the game in a text like "players=3,screens=open", every side in turn where none is said."""
    sides = {"side": "random"} if "side" in [o.name for o in game.options] else {}
    given = sides | parse_options([text.strip() for text in option.split(",") if text.strip()])
    game.encode_options(given)
    return given


def describe(
    module: str, settings: Any, game: Game, components: Any, packages: Sequence[str] = ("numba", "numpy", "torch")
) -> dict[str, Any]:
    """What a reader needs to redo the run."""
    return {
        "command": f"python -m {module} " + " ".join(sys.argv[1:]),
        "arguments": {k: str(v) if isinstance(v, Path) else v for k, v in asdict(settings).items()},
        "environment": game.id,
        "components": {"name": components.name, "digest": components.digest},
        "git": revision(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


def write_card(run: Path, told: dict[str, Any]) -> None:
    """Write `run.json`, and the folder if there is none."""
    run.mkdir(parents=True, exist_ok=True)
    (run / CARD).write_text(json.dumps(told, indent=1) + "\n")


def curve_rows(
    game: Game, agent: Agent, opponent: Agent | None, deals: int, *, options: dict[str, Any], **told: Any
) -> list[Row]:
    """How an agent does on the deals of the learning curve: by sides in a game of one seat, by seats in others."""
    numbers = range(CURVE_DEALS, CURVE_DEALS + deals)
    if opponent is None:
        if options.get("side") == "random":
            options = {k: v for k, v in options.items() if k != "side"}
        return alone(game, agent, numbers, options=options, **told)
    rows = pair(game, agent, opponent, numbers, options=options, **told)
    return rows[:-1] if game.spec.players == 2 else rows[-1:]


def add_to_curve(run: Path, rows: Sequence[Row], seconds: float, steps: int, seed: int) -> None:
    """Append a line for each row to the run's learning curve."""
    path = run / CURVE
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(COLUMNS)
        for row in rows:
            figures = (f"{v:.4f}" for v in (row.win_rate, row.low, row.high, row.points))
            writer.writerow([round(seconds, 1), steps, row.side, *figures, seed])


def last_seconds(run: Path) -> float:
    """Seconds of the last line of a run's learning curve, 0 without one."""
    path = run / CURVE
    lines = path.read_text().splitlines() if path.exists() else []
    return float(lines[-1].split(",")[0]) if len(lines) > 1 else 0.0
