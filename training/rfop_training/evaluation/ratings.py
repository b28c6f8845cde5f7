"""Ratings of agents: Elo and Nash averaging from a pay-off matrix, Plackett-Luce ratings from mixed tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.markdown import markdown_table
from rfop_training.common.records import header
from rfop_training.evaluation import placements
from rfop_training.evaluation.matrix import Matrix, read_matrix
from rfop_training.evaluation.rows import remark
from rfop_training.evaluation.statistics import half_spread

Floats = NDArray[np.float64]
ELO = 400 / math.log(10)  # points per unit of log-odds
SLACK = 1e-9  # by which a constraint of a linear programme may be missed
RESAMPLES, LEAST_RESAMPLES = 200, 100  # of a matrix; the middle 95 % of fewer samples is too narrow
ORDERS, LEAST_ORDERS = 20, 10  # resamples of mixed tables, in random order: one of 10,000 games takes about 2 seconds


@dataclass(frozen=True)
class Rating:
    """The rating of an agent in a matrix."""

    agent: str
    elo: float
    elo_low: float
    elo_high: float
    weight: float  # in the Nash mix
    score: float  # share of wins against the mix; exactly one half for the agents in it
    score_low: float
    score_high: float


@dataclass(frozen=True)
class Placement:
    """The rating of an agent at mixed tables."""

    agent: str
    rating: float  # mu of openskill's Plackett-Luce model, less that of the anchor
    low: float
    high: float
    games: int
    first: float  # share of first places; a shared first place counts as its share
    place: float  # mean place, from 1; a shared place counts as the first of it


# -- two seats ---------------------------------------------------------------------------------------------------------


def bradley_terry(share: Floats, games: float, anchor: int = 0) -> Floats:
    """Elo ratings [K] from shares of wins [K, K], with `games` per pair: the maximum-likelihood fit, the anchor at 0.

    Pairs that have not played, NaN, are left out. Each other pair gets one more game, half won. Without it, an agent
    that won every game would have an infinite rating.
    """
    from scipy.optimize import minimize

    upper = np.nonzero(np.triu(~np.isnan(share), 1))
    wins = (share[upper] * games + 0.5) / (games + 1)

    def loss(ratings: Floats) -> tuple[float, Floats]:
        difference = ratings[upper[0]] - ratings[upper[1]]
        gradient = np.zeros(len(ratings))
        slope = 1 / (1 + np.exp(-difference)) - wins
        np.add.at(gradient, upper[0], slope)
        np.add.at(gradient, upper[1], -slope)
        return float((np.logaddexp(0, difference) - wins * difference).sum()), gradient

    fitted: Floats = minimize(loss, np.zeros(len(share)), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    return ELO * (fitted - fitted[anchor])


def nash_average(share: Floats) -> tuple[Floats, Floats]:
    """The maximum-entropy Nash mix [K] of shares of wins [K, K] with `share + share.T == 1`, and the scores [K]
    against it.

    The mix is the symmetric equilibrium of the game in which two people pick an agent each. Agents in it score one
    half, others less; copies of an agent share its weight and change nothing else.
    """
    from scipy.optimize import linprog, minimize

    # Agents that are in some equilibrium: those that can have any weight without being beaten.
    k = len(share)
    ahead = share - 0.5
    weights = {"A_eq": np.ones((1, k)), "b_eq": [1.0], "A_ub": ahead, "b_ub": np.full(k, SLACK)}
    corners = np.array([linprog(-np.eye(k)[i], **weights).x for i in range(k)])  # the most that agent i can have
    support = np.flatnonzero(corners.diagonal() > 1e-7)
    start = corners[support].mean(axis=0)[support]  # inside: each agent of the support has some weight

    # Of all equilibria, the one of the highest entropy.
    def negative_entropy(mix: Floats) -> tuple[float, Floats]:
        logs = np.log(np.maximum(mix, 1e-12))
        return float((mix * logs).sum()), logs + 1

    limits: list[dict[str, Any]] = [
        {"type": "eq", "fun": lambda mix: mix.sum() - 1, "jac": lambda mix: np.ones(len(mix))},
        {"type": "ineq", "fun": lambda mix: SLACK - ahead[:, support] @ mix, "jac": lambda mix: -ahead[:, support]},
    ]
    bounds = [(0.0, 1.0)] * len(support)
    solution = minimize(
        negative_entropy, start, jac=True, bounds=bounds, constraints=limits, method="SLSQP", options={"ftol": 1e-12}
    )
    mix = np.zeros(k)
    mix[support] = np.maximum(solution.x if solution.success else start, 0)
    mix /= mix.sum()
    return mix, share @ mix


def resampled(matrix: Matrix, rng: np.random.Generator) -> Floats:
    """The shares of wins [K, K] on as many groups of deals, drawn with replacement: the same for all pairs."""
    weights = rng.multinomial(len(matrix.sizes), np.full(len(matrix.sizes), 1 / len(matrix.sizes))) * matrix.sizes
    shares: Floats = matrix.parts @ weights / weights.sum()
    return shares


def anchor_index(anchor: str | None, names: Sequence[str]) -> int:
    """The index of the agent whose rating is 0: the given one, else random, else the first. Raises `UnknownName`."""
    if anchor is not None and anchor not in names:
        raise UnknownName("agent of these results", anchor, names)
    name = anchor or "random"
    return names.index(name) if name in names else 0


def rate(matrix: Matrix, anchor: str | None = None, resamples: int = RESAMPLES, seed: int = 0) -> list[Rating]:
    """A rating for each agent of a matrix, the strongest first.

    `anchor` is the agent of Elo 0 (default: random, else the first). Raises `RfopError` for a matrix that cannot be
    rated.
    """
    if matrix.seats != 2:
        raise RfopError(f"Elo is for two seats, this matrix has {matrix.seats}: rfop placements")
    missing = np.argwhere(np.isnan(matrix.share))
    if len(missing):
        a, b = (matrix.names[i] for i in missing[0])
        raise RfopError(
            f"{a} and {b} have not played each other: run rfop matrix with both, or leave one out: --without '{a}'"
        )

    # Ratings.
    zero = anchor_index(anchor, matrix.names)
    elo = bradley_terry(matrix.share, matrix.games, zero)
    mix, score = nash_average(matrix.share)

    # Their intervals.
    rng = np.random.default_rng(seed)
    samples = [resampled(matrix, rng) for _ in range(resamples)]
    elo_low, elo_high = interval([bradley_terry(share, matrix.games, zero) for share in samples])
    score_low, score_high = interval([nash_average(share)[1] for share in samples])

    columns = np.stack([elo, elo_low, elo_high, mix, score, score_low, score_high], axis=1)
    rows = [Rating(name, *figures) for name, figures in zip(matrix.names, columns.tolist(), strict=True)]
    return sorted(rows, key=lambda row: -row.elo)


def interval(samples: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The middle 95 % of samples [B, K]: two arrays [K]."""
    low, high = np.percentile(np.array(samples), [2.5, 97.5], axis=0)
    return low, high


def worst_fit(matrix: Matrix, ratings: Sequence[Rating]) -> str:
    """The pair that Elo describes worst, as a sentence."""
    elo = {row.agent: row.elo for row in ratings}
    largest, text = -1.0, ""
    for i, j in itertools.combinations(range(len(matrix.names)), 2):
        a, b = matrix.names[i], matrix.names[j]
        expected = 1 / (1 + math.exp((elo[b] - elo[a]) / ELO))
        if abs(expected - matrix.share[i, j]) > largest:
            largest = abs(expected - matrix.share[i, j])
            text = (
                f"Elo fits worst between {a} and {b}: it expects {expected:.1%}, they played {matrix.share[i, j]:.1%}."
            )
    return text


def cycles(matrix: Matrix) -> str:
    """The cycles of three agents, each of which wins more than half against the next, as a sentence."""
    beats = matrix.share > 0.5
    texts = []
    for a, b, c in itertools.permutations(range(len(matrix.names)), 3):
        if a == min(a, b, c) and beats[a, b] and beats[b, c] and beats[c, a]:
            texts.append(" - ".join(matrix.names[k] for k in (a, b, c, a)))
    if not texts:
        return "No three agents beat each other in a cycle."
    return f"Cycles, in which each agent beats the next: {'; '.join(texts)}."


def lower_bounds(matrix: Matrix) -> str:
    """The pairs in which one agent won every game, so Elo only bounds their distance, as a sentence; "" if none."""
    pairs = [f"{matrix.names[i]} - {matrix.names[j]}" for i, j in np.argwhere(matrix.share == 1)]
    return f"Every game won, so Elo only bounds the distance from below: {', '.join(pairs)}." if pairs else ""


def ratings_table(ratings: Sequence[Rating]) -> str:
    """Ratings of a matrix in Markdown."""
    titles = ["agent", "Elo", "95 % interval", "Nash weight", "wins against the Nash mix", "95 % interval"]
    rows = []
    for r in ratings:
        nash = f"{r.weight:.3f}", f"{r.score:.1%}", f"{r.score_low:.1%} to {r.score_high:.1%}"
        rows.append([r.agent, f"{r.elo:.0f}", f"{r.elo_low:.0f} to {r.elo_high:.0f}", *nash])
    return markdown_table(titles, rows, right=(1, 3, 4))


# -- any number of seats -----------------------------------------------------------------------------------------------


def plackett_luce(
    orders: Sequence[tuple[list[str], list[int]]], names: Sequence[str], order: NDArray[np.intp]
) -> Floats:
    """The means [K] of openskill's Plackett-Luce model after games in this order.

    `orders` has the agents and the places of each kind of game, `order` the indices of the games. An agent with two
    seats at a table takes the mean of both.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)  # agents do not change between games
    ratings = {name: model.rating(name=name) for name in names}
    for game in order:
        seats, places = orders[game]
        updated = model.rate([[ratings[name]] for name in seats], ranks=[float(place) for place in places])
        for name in set(seats):
            own = [team[0] for team, seat in zip(updated, seats, strict=True) if seat == name]
            mu = float(np.mean([rating.mu for rating in own]))
            sigma = float(np.mean([rating.sigma for rating in own]))
            ratings[name] = model.rating(mu=mu, sigma=sigma, name=name)
    return np.array([ratings[name].mu for name in names])


def rate_placements(
    finishes: Sequence[placements.Finish], anchor: str | None = None, orders: int = ORDERS
) -> list[Placement]:
    """A rating for each agent at mixed tables, the strongest first.

    The mean over `orders` random orders, at least two, of games drawn with replacement. 95 % of further ratings of this
    kind lie in the interval.
    """
    finishes = [finish for finish in finishes if finish.games]
    tables = [finish.places for finish in finishes]
    counts = np.array([finish.games for finish in finishes])
    names = sorted({name for seats, _ in tables for name in seats})
    zero = anchor_index(anchor, names)
    rng = np.random.default_rng(0)
    total = int(counts.sum())
    samples = [plackett_luce(tables, names, rng.choice(len(tables), total, p=counts / total)) for _ in range(orders)]
    means = np.array([sample - sample[zero] for sample in samples])
    rows = []
    for i, name in enumerate(names):
        games, first, place = _tally(tables, counts, name)
        rating, half = float(means[:, i].mean()), half_spread(means[:, i])
        rows.append(Placement(name, rating, rating - half, rating + half, games, first, place))
    return sorted(rows, key=lambda row: -row.rating)


def _tally(tables: Sequence[tuple[list[str], list[int]]], counts: NDArray[Any], name: str) -> tuple[int, float, float]:
    """The games of an agent by seat, its share of first places, and its mean place."""
    total, first, place_sum = 0, 0.0, 0
    for (seats, places), games in zip(tables, counts.tolist(), strict=True):
        for seat, place in zip(seats, places, strict=True):
            if seat == name:
                total += games
                place_sum += games * place
                first += games / places.count(1) if place == 1 else 0
    return total, first / total, place_sum / total


def placements_table(rows: Sequence[Placement]) -> str:
    """Ratings of mixed tables in Markdown."""
    titles = ["agent", "Plackett-Luce", "95 % interval", "games", "first", "mean place"]
    cells = []
    for r in rows:
        rated = f"{r.rating:.1f}", f"{r.low:.1f} to {r.high:.1f}"
        cells.append([r.agent, *rated, str(r.games), f"{r.first:.1%}", f"{r.place:.2f}"])
    return markdown_table(titles, cells, right=(1, 3, 4, 5))


# -- reports -----------------------------------------------------------------------------------------------------------


def report(path: Path, anchor: str | None, resamples: int | None, without: Sequence[str] = ()) -> str:
    """The ratings from a file of a matrix or of mixed tables, as text; `without` leaves out agents of a matrix.

    `resamples` None: `RESAMPLES` or `ORDERS`. Raises `RfopError`.
    """
    if not path.exists():
        raise RfopError(f"{path} does not exist: rfop matrix and rfop placements write such files")
    mixed = header(path)[:1] == ["order"]
    if mixed and without:
        raise RfopError("--without is for matrices: all agents of a mixed table played together")
    if mixed:
        return _report_placements(path, anchor, resamples or ORDERS)
    if resamples is not None and resamples < LEAST_RESAMPLES:
        raise RfopError(f"--resamples: at least {LEAST_RESAMPLES} for a matrix, found {resamples}")
    return _report_matrix(path, anchor, resamples or RESAMPLES, without)


def _report_matrix(path: Path, anchor: str | None, resamples: int, without: Sequence[str]) -> str:
    matrix = read_matrix(path, without)
    ratings = rate(matrix, anchor, resamples)
    remarks = [worst_fit(matrix, ratings), cycles(matrix), lower_bounds(matrix), remark(matrix.games, matrix.names)]
    return "\n\n".join([ratings_table(ratings), *(text for text in remarks if text)])


def _report_placements(path: Path, anchor: str | None, resamples: int) -> str:
    finishes = placements.read_finishes(path)
    text = placements_table(rate_placements(finishes, anchor, resamples))
    return "\n\n".join(filter(None, [text, remark(finishes[0].deals, placements.entrants(finishes)[0])]))
