"""How often agents take each action: every decision is counted once, under the entries that it shows."""

from __future__ import annotations


import pytest

from training.research.__main__ import main as research
import rfop_agents
from rfop_env.core.errors import RfopError, UnknownName
from rfop_training.common.records import read_records
from training.research.lab.action_use import NEVER, ActionCount, action_table, count_actions, never_taken
from rfop_training.evaluation.games import play
from rfop_training.evaluation.setting import Setting

SETTING = Setting("Revolution-v0", seed=3)
DEALS = range(6)


def count(action, legal, taken, piece="", entry=""):
    return ActionCount("Revolution-v0", "", "", "x", piece, entry, action, legal, taken, 1, 0)


def test_every_decision_is_counted_once():
    counts, game = count_actions(SETTING, "scripted", DEALS), SETTING.game
    games = play(game, [rfop_agents.load("scripted", game)] * 2, DEALS, seed=3)
    assert {(c.entry, c.agent) for c in counts} == {("", "scripted")} and len(counts) == game.actions.size
    taken = sum(c.taken for c in counts)
    assert 0 < taken <= games.decisions.sum()  # decisions without a choice are the environment's
    assert all(c.taken <= c.legal <= taken for c in counts)


def test_a_piece_splits_the_decisions_by_what_is_seen():
    counts = count_actions(Setting("RedFlagOverParis-v1"), "random", range(20), "chosen", "use the chosen card")
    cards = [counts[k : k + 5] for k in range(0, len(counts), 5)]
    assert len(cards) == 41 == len({c.entry for c in counts})
    for card in cards:
        assert [c.action for c in card] == ["event", "operations", "copy", "momentum", "final-crisis"]
    played = [card for card in cards if card[1].legal]
    assert len(played) > 30 and not any(c.taken for card in cards if card not in played for c in card)
    share = sum(c.taken for c in counts) / sum(max(c.legal for c in card) for card in cards)
    assert share == pytest.approx(1.0, abs=0.01)  # one of these is taken whenever a card is chosen


def test_what_is_never_taken_is_named():
    counts = [count("event", 4, 1, "card", "1"), count("copy", 0, 0, "card", "1")]
    counts += [count("event", 2, 0, "card", "2"), count("copy", 3, 3, "card", "2")]
    assert never_taken(counts) == ["2: event"]
    assert action_table(counts).splitlines() == [
        "| card | event | copy |",
        "| --- | ---: | ---: |",
        "| 1 | 25.0% of 4 |  |",
        f"| 2 | {NEVER} of 2 | 100.0% of 3 |",
    ]
    assert action_table([count("event", 4, 1), count("copy", 0, 0)]).splitlines() == [
        "| action | x |",
        "| --- | ---: |",
        "| event | 25.0% of 4 |",
        "| copy |  |",
    ]


def test_the_command_says_what_is_wrong_and_prints_a_table(capsys):
    assert research(["action-use", "scripted", "--env", "Revolution-v0", "--deals", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("| action | scripted |") and "legal and never taken: " in out
    assert research(["action-use", "scripted", "--env", "Revolution-v0", "--by", "hnd"]) == 2
    assert "unknown piece of the observation" in capsys.readouterr().err
    with pytest.raises(UnknownName):
        count_actions(SETTING, "nobody", DEALS)
    with pytest.raises(RfopError, match="no action of Revolution-v0 starts with 'fly'"):
        count_actions(SETTING, "random", DEALS, prefix="fly")


def test_counts_in_a_file_take_the_place_of_those_of_the_same_agent_and_cards(tmp_path, capsys):
    path = tmp_path / "use.csv"
    for deals in ("2", "3"):
        assert research(["action-use", "scripted", "--env", "Revolution-v0", "--deals", deals, "--csv", str(path)]) == 0
    once = read_records(path, ActionCount)
    assert {(row.agent, row.deals) for row in once} == {("scripted", 3)}
    assert once == [c for c in count_actions(Setting("Revolution-v0"), "scripted", range(3)) if c.legal]

    assert research(["action-use", "random", "--env", "Revolution-v0", "--deals", "2", "--csv", str(path)]) == 0
    both = read_records(path, ActionCount)
    assert both[: len(once)] == once and {row.agent for row in both} == {"scripted", "random"}
    capsys.readouterr()
    assert research(["action-use", "random", "--env", "Revolution-v0", "--csv", str(tmp_path)]) == 2
    assert "--csv" in capsys.readouterr().err
