"""Runs of self-play: of one seed, or of several."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch

from rfop_env.core.errors import RfopError
from training.ppo.arguments import SelfPlayArguments
from training.ppo.options import check_arguments
from training.ppo.run import TrainingRun
from training.ppo.run import train_run as train_any
from training.ppo.run_folder import RunFolder
from training.ppo.trainer import Trainer

MODULE = "training.ppo_self_play"


def train(args: SelfPlayArguments) -> Path:
    """Train one seed; returns the path of its model. Raises `RfopError` for arguments that cannot work."""
    return train_run(args).folder.model


def train_run(args: SelfPlayArguments) -> TrainingRun:
    """Train one seed; returns its finished run. Raises `RfopError` for arguments that cannot work."""
    if args.device == "cuda" and not torch.cuda.is_available():
        raise RfopError("--device cuda: torch finds none here; leave it out to train on the CPU")
    return train_any(args, MODULE, Trainer)


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
