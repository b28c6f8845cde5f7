"""The leaderboard: own code plays as any agent, entries can be checked, changed ones are refused."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
from rfop_env import own_code
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.registry import list_games
from rfop_training.common.records import read_rows
from rfop_training.evaluation import leaderboard
from rfop_training.evaluation.games import FIRST_DEAL, MAX_DEALS
from rfop_training.evaluation.leaderboard import (
    ENTRY,
    ROWS,
    LadderRow,
    Rung,
    choose_first_deal,
    read_entry,
    read_ladder,
)
from rfop_training.evaluation.statistics import wilson
from rfop_training.evaluation.setting import Setting

FIRST_LEGAL = "def act(observation, action_mask):\n    return action_mask.argmax(axis=1)\n"
LAST_LEGAL = (
    "def act(observation, action_mask):\n    return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)\n"
)
RUNGS = [Rung("Revolution-v0", "random", 40), Rung("Revolution-v0", "scripted", 40)]


@pytest.fixture
def agent(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(FIRST_LEGAL)
    return f"{path}:act"


@pytest.fixture
def ladder(monkeypatch):
    """A short one: few games, opponents that take no time."""
    monkeypatch.setattr(leaderboard, "read_ladder", lambda env: RUNGS)


@pytest.fixture(scope="module")
def entry(tmp_path_factory):
    """An entry of FIRST_LEGAL on the short ladder."""
    folder = tmp_path_factory.mktemp("entry")
    (folder / "mine.py").write_text(FIRST_LEGAL)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leaderboard, "read_ladder", lambda env: RUNGS)
        return leaderboard.make_entry(f"{folder / 'mine.py'}:act", "Revolution-v0", 5, folder)


# -- own code ----------------------------------------------------------------------------------------------------------


def test_a_function_of_ones_own_is_an_agent(agent):
    mine = own_code.load(agent)
    assert mine.name.startswith("mine.act#")
    mask = np.array([[False, True, True], [True, False, False]])
    actions = mine.act(np.zeros((2, 4), np.int8), mask, np.random.default_rng(0))
    assert actions.tolist() == [1, 0] and actions.dtype == np.int64


def test_own_code_cannot_change_what_it_is_shown(tmp_path):
    path = tmp_path / "rude.py"
    path.write_text(
        "def act(observation, action_mask):\n    observation[:] = 9\n    action_mask[:] = True\n    return [2]\n"
    )
    mask = np.array([[True, False, False]])
    with pytest.raises(RfopError, match="action 2 is not legal in position 0"):
        own_code.load(f"{path}:act").act(np.zeros((1, 4), np.int8), mask, np.random.default_rng(0))
    assert mask.tolist() == [[True, False, False]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return [0.5]", "expected 1 integers"),
        ("return [3]", "action 3 is not legal"),
        ("return 1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_own_code_gets_wrong_is_one_clear_error(body, said, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(f"def act(observation, action_mask):\n    {body}\n")
    with pytest.raises(RfopError, match=said):
        own_code.load(f"{path}:act").act(np.zeros((1, 4), np.int8), np.ones((1, 3), bool), np.random.default_rng(0))


def test_a_file_that_is_not_there_or_not_python_is_told(tmp_path):
    with pytest.raises(RfopError, match=r"none\.py: .* 'no such file'"):
        own_code.load(f"{tmp_path}/none.py:act")
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(RfopError, match="expected an ordinary file"):
        own_code.load(f"{tmp_path}/pipe.py:act")
    (tmp_path / "bad.py").write_text("def act(:")
    with pytest.raises(RfopError, match="cannot be run: SyntaxError"):
        own_code.load(f"{tmp_path}/bad.py:act")
    (tmp_path / "other.py").write_text(FIRST_LEGAL)
    with pytest.raises(UnknownName, match="did you mean 'act'"):
        own_code.load(f"{tmp_path}/other.py:acts")


# -- the ladder --------------------------------------------------------------------------------------------------------


def test_every_environment_has_a_ladder_whose_opponents_can_be_loaded():
    for env in list_games():
        rungs = read_ladder(env)
        assert rungs and all(rung.games >= 1000 for rung in rungs)
        for rung in rungs:
            if rung.opponent != leaderboard.NO_OPPONENT:
                Setting(env).agent(rung.opponent)
    with pytest.raises(UnknownName, match="environment of the ladder"):
        read_ladder("Chess-v0")


def test_deals_follow_from_the_seed_and_are_nobody_elses():
    firsts = {choose_first_deal(env, seed) for env in list_games() for seed in range(200)}
    assert len(firsts) == 200 * len(list_games())
    assert min(firsts) >= MAX_DEALS and max(firsts) + MAX_DEALS < FIRST_DEAL
    assert choose_first_deal("Revolution-v0", 7) == choose_first_deal("Revolution-v0", 7)


# -- entries -----------------------------------------------------------------------------------------------------------


def test_an_entry_is_written_confirmed_and_compared(agent, ladder, tmp_path, capsys):
    out = tmp_path / "entry"
    assert rfop(["leaderboard", agent, "--seed", "5", "--out", str(out)]) == 0
    entry = read_entry(out / ENTRY)
    assert [row.opponent for row in entry.rows] == ["random"] * 3 + ["scripted"] * 3
    assert all(row.first_deal == choose_first_deal("Revolution-v0", 5) and row.deals == 20 for row in entry.rows)
    assert entry.microseconds > 0 and entry.checksum in (out / "card.md").read_text()
    capsys.readouterr()
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 0
    assert "confirmed" in capsys.readouterr().out
    assert rfop(["leaderboard", "--table", str(out / ENTRY), str(out / ENTRY)]) == 0
    assert "against random | against scripted" in capsys.readouterr().out

    # Another agent of the same name does not confirm it.
    (tmp_path / "mine.py").write_text(LAST_LEGAL)
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 1
    said = capsys.readouterr().out
    assert "the agent is mine.act#" in said and "differs: against random" in said and "rounds" not in said


def test_what_another_machine_plays_otherwise_is_explained(agent, ladder, tmp_path, capsys, monkeypatch):
    out = tmp_path / "entry"
    with monkeypatch.context() as patched:
        patched.setattr("rfop_training.evaluation.matchups.rounding", lambda: "0123456789ab")
        assert rfop(["leaderboard", agent, "--seed", "5", "--out", str(out)]) == 0
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 0
    (tmp_path / "mine.py").write_text(LAST_LEGAL)
    capsys.readouterr()
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 1
    assert "perhaps because this machine rounds" in capsys.readouterr().out


def test_an_entry_that_was_changed_is_refused(agent, ladder, tmp_path, capsys):
    out = tmp_path / "entry"
    assert rfop(["leaderboard", agent, "--seed", "5", "--out", str(out)]) == 0
    content = json.loads((out / ENTRY).read_text())
    content["rows"][0]["win_rate"] = 1.0
    (out / ENTRY).write_text(json.dumps(content))
    assert rfop(["leaderboard", "--table", str(out / ENTRY)]) == 2
    assert "was changed after it was written" in capsys.readouterr().err


def first_rows(entry, **changes):
    """The entry with another first row."""
    return replace(entry, rows=[replace(entry.rows[0], **changes), *entry.rows[1:]])


def all_won(row, **changes):
    """A row as if every game had been won; its figures fit together."""
    low, high = wilson(row.deals, row.deals)
    return replace(row, wins=float(row.games), win_rate=1.0, low=low, high=high, **changes)


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (
            lambda e: replace(e, rows=[*e.rows, *(all_won(row, opponent="grandmaster") for row in e.rows[:3])]),
            ["against grandmaster, who is not on the ladder"],
        ),
        (
            lambda e: replace(e, rows=[replace(row, win_rate=1.0) for row in e.rows]),
            [f"wins in 20 games as {side}, and a share of 100.0%" for side in ("royalists", "jacobins")]
            + ["wins in 40 games as all, and a share of 100.0%"],
        ),
        (lambda e: replace(e, rows=[*e.rows[:2], all_won(e.rows[2]), *e.rows[3:]]), ["win_rate 1 as all, and 0."]),
        (lambda e: first_rows(e, games=2000), ["wins in 2000 games as royalists, where there are 20"]),
        (lambda e: first_rows(e, wins=21.0), ["21 wins in 20 games as royalists, where there are 20"]),
        (lambda e: first_rows(e, wins=float("nan")), ["nan wins in 20 games as royalists"]),
        (lambda e: first_rows(e, low=e.rows[0].low + 0.01), ["as royalists, and an interval from"]),
        (
            lambda e: replace(e, rows=[*e.rows[:2], replace(e.rows[2], high=2.0), *e.rows[3:]]),
            ["as all, and an interval from"],
        ),
        (lambda e: first_rows(e, decisions=1.0), ["decisions 4"]),
        (lambda e: first_rows(e, side="jacobins"), ["against random"]),
        (lambda e: first_rows(e, agent="another"), ["against random"]),
        (lambda e: replace(e, rows=e.rows[1:]), ["against random"]),
        (lambda e: replace(e, rows=e.rows[:3]), ["against scripted"]),
        (lambda e: replace(e, rows=[*e.rows, e.rows[-1]]), ["against scripted"]),
        (lambda e: replace(e, fingerprint="0123456789ab"), ["the agent's fingerprint"]),
        (lambda e: replace(e, share=0.5), ["against random", "against scripted"]),
    ],
)
def test_a_forged_entry_with_a_checksum_of_its_own_is_not_confirmed(forge, said, entry, agent, ladder, tmp_path):
    assert leaderboard.find_differences(entry, agent) == []
    forge(entry).write(tmp_path / "forged")
    found = leaderboard.find_differences(read_entry(tmp_path / "forged" / ENTRY), agent)
    for words in said:
        assert any(words in difference for difference in found), found
    assert not any("rounds" in difference for difference in found)


@pytest.mark.parametrize("env", ["LeveeEnMasse-v0", "RedFlagOverParisSolo-v1"])
def test_an_entry_of_a_game_of_one_seat_is_confirmed_unless_it_was_forged(env, agent, monkeypatch, tmp_path):
    monkeypatch.setattr(leaderboard, "read_ladder", lambda env: [Rung(env, leaderboard.NO_OPPONENT, 30)])
    made = leaderboard.make_entry(agent, env, 3, tmp_path)
    assert leaderboard.find_differences(made, agent) == []
    forged = first_rows(made, high=0.999)
    assert len(leaderboard.find_differences(forged, agent)) == 1


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, float("nan"), float("inf")])
def test_an_entry_of_an_impossible_share_is_refused(share, entry, tmp_path):
    replace(entry, share=share).write(tmp_path / "forged")
    with pytest.raises(RfopError, match="share: above 0"):
        read_entry(tmp_path / "forged" / ENTRY)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": 3}', '{"format": 2}', '{"format": 3, "rows": [3]}', "[" * 10**5]
)
def test_what_is_no_entry_is_refused(text, tmp_path):
    (tmp_path / ENTRY).write_text(text)
    with pytest.raises(RfopError, match=ENTRY):
        read_entry(tmp_path / ENTRY)


def test_the_same_command_goes_on_after_it_was_stopped(agent, ladder, tmp_path, monkeypatch):
    whole = leaderboard.make_entry(agent, "Revolution-v0", 9, tmp_path / "whole")
    evaluate = leaderboard.evaluate

    def stopping(game, names, *args, **settings):
        if "scripted" in names:
            raise KeyboardInterrupt
        return evaluate(game, names, *args, **settings)

    def going_on(game, names, *args, **settings):
        assert "random" not in names, "these games are there"
        return evaluate(game, names, *args, **settings)

    monkeypatch.setattr(leaderboard, "evaluate", stopping)
    with pytest.raises(KeyboardInterrupt):
        leaderboard.make_entry(agent, "Revolution-v0", 9, tmp_path / "parts")
    monkeypatch.setattr(leaderboard, "evaluate", going_on)
    parts = leaderboard.make_entry(agent, "Revolution-v0", 9, tmp_path / "parts")
    assert replace(parts, microseconds=0.0) == replace(whole, microseconds=0.0)


def test_an_agent_that_plays_otherwise_under_its_old_name_plays_the_ladder_again(ladder, tmp_path):
    """The name of own code has a digest of its file alone, not of what the file loads."""
    weights, path = tmp_path / "weights.txt", tmp_path / "mine.py"
    path.write_text(
        f"from pathlib import Path\nLAST = Path({str(weights)!r}).read_text() == 'last'\n"
        "def act(observation, action_mask):\n"
        "    last = action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)\n"
        "    return last if LAST else action_mask.argmax(axis=1)\n"
    )
    weights.write_text("first")
    before = leaderboard.make_entry(f"{path}:act", "Revolution-v0", 9, tmp_path / "entry")
    weights.write_text("last")
    after = leaderboard.make_entry(f"{path}:act", "Revolution-v0", 9, tmp_path / "entry")
    fresh = leaderboard.make_entry(f"{path}:act", "Revolution-v0", 9, tmp_path / "fresh")
    assert after.agent == before.agent and after.fingerprint != before.fingerprint
    assert after.rows == fresh.rows != before.rows
    assert len(read_rows(tmp_path / "entry" / ROWS, LadderRow)) == len(after.rows)
