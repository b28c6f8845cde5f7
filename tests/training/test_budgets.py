"""Searches with budgets in time and in simulations are compared at the same time of a decision."""

from __future__ import annotations

import time

import numpy as np

from training.research.__main__ import main as research
from rfop_env.agent import Agent
from rfop_env.registry import get_game
from rfop_training.evaluation.games import play
from rfop_training.evaluation.timed import Timed


class Sleeper(Agent):
    """Takes the first legal action after two milliseconds."""

    name = "sleeper"
    asked = 0

    def act(self, observation, action_mask, rng, positions=None):
        assert len(action_mask) == 1
        self.asked += 1
        time.sleep(0.002)
        return action_mask.argmax(axis=1).astype(np.int64)


def test_the_time_of_every_decision_is_counted_in_games_played_one_at_a_time():
    sleeper = Sleeper()
    timed = Timed(sleeper, time.perf_counter)
    timed.most_games = 1
    play(get_game("LeveeEnMasse-v0"), [timed], range(3))
    assert timed.decisions == sleeper.asked > 100 and timed.mean >= 0.002
    timed.forget()
    assert (timed.seconds, timed.decisions) == (0.0, 0)


def test_the_table_has_both_searches_with_their_times_and_wins_and_goes_into_a_page(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: search_budgets -->\n<!-- /generated -->\n")
    words = ["--env", "Revolution-v0", "LeveeEnMasse-v0", "--simulations=8", "--deals=2", "--first-deals=1"]
    assert research(["budgets", *words, "--write", str(page)]) == 0
    rows = [line.strip("| ").split(" | ") for line in page.read_text().splitlines() if "-v0" in line]
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("Revolution-v0", "4", "search-8"),
        ("LeveeEnMasse-v0", "2", "search-8"),
    ]
    for row in rows:
        # The name has the budget; half of the time of the other search at least.
        budget, counted, spent = (float(row[k].strip("searchm -")) for k in (5, 3, 6))
        assert 500 * budget <= spent and counted > 0
    revolution = rows[0]
    assert float(revolution[4].strip("%")) + float(revolution[7].strip("%")) == 100.0

    page.write_text("no place\n")
    assert research(["budgets", *words, "--write", str(page)]) == 2
    assert "no place for the table" in capsys.readouterr().err
