"""Figures of evaluations: heat maps of matrices, and bars of the values at checkpoints."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.registry import get_game
from rfop_training.evaluation.checkpoints import CheckpointCount, moments_of, shares
from rfop_training.evaluation.matrix import Matrix
from rfop_training.evaluation.rows import games_of
from rfop_training.evaluation.statistics import clustered
from rfop_training.publishing.pictures import PLAIN_DARK, PLAIN_LIGHT, percent, picture

EVEN_COLOURS = "PuOr"  # of heat maps: purple above an even share, orange below, told apart by colour-blind readers
RISING_COLOURS = "cividis"  # of values in order, dark for low ones
LABELLED = 0.09  # smallest share of a bar that has room for its value


def draw_matrix(matrix: Matrix, out: Path) -> None:
    """Draw a matrix as a heat map, agents from the strongest to the weakest; the suffix of `out` is the format."""
    # Agents in order, colours around an even share.
    order = _strongest_first(matrix)
    share, k = matrix.share[np.ix_(order, order)], len(order)
    names = [matrix.names[i] for i in order]
    even = 1 / matrix.seats
    half = max(even, 1 - even)

    with picture(out, 1.7 + 0.42 * k, width=max(4.6, 2.2 + 0.8 * k), title=matrix_title(matrix)) as (_, axes):
        ax = axes[0][0]
        ax.pcolormesh(share, cmap=EVEN_COLOURS, vmin=even - half, vmax=even + half, edgecolors="face", linewidth=0.4)
        ax.invert_yaxis()
        for i, j in itertools.product(range(k), repeat=2):
            if i != j and not np.isnan(share[i, j]):
                ink = PLAIN_LIGHT if abs(share[i, j] - even) > 0.6 * half else PLAIN_DARK
                ax.text(j + 0.5, i + 0.5, f"{share[i, j]:.1%}", ha="center", va="center", color=ink, fontsize=8.5)

        # Names and what is shown.
        ax.set_xticks(np.arange(k) + 0.5, names, rotation=25, ha="right", rotation_mode="anchor")
        ax.set_yticks(np.arange(k) + 0.5, names)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        few = "" if matrix.games >= games_of(names) else "\nnot for publication: too few games"
        title = " ".join([get_game(matrix.env).title, matrix.options]).strip()
        ax.set_title(f"{title}: wins of the row, {matrix.games:,} games a pair{few}")


def _strongest_first(matrix: Matrix) -> NDArray[np.intp]:
    return np.argsort(-np.nanmean(matrix.share, axis=1), kind="stable")


def matrix_title(matrix: Matrix) -> str:
    """Who beats all others, if anybody does; a lead within its 95 % interval is named as one."""
    first, *others = _strongest_first(matrix)
    name, even, shares = matrix.names[first], 1 / matrix.seats, matrix.share[first, others]
    if not others or np.isnan(shares).any():
        return "Not all pairs have played"
    if shares.min() <= even:
        return f"No agent beats all others; {name} wins most"

    close = [matrix.names[i] for i in others if clustered(matrix.parts[first, i], None)[0] <= even]
    if close:
        return f"{name} wins most; {close[0] if len(close) == 1 else f'{len(close)} others'} may be as strong"
    least = math.floor(100 * shares.min()) / 100
    return f"{name} beats every other agent, in at least {percent(least)} of the games"


def draw_counts(counts: Sequence[CheckpointCount], out: Path, title: str = "") -> None:
    """Draw shares of values as bars: a row of axes for each setting and entry, a bar for each moment and agent."""
    settings, entries = list(dict.fromkeys(c.options for c in counts)), list(dict.fromkeys(c.entry for c in counts))
    lines = {option: _lines([c for c in counts if c.options == option]) for option in settings}
    panels = list(itertools.product(settings, entries))
    heights = [len(lines[option]) for option, _ in panels]
    lowest, highest = min(c.value for c in counts), max(c.value for c in counts)

    with picture(out, 1 + 0.19 * sum(heights) + 0.32 * len(panels), rows=heights, title=title) as (_, axes):
        for (option, entry), (ax,) in zip(panels, axes, strict=True):
            for y, (at, agent) in enumerate(lines[option]):
                own = [c for c in counts if (c.options, c.agent) == (option, agent)]
                _draw_bar(ax, y, shares(own, at, entry), (lowest, highest))

            names = [f"{at}, {agent}" for at, agent in lines[option]]
            ax.set_xlim(0, 1)
            ax.set_ylim(len(names) - 0.5, -0.5)
            ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            ax.set_yticks(range(len(names)), names, fontsize=7.5)
            ax.tick_params(length=0)
            ax.spines[:].set_visible(False)
            ax.set_title(f"{entry}, {option or 'default'}" if len(settings) > 1 else entry)


def _lines(counts: Sequence[CheckpointCount]) -> list[tuple[str, str]]:
    """The moments and agents of a setting, moment by moment."""
    agents = list(dict.fromkeys(count.agent for count in counts))
    present = {(count.at, count.agent) for count in counts}
    return [line for line in itertools.product(moments_of(counts), agents) if line in present]


def _draw_bar(axes: Any, y: int, shares_of_values: Mapping[int, float], ends: tuple[int, int]) -> None:
    """Draw the shares of values beside each other, large shares with their value; `ends` have the end colours."""
    import matplotlib

    colours, (lowest, highest), left = matplotlib.colormaps[RISING_COLOURS], ends, 0.0
    for value, share in shares_of_values.items():
        level = (value - lowest) / max(1, highest - lowest)
        axes.barh(y, share, left=left, height=0.82, color=colours(level), linewidth=0)
        if share > LABELLED:
            ink = PLAIN_LIGHT if level < 0.5 else PLAIN_DARK
            axes.text(left + share / 2, y, str(value), ha="center", va="center_baseline", fontsize=7, color=ink)
        left += share
