"""A run of self-play: train until the budget is spent, evaluate, save, stop and resume."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import torch

import agents
from agents.metadata import game_metadata
from agents.network import NetworkAgent
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.registry import get_game
from training.evaluation.rows import NO_OPPONENT
from training.ppo.arguments import SelfPlayArguments, check_budget, game_options, parse_rewards
from training.ppo.bar import ProgressBar
from training.ppo.budget import Budget, CurveTimer, Timer
from training.ppo.curve import curve_rows, wins_in_words
from training.ppo.options import check_arguments, fixed_values
from training.ppo.phases import BOOKKEEPING, EVALUATION, FINISHED, SAVING
from training.ppo.run_folder import RunFolder, run_metadata
from training.ppo.trainer import Trainer

MODULE = "training.ppo_self_play"


class SelfPlayRun:
    """A trainer with its folder, its budget and its learning curve."""

    def __init__(
        self, args: SelfPlayArguments, game: Game, components: Any, trainer: Trainer, folder: RunFolder, budget: Budget
    ):
        self.args = args
        self.game = game
        self.components = components
        self.trainer = trainer
        self.folder = folder
        self.budget = budget

        name = args.evaluate_against or (game.opponents[-1].name if game.opponents else "")
        self.opponent = agents.load(name, game, components) if name else None
        self.curve_timer = CurveTimer(budget, args.evaluate_every, args.evaluate_steps, trainer.steps)
        self.checkpoint_timer = Timer(budget, args.checkpoint_every)
        self.interrupted = False
        self.bar = ProgressBar(quiet=True)

    @property
    def curve_opponent(self) -> str:
        """The name of the opponent of the learning curve."""
        return NO_OPPONENT if self.opponent is None else self.opponent.name

    def train(self) -> None:
        """Train until the budget is spent or the user stops it; then save."""
        trainer, budget, phases = self.trainer, self.budget, self.trainer.workers.phases[0]
        phases.begin(BOOKKEEPING)
        while budget.update(trainer.steps) < 1.0 and not self.interrupted:
            if self.curve_timer.due(trainer.steps):
                phases.begin(EVALUATION)
                self.add_curve_point()
                self.curve_timer.restart(trainer.steps)

            start, steps = budget.seconds(), trainer.steps
            trainer.collect()
            trainer.update(budget.update(trainer.steps))
            self.log_progress((trainer.steps - steps) / (budget.seconds() - start))

            if self.checkpoint_timer.due():
                phases.begin(SAVING)
                self.save(trainer.steps)
                self.checkpoint_timer.restart()
        phases.begin(SAVING)
        self.save()
        if not self.interrupted:
            phases.begin(EVALUATION)
            self.add_curve_point()
        phases.begin(FINISHED)

    def add_curve_point(self) -> None:
        """Evaluate the network, and append a line for each side to the learning curve, unless it has this point."""
        args, steps = self.args, self.trainer.steps
        if self.folder.has_point(steps):
            return
        agent = NetworkAgent.of_weights(self.trainer.learner.network.arrays(), "training")
        rows = curve_rows(
            self.game, agent, self.opponent, args.evaluate_deals, options=game_options(args.option, self.game),
            components=self.components, threads=args.threads,
            replays=self.folder.replays_of(steps, args.evaluate_replays),
        )  # fmt: skip
        self.folder.add_point(rows, self.budget.seconds(), steps, args.seed)
        self.bar.write(wins_in_words(rows, steps))

    def log_progress(self, speed: float) -> None:
        """Append a row to progress.csv, and move the bar."""
        trainer = self.trainer
        counts = {"updates": trainer.updates, "steps": trainer.steps, "seconds": round(self.budget.seconds(), 1)}
        figures = {name: f"{value:.4f}" for name, value in trainer.figures.items()}
        scores = " ".join(f"{group.name} {group.score:+.2f}" for group in trainer.pool.all_groups)
        self.folder.add_progress(counts | {"steps_per_second": round(speed)} | figures | {"scores": scores})
        self.bar.update(self.budget.spent)

    def save(self, step: int | None = None) -> None:
        """Write the checkpoint, then the model; with `step` also a copy of the model that is kept."""
        args, trainer, seconds = self.args, self.trainer, self.budget.seconds()
        environment = game_metadata(self.game, self.components)
        self.folder.write_checkpoint(MODULE, fixed_values(args), environment, seconds, trainer.state())

        training = {
            "rewards": parse_rewards(args.reward, self.game),
            "steps": trainer.steps,
            "seed": args.seed,
            "minutes": round(seconds / 60, 2),
        }
        metadata = run_metadata(MODULE, args, self.game, self.components, self.curve_opponent) | environment | training
        self.folder.write_models(trainer.learner.network.arrays(), metadata, step)


def train(args: SelfPlayArguments) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args).folder.model


def train_run(args: SelfPlayArguments) -> SelfPlayRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    check_arguments(args)
    check_budget(args)
    if args.device == "cuda" and not torch.cuda.is_available():
        raise RfopError("--device cuda: torch finds none here; leave it out to train on the CPU")
    torch.set_num_threads(1)  # the trainer's own threads share the work

    game = get_game(args.env)
    game = game.under(game_options(args.option, game))
    components = game.load_components(args.components or None)
    folder = RunFolder(args.run)
    with folder.hold(args.resume):
        run = start_run(args, game, components, folder)
        with stoppable(run):
            run.train()
    if run.interrupted:
        raise KeyboardInterrupt(
            f"stopped at {run.trainer.steps:,} steps; the model is {folder.model}; continue with --resume"
        )
    return run


def start_run(args: SelfPlayArguments, game: Game, components: Any, folder: RunFolder) -> SelfPlayRun:
    """A run that is ready to train: at its start, or where its checkpoint left it."""
    # Read the checkpoint before anything is compiled.
    state, seconds = None, 0.0
    if args.resume:
        state, seconds = folder.read_checkpoint(MODULE, fixed_values(args), game, components)

    # Compile before the clock starts.
    trainer = Trainer(args, game, components)
    if state is not None:
        with folder.checking_checkpoint():
            trainer.restore(state)
    run = SelfPlayRun(args, game, components, trainer, folder, Budget(args.minutes, args.steps, seconds))

    # Write the metadata.
    metadata = run_metadata(MODULE, args, game, components, run.curve_opponent)
    if args.resume:
        folder.resume(metadata, trainer.steps, "steps")
    else:
        folder.start(metadata)
    return run


class Stoppable(Protocol):
    """A run that ends after its present update once `interrupted` is set."""

    args: Any
    bar: ProgressBar
    interrupted: bool


@contextmanager
def stoppable(run: Stoppable) -> Iterator[None]:
    """Draw the bar; let the first Ctrl-C end the run after the present update, so that it can be resumed exactly."""

    def stop(*_: Any) -> None:
        run.interrupted = True
        signal.signal(signal.SIGINT, before)  # a second Ctrl-C stops at once

    before = signal.signal(signal.SIGINT, stop)
    run.bar = ProgressBar(run.args.quiet)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        run.bar.close()


def train_seeds(args: SelfPlayArguments) -> list[Path]:
    """Train every seed, `at_once` of them in parallel, in folders seed_1, ... of the run's; returns their models."""
    check_arguments(args)
    if args.seeds == 1:
        return [train(args)]

    runs = []
    for seed in range(args.seed, args.seed + args.seeds):
        path = args.run / f"seed_{seed}"
        resume = args.resume and RunFolder(path).checkpoint.exists()
        quiet = args.quiet or args.at_once > 1
        runs.append(replace(args, seed=seed, seeds=1, run=path, resume=resume, quiet=quiet))
    if args.at_once == 1:
        return [train(run) for run in runs]
    with ProcessPoolExecutor(args.at_once, get_context("spawn")) as workers:
        return list(workers.map(train, runs))
