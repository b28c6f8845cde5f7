"""Checkpoints: what is counted at chosen moments of games, and that looking changes no game."""

from __future__ import annotations


import numpy as np
import pytest

from training.research.__main__ import main as research
from rfop_env.core.errors import RfopError, UnknownName
from training.research.lab import checkpoints
from training.research.lab.checkpoints import (
    AT_END, CheckpointCount, Watch, WatchedAgent, commonest, counts_table, reached_share, shares,
)  # fmt: skip
from training.research.lab.distribution import play_and_count
from rfop_training.evaluation.games import BLOCK, play
from rfop_training.evaluation.setting import Setting
from rfop_training.common.records import read_records

SETTING = Setting("LeveeEnMasse-v0")
WATCH = Watch.of(SETTING.game, ["headline=1", "headline=46"], ["politics", "disorder"])


@pytest.fixture(scope="module")
def counts() -> list[CheckpointCount]:
    """Scripted games on 40 deals, of two blocks."""
    return play_and_count(SETTING, "scripted", range(BLOCK - 20, BLOCK + 20), WATCH)[1]


def test_the_first_card_leaves_the_tracks_as_it_must(counts):
    by_entry = {
        entry: shares(counts, "headline=1", entry) for entry in ("Monarchy", "Despotism", "Republic", "disorder")
    }
    assert by_entry == {"Monarchy": {3: 1.0}, "Despotism": {-1: 1.0}, "Republic": {0: 1.0}, "disorder": {0: 1.0}}


def test_every_game_is_counted_once_at_each_moment_that_it_comes_to(counts):
    assert (reached_share(counts, "headline=1"), reached_share(counts, AT_END)) == (1.0, 1.0) and 0 < reached_share(
        counts, "headline=46"
    ) < 1
    for at in checkpoints.checkpoint_moments(counts):
        games = {
            entry: sum(c.games for c in counts if (c.at, c.entry) == (at, entry)) for entry in ("Monarchy", "disorder")
        }
        assert games["Monarchy"] == games["disorder"] == round(40 * reached_share(counts, at))


def test_the_end_is_the_position_in_which_games_end():
    watched = WatchedAgent(SETTING.agent("scripted"), WATCH)
    play(SETTING.game, [watched], range(30))
    states = watched._batch.states
    for k, entry in enumerate(("Monarchy", "Despotism", "Republic")):
        values, games = np.unique(states["politics"][:, k], return_counts=True)
        found = {key[2]: n for key, n in watched.counts().items() if key[:2] == (AT_END, entry)}
        assert found == dict(zip(values.tolist(), games.tolist(), strict=True))


def test_a_moment_is_the_first_decision_of_its_card():
    """Disorder and tracks change within a turn: what is counted is how the turn begins."""
    watched = WatchedAgent(SETTING.agent("scripted"), Watch.of(SETTING.game, ["headline=22"], ["begun", "cards_left"]))
    play(SETTING.game, [watched], range(30))
    assert {key[1:] for key in watched.counts() if key[0] == "headline=22"} == {
        ("begun", 0), ("blue", 0), ("white", 16), ("red", 12),
    }  # fmt: skip


def test_looking_changes_no_game():
    outcomes = play_and_count(SETTING, "scripted", range(40), WATCH)[0]
    games = play(SETTING.game, [SETTING.agent("scripted")], range(40))
    assert sum(x.games * x.points for x in outcomes) == games.points.sum()
    blind = play_and_count(SETTING, "scripted", range(40), Watch.of(SETTING.game, [], []))
    assert blind == (outcomes, [])


@pytest.mark.parametrize(
    ("moment", "piece", "said"),
    [
        ("headlin=46", "politics", "headline"),
        ("headline=46", "politic", "politics"),
    ],
)
def test_a_moment_or_piece_that_there_is_not_is_refused(moment, piece, said):
    with pytest.raises((RfopError, UnknownName), match=said):
        Watch.of(SETTING.game, [moment], [piece])


def test_shares_and_their_table():
    common = {"env": "e", "options": "", "components": "c", "deals": 10, "seed": 0, "git": "g"}
    some = [CheckpointCount("me", "x=1", "Republic", value, games, **common) for value, games in ((-1, 2), (3, 6))]
    assert shares(some, "x=1", "Republic") == {-1: 0.25, 3: 0.75} and commonest(some, "x=1", "Republic") == "3 (75.0%)"
    assert reached_share(some, "x=1") == 0.8 and (reached_share(some, AT_END), commonest(some, AT_END, "Republic")) == (
        0.0,
        "-",
    )
    assert counts_table(some).endswith("| me | x=1 | 80.0% | Republic | -1: 25.0%, 3: 75.0% |")


def test_the_command_prints_and_writes_them(tmp_path, capsys):
    game = ["scripted", "--env", "LeveeEnMasse-v0", "--deals", "20"]
    words = [*game, "--at", "headline=22", "--watch", "politics", "disorder"]
    files = ["--checkpoints", str(tmp_path / "c.csv"), "--figure", str(tmp_path / "new" / "c.svg")]
    assert research(["distribution", *words, *files]) == 0
    said = capsys.readouterr().out
    assert "| Republican triumph |" in said and "| scripted | headline=22 | 100.0% | Monarchy |" in said
    rows = read_records(tmp_path / "c.csv", CheckpointCount)
    assert sum(row.games for row in rows if (row.at, row.entry) == (AT_END, "disorder")) == 20
    assert (tmp_path / "new" / "c.svg").is_file()
