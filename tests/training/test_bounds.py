"""The best opponent known of every agent, from published rows of all kinds."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from rfop_env.registry import get_game
from rfop_training.common.records import write_records
from training.research.lab.best_response import RESPONSE, Response
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import RecordedRow
from training.research.publishing import bounds, replay

SET = get_game("Revolution-v0").load_components(None).digest


def row(agent, opponent, low, high, side="all", env="Revolution-v0", components=SET):
    shares = (low + high) / 2, low, high
    played = {"env": env, "options": "", "components": components, "opening": 5, "first_deal": 0, "deals": 500}
    return RecordedRow(
        agent, opponent, side, 1000, 0.0, *shares, 0, 0, 0, **played, seed=0, git="", rounding="", check=""
    )


def trained(*args, **settings):
    return Response(**asdict(row(RESPONSE, *args, **settings)), steps=3_000_000, run_seed=1, trained="")


@pytest.fixture
def published(tmp_path, monkeypatch):
    def publish(responses=(), searched=(), searches=(), matrix=(), rollouts=(), scores=()):
        lines = [MatrixRow(**asdict(line), agent_print="", opponent_print="", parts="") for line in matrix]
        files = {
            "RESPONSES": (bounds, responses, Response),
            "SEARCHED_RESPONSES": (replay, searched, RecordedRow),
            "SEARCHES": (replay, searches, RecordedRow),
            "ROLLOUTS": (replay, rollouts, RecordedRow),
            "SCORES": (replay, scores, RecordedRow),
        }
        for name, (module, rows, kind) in files.items():
            write_records(tmp_path / name, rows, kind)
            monkeypatch.setattr(module, name, tmp_path / name)
        write_records(tmp_path / "matrix", lines, MatrixRow)
        monkeypatch.setattr(replay, "matrices", lambda: [tmp_path / "matrix"])
        return bounds.best_known()

    return publish


def test_the_best_opponent_is_that_with_the_highest_lower_end(published):
    (bound,) = published(
        responses=[trained("a", 0.6, 0.64)],
        searched=[row("response-8:a", "a", 0.7, 0.9), row("response-8:a", "a", 0.95, 1.0, side="royalists")],
        searches=[row("search-8", "a", 0.69, 0.99)],
    )
    assert (bound.opponent, bound.low, bound.least) == ("response-8:a", 0.7, pytest.approx(0.2))


@pytest.mark.parametrize("table", ["searched", "searches", "matrix", "rollouts", "scores"])
def test_every_published_table_counts(published, table):
    (bound,) = published(responses=[trained("a", 0.4, 0.5)], **{table: [row("best", "a", 0.7, 0.8)]})
    assert (bound.opponent, bound.low) == ("best", 0.7)


def test_a_pair_of_two_seats_counts_for_both(published):
    (bound,) = published(responses=[trained("a", 0.4, 0.5)], matrix=[row("a", "b", 0.2, 0.3)])
    assert bound.agent == "a" and bound.opponent == "b"
    assert (bound.low, bound.high) == (pytest.approx(0.7), pytest.approx(0.8))


def test_an_agent_that_nobody_answered_and_an_older_set_do_not_count(published):
    assert published(matrix=[row("a", "b", 0.2, 0.3)]) == []
    (bound,) = published(
        responses=[trained("a", 0.4, 0.5)], searched=[row("response-8:a", "a", 0.9, 1.0, components="older")]
    )
    assert bound.opponent == "trained for 3.0 million decisions" and bound.least == 0.0
