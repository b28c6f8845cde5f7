"""Figures of evaluations: heat-maps of matrices, and bars of the values at checkpoints."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.evaluation.checkpoints import CheckpointCount, shares
from training.evaluation.matrix import Matrix
from training.evaluation.rows import PUBLISHED
from training.publishing.pictures import begin_grid, begin_picture, write_picture


def draw_matrix(matrix: Matrix, out: Path) -> None:
    """Draw a matrix as a heat-map, agents from the strongest to the weakest; the suffix of `out` is the format."""
    # Colours around an even share.
    order = np.argsort(-np.nanmean(matrix.share, axis=1), kind="stable")
    share, k = matrix.share[np.ix_(order, order)], len(order)
    figure, axes = begin_picture(2.4 + 0.75 * k, 1.6 + 0.6 * k)
    half = max(1 / matrix.seats, 1 - 1 / matrix.seats)
    axes.imshow(share, cmap="RdBu", vmin=1 / matrix.seats - half, vmax=1 / matrix.seats + half, aspect="auto")

    # Names and figures.
    names = [matrix.names[i] for i in order]
    axes.set_xticks(range(k), names, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(k), names)
    for i, j in itertools.product(range(k), repeat=2):
        if i != j and not np.isnan(share[i, j]):
            dark = abs(share[i, j] - 1 / matrix.seats) > 0.6 * half
            axes.text(j, i, f"{share[i, j]:.1%}", ha="center", va="center", color="w" if dark else "k", fontsize=8)

    few = "" if matrix.games >= PUBLISHED else "\nnot for publication: too few games"
    title = f"{matrix.env} {matrix.options}".strip()
    axes.set_title(f"{title}: wins of the row, {matrix.games:,} games a pair{few}", fontsize=9)
    write_picture(figure, out)


def draw_counts(counts: Sequence[CheckpointCount], out: Path) -> None:
    """Draw shares of values as bars: a row for each setting, a column for each entry, a bar for each moment."""
    settings, entries = list(dict.fromkeys(c.options for c in counts)), list(dict.fromkeys(c.entry for c in counts))
    lines = {option: list(dict.fromkeys((c.at, c.agent) for c in counts if c.options == option)) for option in settings}
    heights = [len(lines[option]) for option in settings]
    figure, axes = begin_grid(3 + 2 * len(entries), 1 + 0.2 * sum(heights), heights, len(entries))

    # Bars, dark for high values.
    lowest, highest = min(c.value for c in counts), max(c.value for c in counts)
    for (row, option), (column, entry) in itertools.product(enumerate(settings), enumerate(entries)):
        for y, (at, agent) in enumerate(lines[option]):
            own = [c for c in counts if (c.options, c.agent) == (option, agent)]
            grey = {v: 0.95 - 0.85 * (v - lowest) / max(1, highest - lowest) for v in range(lowest, highest + 1)}
            _draw_bar(axes[row][column], y, shares(own, at, entry), grey)

    # Axes and titles.
    for (row, option), (column, entry) in itertools.product(enumerate(settings), enumerate(entries)):
        ax = axes[row][column]
        names = [f"{at}, {agent}" for at, agent in lines[option]]
        ax.set_xlim(0, 1)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"], fontsize=7)
        ax.set_yticks(range(len(names)), names if column == 0 else [""] * len(names), fontsize=7)
        ax.set_title(entry if row == 0 else "", fontsize=9)
        ax.set_ylabel((option or "default") if column == 0 else "", fontsize=8)
    write_picture(figure, out)


def _draw_bar(axes: Any, y: int, shares_of_values: Mapping[int, float], grey: Mapping[int, float]) -> None:
    """Draw the shares of values beside each other, large shares with their value."""
    left = 0.0
    for value, share in shares_of_values.items():
        axes.barh(y, share, left=left, height=0.8, color=str(grey[value]), edgecolor="k", linewidth=0.3, clip_on=False)
        if share > 0.1:
            ink = "k" if grey[value] > 0.5 else "w"
            axes.text(left + share / 2, y, str(value), ha="center", va="center", fontsize=6, color=ink)
        left += share
