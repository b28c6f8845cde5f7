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


def mean_over_seeds(curves: Sequence[Floats], games: int) -> tuple[Floats, Floats, Floats]:
    """The mean of shares of wins [G] over tasks and seeds, and both ends of its 95 % interval, [G] each.

    Each curve is an array [tasks, runs, G]; its tasks are the sides that its runs play. The interval is Student's t
    over the means of the runs, with Welch's degrees of freedom for several curves, from 0 to 1 for a curve of one run.
    It includes the deals where every run has deals of its own: they are in the spread of the runs. A share of `games`
    games varies at least as much as they do, also where a few runs happen to be alike. Percentiles of a bootstrap over
    five runs would cover too rarely (docs/lab/evaluation.md).
    """
    from scipy.special import stdtrit  # much faster to import than scipy.stats

    tasks = sum(len(curve) for curve in curves)
    mean = np.sum([curve.mean(axis=1).sum(axis=0) for curve in curves], axis=0) / tasks
    if min(curve.shape[1] for curve in curves) < 2:
        return mean, np.zeros_like(mean), np.ones_like(mean)

    # The variance of the mean that each curve brings, and its degrees of freedom.
    parts, freedom = [], []
    for curve in curves:
        sides, runs, _ = curve.shape
        smoothed = (curve.mean(axis=1) * runs * games + 1) / (runs * games + 2)
        of_games = (smoothed * (1 - smoothed)).mean(axis=0) / (sides * games)
        variance = np.maximum(curve.mean(axis=0).var(axis=0, ddof=1), of_games)
        parts.append((sides / tasks) ** 2 * variance / runs)
        freedom.append(runs - 1)
    together = np.sum(parts, axis=0)
    welch = together**2 / np.sum([part**2 / free for part, free in zip(parts, freedom, strict=True)], axis=0)
    half = stdtrit(welch, 0.975) * np.sqrt(together)
    return mean, np.maximum(0.0, mean - half), np.minimum(1.0, mean + half)
