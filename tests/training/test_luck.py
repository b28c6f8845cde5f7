"""Luck taken out of results: its mean is 0, the games stay as they are, the intervals shrink, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from training.research.__main__ import main as research
import rfop_agents
from rfop_env.core.batch import GameBatch
from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from rfop_training.evaluation.games import FIRST_DEAL, play
from training.research.lab.luck import LuckMeter, LuckRow, adjusted, luck_table, play_measured

LEVEE, SOLO, TWO = "LeveeEnMasse-v0", "RedFlagOverParisSolo-v1", "RedFlagOverParis-v1"
GAME = get_game(LEVEE)
JUDGES = {LEVEE: "levee/ppo-2", SOLO: "red-flag/solo-12", TWO: "red-flag/ppo-3"}
JUDGE = rfop_agents.load("levee/ppo-2", GAME)


def measured(env: str, seats: tuple[str, ...], deals: range, redraws: int = 1, seat: int = 0, **options):
    game = get_game(env)
    playing = [rfop_agents.load(name, game) for name in seats]
    return play_measured(game, playing, rfop_agents.load(JUDGES[env], game), deals, seat, redraws, options=options)


def is_fair(luck: np.ndarray) -> bool:
    return abs(luck.mean()) < 3.5 * luck.std() / np.sqrt(len(luck))


@pytest.mark.many_games
@pytest.mark.parametrize(
    ("env", "seats", "options"),
    [
        (LEVEE, ("levee/ppo-2",), {}),
        (LEVEE, ("scripted",), {}),
        (SOLO, ("red-flag/solo-12",), {"side": "versailles"}),
        (SOLO, ("solo-opponent",), {"side": "commune"}),
        (TWO, ("red-flag/ppo-3", "solo-opponent"), {}),
        (TWO, ("solo-opponent", "red-flag/ppo-3@1"), {}),
    ],
)
def test_the_mean_luck_is_0_whoever_plays(env, seats, options):
    luck = measured(env, seats, range(2000), **options)[1]
    assert is_fair(luck) and luck.std() > 0.15


def test_where_redraws_change_nothing_only_the_deal_is_luck(monkeypatch):
    monkeypatch.setattr(GameBatch, "determinize", lambda batch, seats, keys: None)
    monkeypatch.setattr(LuckMeter, "_worth_of_deals", lambda meter, batch: 0.0)
    luck = measured(LEVEE, ("scripted",), range(20), redraws=3)[1]
    batch = GameBatch(GAME, 20)
    batch.reset(FIRST_DEAL)
    dealt = JUDGE.evaluate(batch.observation, batch.action_mask)[1]
    paid = sum(batch.game_returns(kind, weight)[:, 0] for kind, weight in JUDGE.rewards.items())
    np.testing.assert_allclose(luck, paid + dealt, atol=1e-5)


@pytest.mark.parametrize(
    ("env", "seats"),
    [
        (LEVEE, ("scripted",)),
        (LEVEE, ("search-4",)),
        (SOLO, ("solo-opponent",)),
        (TWO, ("search-4", "solo-opponent")),
        (TWO, ("red-flag/ppo-3@1", "red-flag/ppo-3")),
    ],
)
def test_the_games_are_those_of_any_other_evaluation(env, seats):
    deals = range(490, 510)  # of two blocks
    results, luck = measured(env, seats, deals)
    plain = play(get_game(env), [rfop_agents.load(name, get_game(env)) for name in seats], deals)
    np.testing.assert_array_equal(results.points, plain.points)
    np.testing.assert_array_equal(results.won, plain.won)
    assert luck.shape == (20,)


@pytest.mark.parametrize(
    ("env", "seats", "of_wins", "of_points"),
    [
        (LEVEE, ("levee/ppo-2",), 1.4, 2),
        (SOLO, ("red-flag/solo-12",), 1.15, 1.15),
        (TWO, ("red-flag/ppo-3", "red-flag/ppo-3"), 1.1, 1.1),
    ],
)
def test_intervals_shrink(env, seats, of_wins, of_points):
    results, luck = measured(env, seats, range(400), redraws=4)
    points, wins = adjusted(results.points, luck), adjusted(results.won, luck)
    assert points.saving > of_points and wins.saving > of_wins, (points.saving, wins.saving)
    assert abs(points.mean - points.plain) < points.plain_within


def test_the_luck_is_taken_out_with_the_slope_of_the_other_half():
    rng = np.random.default_rng(0)
    luck, skill = rng.normal(size=(2, 1000))
    found = adjusted(3 * luck + skill + 1, luck)
    assert abs(found.mean - 1) < found.within < 0.08 and 7 < found.saving < 13

    # With noise for luck nothing is gained, and next to nothing lost; without any, nothing changes.
    assert 0.98 < adjusted(skill, luck).saving <= 1.02
    same = adjusted(skill, np.zeros(1000))
    assert (same.mean, same.within) == (same.plain, same.plain_within)


def test_the_command_prints_and_writes_its_rows(tmp_path, capsys):
    path = tmp_path / "luck.csv"
    words = ["--env", LEVEE, "--judge", "levee/ppo-2", "--deals", "12", "--redraws", "1"]
    words += ["--csv", str(path)]
    assert research(["luck", "scripted", "random", *words]) == 0
    rows = read_records(path, LuckRow)
    printed, written = capsys.readouterr().out.splitlines(), luck_table(rows).splitlines()
    assert len(printed) == len(written) == 4 and printed[:2] == written[:2]
    assert [(row.agent, row.opponent, row.side) for row in rows] == [
        ("scripted", "-", "france"),
        ("random", "-", "france"),
    ]
    assert rows[0].judge == "levee/ppo-2" and rows[0].games == 12

    # The same games again replace their rows; other options are other games.
    assert research(["luck", "scripted", *words]) == 0
    assert research(["luck", "scripted", *words, "--option", "scenario=extended"]) == 0
    again = read_records(path, LuckRow)
    assert [(row.agent, row.options) for row in again][1:] == [("scripted", ""), ("scripted", "scenario=extended")]
    assert again[1] == rows[0] and again[2].points != rows[0].points


def test_a_game_of_two_seats_has_a_row_for_each_and_one_for_both(tmp_path):
    path = tmp_path / "luck.csv"
    words = ["--env", TWO, "--judge", "red-flag/ppo-3", "--deals", "12", "--redraws", "1", "--csv", str(path)]
    assert research(["luck", "red-flag/ppo-3", "--opponent", "solo-opponent", *words]) == 0
    commune, versailles, both = read_records(path, LuckRow)
    assert [(row.side, row.games) for row in (commune, versailles, both)] == [
        ("commune", 12), ("versailles", 12), ("all", 24),
    ]  # fmt: skip
    assert {(row.agent, row.opponent) for row in (commune, versailles, both)} == {("red-flag/ppo-3", "solo-opponent")}
    assert both.wins == pytest.approx((commune.wins + versailles.wins) / 2, abs=1e-5)
    assert both.points == pytest.approx((commune.points + versailles.points) / 2, abs=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scripted", "--env", LEVEE, "--deals", "2", "--judge", "levee/ppo-2"], "--deals: at least 4"),
        (["scripted", "--env", LEVEE, "--judge", "scripted"], "scripted judges no positions: give a network"),
        (["random", "--env", TWO, "--judge", "red-flag/ppo-3"], "say who has the other seat"),
        (
            ["random", "--env", "Revolution-v0", "--opponent", "scripted", "--judge", "revolution/ppo-2"],
            "Revolution-v0 has no chance",
        ),
        (
            [
                "random",
                "--env",
                "Paris-v0",
                "--opponent",
                "scripted",
                "--judge",
                "paris/ppo-7",
                "--option",
                "players=3",
            ],
            "has 3 seats: luck is measured in games of one or two",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(words, message, capsys):
    assert research(["luck", *words, *([] if "--deals" in words else ["--deals", "8"])]) == 2
    assert message in capsys.readouterr().err
