"""Decisions per second on a graphics card, beside one core of the processor.

    python -m training.research device --quick --games Revolution-v0
    python -m training.research device --write docs/lab/speed.md

Random legal actions are chosen in the kernel; every rate includes the observation and the legal actions of each
decision, and the wait until the card is done. The sizes are measured one after the other: each batch has the card's
memory to itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rfop_env import make_batch
from rfop_env.cli.bench import log as print_progress
from rfop_env.command_line import environment, output_file
from rfop_env.core.cuda.device import description, require_device
from rfop_env.core.errors import BadArgument
from rfop_env.markdown import markdown_table
from rfop_env.testing import marked_block, speed
from rfop_env.testing.speed import Case, Report, Settings

ON_CARD = "graphics card, random choice in the kernel"
SIZES = (2**14, 2**17, 2**20)
QUICK_SIZES = SIZES[:2]
ON_CORE = 1024  # games of the batch on the processor


def bench(
    settings: Settings,
    games: Sequence[str] | None = None,
    sizes: Sequence[int] = SIZES,
    log: speed.Log = lambda line: None,
) -> Report:
    """Measure `games` (ids; default all) on the card and on one core; `log` is called with lines of progress.

    Raises `UnknownName`, and what `make_batch` raises where there is no card.
    """
    require_device()
    machine = {**speed.describe_machine(), **description(), "numba-cuda": speed.package_version("numba-cuda")}
    cases: list[Case] = []
    for game in speed.unique_games(games):
        for options in speed.sides(game):
            log(" ".join([game.id, *options.values(), "..."]))
            for case in _cases(game.id, options, sizes):
                speed.measure([case], settings)
                cases.append(replace(case, step=int))  # which frees the batch
    machine["load_after"] = speed.load_average()
    return Report(machine, settings, cases, {})


def _cases(game: str, options: dict[str, Any], sizes: Sequence[int]) -> Iterator[Case]:
    """One core of the processor, then the card in all sizes that its memory holds."""
    name = " ".join([game, *options.values()])
    batch = make_batch(game, ON_CORE, 0, autoreset=True, **options)
    batch.step_random()
    yield Case(name, speed.IN_KERNEL, ON_CORE, 1, speed.in_kernel(batch))
    for n in sizes:
        try:
            on_card = make_batch(game, n, 0, autoreset=True, device="cuda", **options)
        except BadArgument:
            return
        on_card.step_random(50)
        yield Case(name, ON_CARD, n, 1, speed.in_kernel(on_card))


def tables(report: Report) -> str:
    """The report for people, as Markdown."""
    m, s = report.machine, report.settings
    versions = ", ".join(f"{name} {m[name]}" for name in ("python", "numba", "numba-cuda", "numpy"))
    line = (
        f"{m['card']}, compute capability {m['capability']}, beside {m['cpu']}, {m['cores']} cores, {m['system']}; "
        f"{versions}. Load {m['load_before']} before, {m.get('load_after')} after. Decisions per second, observation "
        f"and mask included: medians of {s.runs} slices of {s.seconds:g} s."
    )
    titles, *rows = speed.rate_rows(report)
    return "\n\n".join([line, markdown_table(titles, rows, right=range(2, len(titles)))])


BLOCK = "speed_cuda"  # the block of a page that the table fills


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--games", nargs="+", type=environment, metavar="ID", help="only these environments")
    parser.add_argument("--json", metavar="FILE", type=output_file, help="write all figures to a file")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page, between its marks")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    settings, sizes = (speed.QUICK, QUICK_SIZES) if args.quick else (Settings(), SIZES)

    def measure() -> str:
        report = bench(settings, args.games, sizes, print_progress)
        if args.json:
            speed.write_json(report, args.json)
        return tables(report)

    marked_block.print_measured(measure, BLOCK, args.write)
    return 0
