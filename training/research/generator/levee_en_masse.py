"""Blocks about how published games of Levée en Masse went: endings, scenarios, the political tracks."""

from __future__ import annotations

import numpy as np

from rfop_env.markdown import markdown_table
from rfop_training.common.records import read_records
from training.research.generator.results import agent_cell, share_cell
from training.research.lab import checkpoints
from training.research.lab.checkpoints import CheckpointCount
from training.research.lab.distribution import Distribution, Outcome
from training.research.publishing import replay

WON = ("minor victory", "substantive victory", "Republican triumph")  # endings of Levée en Masse that count as won


def calibration() -> str:
    """How the games of Levée en Masse end, and the quartiles of their scores."""
    distributions = [Distribution.of(outcomes) for outcomes in _outcomes("")]
    cells = [
        [end, *(f"{column.endings[end] / len(column.points):.1%}" for column in distributions)]
        for end in distributions[0].endings
    ]
    cells.append(["median score", *(f"{np.median(column.points):g}" for column in distributions)])
    halves = [np.percentile(column.points, (25, 75)) for column in distributions]
    cells.append(["middle half of the scores", *(f"{low:g} to {high:g}" for low, high in halves)])
    return markdown_table(
        ["ending", *(agent_cell(column.agent) for column in distributions)],
        cells,
        right=range(1, len(distributions) + 1),
    )


def scenarios() -> str:
    """How the scenarios of Levée en Masse end."""
    cells = []
    for outcomes in [*_outcomes(""), *_outcomes("scenario=")]:
        distribution = Distribution.of(outcomes)
        if distribution.agent != "random":
            low, median, high = np.percentile(distribution.points, (25, 50, 75))
            shares = [
                f"{sum(distribution.endings[end] for end in ends) / len(distribution.points):.1%}"
                for ends in (WON, WON[-1:])
            ]
            spread = [f"{median:+g}", f"{low:+g} to {high:+g}"]
            cells.append([_scenario(outcomes[0].options), agent_cell(distribution.agent), *shares, *spread])
    titles = ["scenario", "agent", "victories", WON[-1], "median score", "middle half"]
    return markdown_table(titles, cells, right=(2, 3, 4))


def checkpoint_tracks() -> str:
    """The political tracks at the checkpoints of Levée en Masse: the most frequent box and its share."""
    counts, cells = read_records(replay.CHECKPOINTS, CheckpointCount), []
    for row in replay.spread_scores():
        own = replay.row_counts(row, counts)
        for at in checkpoints.checkpoint_moments(own) if row.agent != "random" else []:
            tracks = [checkpoints.commonest(own, at, track) for track in ("Monarchy", "Despotism", "Republic")]
            disorder = checkpoints.shares(own, at, "disorder").get(1, 0.0)
            place = [_scenario(row.options), agent_cell(row.agent), checkpoints.MOMENT_NAMES.get(at, at)]
            cells.append([*place, share_cell(checkpoints.reached_share(own, at)), *tracks, share_cell(disorder)])
    titles = ["scenario", "agent", "at", "games that come so far", "Monarchy", "Despotism", "Republic", "Disorder"]
    return markdown_table(titles, cells, right=(3, 7))


def _scenario(options: str) -> str:
    return options.partition("=")[2] or "standard"


def _outcomes(option: str) -> list[list[Outcome]]:
    """The published outcomes of each score without an option, or with those of which one begins so."""
    outcomes = read_records(replay.SPREAD, Outcome)
    rows = [
        row for row in replay.spread_scores() if row.options.startswith(option) and bool(option) == bool(row.options)
    ]
    return [replay.row_outcomes(row, outcomes) for row in rows]
