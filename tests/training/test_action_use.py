"""How often agents take each action: every decision is counted once, under the entries that it shows."""

from __future__ import annotations


import numpy as np
import pytest

from training.research.__main__ import main as research
import rfop_agents
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.registry import get_game
from rfop_training.common.records import read_records
from training.research.lab.action_use import (
    NEVER, ActionCount, ActionUse, action_table, count_actions, never_taken,
)  # fmt: skip
from rfop_training.evaluation.games import play

GAME = get_game("Revolution-v0")
DEALS = range(6)


def test_every_decision_is_counted_once():
    use = count_actions(GAME, "scripted", DEALS, seed=3)
    games = play(GAME, [rfop_agents.load("scripted", GAME)] * 2, DEALS, seed=3)
    assert use.entries == ("",) and use.agent == "scripted" and len(use.actions) == GAME.actions.size
    assert 0 < use.taken.sum() <= games.decisions.sum()  # decisions without a choice are the environment's
    assert (use.taken <= use.legal).all() and (use.legal <= use.taken.sum()).all()


def test_a_piece_splits_the_decisions_by_what_is_seen():
    game = get_game("RedFlagOverParis-v1")
    use = count_actions(game, "random", range(20), "chosen", "use the chosen card")
    assert use.actions == ("event", "operations", "copy", "momentum", "final-crisis")
    assert use.legal.shape == use.taken.shape == (41, 5) == (len(use.entries), len(use.actions))
    played = use.legal[:, 1] > 0
    assert played.sum() > 30 and (use.taken[~played] == 0).all()
    share = use.taken.sum() / use.legal.max(axis=1).sum()
    assert share == pytest.approx(1.0, abs=0.01)  # one of these is taken whenever a card is chosen


def test_what_is_never_taken_is_named():
    use = ActionUse("x", ("1", "2"), ("event", "copy"), np.array([[4, 0], [2, 3]]), np.array([[1, 0], [0, 3]]))
    assert never_taken(use) == ["2: event"]
    assert action_table(use, "card").splitlines()[2:] == [
        "| 1 | 25.0% of 4 |  |",
        f"| 2 | {NEVER} of 2 | 100.0% of 3 |",
    ]
    alone = ActionUse("x", ("",), ("event", "copy"), np.array([[4, 0]]), np.array([[1, 0]]))
    assert action_table(alone).splitlines() == [
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
        count_actions(GAME, "nobody", DEALS)
    with pytest.raises(RfopError, match="no action of Revolution-v0 starts with 'fly'"):
        count_actions(GAME, "random", DEALS, prefix="fly")


def test_counts_in_a_file_take_the_place_of_those_of_the_same_agent_and_cards(tmp_path, capsys):
    path = tmp_path / "use.csv"
    for deals in ("2", "3"):
        assert research(["action-use", "scripted", "--env", "Revolution-v0", "--deals", deals, "--csv", str(path)]) == 0
    once = read_records(path, ActionCount)
    assert {(row.agent, row.deals) for row in once} == {("scripted", 3)}
    use = count_actions(GAME, "scripted", range(3))
    assert sum(row.taken for row in once) == use.taken.sum() and all(row.legal > 0 for row in once)

    assert research(["action-use", "random", "--env", "Revolution-v0", "--deals", "2", "--csv", str(path)]) == 0
    both = read_records(path, ActionCount)
    assert both[: len(once)] == once and {row.agent for row in both} == {"scripted", "random"}
    capsys.readouterr()
    assert research(["action-use", "random", "--env", "Revolution-v0", "--csv", str(tmp_path)]) == 2
    assert "--csv" in capsys.readouterr().err
