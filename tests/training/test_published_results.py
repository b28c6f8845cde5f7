"""Published results: of committed code and of games enough, in files that say what they were made from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from training.research.lab.end_games import FindingRow
from training.research.lab.luck import LuckRow
from training.research.lab.psro import Round
from rfop_training.evaluation.games import curve_deals
from rfop_training.evaluation.matrix import MatrixRow, read_matrix
from rfop_training.evaluation.rows import PUBLISHED, RecordedRow, least_games
from training.research.publishing import replay
from training.research.publishing.results import RESULTS, PublishedRun, read_results
from training.research.publishing.bounds import Response
from rfop_training.common.records import read_records

COMMON = 500_000  # the first deal of all points in runs from before each had deals of its own
KINDS = {
    "best_responses.csv": Response,
    "end_games.csv": FindingRow,
    "luck.csv": LuckRow,
    "methods/end_games.csv": FindingRow,
    "methods/runs.csv": PublishedRun,
    "psro.csv": Round,
    "rollouts.csv": RecordedRow,
    "search.csv": RecordedRow,
    "searched_responses.csv": RecordedRow,
    "scores.csv": RecordedRow,
} | {path.name: MatrixRow for path in RESULTS.glob("matrix_*.csv")}


def test_the_distribution_is_of_the_same_games_as_the_scores():
    outcomes = read_records(replay.SPREAD, replay.Outcome)
    scores = replay.spread_scores()
    assert scores and all(replay.same_games(row, replay.row_outcomes(row, outcomes)) for row in scores)
    moved = [replace(outcomes[0], points=outcomes[0].points + 30), *outcomes[1:]]
    assert not all(replay.same_games(row, replay.row_outcomes(row, moved)) for row in scores)


@pytest.mark.parametrize("name", KINDS)
def test_published_rows_were_played_by_committed_code(name):
    rows = read_records(RESULTS / name, KINDS[name])
    assert rows and not [row for row in rows if row.git.endswith("+")]


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind is MatrixRow])
def test_published_matrices_are_whole_and_of_games_enough(name):
    matrix = read_matrix(RESULTS / name)
    assert matrix.games >= least_games(matrix.names)


@pytest.mark.parametrize("folder", [RESULTS, RESULTS / "methods", RESULTS / "small_board"], ids=lambda path: path.name)
def test_points_of_published_curves_are_on_deals_of_their_own(folder):
    published = read_results(folder)
    seeds = {run.run: run.seed for run in published.runs}
    for point in published.points:
        own = curve_deals(seeds[point.run], point.steps, point.games).start
        assert point.first_deal in (own, COMMON)


def test_published_responses_played_games_enough():
    rows = read_records(RESULTS / "best_responses.csv", Response)
    assert min(row.games for row in rows if row.side == "all") >= PUBLISHED
