"""The folder of a run: its file names, its lock, its metadata, its checkpoint and its logs.

One process at a time has the folder. Every file is written whole, the checkpoint first: a run continues from its last
checkpoint whenever it ended, and later rows of the logs are removed. Nothing in the folder is code, and none is run.
"""

from __future__ import annotations

import io
import json
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rfop_agents.metadata import require_metadata
from rfop_agents.network import MODEL, write_network
from rfop_env.core.errors import RfopError
from rfop_env.core.files import PART, read_text, readable, telling_what_fails, write_whole
from rfop_env.core.game import Game
from rfop_training.common.provenance import revision
from rfop_training.common.records import LOCK, append_rows, cut_back, locked, read_log, read_records, read_rows
from rfop_training.evaluation.recorded import Replays
from rfop_training.evaluation.rows import Row
from rfop_training.learning.curve import CurveRow, curve_lines
from rfop_training.learning.options import command_of, config_of, fixed_values
from rfop_training.learning.phases import Spent

MOST_METADATA = 2**24  # bytes of run.json
NEW_GAMES = "new games"  # in a state: a resumed run begins all games anew
MOST_CHECKPOINT = 2**37  # bytes of a checkpoint, with the games that expert iteration keeps
REPAIR = "put back a copy of it, or start another run in another folder"

METADATA_TYPES = {
    "command": str,
    "arguments": dict,
    "environment": str,
    "components": dict,
    "git": str,
    "python": str,
    "packages": dict,
}
RESUME_FIELDS = ("command", "arguments", "curve_opponent", "git", "python", "packages")


class RunFolder:
    """The folder of a run; the attributes are the paths of its files."""

    EVENTS = "events.out.tfevents.*"  # of TensorBoard

    def __init__(self, path: Path):
        self.path = path
        self.model = path / MODEL
        self.old_model = path / "model.zip"  # of earlier versions
        self.metadata = path / "run.json"
        self.config = path / "config.toml"  # the arguments, for `--config`
        self.checkpoint = path / "checkpoint.pt"
        self.progress = path / "progress.csv"
        self.curve = path / "curve.csv"
        self.replays = path / "replays"  # a folder for each recorded point of the curve, named by its steps
        self.lock = path / LOCK

    # -- one process at a time -----------------------------------------------------------------------------------------

    @contextmanager
    def hold(self, resume: bool) -> Iterator[None]:
        """Have the folder for the block; no other process trains there. An empty folder is removed afterwards.

        Raises `RfopError` where another process has it, where a fresh run would overwrite another, and where there is
        nothing to resume.
        """
        path = self.path
        if path.exists() and not path.is_dir():
            raise RfopError(f"{path} is a file: choose another --run")
        if resume and not path.exists():
            raise RfopError(f"{path} does not exist: nothing to resume; leave out --resume to start")

        busy = f"{path} is in use, another process trains there: wait for it, or choose another --run"
        with locked(self.lock, busy):
            try:
                self._check(resume)
                yield
            finally:
                if [*path.iterdir()] == [self.lock]:
                    self.lock.unlink()
                    path.rmdir()

    def _check(self, resume: bool) -> None:
        existing = [path for path in (self.checkpoint, self.model, self.old_model) if path.exists()]
        if existing and not self.checkpoint.exists():
            raise RfopError(
                f"{existing[0]} exists without {self.checkpoint.name}: that run cannot be resumed; choose another --run"
            )
        if existing and not resume:
            raise RfopError(f"{existing[0]} exists: add --resume to continue it, or choose another --run")
        if resume and not existing:
            raise RfopError(f"{self.checkpoint} does not exist: nothing to resume; leave out --resume to start")

    # -- start and resume ----------------------------------------------------------------------------------------------

    def start(self, metadata: Mapping[str, Any]) -> None:
        """Write the metadata and the arguments of a fresh run.

        Logs of a run that ended before its first checkpoint are removed. Raises `RfopError` for those of anything else.
        """
        logs = [path for name in (self.curve.name, self.progress.name, self.EVENTS) for path in self.path.glob(name)]
        if logs and not self.metadata.exists():
            raise RfopError(f"{logs[0]} is of no run of this package: choose another --run")
        with telling_what_fails(self.path):
            for path in [*logs, *self._unfinished()]:
                path.unlink()
        self.write_metadata(metadata)
        write_whole(self.config, config_of(metadata["arguments"]))

    def resume(self, metadata: Mapping[str, Any], steps: int) -> None:
        """Cut the logs back to the steps of the checkpoint, and add this call to the metadata."""
        first = self.read_metadata()
        cut_back(self.curve, "steps", steps)
        cut_back(self.progress, "steps", steps)
        with telling_what_fails(self.path):
            for path in self._unfinished():
                path.unlink()
        resumption = {"steps": steps} | {name: metadata[name] for name in RESUME_FIELDS}
        first["resumes"] = [*first.get("resumes", []), resumption]
        self.write_metadata(first)

    def _unfinished(self) -> list[Path]:
        """Temporary files that a killed process has left."""
        return [*self.path.glob(f".*{PART}"), *self.path.glob(f"checkpoints/.*{PART}")]

    # -- metadata ------------------------------------------------------------------------------------------------------

    def write_metadata(self, metadata: Mapping[str, Any]) -> None:
        """Write run.json, and the folder if there is none."""
        write_whole(self.metadata, json.dumps(metadata, indent=1) + "\n")

    def read_metadata(self) -> dict[str, Any]:
        """The content of run.json: how the run started, and under "resumes" how it continued. Raises `RfopError`."""
        path = self.metadata
        if not path.exists():
            raise RfopError(f"{self.path} is no run: give the folder that a trainer of this package wrote")
        try:
            metadata = json.loads(read_text(path, MOST_METADATA))
        except (ValueError, RecursionError, OSError) as error:
            raise RfopError(f"{path} cannot be read as JSON ({error}): copy it anew, or train anew") from error

        wrong = [
            name
            for name, kind in METADATA_TYPES.items()
            if not isinstance(metadata, dict) or not isinstance(metadata.get(name), kind)
        ]
        resumes = [] if wrong else metadata.get("resumes", [])
        if not isinstance(resumes, list) or not all(isinstance(one, dict) for one in resumes):
            wrong.append("resumes")
        if wrong:
            raise RfopError(f"{path} lacks, or has with another type: {', '.join(wrong)}; copy it anew, or train anew")
        checked: dict[str, Any] = metadata
        return checked

    # -- the model and the checkpoint ----------------------------------------------------------------------------------

    def write_models(self, weights: Mapping[str, Any], metadata: Mapping[str, Any], step: int | None = None) -> None:
        """Write the newest model; with `step`, also as an older one that is kept in checkpoints/."""
        write_network(self.model, weights, metadata)
        if step is not None:
            write_network(self.path / f"checkpoints/step_{step}.safetensors", weights, metadata)

    def write_checkpoint(
        self,
        trainer: str,
        fixed: Mapping[str, str],
        metadata: Mapping[str, Any],
        spent: Spent,
        state: Mapping[str, Any],
    ) -> None:
        """Write everything needed to resume: tensors and plain values, no code.

        `trainer` is its name. `fixed` are the arguments that a resumed run must share, `metadata` those of the
        environment, `spent` the time of training so far.
        """
        import torch

        buffer = io.BytesIO()
        content = {
            "trainer": trainer,
            "fixed": dict(fixed),
            "metadata": dict(metadata),
            "seconds": spent.wall,
            "processor_seconds": spent.processor,
            "state": dict(state),
        }
        torch.save(content, buffer)
        write_whole(self.checkpoint, buffer.getvalue())

    def read_checkpoint(
        self, trainer: str, arguments: Any, game: Game, components: Any
    ) -> tuple[dict[str, Any], Spent]:
        """The state in the checkpoint, and the time of training so far.

        The state has `NEW_GAMES` where the games of the checkpoint are of another component set: they end there.
        An argument that the checkpoint does not know is newer than it, and counts as having had its default. Raises
        `RfopError` if the file is damaged, or of another trainer, other arguments or another environment; with
        `arguments.any_components` it may be of another component set.
        """
        import torch

        path = self.checkpoint
        try:
            with readable(path, MOST_CHECKPOINT):
                content = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # nearly anything, with advice to trust the file that does not belong here
            raise RfopError(f"{path} is no whole checkpoint of this package: {REPAIR}") from error
        with self.checking_checkpoint():
            written_by = content["trainer"]
            spent = Spent(float(content["seconds"]), float(content["processor_seconds"]))
            before, metadata = dict(content["fixed"]), dict(content["metadata"])
            state: dict[str, Any] = dict(content["state"])

        if written_by != trainer:
            raise RfopError(f"{path} was written by {written_by!r}, which alone can resume it")
        known = fixed_values(type(arguments)()) | before
        fixed = fixed_values(arguments)
        wrong = [
            f"{name} {known[name]!r} instead of {value!r}" for name, value in fixed.items() if known[name] != value
        ]
        if wrong:
            raise RfopError(f"{path} was made with other settings: {', '.join(wrong)}")
        if require_metadata(path, metadata, game, components, arguments.any_components):
            state[NEW_GAMES] = True
        return state, spent

    @contextmanager
    def checking_checkpoint(self) -> Iterator[None]:
        """Turn any error of the block, which uses parts of the checkpoint, into an `RfopError` that says what to do.

        Wrong parts make torch, NumPy and the rules raise nearly anything.
        """
        try:
            yield
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            reason = f"{type(error).__name__}: {lines[0]}"[:200]
            raise RfopError(
                f"{self.checkpoint} is damaged, or of another version of this package ({reason}): {REPAIR}"
            ) from error

    # -- logs ----------------------------------------------------------------------------------------------------------

    def new_events(self) -> Path:
        """A path for TensorBoard events, after those of the folder in the order of names, which is that of reading."""
        number = len([*self.path.glob(self.EVENTS)])
        return self.path / f"{self.EVENTS.removesuffix('*')}{int(time.time()):010d}.{number}"

    def add_progress(self, row: Mapping[str, object]) -> None:
        """Append a row to progress.csv."""
        append_rows(self.progress, [row])

    def has_point(self, steps: int) -> bool:
        """Whether the learning curve has the point of these steps."""
        return any(row.get("steps") == str(steps) for row in read_log(self.curve))

    def add_point(self, rows: Sequence[Row], spent: Spent, steps: int, seed: int) -> None:
        """Append a line for each row to the learning curve, with the time of training so far."""
        append_rows(self.curve, curve_lines(rows, spent, steps, seed))

    def replays_of(self, steps: int, games: int) -> Replays | None:
        """Where so many games a side of a point of the learning curve are recorded, if any are."""
        return Replays(self.replays / str(steps), games) if games else None

    def read_curve(self) -> dict[str, dict[str, list[float]]]:
        """The columns of numbers of curve.csv by side. Raises `RfopError` if there is none, or it is broken."""
        rows = self._curve_rows()
        numbers = [f.name for f in fields(CurveRow) if f.name not in ("side", "opponent")]
        return {
            side: {name: [float(getattr(row, name)) for row in rows if row.side == side] for name in numbers}
            for side in dict.fromkeys(row.side for row in rows)
        }

    def curve_rows(self) -> list[CurveRow]:
        """The rows of curve.csv, none before its first point. Raises `RfopError` if it is broken."""
        return read_rows(self.curve, CurveRow)

    def last_wins(self) -> dict[str, float]:
        """The shares of wins of the last point of the learning curve by side; none before its first point."""
        return {row.side: row.win_rate for row in self.curve_rows()}

    def read_metrics(self) -> list[dict[str, float]]:
        """The rows of progress.csv as numbers, without what a row leaves empty. Raises `RfopError`."""
        return [{name: float(text) for name, text in row.items() if text} for row in read_log(self.progress)]

    def curve_opponents(self) -> list[str]:
        """Who the learning curve was played against, "-" in a game of one seat; several if a resumption changed it.

        Raises `RfopError` as `read_curve` does.
        """
        return list(dict.fromkeys(row.opponent for row in self._curve_rows()))

    def _curve_rows(self) -> list[CurveRow]:
        path = self.curve
        if not path.exists():
            raise RfopError(f"{path} does not exist: give the folder of a run of a trainer of this package")
        rows = read_records(path, CurveRow)
        if not rows:
            raise RfopError(f"{path} has no point yet: resume the run first")
        return rows

    def last_steps(self) -> float:
        """The steps of the last point of the learning curve."""
        return max(columns["steps"][-1] for columns in self.read_curve().values())


def run_metadata(
    trainer: str,
    arguments: Any,
    game: Game,
    components: Any,
    curve_opponent: str,
    packages: Sequence[str] = ("numba", "numpy", "torch"),
) -> dict[str, Any]:
    """Everything needed to repeat a run: the content of run.json.

    `curve_opponent` is whom the learning curve is played against, "-" in a game of one seat.
    """
    return {
        "command": command_of(trainer, arguments),
        "arguments": {name: str(v) if isinstance(v, Path) else v for name, v in asdict(arguments).items()},
        "environment": game.id,
        "curve_opponent": curve_opponent,
        "components": {"name": components.name, "digest": components.digest},
        "git": revision(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }
