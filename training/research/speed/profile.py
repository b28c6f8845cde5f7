"""Train for a while, with any option of the trainer, and print the decisions a second and where the time goes.

    python -m training.research profile ppo --env RedFlagOverParis-v1 --threads 2 --seconds 60
    python -m training.research profile maskable --env RedFlagOverParisSolo-v1
    python -m training.research profile expert --env Revolution-v0
    python -m training.research profile expert --env Revolution-v0 --write docs/lab/training.md

The command trains in a temporary folder, which it removes. Compiling is not counted. Rates are of processor time, of
all threads together. The functions are those of the main thread, by Python's own profiler, which slows them a little;
the time of a function includes that of what it calls. `--write` puts the profile into a page, between its marks.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shlex
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rfop_env.command_line import UsageError, number
from rfop_env.core.cuda import device as card
from rfop_env.testing.marked_block import print_measured
from rfop_env.testing.speed import describe_machine, package_version
from rfop_training.run import Run
from rfop_training.run_arguments import parse_arguments
from rfop_training.training import ALGORITHMS, load_algorithm

OTHER_WORDS = True  # the options of the trainer
REPLACED = {"--run": "a temporary folder", "--resume": "a run of its own", "--minutes": "--seconds"}
FUNCTIONS = 25  # lines of a profile
MIN_SHARE = 0.005  # of the time, for a line


@dataclass(frozen=True)
class Measurement:
    """A short run: its counts and its time, without the compilation and the first update."""

    counts: dict[str, int]  # decisions of the learner, and the trainer's other counts
    wall: float
    processor: float
    functions: str  # a table

    def rates(self) -> str:
        """The counts in all and a second, as a sentence."""
        totals = ", ".join(f"{number:,} {name}" for name, number in self.counts.items())
        rates = ", ".join(f"{number / self.processor:,.0f} {name}" for name, number in self.counts.items())
        return f"{totals} in {self.wall:.1f} s: {rates} a second of processor time"


def measure(algorithm: str, arguments: Any, seconds: float, functions: bool = False) -> Measurement:
    """Train for so many seconds after the first update; with `functions` under Python's profiler."""
    module, _ = load_algorithm(algorithm)
    profiler = cProfile.Profile() if functions else None
    start: dict[str, Any] = {}

    def stop(metrics: Any) -> bool:
        if "updates" not in metrics:
            return False
        if not start:
            start.update(metrics, wall=time.monotonic(), processor=time.process_time())
            if profiler is not None:
                profiler.enable()
        return bool(time.monotonic() - start["wall"] > seconds)

    with tempfile.TemporaryDirectory() as folder:
        args = replace(arguments, run=Path(folder) / "run", minutes=1e6, evaluate_every=1e9, quiet=True)
        run: Run = module.train_run(args, stop)
        if profiler is not None:
            profiler.disable()
        wall, processor = time.monotonic() - start["wall"], time.process_time() - start["processor"]
    counts = {"decisions": run.trainer.steps - start["steps"]}
    counts |= {name: number - start[name] for name, number in run.trainer.counts().items()}
    return Measurement(counts, wall, processor, function_table(profiler) if profiler else "")


def function_table(profiler: cProfile.Profile) -> str:
    """The functions of this package and of torch that take the most time, as lines of text."""
    stats = pstats.Stats(profiler)
    total = stats.total_tt  # type: ignore[attr-defined]
    lines = [f"{'function':58}{'calls':>10}{'seconds':>10}{'share':>8}"]
    entries = sorted(stats.stats.items(), key=lambda item: -item[1][3])  # type: ignore[attr-defined]
    for (file, _, name), (_, calls, _, cumulative, _) in entries:
        share = cumulative / total
        if "rfop_" in file and share >= MIN_SHARE and len(lines) <= FUNCTIONS:
            label = f"{Path(file).parent.name}/{Path(file).name}: {name}"
            lines.append(f"{label:58}{calls:10,}{cumulative:10.2f}{share:8.1%}")
    return "\n".join(lines)


def profile(algorithm: str, words: Sequence[str], seconds: int) -> str:
    """The profile of a trainer with these options, as text."""
    arguments: Any = parse_arguments(load_algorithm(algorithm)[1], words)
    rates = measure(algorithm, arguments, seconds / 2).rates()
    return f"{measure(algorithm, arguments, seconds / 2, functions=True).functions}\n{rates}"


def markdown(algorithm: str, words: Sequence[str], seconds: int) -> str:
    """The profile in Markdown, with its command and the machine."""
    machine = describe_machine()
    where = f"{machine['cpu']}, {machine['cores']} cores; torch {package_version('torch')}"
    arguments: Any = parse_arguments(load_algorithm(algorithm)[1], words)
    if getattr(arguments, "device", "") == card.DEVICE:
        card.require_device()
        where = f"{card.description()['card']}, beside {where}"
    command = shlex.join([algorithm, *words, "--seconds", str(seconds)])
    lines = [
        f"{where}. Load {machine['load_before']} before.",
        "",
        "```text",
        f"$ python -m training.research profile {command}",
    ]
    return "\n".join([*lines, profile(algorithm, words, seconds), "```"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("trainer", choices=[*ALGORITHMS])
    parser.add_argument("--seconds", type=number(int, 2), default=60, help="of training (default %(default)s)")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the profile into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    for word in args.other_words:
        option = word.split("=")[0]
        if option in REPLACED:
            raise UsageError(f"{option}: a profile has {REPLACED[option]}; leave it out")

    if args.write is None:
        print(profile(args.trainer, args.other_words, args.seconds))
    else:
        block = f"profile_{args.trainer}"
        print_measured(lambda: markdown(args.trainer, args.other_words, args.seconds), block, args.write)
    return 0
