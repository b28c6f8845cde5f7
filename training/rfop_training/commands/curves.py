"""Draw learning curves: wins over training.

    rfop curves
    rfop curves runs/demo --out curve.png
    rfop curves runs/mine runs/other --x steps --out both.png

A folder with runs of several seeds (seed_1, ...) is drawn as their interquartile mean with its 95 % interval, and each
game has a panel of its own.

Without runs, it draws every published figure from `training/results`: `runs.csv` has a row for each run (seed, git
revision, versions, command), `points.csv` has the curves. A figure shows the interquartile mean over the seeds and its
95 % interval by stratified bootstrap (Agarwal et al., Deep RL at the Edge of the Statistical Precipice, 2021).
`rfop reproduce` trains the runs, `make docs` writes the table in docs/evaluation.md.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_training.publishing.curve_figures import AXES, FIGURES, draw_published, draw_runs
from rfop_training.publishing.pictures import check_picture
from rfop_training.publishing.results import RESULTS, require_checkout


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("runs", nargs="*", type=Path, help="folders of runs (default: all published runs)")
    parser.add_argument(
        "--x", choices=tuple(AXES), default="minutes",
        help="what the curves are drawn along: minutes by the clock, steps, or minutes of processor time "
        "(default %(default)s)",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("curve.png"), help="picture of the runs (default %(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the published runs' CSV files")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the published runs' pictures")


def run(args: argparse.Namespace) -> int:
    """Carry it out; returns the exit status."""
    if args.runs:
        check_picture(args.out)
        draw_runs(args.runs, args.out, args.x)
        paths = [args.out]
    else:
        require_checkout(args.results, args.figures)
        paths = draw_published(args.results, args.figures)
    for path in paths:
        print(f"picture: {path}")
    return 0
