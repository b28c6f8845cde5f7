"""What every trainer of this folder shares: settings and their ranges, the budget, and the folder of a run.

A run's folder holds the model, `checkpoint.pt` (what going on needs), `run.json` (arguments, versions, git revision,
and the same of each time it went on), `progress.csv` and `curve.csv`: wins on fixed deals while training, a line for
each side. One process at a time has the folder. Every file is written whole, the checkpoint first: whenever a run ends,
it goes on from its last checkpoint, and later rows are taken out. Nothing in the folder is code, and none is run.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from agents.agent import Agent
from agents.card import require_card
from agents.network import MODEL
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.core.files import PART, telling_what_fails, write_whole
from rfop_env.core.game import Game
from rfop_env.options import add_option, option_text, parse_options
from training.arguments import Parser
from training.curves import CURVE, CurveRow
from training.evaluate import Row, alone, pair
from training.provenance import revision
from training.records import LOCK, append_rows, cut_back, locked, read_log

CARD, PROGRESS, CHECKPOINT = "run.json", "progress.csv", "checkpoint.pt"
EVENTS = "events.out.tfevents.*"  # of TensorBoard
CURVE_DEALS = 500_000  # deals of the learning curve start here, far from those of published tables
COLUMNS = tuple(f.name for f in fields(CurveRow))

MEND = "put back a copy of it, or begin another run in another folder"

Settings = TypeVar("Settings")


# -- settings ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`; `low` itself is one of them unless `above`. Infinity and NaN never are."""

    low: float
    high: float = math.inf
    above: bool = False

    def __contains__(self, value: Any) -> bool:
        reached = self.low < value if self.above else self.low <= value
        return bool(reached and value <= self.high and value != math.inf)

    def __str__(self) -> str:
        low = f"above {self.low:,}" if self.above else f"at least {self.low:,}"
        return low if self.high == math.inf else f"{low} and at most {self.high:,}"


SHARE, POSITIVE, NOT_NEGATIVE = Range(0, 1), Range(0, above=True), Range(0)
MANY = 2**20  # games, decisions of a rollout, ...: more would not fit into memory
WIDE = 2**16  # units of a layer
MOST_THREADS = 1024
MOST_SEEDS = 1_000_000  # so the games of all runs have seeds below those of the evaluation's deals


def setting(default: Any, text: str, values: Range | Sequence[str] | None = None) -> Any:
    """A field of a trainer's settings: its default, its help, and its range if it is a number, or its choices."""
    return field(default=default, metadata={"help": text, "values": values})


def parse_settings(kind: type[Settings], module: str, about: str, arguments: Sequence[str] | None) -> Settings:
    """The command line as a dataclass: an option for each field, whose metadata has its help. Raises `RfopError`."""
    parser = Parser(module, about, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for f in fields(kind):  # type: ignore[arg-type]
        name, text = _flag(f.name), f.metadata["help"]
        assert f.default is not MISSING
        if f.name == "option":
            add_option(parser)
        elif isinstance(f.default, bool):
            parser.add_argument(name, action="store_true", help=text)
        else:
            parse = Path if isinstance(f.default, Path) else type(f.default)
            parser.add_argument(name, type=parse, default=f.default, help=text)
    given = vars(parser.parse_args(arguments))
    if "option" in given:
        given["option"] = option_text(parse_options(given["option"]))
    settings = kind(**given)
    check_settings(settings)
    return settings


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def check_settings(settings: Any) -> None:
    """Raise `RfopError` for a setting that is of another type than its default, or out of its declared range."""
    for f in fields(settings):
        value, values, kind = getattr(settings, f.name), f.metadata["values"], type(f.default)
        if kind in (int, float):
            _check_number(_flag(f.name), value, kind, values)
        elif not isinstance(value, Path if issubclass(kind, Path) else kind):
            raise RfopError(f"{_flag(f.name)}: expected a {kind.__name__}, found {value!r}")
        elif values is not None and value not in values:
            raise UnknownName(f"value of {_flag(f.name)}", value, values)


def _check_number(flag: str, value: Any, kind: type, values: Range) -> None:
    wanted = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, wanted) or value not in values:
        said = "a whole number" if kind is int else "a number"
        raise RfopError(f"{flag}: expected {said}, {values}; found {value!r}")


# -- the budget --------------------------------------------------------------------------------------------------------


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


def options_of(option: str, game: Game) -> dict[str, Any]:
    """The options of the game in a text like "players=3,screens=open", every side in turn where none is said."""
    sides = {"side": "random"} if "side" in [o.name for o in game.options] else {}
    given = sides | parse_options(option)
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


# -- the folder --------------------------------------------------------------------------------------------------------


@contextmanager
def held(run: Path, resume: bool) -> Iterator[None]:
    """Have the folder of a run for the block; no other process trains there. It is removed if nothing comes into it.

    Raises `RfopError` where another process has it, where a fresh run would overwrite another, and where nothing is
    there to go on with.
    """
    if run.exists() and not run.is_dir():
        raise RfopError(f"{run} is a file: choose another --run")
    if resume and not run.exists():
        raise RfopError(f"{run} does not exist: nothing to resume; leave out --resume to start")
    lock = run / LOCK
    with locked(lock, f"{run} is in use, another process trains there: wait for it, or choose another --run"):
        try:
            _check_folder(run, resume)
            yield
        finally:
            if [*run.iterdir()] == [lock]:
                lock.unlink()
                run.rmdir()


def _check_folder(run: Path, resume: bool) -> None:
    checkpoint, models = run / CHECKPOINT, [run / MODEL, run / "model.zip"]
    there = [path for path in (checkpoint, *models) if path.exists()]
    if there and not checkpoint.exists():
        raise RfopError(f"{there[0]} is there, but no {CHECKPOINT}: that run cannot go on; choose another --run")
    if there and not resume:
        raise RfopError(f"{there[0]} exists: add --resume to go on with it, or choose another --run")
    if resume and not there:
        raise RfopError(f"{checkpoint} does not exist: nothing to resume; leave out --resume to start")


def begin(run: Path, card: Mapping[str, Any]) -> None:
    """Write `run.json` of a fresh run, and take away the logs of one that ended before its first checkpoint."""
    logs = [path for name in (CURVE, PROGRESS, EVENTS) for path in run.glob(name)]
    if logs and not (run / CARD).exists():
        raise RfopError(f"{logs[0]} is of no run of this package: choose another --run")
    with telling_what_fails(run):
        for path in [*logs, *_unfinished(run)]:
            path.unlink()
    write_card(run, card)


def go_on(run: Path, card: Mapping[str, Any], steps: int, column: str) -> None:
    """Cut the logs back to the checkpoint's step, and add this call to `run.json`.

    `column`: of progress.csv, the one that counts steps.
    """
    first = read_card(run)
    cut_back(run / CURVE, "steps", steps)
    cut_back(run / PROGRESS, column, steps)
    with telling_what_fails(run):
        for path in _unfinished(run):
            path.unlink()
    kept = ("command", "arguments", "git", "python", "packages")
    first["resumes"] = [*first.get("resumes", []), {"steps": steps} | {name: card[name] for name in kept}]
    write_card(run, first)


def _unfinished(run: Path) -> list[Path]:
    """Temporary files that a killed process has left."""
    return [*run.glob(f".*{PART}"), *run.glob(f"checkpoints/.*{PART}")]


def write_card(run: Path, card: Mapping[str, Any]) -> None:
    """Write `run.json`, and the folder if there is none."""
    write_whole(run / CARD, json.dumps(card, indent=1) + "\n")


def read_card(run: Path) -> dict[str, Any]:
    """`run.json` of a run: how it began, and under "resumes" how it went on. Raises `RfopError`."""
    path = run / CARD
    if not path.is_file():
        raise RfopError(f"{run} is no run: give the folder that a trainer of this package wrote")
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise RfopError(f"{path} cannot be read as JSON ({error}): copy it anew, or train anew") from error
    kinds = {"command": str, "arguments": dict, "environment": str, "components": dict, "git": str, "python": str,
             "packages": dict}  # fmt: skip
    wrong = [name for name, kind in kinds.items() if not isinstance(card, dict) or not isinstance(card.get(name), kind)]
    resumes = [] if wrong else card.get("resumes", [])
    if not isinstance(resumes, list) or not all(isinstance(one, dict) for one in resumes):
        wrong.append("resumes")
    if wrong:
        raise RfopError(f"{path} does not say, as it should: {', '.join(wrong)}; copy it anew, or train anew")
    told: dict[str, Any] = card
    return told


# -- the checkpoint ----------------------------------------------------------------------------------------------------


def write_checkpoint(
    run: Path, module: str, shape: Mapping[str, str], card: Mapping[str, Any], seconds: float, state: Mapping[str, Any]
) -> None:
    """Write all that going on needs: tensors and plain values, no code."""
    import torch

    buffer = io.BytesIO()
    told = {"module": module, "shape": dict(shape), "card": dict(card), "seconds": seconds, "state": dict(state)}
    torch.save(told, buffer)
    write_whole(run / CHECKPOINT, buffer.getvalue())


def read_checkpoint(
    run: Path, module: str, shape: Mapping[str, str], game: Game, components: Any
) -> tuple[dict[str, Any], float]:
    """The state in a run's checkpoint and its seconds so far.

    Raises `RfopError` if the file is damaged, or of another trainer, settings or environment.
    """
    import torch

    path = run / CHECKPOINT
    try:
        kept = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # nearly anything, with advice to trust the file that does not belong here
        raise RfopError(f"{path} is no whole checkpoint of this package: {MEND}") from error
    with trusting_nothing(path):
        wrote, was, card, seconds = kept["module"], dict(kept["shape"]), dict(kept["card"]), float(kept["seconds"])
        state: dict[str, Any] = dict(kept["state"])
    if wrote != module:
        raise RfopError(f"{path} was written by {wrote!r}, which alone can go on with it")
    wrong = [f"{k} {was.get(k)!r} instead of {v!r}" for k, v in shape.items() if was.get(k) != v]
    if wrong:
        raise RfopError(f"{path} was made with other settings: {', '.join(wrong)}")
    require_card(path, card, game, components)
    return state, seconds


@contextmanager
def trusting_nothing(path: Path) -> Iterator[None]:
    """Turn whatever the block raises, which takes the parts of a checkpoint, into an `RfopError` with the mend.

    Wrong parts make torch, NumPy and the rules raise nearly anything.
    """
    try:
        yield
    except Exception as error:
        lines = str(error).strip().splitlines() or [""]
        reason = f"{type(error).__name__}: {lines[0]}"[:200]
        raise RfopError(f"{path} is damaged, or of another version of this package ({reason}): {MEND}") from error


# -- the learning curve ------------------------------------------------------------------------------------------------


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


def has_point(run: Path, steps: int) -> bool:
    """Whether the learning curve has the point of this step already."""
    return any(row.get("steps") == str(steps) for row in read_log(run / CURVE))


def add_to_curve(run: Path, rows: Sequence[Row], seconds: float, steps: int, seed: int) -> None:
    """Append a line for each row to the run's learning curve."""
    lines = []
    for row in rows:
        figures = (f"{v:.4f}" for v in (row.win_rate, row.low, row.high, row.points))
        lines.append(dict(zip(COLUMNS, [round(seconds, 1), steps, row.side, *figures, seed], strict=True)))
    append_rows(run / CURVE, lines)
