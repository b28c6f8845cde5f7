"""How often agents take each action: every decision is counted once, under the entries that it shows."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.registry import get_game
from training.action_use import NEVER, Use, main, never, table, use
from training.evaluate import play

GAME = get_game("Revolution-v0")
DEALS = range(6)


def test_every_decision_is_counted_once():
    found = use(GAME, "scripted", DEALS, seed=3)
    games = play(GAME, [agents.load("scripted", GAME)] * 2, DEALS, seed=3)
    assert found.entries == ("",) and found.agent == "scripted" and len(found.actions) == GAME.actions.size
    assert 0 < found.taken.sum() <= games.decisions.sum()  # decisions without a choice are the environment's
    assert (found.taken <= found.legal).all() and (found.legal <= found.taken.sum()).all()


def test_a_piece_splits_the_decisions_by_what_is_seen():
    game = get_game("RedFlagOverParis-v0")
    found = use(game, "random", range(20), "chosen", "use the chosen card")
    assert found.actions == ("event", "operations", "copy", "momentum", "final-crisis")
    assert found.legal.shape == found.taken.shape == (41, 5) == (len(found.entries), len(found.actions))
    played = found.legal[:, 1] > 0
    assert played.sum() > 30 and (found.taken[~played] == 0).all()
    share = found.taken.sum() / found.legal.max(axis=1).sum()
    assert share == pytest.approx(1.0, abs=0.01)  # one of these is taken whenever a card is chosen


def test_what_is_never_done_is_named():
    found = Use("x", ("1", "2"), ("event", "copy"), np.array([[4, 0], [2, 3]]), np.array([[1, 0], [0, 3]]))
    assert never(found) == ["2: event"]
    assert table(found, "card").splitlines()[2:] == ["| 1 | 25.0% of 4 |  |", f"| 2 | {NEVER} of 2 | 100.0% of 3 |"]
    alone = Use("x", ("",), ("event", "copy"), np.array([[4, 0]]), np.array([[1, 0]]))
    assert table(alone).splitlines() == ["| action | x |", "| --- | ---: |", "| event | 25.0% of 4 |", "| copy |  |"]


def test_the_command_says_what_is_wrong_and_prints_a_table(capsys):
    assert main(["scripted", "--env", "Revolution-v0", "--deals", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("| action | scripted |") and "legal and never done: " in out
    assert main(["scripted", "--env", "Revolution-v0", "--by", "hnd"]) == 2
    assert "unknown piece of the observation" in capsys.readouterr().err
    with pytest.raises(UnknownName):
        use(GAME, "nobody", DEALS)
    with pytest.raises(RfopError, match="no action of Revolution-v0 begins with 'fly'"):
        use(GAME, "random", DEALS, prefix="fly")
