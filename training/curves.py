"""Draw learning curves: wins over training time, a line for each side of each run.

python -m training.curves runs/demo --out curve.png
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.core.errors import RfopError

CURVE = "curve.csv"
COLOURS = {"commune": "#b3261e", "versailles": "#1f4e9c"}


def read_curve(run: Path) -> dict[str, dict[str, list[float]]]:
    """Columns of a run's curve.csv by side; `RfopError` if there is none."""
    path = run / CURVE
    if not path.exists():
        raise RfopError(f"{path} does not exist: give the folder of a run of training/ppo_maskable_sb3.py")
    sides: dict[str, dict[str, list[float]]] = {}
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            columns = sides.setdefault(line.pop("side"), {name: [] for name in line})
            for name, value in line.items():
                columns[name].append(float(value))
    return sides


def draw(runs: Sequence[Path], out: Path, levels: dict[str, dict[str, float]] | None = None) -> None:
    """Write the picture; `levels`: agent -> side -> win rate, drawn as dotted lines to compare with."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.2), layout="constrained")
    for run in runs:
        for side, columns in read_curve(run).items():
            label = f"MaskablePPO, {side}" + (f" ({run.name})" if len(runs) > 1 else "")
            minutes = np.array(columns["seconds"]) / 60
            axes.plot(minutes, columns["win_rate"], color=COLOURS.get(side), marker="o", markersize=3, label=label)
            low, high = columns["low"], columns["high"]
            axes.fill_between(minutes, low, high, color=COLOURS.get(side), alpha=0.15, linewidth=0)
    for agent, sides in (levels or {}).items():
        for side, rate in sides.items():
            axes.axhline(rate, color=COLOURS.get(side), linestyle=":", linewidth=1.2, label=f"{agent}, {side}")
    _finish(axes)
    figure.savefig(out, dpi=130)
    pyplot.close(figure)


def _finish(axes: Any) -> None:
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("wins")
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.curves", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of runs")
    parser.add_argument("--out", type=Path, default=Path("curve.png"), help="picture to write (default %(default)s)")
    told = parser.parse_args(arguments)
    try:
        draw(told.runs, told.out)
    except RfopError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"picture: {told.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
