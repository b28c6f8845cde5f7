"""Runs of self-play: of one seed, or of several."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from rfop_env.core.cuda.device import DEVICE as CARD
from rfop_env.core.errors import RfopError
from rfop_env.process_pool import in_processes
from rfop_env.registry import get_game
from rfop_training.learning.arguments import PAST, opponents_of
from rfop_training.learning.log import Callback
from rfop_training.learning.options import check_arguments
from rfop_training.learning.run import TrainingRun
from rfop_training.learning.run import train_run as train_any
from rfop_training.learning.run_folder import RunFolder
from rfop_training.learning.tensors import require_card
from rfop_training.ppo.arguments import SelfPlayArguments
from rfop_training.ppo.trainer import Trainer

TRAINER = "ppo"


def train(args: SelfPlayArguments, callback: Callback | None = None) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args, callback).folder.model


def train_run(args: SelfPlayArguments, callback: Callback | None = None) -> TrainingRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    if args.device == CARD:
        require_card()
    if args.games_device == CARD:
        check_games_on_card(args)
    return train_any(args, TRAINER, Trainer, callback)


def check_games_on_card(args: SelfPlayArguments) -> None:
    """Raise `RfopError` for arguments that games on a card cannot follow."""
    if args.threads > 1:
        raise RfopError("--threads: a card plays all games at once; leave it out, or add --games-on-cpu")
    if args.gru_size and PAST in opponents_of(args.opponents, get_game(args.env)):
        raise RfopError(
            "--gru-size: snapshots with a memory cannot play in games on a card; give --opponents self=1, or "
            "--games-on-cpu"
        )


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
    return _train_at_once(runs, args.at_once)


def _train_at_once(runs: Sequence[SelfPlayArguments], most: int) -> list[Path]:
    """Train every run in a process of its own, at most so many at a time; returns their models.

    A run starts when one before it has ended well. After Ctrl-C or an error none starts, and those that train are
    waited for: Ctrl-C reaches them too, and they save.
    """
    models: dict[int, Path] = {}
    with closing(in_processes([partial(train, run) for run in runs], most)) as processes:
        for number, model in processes:
            models[number] = model.result()
    return [models[number] for number in range(len(runs))]
