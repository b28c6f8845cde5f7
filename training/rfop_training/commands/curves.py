"""Draw learning curves: wins over training.

    rfop curves runs/demo --out curve.png
    rfop curves runs/mine runs/other --x steps --out both.png

A folder with runs of several seeds (seed_1, ...) is drawn as their mean with its 95 % interval over seeds and deals,
and each game has a panel of its own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_training.figures.pictures import check_picture
from rfop_training.figures.run_curves import AXES, draw_runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument(
        "--x",
        choices=tuple(AXES),
        default="minutes",
        help="the axis: minutes by the clock, steps, or minutes of processor time (default %(default)s)",
    )
    parser.add_argument("--out", type=Path, default=Path("curve.png"), help="picture of the runs (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    check_picture(args.out)
    draw_runs(args.runs, args.out, args.x)
    print(f"picture: {args.out}")
    return 0
