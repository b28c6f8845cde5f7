"""What a run tells while it trains: progress.csv, the learning curve, TensorBoard events, a bar, and a callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_agents.network import NetworkAgent
from rfop_env.agent import Agent
from rfop_env.core.files import telling_what_fails
from rfop_env.core.game import Game
from rfop_training.learning.arguments import RunArguments, game_options
from rfop_training.learning.budget import Budget
from rfop_training.learning.curve import curve_rows
from rfop_training.learning.run_folder import RunFolder

Callback = Callable[[Mapping[str, float]], bool | None]  # is given metrics by name; True stops the run

SHARED = (  # the metrics that all trainers have, in the order of progress.csv; the others come after them
    "policy_loss",
    "value_loss",
    "entropy",
    "approx_kl",
    "clipfrac",
    "explained_variance",
    "learning_rate",
)
WINS = "wins"  # over all sides; `wins_SIDE` of each
RETURN = "return_"  # before the name of an opponent: the moving average of the learner's returns against it


class RunLog:
    """The log of one run.

    `add_update` and `add_point` write what they are given and pass it to the callback, whose answer is in `stopped`
    and `error`. `begin` comes after the start or the resumption of the folder, `close` at the end.
    """

    def __init__(
        self,
        folder: RunFolder,
        args: RunArguments,
        game: Game,
        components: Any,
        opponent: Agent | None,
        budget: Budget,
        callback: Callback | None = None,
    ):
        self.folder = folder
        self.args = args
        self.game = game
        self.components = components
        self.opponent = opponent  # of the learning curve; None in a game of one seat
        self.budget = budget
        self.callback = callback
        self.stopped = False  # the callback has answered True
        self.error: Exception | None = None  # of the callback
        self.wins: dict[str, float] = {}  # of the newest point, as columns of progress.csv
        self._events: Events | None = None
        self._bar: Any = None

    @property
    def ended(self) -> bool:
        """Whether the callback ends the run: with True, or with an error."""
        return self.stopped or self.error is not None

    def begin(self, steps: int) -> None:
        """Open the events and the bar of a run that has so many steps behind it."""
        self.wins = wins_of(self.folder.last_wins())
        self._events = Events.of(self.folder, steps)
        if self.args.quiet:
            return
        if self.args.resume:
            place = f"{steps:,} steps, {self.budget.seconds() / 60:.1f} minutes{self._wins_text()}"
            print(f"{self.folder.path}: resumes at {place}", file=sys.stderr)
        from tqdm import tqdm

        self._bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")
        self._show(steps)

    def close(self) -> None:
        """Close what `begin` has opened."""
        if self._bar is not None:
            self._bar.close()
        if self._events is not None:
            self._events.close()

    def add_update(
        self,
        updates: int,
        steps: int,
        speed: float,
        metrics: Mapping[str, float],
        counts: Mapping[str, int] | None = None,
    ) -> None:
        """Write the metrics of an update, and tell the callback.

        `speed` is in steps a second. `counts` are what the trainer counts besides updates and steps.
        """
        row: dict[str, float] = {"updates": updates, "steps": steps, **(counts or {})}
        row |= {"seconds": round(self.budget.seconds(), 1), "steps_per_second": round(speed)}
        row |= {name: metrics[name] for name in SHARED if name in metrics} | dict(metrics)
        texts = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in row.items()}
        self.folder.add_progress(texts | {name: f"{rate:.4f}" for name, rate in self.wins.items()})
        self._tell(row)
        self._show(steps)

    def add_point(self, weights: Mapping[str, NDArray[Any]], steps: int) -> None:
        """Evaluate the network, write a point of the learning curve unless it has this one, and tell the callback."""
        folder, args = self.folder, self.args
        if folder.has_point(steps):
            return
        agent = NetworkAgent.of_weights(weights, "training")
        rows = curve_rows(
            self.game, agent, self.opponent, args.evaluate_deals, options=game_options(args.option, self.game),
            components=self.components, threads=args.threads, replays=folder.replays_of(steps, args.evaluate_replays),
        )  # fmt: skip
        spent = self.budget.time_spent()
        folder.add_point(rows, spent, steps, args.seed)
        self.wins = wins_of({row.side: row.win_rate for row in rows})
        self._tell({"steps": steps, "seconds": round(spent.wall, 1), **self.wins})
        self._show(steps)

    def _tell(self, metrics: Mapping[str, float]) -> None:
        """Write the events, and ask the callback whether to go on."""
        if self._events is not None:
            self._events.add(metrics)
        if self.callback is None or self.ended:
            return
        try:
            self.stopped = bool(self.callback(metrics))
        except Exception as error:  # of the user's code; the run saves first, and raises it then
            self.error = error

    def _show(self, steps: int) -> None:
        if self._bar is not None:
            self._bar.n = round(100 * self.budget.spent)
            self._bar.set_postfix_str(f"{steps:,} steps{self._wins_text()}")

    def _wins_text(self) -> str:
        """The newest shares of wins: ", wins royalists 51% jacobins 48%"; nothing before the first point."""
        sides = [f"{name.removeprefix(f'{WINS}_')} {rate:.0%}" for name, rate in self.wins.items() if name != WINS]
        return f", wins {' '.join(sides)}" if sides else ""


def wins_of(rates: Mapping[str, float]) -> dict[str, float]:
    """The columns of shares of wins by side: their mean as `wins`, and each as `wins_SIDE`; none without sides."""
    if not rates:
        return {}
    return {WINS: float(np.mean([*rates.values()]))} | {f"{WINS}_{side}": rate for side, rate in rates.items()}


class Events:
    """A file of TensorBoard events, in the format of TensorBoard's own writer; it imports no TensorFlow."""

    @classmethod
    def of(cls, folder: RunFolder, steps: int) -> Events | None:
        """A new file of a run, whose older events of later steps count no more; None without TensorBoard."""
        try:
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.record_writer import RecordWriter
        except ImportError:
            return None
        return cls(folder, steps, event_pb2, summary_pb2, RecordWriter)

    def __init__(self, folder: RunFolder, steps: int, events: Any, summaries: Any, writer: Any):
        self._events = events
        self._summaries = summaries
        self.path = folder.new_events()
        with telling_what_fails(self.path):
            self._writer = writer(self.path.open("wb"))
        self._write(file_version="brain.Event:2")
        if steps:
            start = events.SessionLog(status=events.SessionLog.START)
            self._write(step=steps + 1, session_log=start)

    def add(self, metrics: Mapping[str, float]) -> None:
        """Write metrics as scalars at their `steps`."""
        values = [
            self._summaries.Summary.Value(tag=name, simple_value=value)
            for name, value in metrics.items()
            if name != "steps"
        ]
        self._write(step=int(metrics["steps"]), summary=self._summaries.Summary(value=values))

    def _write(self, **content: Any) -> None:
        event = self._events.Event(wall_time=time.time(), **content)
        with telling_what_fails(self.path):
            self._writer.write(event.SerializeToString())
            self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        with telling_what_fails(self.path):
            self._writer.close()
