"""The best opponent known of every agent, from published rows of all kinds."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from rfop_env.registry import get_game
from rfop_training.common.records import write_records
from rfop_training.evaluation.matrix import MatrixRow
from rfop_training.evaluation.rows import RecordedRow
from rfop_training.evaluation.setting import Setting
from training.research.publishing import bounds, replay
from training.research.publishing.bounds import RESPONSE, Response

SET = get_game("Revolution-v0").load_components(None).digest


def row(agent, opponent, low, high, side="all", env="Revolution-v0", components=SET):
    shares = (low + high) / 2, low, high
    played = {"env": env, "options": "", "components": components, "opening": 5, "first_deal": 0, "deals": 500}
    return RecordedRow(
        agent, opponent, side, 1000, 0.0, *shares, 0, 0, 0, **played, seed=0, git="", rounding="", check=""
    )


def trained(*args, **settings):
    return Response(**asdict(row(RESPONSE, *args, **settings)), steps=3_000_000, run_seed=1, trained="", init_from="")


@pytest.fixture
def published(tmp_path, monkeypatch):
    def publish(responses=(), searched=(), searches=(), matrix=(), rollouts=(), scores=(), fresh=()):
        lines = [MatrixRow(**asdict(line), agent_print="", opponent_print="", parts="") for line in matrix]
        files = {
            "RESPONSES": (bounds, responses, Response),
            "SEARCHED_RESPONSES": (replay, searched, RecordedRow),
            "SEARCHES": (replay, searches, RecordedRow),
            "ROLLOUTS": (replay, rollouts, RecordedRow),
            "SCORES": (replay, scores, RecordedRow),
            "FRESH": (replay, fresh, RecordedRow),
        }
        for name, (module, rows, kind) in files.items():
            write_records(tmp_path / name, rows, kind)
            monkeypatch.setattr(module, name, tmp_path / name)
        write_records(tmp_path / "matrix", lines, MatrixRow)
        monkeypatch.setattr(replay, "matrices", lambda: [tmp_path / "matrix"])
        return bounds.best_known()

    return publish


def of_agent(bounds, agent="a"):
    """The one bound of an agent; its opponents have some too."""
    (bound,) = [bound for bound in bounds if bound.agent == agent]
    return bound


def test_the_best_opponent_is_that_with_the_highest_lower_end(published):
    bound = of_agent(
        published(
            responses=[trained("a", 0.6, 0.64)],
            searched=[row("response-8:a", "a", 0.7, 0.9), row("response-8:a", "a", 0.95, 1.0, side="royalists")],
            searches=[row("search-8", "a", 0.69, 0.99)],
        )
    )
    assert (bound.opponent, bound.low, bound.least) == ("response-8:a", 0.7, pytest.approx(0.2)) and bound.response


@pytest.mark.parametrize("table", ["searched", "searches", "matrix", "rollouts", "scores", "fresh"])
def test_every_published_table_counts(published, table):
    bound = of_agent(published(responses=[trained("a", 0.4, 0.5)], **{table: [row("best", "a", 0.7, 0.8)]}))
    assert (bound.opponent, bound.low) == ("best", 0.7)


def test_of_a_pair_that_was_played_twice_both_sides_have_the_same_games(published):
    bounds = published(matrix=[row("a", "b", 0.55, 0.65)], rollouts=[row("a", "b", 0.51, 0.63)])
    assert (of_agent(bounds, "b").win_rate, of_agent(bounds, "a").win_rate) == pytest.approx((0.6, 0.4))


def test_a_pair_of_two_seats_counts_for_both(published):
    bounds = published(matrix=[row("a", "search-8", 0.2, 0.3)])
    searched, bound = of_agent(bounds, "search-8"), of_agent(bounds)
    assert (searched.opponent, searched.low, searched.least) == ("a", 0.2, 0.0)
    assert (bound.opponent, bound.low, bound.high) == ("search-8", pytest.approx(0.7), pytest.approx(0.8))


def test_a_response_is_no_agent_of_its_own_and_an_older_set_does_not_count(published):
    (bound,) = published(
        responses=[trained("a", 0.4, 0.5)], searched=[row("response-8:a", "a", 0.9, 1.0, components="older")]
    )
    assert bound.opponent == "trained for 3.0 million decisions" and bound.least == 0.0 and bound.response
    (bound,) = published(searched=[row("response-8:a", "a", 0.9, 1.0)])
    assert bound.agent == "a"


def test_the_strongest_network_is_taken_from_the_published_games(published, monkeypatch):
    setting = Setting("Revolution-v0")
    published(matrix=[row("search-8", "scripted", 0.9, 0.9), row("revolution/xi-2@1", "scripted", 0.6, 0.8)])
    bound = bounds.strongest_network(setting, "scripted")
    assert (bound.opponent, bound.low) == ("revolution/xi-2", 0.6)

    # The agent's own network counts as an equal one.
    published(matrix=[row("revolution/xi-1", "revolution/ppo-2", 0.4, 0.48)])
    for name in ("revolution/ppo-2", "revolution/ppo-2@0.5", "symmetric+revolution/ppo-2"):
        monkeypatch.setattr(bounds, "_quick_match", lambda *args: [])
        assert bounds.strongest_network(setting, name).opponent == "revolution/ppo-2"
    published(matrix=[row("revolution/xi-1", "revolution/ppo-2", 0.6, 0.7)])
    assert bounds.strongest_network(setting, "revolution/ppo-2").opponent == "revolution/xi-1"


def test_where_nobody_is_known_all_networks_of_the_game_play_a_quick_match(published, monkeypatch):
    published()
    monkeypatch.setattr(bounds, "QUICK_DEALS", range(600_000, 600_002))
    monkeypatch.setattr(bounds.baselines, "names", lambda game: ["revolution/ppo-2", "red-flag/ppo-3"])
    bound = bounds.strongest_network(Setting("Revolution-v0"), "random")
    assert (bound.opponent, bound.games, bound.agent) == ("revolution/ppo-2", 4, "random")
    monkeypatch.setattr(bounds.baselines, "names", lambda game: [])
    assert bounds.strongest_network(Setting("Revolution-v0"), "random") is None
