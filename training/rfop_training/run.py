"""A run of any trainer: its folder, learning curve, progress, checkpoints and exact resume.

A trainer inherits from `Trainer`; `train_run` makes it, and calls `Trainer.update` until the budget is spent. One
process at a time has the folder. Every file is written atomically, the checkpoint first: a run continues from its
checkpoint however it ended, and later rows of the logs are removed. Nothing in the folder is code.
"""

from __future__ import annotations

import io
import json
import platform
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from rfop_agents import network
from rfop_env.core import files
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_training import run_arguments
from rfop_training.common import records
from rfop_training.run_arguments import RunArguments

Callback = Callable[[Mapping[str, float]], bool | None]  # gets metrics by name; True stops the run

SHARED_METRICS = (  # of all trainers, in the order of progress.csv; a trainer's own come after them
    "policy_loss",
    "value_loss",
    "entropy",
    "approx_kl",
    "clipfrac",
    "explained_variance",
    "learning_rate",
)
WINS = "wins"  # the mean over all sides; `wins_SIDE` of each
MAX_METADATA = 2**24  # bytes of run.json
MAX_CHECKPOINT = 2**37  # bytes of a checkpoint, with the games that expert iteration keeps
FORMAT = 3  # of checkpoints
NEW_GAMES = "new games"  # in a state: the resumed run starts all games anew
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


@dataclass(frozen=True)
class CurveRow:
    """A line of a run's curve.csv: how the network did on the deals of a point, as one side."""

    seconds: float  # of training so far, by the clock
    processor_seconds: float  # the same on processors, of all threads of the process that trains
    steps: int
    side: str
    opponent: str  # who has all other seats; "-" in a game of one seat
    first_deal: int  # of those that this point alone has (`curve_deals`)
    games: int
    win_rate: float
    low: float
    high: float
    points: float
    seed: int


@dataclass
class Duration:
    """Time of training, in seconds."""

    wall: float = 0.0  # by the clock
    processor: float = 0.0  # of all threads of this process together


class Trainer(ABC):
    """What a run asks of an algorithm: everything that changes while it trains, and its state for exact resume."""

    name: ClassVar[str]  # the second word of `rfop train`
    packages: ClassVar[tuple[str, ...]] = ("numba", "numpy", "torch")  # whose versions run.json has
    args: RunArguments
    game: Game
    components: Any
    steps: int  # decisions of the learner
    updates: int

    @abstractmethod
    def update(self, progress: float, learning_rate: float) -> dict[str, float]:
        """Play and learn once; returns metrics. `progress` is the share of the budget that is spent."""

    @abstractmethod
    def to_arrays(self) -> dict[str, Any]:
        """A copy of the weights under the names of a model file."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Everything needed to resume, between two updates, as tensors and plain values."""

    @abstractmethod
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments; raises any error where it does not fit."""

    @abstractmethod
    def curve_opponent(self) -> str:
        """The name of the opponent of the learning curve; "" in a game of one seat."""

    @abstractmethod
    def predicted_rewards(self) -> Mapping[str, float]:
        """The reward kinds, with weights, whose remainder the values predict."""

    def belief_pieces(self) -> Sequence[str]:
        """The names of the private pieces that a belief head predicts of other seats; none without one."""
        return ()

    def counts(self) -> Mapping[str, int]:
        """What progress.csv counts besides steps and updates."""
        return {}


class Run:
    """A trainer with its folder, its budget, its learning curve and its logs."""

    def __init__(self, trainer: Trainer, folder: RunFolder, past: Duration, callback: Callback | None = None):
        args = trainer.args
        self.trainer = trainer
        self.args = args
        self.folder = folder
        self.callback = callback

        name = trainer.curve_opponent()
        self.opponent = args.load_agent(name, trainer.game, trainer.components) if name else None

        # The clock, and what is due when.
        self.past = past  # the time of the runs that this one resumes
        self.start = time.monotonic()
        self.processor_start = time.process_time()
        self.start_counts = {"decisions": trainer.steps, **trainer.counts()}
        self.next_checkpoint = self.seconds() + args.checkpoint_every
        self.next_point = self.seconds() + args.evaluate_every
        self.next_point_steps = 0

        # How the run goes.
        self.interrupted = False  # by Ctrl-C
        self.stopped = False  # by the callback, which has returned True
        self.error: Exception | None = None  # of the callback
        self.wins: dict[str, float] = {}  # of the newest point, as columns of progress.csv
        self._events: Events | None = None
        self._bar: Any = None

    # -- the clock -----------------------------------------------------------------------------------------------------

    def seconds(self) -> float:
        """Seconds of training so far by the clock, those of resumed runs included."""
        return time.monotonic() - self.start + self.past.wall

    def duration(self) -> Duration:
        """The time of training so far, that of resumed runs included."""
        return Duration(self.seconds(), time.process_time() - self.processor_start + self.past.processor)

    def progress(self) -> float:
        """The share of the budget that is spent, 0 to 1: by the clock or by decisions, whichever is larger."""
        args = self.args
        by_clock = (time.monotonic() - self.start) / (60 * args.minutes) if args.minutes else 0.0
        by_steps = self.trainer.steps / args.steps if args.steps else 0.0
        return min(1.0, max(by_clock, by_steps))

    def paused(self) -> bool:
        """Whether the run stops here, with a part of its budget left: after `until` decisions."""
        return bool(self.args.until) and self.trainer.steps >= self.args.until

    def point_due(self) -> bool:
        """Whether a point of the learning curve is due: at the start, then each `evaluate_steps` or seconds."""
        steps = self.trainer.steps
        if steps == 0 or self.args.evaluate_steps:
            return steps >= self.next_point_steps
        return self.seconds() >= self.next_point

    def _schedule_point(self, last: int) -> None:
        """Set when a point is due after that of `last` steps."""
        interval = self.args.evaluate_steps
        self.next_point_steps = (last // interval + 1) * interval if interval else 1
        self.next_point = self.seconds() + self.args.evaluate_every

    # -- training ------------------------------------------------------------------------------------------------------

    def train(self) -> None:
        """Train until the budget is spent or `until` is reached, or the user or the callback stops it; then save.

        Raises the error of a callback once the run is saved, and `KeyboardInterrupt` after Ctrl-C.
        """
        with self._stop_on_interrupt():
            self.open_logs()
            if points := self.folder.curve_rows():  # of the run that this one resumes
                self._schedule_point(points[-1].steps)
            try:
                while self.progress() < 1.0 and not self.paused() and not self.interrupted and not self._ended():
                    if self.point_due():
                        self.add_curve_point()
                        self._schedule_point(self.trainer.steps)
                    if not self._ended():
                        self.update()
                    if self.seconds() >= self.next_checkpoint and not self._ended():
                        self.save(self.trainer.steps)
                        self.next_checkpoint = self.seconds() + self.args.checkpoint_every
                self.save()
                if self.error is None and not self.interrupted:
                    self.add_curve_point()
            finally:
                self.close_logs()

        if self.error is not None:
            raise self.error
        if self.interrupted:
            raise KeyboardInterrupt(
                f"stopped at {self.trainer.steps:,} steps; the model is {self.folder.model}; continue with --resume"
            )

    def update(self) -> None:
        """Let the trainer play and learn once, and write its metrics."""
        trainer, start, steps = self.trainer, self.seconds(), self.trainer.steps
        progress = self.progress()
        learning_rate = self.args.learning_rate * (1.0 - 0.9 * progress)
        metrics = trainer.update(progress, learning_rate) | {"learning_rate": learning_rate}

        speed = (trainer.steps - steps) / (self.seconds() - start)
        row: dict[str, float] = {"updates": trainer.updates, "steps": trainer.steps, **trainer.counts()}
        row |= {"seconds": round(self.seconds(), 1), "steps_per_second": round(speed)}
        row |= {name: metrics[name] for name in SHARED_METRICS if name in metrics} | metrics
        texts = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in row.items()}
        self.folder.add_progress(texts | {name: f"{rate:.4f}" for name, rate in self.wins.items()})
        self._report(row)

    def add_curve_point(self) -> None:
        """Evaluate the network, and append a line for each side to the learning curve, unless it has this point."""
        from rfop_training.evaluation import recorded, rows
        from rfop_training.evaluation.games import curve_deals

        trainer, args, folder, steps = self.trainer, self.args, self.folder, self.trainer.steps
        if folder.has_point(steps):
            return
        agent = network.NetworkAgent.from_weights(trainer.to_arrays(), "training")
        replays = recorded.Replays(folder.replays / str(steps), args.evaluate_replays)
        settings: dict[str, Any] = {
            "options": run_arguments.game_options(args.option, trainer.game),
            "components": trainer.components,
            "threads": args.threads,
            "replays": replays if args.evaluate_replays else None,
        }
        deals = curve_deals(args.seed, steps, args.evaluate_deals)
        if self.opponent is None:
            if settings["options"].get("side") == "random":  # a row for each side
                del settings["options"]["side"]
            points = rows.alone(trainer.game, agent, deals, **settings)
        else:
            points = rows.pair(trainer.game, agent, self.opponent, deals, **settings)
            points = points[:-1] if trainer.game.spec.players == 2 else points[-1:]

        duration = self.duration()
        folder.add_point(points, duration, steps, args.seed, deals.start)
        self.wins = win_columns({row.side: row.win_rate for row in points})
        self._report({"steps": steps, "seconds": round(duration.wall, 1), **self.wins})

    def save(self, step: int | None = None) -> None:
        """Write the checkpoint, then the model; with `step` also a copy of the model that stays in checkpoints/."""
        trainer, duration = self.trainer, self.duration()
        self.folder.write_checkpoint(trainer, duration)
        training = {
            "rewards": dict(trainer.predicted_rewards()),
            "steps": trainer.steps,
            "seed": self.args.seed,
            "minutes": round(duration.wall / 60, 2),
        }
        if pieces := trainer.belief_pieces():
            training["belief"] = [*pieces]
        environment = network.game_metadata(trainer.game, trainer.components)
        self.folder.write_models(trainer.to_arrays(), self.metadata() | environment | training, step)

    def metadata(self) -> dict[str, Any]:
        """Everything needed to repeat the run: the content of run.json."""
        trainer = self.trainer
        opponent = "-" if self.opponent is None else self.opponent.name
        return run_metadata(trainer.name, self.args, trainer.game, trainer.components, opponent, trainer.packages)

    def speed(self) -> str:
        """The counts of this call, as a sentence: "60,000 decisions, 15,000 labels in 100 s: ... a second"."""
        seconds = time.monotonic() - self.start
        counts = {"decisions": self.trainer.steps, **self.trainer.counts()}
        numbers = {name: number - self.start_counts[name] for name, number in counts.items()}
        totals = ", ".join(f"{number:,} {name}" for name, number in numbers.items())
        rates = ", ".join(f"{number / seconds:,.0f} {name}" for name, number in numbers.items())
        return f"{totals} in {seconds:,.0f} s: {rates} a second"

    @contextmanager
    def _stop_on_interrupt(self) -> Iterator[None]:
        """Let the first Ctrl-C end the run after the present update; only the main thread receives it."""

        def stop(*_: Any) -> None:
            self.interrupted = True
            signal.signal(signal.SIGINT, previous)  # a second Ctrl-C stops at once

        main = threading.current_thread() is threading.main_thread()
        previous = signal.signal(signal.SIGINT, stop) if main else None
        try:
            yield
        finally:
            if main:
                signal.signal(signal.SIGINT, previous)

    # -- reports -------------------------------------------------------------------------------------------------------

    def open_logs(self) -> None:
        """Open the TensorBoard events and the progress bar."""
        steps = self.trainer.steps
        self.wins = win_columns({row.side: row.win_rate for row in self.folder.curve_rows()})
        self._events = Events.open(self.folder, steps)
        if self.args.quiet:
            return
        if self.args.resume:
            place = f"{steps:,} steps, {self.seconds() / 60:.1f} minutes{self._wins_text()}"
            print(f"{self.folder.path}: resumes at {place}", file=sys.stderr)
        from tqdm import tqdm

        self._bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")
        self._show()

    def close_logs(self) -> None:
        """Close what `open_logs` has opened."""
        if self._bar is not None:
            self._bar.close()
        if self._events is not None:
            self._events.close()

    def _ended(self) -> bool:
        return self.stopped or self.error is not None

    def _report(self, metrics: Mapping[str, float]) -> None:
        """Write TensorBoard events, call the callback, which may stop the run, and show the bar."""
        if self._events is not None:
            self._events.add(metrics)
        if self.callback is not None and not self._ended():
            try:
                self.stopped = bool(self.callback(metrics))
            except Exception as error:  # of the user's code: the run is saved first
                self.error = error
        self._show()

    def _show(self) -> None:
        if self._bar is not None:
            self._bar.n = round(100 * self.progress())
            self._bar.set_postfix_str(f"{self.trainer.steps:,} steps{self._wins_text()}")

    def _wins_text(self) -> str:
        """The newest shares of wins: ", wins royalists 51% jacobins 48%"; nothing before the first point."""
        sides = [f"{name.removeprefix(f'{WINS}_')} {rate:.0%}" for name, rate in self.wins.items() if name != WINS]
        return f", wins {' '.join(sides)}" if sides else ""


def train_run(
    trainer_class: Callable[..., Trainer],
    args: RunArguments,
    callback: Callback | None = None,
    **settings: Any,
) -> Run:
    """Train one run, or resume it; returns the finished run. Raises `RfopError` for arguments that cannot work.

    `trainer_class` is called with the arguments, the game, its components and `settings`. `callback` gets the metrics
    of every update and the points of the learning curve.
    """
    run_arguments.check_arguments(args)
    run_arguments.check_budget(args)
    game, components = run_arguments.load_game(args)
    folder = RunFolder(args.run)
    with folder.lock(args.resume):
        # Read the checkpoint before anything is compiled, and compile before the clock starts.
        state, past = None, Duration()
        if args.resume:
            state, past = folder.read_checkpoint(trainer_class.name, args, game, components)  # type: ignore[attr-defined]
        trainer = trainer_class(args, game, components, **settings)
        if state is not None:
            with folder.checking_checkpoint():
                trainer.restore(state)

        run = Run(trainer, folder, past, callback)
        if args.resume:
            folder.resume(run.metadata(), trainer.steps)
        else:
            folder.start(run.metadata())
        run.train()
    return run


def run_metadata(
    trainer: str, args: Any, game: Game, components: Any, curve_opponent: str, packages: tuple[str, ...]
) -> dict[str, Any]:
    """The content of run.json: everything needed to repeat a run."""
    from rfop_training.common.provenance import revision

    return {
        "command": run_arguments.command_text(trainer, args),
        "arguments": {name: str(v) if isinstance(v, Path) else v for name, v in asdict(args).items()},
        "environment": game.id,
        "curve_opponent": curve_opponent,
        "components": {"name": components.name, "digest": components.digest},
        "git": revision(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


def win_columns(rates: Mapping[str, float]) -> dict[str, float]:
    """The columns of shares of wins by side: their mean as `wins`, and each as `wins_SIDE`; none without sides."""
    if not rates:
        return {}
    return {WINS: float(np.mean([*rates.values()]))} | {f"{WINS}_{side}": rate for side, rate in rates.items()}


def require_finite(steps: int, *tensors: Tensor) -> None:
    """Raise `RfopError` if a weight, or an output of a network, is infinite or NaN."""
    if not all(bool(tensor.isfinite().all()) for tensor in tensors):
        raise RfopError(
            f"the network no longer gives finite numbers after {steps:,} steps: lower --learning-rate; "
            "the last checkpoint is from before"
        )


def load_optimiser(optimiser: torch.optim.Optimizer, state: Mapping[str, Any]) -> None:
    """Load the state of a checkpoint. Raises `RfopError` where it is of other parameters."""
    optimiser.load_state_dict(dict(state))
    for parameter, moments in optimiser.state.items():
        for name, value in moments.items():
            if value.shape not in (parameter.shape, torch.Size()) or (name != "step" and not value.shape):
                raise RfopError(f"{name} of the optimiser: {list(value.shape)} instead of {list(parameter.shape)}")
            if value.shape:  # in memory as the parameter lies: the fused optimiser goes through both together
                moments[name] = torch.empty_like(parameter, requires_grad=False).copy_(value)


# -- the folder --------------------------------------------------------------------------------------------------------


class RunFolder:
    """The folder of a run; the attributes are the paths of its files."""

    EVENTS = "events.out.tfevents.*"  # of TensorBoard

    def __init__(self, path: Path):
        self.path = path
        self.model = path / network.MODEL
        self.metadata = path / "run.json"
        self.config = path / "config.toml"  # the arguments, for `--config`
        self.checkpoint = path / "checkpoint.pt"
        self.progress = path / "progress.csv"
        self.curve = path / "curve.csv"
        self.replays = path / "replays"  # a folder for each recorded point of the curve, named by its steps
        self.lock_file = path / records.LOCK

    @contextmanager
    def lock(self, resume: bool) -> Iterator[None]:
        """Hold the folder for the block: no other process trains there. An empty folder is removed afterwards.

        Raises `RfopError` where another process holds it, where a fresh run would overwrite another, and where there is
        nothing to resume.
        """
        path = self.path
        if path.exists() and not path.is_dir():
            raise RfopError(f"{path} is a file: choose another --run")
        if resume and not path.exists():
            raise RfopError(f"{path} does not exist: nothing to resume; leave out --resume to start")

        busy = f"{path} is in use, another process trains there: wait for it, or choose another --run"
        with records.locked(self.lock_file, busy):
            try:
                self._check(resume)
                yield
            finally:
                if [*path.iterdir()] == [self.lock_file]:
                    self.lock_file.unlink()
                    path.rmdir()

    def _check(self, resume: bool) -> None:
        existing = [path for path in (self.checkpoint, self.model) if path.exists()]
        if existing and not self.checkpoint.exists():
            raise RfopError(
                f"{existing[0]} exists without {self.checkpoint.name}: that run cannot be resumed; choose another --run"
            )
        if existing and not resume:
            raise RfopError(f"{existing[0]} exists: add --resume to continue it, or choose another --run")
        if resume and not existing:
            raise RfopError(f"{self.checkpoint} does not exist: nothing to resume; leave out --resume to start")

    def start(self, metadata: Mapping[str, Any]) -> None:
        """Write the metadata and the arguments of a fresh run.

        Logs of a run that ended before its first checkpoint are removed. Raises `RfopError` for those of anything else.
        """
        logs = [path for name in (self.curve.name, self.progress.name, self.EVENTS) for path in self.path.glob(name)]
        if logs and not self.metadata.exists():
            raise RfopError(f"{logs[0]} is of no run of this package: choose another --run")
        with files.telling_what_fails(self.path):
            for path in [*logs, *self._unfinished()]:
                path.unlink()
        self.write_metadata(metadata)
        files.write_whole(self.config, run_arguments.config_text(metadata["arguments"]))

    def resume(self, metadata: Mapping[str, Any], steps: int) -> None:
        """Cut the logs back to the steps of the checkpoint, and add this call to the metadata."""
        content = self.read_metadata()
        records.cut_back(self.curve, "steps", steps)
        records.cut_back(self.progress, "steps", steps)
        with files.telling_what_fails(self.path):
            for path in self._unfinished():
                path.unlink()
        resumption = {"steps": steps} | {name: metadata[name] for name in RESUME_FIELDS}
        content["resumes"] = [*content.get("resumes", []), resumption]
        self.write_metadata(content)

    def _unfinished(self) -> list[Path]:
        """Temporary files that a killed process has left."""
        return [*self.path.glob(f".*{files.PART}"), *self.path.glob(f"checkpoints/.*{files.PART}")]

    # -- metadata ------------------------------------------------------------------------------------------------------

    def write_metadata(self, metadata: Mapping[str, Any]) -> None:
        """Write run.json, and the folder if there is none."""
        files.write_whole(self.metadata, json.dumps(metadata, indent=1) + "\n")

    def read_metadata(self) -> dict[str, Any]:
        """The content of run.json: how the run started, and under "resumes" how it continued. Raises `RfopError`."""
        path = self.metadata
        if not path.exists():
            raise RfopError(f"{self.path} is no run: give the folder that a trainer of this package wrote")
        try:
            metadata = json.loads(files.read_text(path, MAX_METADATA))
        except (ValueError, RecursionError, OSError) as error:
            raise RfopError(f"{path} cannot be read as JSON ({error}): copy it anew, or train anew") from error

        names = [*METADATA_TYPES]
        if isinstance(metadata, dict):
            names = [name for name, kind in METADATA_TYPES.items() if not isinstance(metadata.get(name), kind)]
        resumes = [] if names else metadata.get("resumes", [])
        if not isinstance(resumes, list) or not all(isinstance(resumption, dict) for resumption in resumes):
            names.append("resumes")
        if names:
            raise RfopError(f"{path} lacks, or has with another type: {', '.join(names)}; copy it anew, or train anew")
        content: dict[str, Any] = metadata
        return content

    # -- the model and the checkpoint ----------------------------------------------------------------------------------

    def write_models(self, weights: Mapping[str, Any], metadata: Mapping[str, Any], step: int | None = None) -> None:
        """Write the newest model; with `step`, also as an older one that stays in checkpoints/."""
        network.write_network(self.model, weights, metadata)
        if step is not None:
            network.write_network(self.path / f"checkpoints/step_{step}.safetensors", weights, metadata)

    def write_checkpoint(self, trainer: Trainer, duration: Duration) -> None:
        """Write everything needed to resume: tensors and plain values, no code."""
        buffer = io.BytesIO()
        content = {
            "format": FORMAT,
            "trainer": trainer.name,
            "fixed": run_arguments.fixed_values(trainer.args),
            "metadata": network.game_metadata(trainer.game, trainer.components),
            "seconds": duration.wall,
            "processor_seconds": duration.processor,
            "state": trainer.state(),
        }
        torch.save(content, buffer)
        files.write_whole(self.checkpoint, buffer.getvalue())

    def read_checkpoint(
        self, trainer: str, arguments: Any, game: Game, components: Any
    ) -> tuple[dict[str, Any], Duration]:
        """The state in the checkpoint, and the time of training so far.

        The state has `NEW_GAMES` where the games of the checkpoint are of another component set: they end there.
        Raises `RfopError` if the file is damaged, or of another version, trainer, arguments or environment; with
        `arguments.any_components` it may be of another component set.
        """
        path = self.checkpoint
        try:
            with files.readable(path, MAX_CHECKPOINT):
                content = torch.load(path, map_location="cpu", weights_only=True)
        except Exception as error:  # nearly anything, with advice to trust the file that does not belong here
            raise RfopError(f"{path} is no whole checkpoint of this package: {REPAIR}") from error
        with self.checking_checkpoint():
            format_number = content.get("format")
            author = content["trainer"]
            duration = Duration(float(content["seconds"]), float(content["processor_seconds"]))
            fixed, metadata = dict(content["fixed"]), dict(content["metadata"])
            state: dict[str, Any] = dict(content["state"])

        if format_number != FORMAT:
            raise RfopError(
                f"{path} was written by another version of this package, which alone can resume it; train on from its "
                f"model in another folder: --init-from {self.path}"
            )
        if author != trainer:
            raise RfopError(f"{path} was written by {author!r}, which alone can resume it")
        differences = [
            f"{name} {fixed.get(name)!r} instead of {value!r}"
            for name, value in run_arguments.fixed_values(arguments).items()
            if fixed.get(name) != value
        ]
        if differences:
            raise RfopError(f"{path} was made with other settings: {', '.join(differences)}")
        if network.require_metadata(path, metadata, game, components, arguments.any_components):
            state[NEW_GAMES] = True
        return state, duration

    @contextmanager
    def checking_checkpoint(self) -> Iterator[None]:
        """Turn any error of the block, which uses parts of the checkpoint, into an `RfopError` with the remedy.

        Unfit parts make torch, NumPy and the rules raise nearly anything.
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
        records.append_rows(self.progress, [row])

    def has_point(self, steps: int) -> bool:
        """Whether the learning curve has the point of these steps."""
        return any(row.get("steps") == str(steps) for row in records.read_log(self.curve))

    def add_point(self, rows: Any, duration: Duration, steps: int, seed: int, first_deal: int) -> None:
        """Append a line for each `evaluation.rows.Row` to the learning curve, with the time of training so far."""
        times = {"seconds": round(duration.wall, 1), "processor_seconds": round(duration.processor, 1), "steps": steps}
        lines = []
        for row in rows:
            line: dict[str, object] = {**times, "side": row.side, "opponent": row.opponent}
            line |= {"first_deal": first_deal, "games": row.games}
            line |= {name: f"{getattr(row, name):.4f}" for name in ("win_rate", "low", "high", "points")}
            lines.append(line | {"seed": seed})
        records.append_rows(self.curve, lines)

    def curve_rows(self) -> list[CurveRow]:
        """The rows of curve.csv, none before its first point. Raises `RfopError` if it is broken."""
        return records.read_rows(self.curve, CurveRow)

    def read_metrics(self) -> list[dict[str, float]]:
        """The rows of progress.csv as numbers, without what a row leaves empty. Raises `RfopError`."""
        return [{name: float(text) for name, text in row.items() if text} for row in records.read_log(self.progress)]

    def read_curve(self) -> dict[str, dict[str, list[float]]]:
        """The measures of curve.csv by side, a list each. Raises `RfopError` if there is none, or it is broken."""
        rows = self._require_curve()
        names = [f.name for f in fields(CurveRow) if f.name not in ("side", "opponent", "first_deal", "seed")]
        columns: dict[str, dict[str, list[float]]] = {}
        for row in rows:
            side = columns.setdefault(row.side, {name: [] for name in names})
            for name in names:
                side[name].append(float(getattr(row, name)))
        return columns

    def curve_opponents(self) -> list[str]:
        """Who the learning curve was played against, "-" in a game of one seat; several if a resumption changed it.

        Raises `RfopError` as `read_curve` does.
        """
        return list(dict.fromkeys(row.opponent for row in self._require_curve()))

    def last_steps(self) -> float:
        """The steps of the last point of the learning curve. Raises `RfopError` as `read_curve` does."""
        return self._require_curve()[-1].steps

    def _require_curve(self) -> list[CurveRow]:
        path = self.curve
        if not path.exists():
            raise RfopError(f"{path} does not exist: give the folder of a run of a trainer of this package")
        rows = records.read_records(path, CurveRow)
        if not rows:
            raise RfopError(f"{path} has no point yet: resume the run first")
        return rows


class Events:
    """A file of TensorBoard events, in the format of TensorBoard's own writer; it imports no TensorFlow."""

    @classmethod
    def open(cls, folder: RunFolder, steps: int) -> Events | None:
        """A new file of a run, whose older events of later steps count no more; None without TensorBoard."""
        try:
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.record_writer import RecordWriter
        except ImportError:
            return None
        return cls(folder, steps, event_pb2, summary_pb2, RecordWriter)

    def __init__(self, folder: RunFolder, steps: int, event_types: Any, summary_types: Any, writer: Any):
        self._event_types = event_types
        self._summary_types = summary_types
        self.path = folder.new_events()
        with files.telling_what_fails(self.path):
            self._writer = writer(self.path.open("wb"))
        self._write(file_version="brain.Event:2")
        if steps:
            start = event_types.SessionLog(status=event_types.SessionLog.START)
            self._write(step=steps + 1, session_log=start)

    def add(self, metrics: Mapping[str, float]) -> None:
        """Write metrics as scalars at their `steps`."""
        value = self._summary_types.Summary.Value
        scalars = [value(tag=name, simple_value=number) for name, number in metrics.items() if name != "steps"]
        self._write(step=int(metrics["steps"]), summary=self._summary_types.Summary(value=scalars))

    def _write(self, **content: Any) -> None:
        event = self._event_types.Event(wall_time=time.time(), **content)
        with files.telling_what_fails(self.path):
            self._writer.write(event.SerializeToString())
            self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        with files.telling_what_fails(self.path):
            self._writer.close()
