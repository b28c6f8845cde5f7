"""Luck taken out of results: its mean is 0, the games stay as they are, the intervals shrink, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.agent import AgentAround
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from training import luck as command
from training.common.records import read_records
from training.evaluation.games import FIRST_DEAL, play
from training.evaluation.luck import LuckMeter, LuckRow, adjusted, luck_table, play_measured

GAME = get_game("LeveeEnMasse-v0")
JUDGE = agents.load("levee/ppo-2", GAME)


def measured(name: str, deals: range, redraws: int = 1):
    return play_measured(GAME, agents.load(name, GAME), JUDGE, deals, redraws)


def is_fair(luck: np.ndarray) -> bool:
    return abs(luck.mean()) < 3.5 * luck.std() / np.sqrt(len(luck))


@pytest.mark.many_games
@pytest.mark.parametrize("name", ["levee/ppo-2", "scripted"])
def test_the_mean_luck_is_0_whoever_plays(name):
    luck = measured(name, range(2000))[1]
    assert is_fair(luck) and luck.std() > 0.3


class BesideTheValueBefore(LuckMeter):
    """A wrong meter: it takes a step for lucky where the judge expects more than it did before."""

    def act(self, *args):
        before = self._worth(self._batch, self._games)
        actions = AgentAround.act(self, *args)
        self._luck[-1][self._games] += self._worth_after(self._batch.clone(), actions) - before
        return actions


@pytest.mark.many_games
def test_errors_of_the_judge_would_show():
    meter = BesideTheValueBefore(agents.load("scripted", GAME), JUDGE)
    play(GAME, [meter], range(500))
    assert not is_fair(meter.luck)  # the judge expects better play


def test_where_redraws_change_nothing_only_the_deal_is_luck(monkeypatch):
    monkeypatch.setattr(GameBatch, "determinize", lambda batch, seats, keys: None)
    monkeypatch.setattr(LuckMeter, "_worth_of_deals", lambda meter, batch: 0.0)
    luck = measured("scripted", range(20), redraws=3)[1]
    batch = GameBatch(GAME, 20)
    batch.reset(FIRST_DEAL)
    dealt = JUDGE.evaluate(batch.observation, batch.action_mask)[1]
    paid = sum(batch.returns_of(kind, weight)[:, 0] for kind, weight in JUDGE.rewards.items())
    np.testing.assert_allclose(luck, paid + dealt, atol=1e-5)


@pytest.mark.parametrize("name", ["scripted", "levee/ppo-2@1", "search-4"])
def test_the_games_are_those_of_any_other_evaluation(name):
    deals = range(490, 510)  # of two blocks
    results, luck = measured(name, deals)
    plain = play(GAME, [agents.load(name, GAME)], deals)
    np.testing.assert_array_equal(results.points, plain.points)
    np.testing.assert_array_equal(results.won, plain.won)
    assert luck.shape == (20,)


def test_intervals_shrink():
    results, luck = measured("levee/ppo-2", range(400), redraws=4)
    points, wins = adjusted(results.points, luck), adjusted(results.won, luck)
    assert points.saving > 2 and wins.saving > 1.4
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
    words = ["--env", "LeveeEnMasse-v0", "--judge", "levee/ppo-2", "--deals", "12", "--redraws", "1"]
    words += ["--csv", str(path)]
    assert command.main(["scripted", "random", *words]) == 0
    rows = read_records(path, LuckRow)
    printed, written = capsys.readouterr().out.splitlines(), luck_table(rows).splitlines()
    assert len(printed) == len(written) == 6 and printed[:3] == written[:3]
    assert (
        [row.agent for row in rows] == ["scripted", "random"] and rows[0].judge == "levee/ppo-2" and rows[0].games == 12
    )

    # The same games again replace their rows; other options are other games.
    assert command.main(["scripted", *words]) == 0
    assert command.main(["scripted", *words, "--option", "scenario=extended"]) == 0
    again = read_records(path, LuckRow)
    assert [(row.agent, row.options) for row in again][1:] == [("scripted", ""), ("scripted", "scenario=extended")]
    assert again[1] == rows[0] and again[2].points != rows[0].points


def test_rows_of_other_deals_stay_and_a_file_of_something_else_is_refused_before_a_game(tmp_path, monkeypatch, capsys):
    path = tmp_path / "luck.csv"
    words = ["random", "--env", "LeveeEnMasse-v0", "--judge", "levee/ppo-2", "--redraws", "1", "--csv", str(path)]
    for first in ("0", "5000", "0"):
        assert command.main([*words, "--deals", "8", "--first-deal", first]) == 0
    assert [row.first_deal for row in read_records(path, LuckRow)] == [5000, 0]

    monkeypatch.setattr(command, "measured_row", lambda *_: pytest.fail("played"))
    path.write_text("seconds,steps\n1,2\n")
    assert command.main(words) == 2 and "luck.csv: expected the columns" in capsys.readouterr().err
    assert path.read_text() == "seconds,steps\n1,2\n"


def test_what_cannot_be_measured_is_refused(capsys):
    words = ["--deals", "8", "--judge", "levee/ppo-2"]
    assert command.main(["scripted", "--env", "LeveeEnMasse-v0", "--deals", "2", "--judge", "levee/ppo-2"]) == 2
    assert "--deals: at least 4" in capsys.readouterr().err
    assert command.main(["scripted", "--env", "LeveeEnMasse-v0", "--deals", "8", "--judge", "scripted"]) == 2
    assert "scripted judges no positions: give a network" in capsys.readouterr().err
    assert command.main(["random", "--env", "Revolution-v0", *words[:2], "--judge", "revolution/ppo-2"]) == 2
    assert "Revolution-v0 has opponents" in capsys.readouterr().err
    solo = get_game("RedFlagOverParisSolo-v0")
    with pytest.raises(RfopError, match="has opponents"):
        play_measured(solo, agents.load("random", solo), agents.load("red-flag/solo-1", solo), range(4))
