"""Heat maps of matrices."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.registry import get_game
from rfop_training.evaluation.matrix import Matrix
from rfop_training.evaluation.rows import least_games
from rfop_training.evaluation.statistics import clustered
from rfop_training.figures import pictures

EVEN_COLOURS = "PuOr"  # of heat maps: purple above an even share, orange below, told apart by colour-blind readers


def draw_matrix(matrix: Matrix, out: Path) -> None:
    """Draw a matrix as a heat map, agents from the strongest to the weakest; the suffix of `out` is the format."""
    # Agents in order, colours around an even share.
    order = _strongest_first(matrix)
    share, k = matrix.share[np.ix_(order, order)], len(order)
    names = [matrix.names[i] for i in order]
    even = 1 / matrix.seats
    half = max(even, 1 - even)

    with pictures.picture(out, 1.7 + 0.42 * k, width=max(4.6, 2.2 + 0.8 * k), title=matrix_title(matrix)) as (_, axes):
        ax = axes[0][0]
        ax.pcolormesh(share, cmap=EVEN_COLOURS, vmin=even - half, vmax=even + half, edgecolors="face", linewidth=0.4)
        ax.invert_yaxis()
        for i, j in itertools.product(range(k), repeat=2):
            if i != j and not np.isnan(share[i, j]):
                ink = pictures.PLAIN_LIGHT if abs(share[i, j] - even) > 0.6 * half else pictures.PLAIN_DARK
                ax.text(j + 0.5, i + 0.5, f"{share[i, j]:.1%}", ha="center", va="center", color=ink, fontsize=8.5)

        # Names and what is shown.
        ax.set_xticks(np.arange(k) + 0.5, names, rotation=25, ha="right", rotation_mode="anchor")
        ax.set_yticks(np.arange(k) + 0.5, names)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        note = "" if matrix.games >= least_games(names) else "\nnot for publication: too few games"
        title = " ".join([get_game(matrix.env).title, matrix.options]).strip()
        ax.set_title(f"{title}: wins of the row, {matrix.games:,} games a pair{note}")


def _strongest_first(matrix: Matrix) -> NDArray[np.intp]:
    """Agents by their mean share of wins, after one that beats all others."""
    mean, rivals = np.nanmean(matrix.share, axis=1), ~np.eye(len(matrix.names), dtype=np.bool_)
    beats_all = ((matrix.share > 1 / matrix.seats) | ~rivals).all(axis=1)
    return np.lexsort((-mean, ~beats_all))


def matrix_title(matrix: Matrix) -> str:
    """Who beats all others, if anybody does; a lead within its 95 % interval is named as one."""
    first, *rivals = _strongest_first(matrix)
    name, even, shares = matrix.names[first], 1 / matrix.seats, matrix.share[first, rivals]
    if not rivals or np.isnan(shares).any():
        return "Not all pairs have played"
    if shares.min() <= even:
        return f"No agent beats all others; {name} wins most"

    close = [matrix.names[i] for i in rivals if clustered(matrix.parts[first, i], None)[0] <= even]
    if close:
        return f"{name} wins most; {close[0] if len(close) == 1 else f'{len(close)} others'} may be as strong"
    least = math.floor(1000 * shares.min()) / 1000
    return f"{name} beats every other agent: {100 * least:.1f}\u00a0% of games or more"
