"""Intervals of shares of wins, and the means of learning curves over seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Z = 1.959964  # 95 %
SAME = 1e-9  # shares that differ by less are one share
GRID = 41  # points along the budget at which seeds are compared
RESAMPLES = 2000


def wilson(wins: float, games: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a share of independent games."""
    p, z2 = wins / games, Z * Z
    centre = (p + z2 / (2 * games)) / (1 + z2 / games)
    half = Z * math.sqrt(p * (1 - p) / games + z2 / (4 * games * games)) / (1 + z2 / games)
    low, high = centre - half, centre + half
    return (0.0 if wins == 0 else low), (1.0 if wins == games else high)


def clustered(per_deal: NDArray[np.float64], even: float | None = 0.5) -> tuple[float, float]:
    """The 95 % interval of a mean whose independent units are deals: Student's t over the means per deal [n].

    Where all deals have the same mean, as when every game was won, it is the Wilson interval of n games. Only `even` is
    certain then: the share of an agent against itself (None where two agents played).
    """
    n, mean = len(per_deal), float(per_deal.mean())
    alike = n > 1 and float(np.ptp(per_deal)) < SAME
    if mean in (0.0, 1.0) or (alike and (even is None or abs(mean - even) > SAME)):
        return wilson(mean * n, n)
    half = half_width(per_deal) if n > 1 else 1.0
    return max(0.0, mean - half), min(1.0, mean + half)


def half_width(figures: NDArray[np.float64]) -> float:
    """Half the 95 % interval of the mean of at least two independent figures [n], by Student's t."""
    from scipy.special import stdtrit  # much faster to import than scipy.stats

    n = len(figures)
    return float(stdtrit(n - 1, 0.975)) * float(figures.std(ddof=1)) / math.sqrt(n)


def half_spread(samples: NDArray[np.float64]) -> float:
    """Half the interval around the mean of at least two samples [n] in which 95 % of further ones lie: Student's t.

    It is exact for samples of a normal distribution, however few.
    """
    return half_width(samples) * math.sqrt(len(samples) + 1)


def interpolated(
    along: Sequence[Sequence[float] | Floats], rates: Sequence[Sequence[float]], places: int = GRID
) -> tuple[Floats, Floats]:
    """Places [G] along an axis that all seeds have reached, and the rate of each seed there, [seeds, G].

    `along` and `rates` have the points of each seed.
    """
    grid = np.linspace(max(x[0] for x in along), min(x[-1] for x in along), places)
    return grid, np.array([np.interp(grid, x, y) for x, y in zip(along, rates, strict=True)])


def interquartile_mean(scores: Floats) -> Floats:
    """The mean of the middle half of scores [..., tasks, runs, G] over tasks and runs together: [..., G]."""
    from scipy.stats import trim_mean

    *leading, tasks, runs, places = scores.shape
    middle: Floats = trim_mean(scores.reshape(*leading, tasks * runs, places), 0.25, axis=-2)
    return middle


def stratified_interval(
    scores: Floats, resamples: int = RESAMPLES, seed: int = 0, curves: Sequence[int] | None = None
) -> tuple[Floats, Floats]:
    """The 95 % bootstrap interval, two arrays [G], of the interquartile mean of scores [tasks, runs, G].

    Runs are resampled within each curve. `curves` has the number of each task's curve, from 0: the sides of a curve are
    tasks of the same runs, which are drawn together. Without it every task is a curve of its own.
    """
    tasks, runs, _ = scores.shape
    of_task = list(range(tasks) if curves is None else curves)
    samples = np.random.default_rng(seed).integers(0, runs, (resamples, max(of_task) + 1, runs))
    resampled = samples[:, of_task]
    low, high = np.percentile(interquartile_mean(scores[np.arange(tasks)[:, None], resampled]), [2.5, 97.5], axis=0)
    return low, high
