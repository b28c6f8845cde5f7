"""A run of any trainer of this package: train until the budget is spent, evaluate, save, stop and resume."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import torch

from rfop_agents.metadata import game_metadata
from rfop_env.core.game import Game
from rfop_training.evaluation.rows import NO_OPPONENT
from rfop_training.learning.arguments import AllSeatsArguments, check_budget, game_of, rewards_of
from rfop_training.learning.budget import Budget, CurveTimer, Timer
from rfop_training.learning.log import RETURN, Callback, RunLog
from rfop_training.learning.networks import Network
from rfop_training.learning.opponents import agent_of
from rfop_training.learning.options import check_arguments, fixed_values
from rfop_training.learning.phases import BOOKKEEPING, EVALUATION, FINISHED, SAVING
from rfop_training.learning.run_folder import RunFolder, run_metadata
from rfop_training.learning.workers import Workers


class AnyTrainer(Protocol):
    """What a run asks of its trainer: `collect` and `update` alternate."""

    workers: Workers
    updates: int
    metrics: dict[str, float]  # of the last update

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""

    @property
    def network(self) -> Network:
        """The network that is trained."""

    @property
    def counts(self) -> Mapping[str, int]:
        """What progress.csv counts besides steps and updates."""

    @property
    def scores(self) -> Mapping[str, float]:
        """The moving average of the learner's returns against each opponent in training, by its name."""

    def collect(self) -> None:
        """Play."""

    def update(self, spent: float) -> None:
        """Train on what was played; `spent` is the share of the budget."""

    def state(self) -> dict[str, Any]:
        """Everything needed to resume bit by bit, between two updates, as tensors and plain values."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of the same arguments."""


MakeTrainer = Callable[[Any, Game, Any], AnyTrainer]


class TrainingRun:
    """A trainer with its folder, its budget and its learning curve; `trainer_name` is that of its command."""

    def __init__(
        self,
        trainer_name: str,
        args: AllSeatsArguments,
        game: Game,
        components: Any,
        trainer: AnyTrainer,
        folder: RunFolder,
        budget: Budget,
        callback: Callback | None = None,
    ):
        self.trainer_name = trainer_name
        self.args = args
        self.game = game
        self.components = components
        self.trainer = trainer
        self.folder = folder
        self.budget = budget

        name = args.evaluate_against or (game.opponents[-1].name if game.opponents else "")
        self.opponent = agent_of(args, name, game, components) if name else None
        self.curve_timer = CurveTimer(budget, args.evaluate_every, args.evaluate_steps, trainer.steps)
        self.checkpoint_timer = Timer(budget, args.checkpoint_every)
        self.interrupted = False
        self.begun = {"decisions": trainer.steps, **trainer.counts}, budget.seconds()
        self.log = RunLog(folder, args, game, components, self.opponent, budget, callback)

    @property
    def curve_opponent(self) -> str:
        """The name of the opponent of the learning curve."""
        return NO_OPPONENT if self.opponent is None else self.opponent.name

    def train(self) -> None:
        """Train until the budget is spent, or the user or the callback stops it; then save.

        Raises the error of a callback once the run is saved.
        """
        trainer, budget, log, phases = self.trainer, self.budget, self.log, self.trainer.workers.phases[0]
        phases.begin(BOOKKEEPING)
        while budget.update(trainer.steps) < 1.0 and not self.interrupted:
            if self.curve_timer.due(trainer.steps):
                phases.begin(EVALUATION)
                self.add_curve_point()
                self.curve_timer.restart(trainer.steps)
            if log.ended:
                break

            start, steps = budget.seconds(), trainer.steps
            trainer.collect()
            trainer.update(budget.update(trainer.steps))
            speed = (trainer.steps - steps) / (budget.seconds() - start)
            returns = {RETURN + name: score for name, score in trainer.scores.items()}
            log.add_update(trainer.updates, trainer.steps, speed, trainer.metrics | returns, trainer.counts)
            if log.ended:
                break

            if self.checkpoint_timer.due():
                phases.begin(SAVING)
                self.save(trainer.steps)
                self.checkpoint_timer.restart()
        phases.begin(SAVING)
        self.save()
        if log.error is None and not self.interrupted:
            phases.begin(EVALUATION)
            self.add_curve_point()
        phases.begin(FINISHED)
        if log.error is not None:
            raise log.error

    def add_curve_point(self) -> None:
        """Evaluate the network, and append a line for each side to the learning curve, unless it has this point."""
        self.log.add_point(self.trainer.network.arrays(), self.trainer.steps)

    def speed(self) -> str:
        """What was counted in this call, as a sentence: "60,000 decisions, 15,000 labels in 100 s: ... a second"."""
        before, start = self.begun
        seconds = self.budget.seconds() - start
        counts = {"decisions": self.trainer.steps, **self.trainer.counts}
        done = {name: number - before[name] for name, number in counts.items()}
        totals = ", ".join(f"{number:,} {name}" for name, number in done.items())
        rates = ", ".join(f"{number / seconds:,.0f} {name}" for name, number in done.items())
        return f"{totals} in {seconds:,.0f} s: {rates} a second"

    def save(self, step: int | None = None) -> None:
        """Write the checkpoint, then the model; with `step` also a copy of the model that is kept."""
        args, trainer, spent = self.args, self.trainer, self.budget.time_spent()
        environment = game_metadata(self.game, self.components)
        self.folder.write_checkpoint(self.trainer_name, fixed_values(args), environment, spent, trainer.state())

        training = {
            "rewards": rewards_of(args.reward, self.game),
            "steps": trainer.steps,
            "seed": args.seed,
            "minutes": round(spent.wall / 60, 2),
        }
        metadata = (
            run_metadata(self.trainer_name, args, self.game, self.components, self.curve_opponent)
            | environment
            | training
        )
        self.folder.write_models(trainer.network.arrays(), metadata, step)


def train_run(
    args: AllSeatsArguments, trainer_name: str, make_trainer: MakeTrainer, callback: Callback | None = None
) -> TrainingRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work.

    `callback` is told the metrics of every update and the points of the learning curve.
    """
    check_arguments(args)
    check_budget(args)
    torch.set_num_threads(1)  # the trainer's own threads share the work

    game, components = game_of(args)
    folder = RunFolder(args.run)
    with folder.hold(args.resume):
        run = start_run(args, trainer_name, make_trainer, game, components, folder, callback)
        with stoppable(run, run.trainer.steps):
            run.train()
    if run.interrupted:
        raise KeyboardInterrupt(
            f"stopped at {run.trainer.steps:,} steps; the model is {folder.model}; continue with --resume"
        )
    return run


def start_run(
    args: AllSeatsArguments,
    trainer_name: str,
    make_trainer: MakeTrainer,
    game: Game,
    components: Any,
    folder: RunFolder,
    callback: Callback | None = None,
) -> TrainingRun:
    """A run that is ready to train: at its start, or where its checkpoint left it."""
    # Read the checkpoint before anything is compiled.
    state, before = None, None
    if args.resume:
        state, before = folder.read_checkpoint(trainer_name, args, game, components)

    # Compile before the clock starts.
    trainer = make_trainer(args, game, components)
    if state is not None:
        with folder.checking_checkpoint():
            trainer.restore(state)
    budget = Budget(args.minutes, args.steps, before)
    run = TrainingRun(trainer_name, args, game, components, trainer, folder, budget, callback)

    # Write the metadata.
    metadata = run_metadata(trainer_name, args, game, components, run.curve_opponent)
    if args.resume:
        folder.resume(metadata, trainer.steps)
    else:
        folder.start(metadata)
    return run


class Stoppable(Protocol):
    """A run that ends after its present update once `interrupted` is set."""

    log: RunLog
    interrupted: bool


@contextmanager
def stoppable(run: Stoppable, steps: int) -> Iterator[None]:
    """Keep the log of a run that has `steps` behind it; let the first Ctrl-C end it after the present update.

    So it can be resumed exactly. Outside of the main thread, which alone hears Ctrl-C, nothing ends it so.
    """

    def stop(*_: Any) -> None:
        run.interrupted = True
        signal.signal(signal.SIGINT, before)  # a second Ctrl-C stops at once

    hears = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, stop) if hears else None
    try:
        run.log.begin(steps)
        yield
    finally:
        if hears:
            signal.signal(signal.SIGINT, before)
        run.log.close()
