"""Trainers that learn nothing: with the files of real ones, in no time or (`--wait`) never; or waiting for Ctrl-C."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
from dataclasses import fields
from pathlib import Path

from rfop_env.command_line import Command
from rfop_env.core.errors import RfopError
from rfop_training.common.provenance import revision
from rfop_training.evaluation.games import curve_deals
from rfop_training.run import CurveRow, RunFolder


COMMANDS = (Command("train fake", "train", "a trainer that learns nothing", "fake_trainer"),)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for name in ("--env", "--option", "--run", "--evaluate-against", "--init-from"):
        parser.add_argument(name, default="")
    for name in ("--steps", "--until", "--seed", "--evaluate-deals"):
        parser.add_argument(name, type=int, default=10)
    parser.add_argument("--best", type=float, default=0.8)
    parser.add_argument("--fail", action="store_true")
    parser.add_argument("--wait", action="store_true")
    parser.add_argument("--quiet", action="store_true")


def run(args: argparse.Namespace) -> int:
    patient = time.monotonic() + 300
    while args.wait and time.monotonic() < patient:
        pass

    # What a trainer refuses.
    if args.fail and args.seed == 2:
        raise RfopError("seed 2 does not want to")
    if args.init_from and not RunFolder(Path(args.init_from)).curve.exists():
        raise RfopError(f"there is no {args.init_from}")

    # Its files.
    folder = RunFolder(Path(args.run))
    folder.path.mkdir(parents=True)
    metadata = {
        "command": " ".join(["rfop", *sys.argv[1:]]),
        "arguments": {name: value for name, value in vars(args).items() if name != "config"},
        "environment": args.env,
        "components": {"digest": "abc"},
        "git": revision(),
        "python": "3.11",
        "packages": {"numpy": "2"},
    }
    folder.write_metadata(metadata)
    rng, lines = random.Random(args.seed), [",".join(f.name for f in fields(CurveRow))]
    for step in range(0, args.until + 1 if "--until" in sys.argv else args.steps + 1, args.steps // 4):
        for side in ("royalists", "jacobins"):
            rate = args.best * step / args.steps + rng.uniform(0, 0.05)
            deals = f"{curve_deals(args.seed, step, args.evaluate_deals).start},{args.evaluate_deals}"
            lines.append(f"{step / 100},{step / 200},{step},{side},scripted,{deals},{rate:.4f},0,1,0.5,{args.seed}")
    folder.curve.write_text("\n".join(lines) + "\n")
    return 0


def train_until_interrupted(args: argparse.Namespace) -> Path:
    """Train one seed until Ctrl-C, then take a while to save; seed 0 ends at once, and so do runs of 0 steps."""
    signals: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    args.run.mkdir(parents=True)
    (args.run / "begun").touch()
    try:
        patient = time.monotonic() + 300
        while args.seed and args.steps and not signals and time.monotonic() < patient:
            time.sleep(0.02)
    finally:
        signal.signal(signal.SIGINT, before)
    if signals:
        time.sleep(1.0)
        (args.run / "saved").touch()
        raise KeyboardInterrupt
    return Path(args.run)
