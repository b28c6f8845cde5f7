"""The leaderboard: own code plays as any agent, entries can be checked, changed ones are refused."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, replace
from datetime import datetime

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
    Draw,
    LadderRow,
    Rung,
    choose_first_deal,
    read_entry,
    read_ladder,
)
from rfop_training.evaluation.matrix import read_matrix
from rfop_training.evaluation.statistics import wilson
from rfop_training.evaluation.setting import Setting
from training.research.publishing import replay

FIRST_LEGAL = "def act(observation, action_mask):\n    return action_mask.argmax(axis=1)\n"
LAST_LEGAL = (
    "def act(observation, action_mask):\n    return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)\n"
)
JANES = Draw("Jane Doe", 0, "5", "")
RANDOMNESS = "0123456789abcdef" * 4
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
        return leaderboard.make_entry(f"{folder / 'mine.py'}:act", "Revolution-v0", JANES, folder)


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


def test_the_ladder_ends_with_the_strongest_published_agents():
    assert leaderboard.LADDER.read_text() == replay.ladder_text()
    for env, agents in replay.strongest_agents().items():
        assert [rung.opponent for rung in read_ladder(env)][-len(agents) :] == agents
        beaten = [read_matrix(entry.path) for entry in replay.list_matrices() if entry.env == env]
        assert any(agents[0] in matrix.names for matrix in beaten)


def test_deals_follow_from_the_value_and_are_nobody_elses():
    firsts = {choose_first_deal(env, str(value)) for env in list_games() for value in range(200)}
    assert len(firsts) == 200 * len(list_games())
    assert min(firsts) >= MAX_DEALS and max(firsts) + MAX_DEALS < FIRST_DEAL
    assert choose_first_deal("Revolution-v0", "7") == choose_first_deal("Revolution-v0", "7")


# -- entries -----------------------------------------------------------------------------------------------------------


def test_an_entry_is_written_confirmed_and_compared(agent, ladder, tmp_path, capsys):
    out = tmp_path / "entry"
    assert rfop(["leaderboard", agent, "--seed", "5", "--chosen-by", "Jane Doe", "--out", str(out)]) == 0
    entry = read_entry(out / ENTRY)
    assert [row.opponent for row in entry.rows] == ["random"] * 3 + ["scripted"] * 3
    assert all(row.first_deal == choose_first_deal("Revolution-v0", "5") and row.deals == 20 for row in entry.rows)
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
        assert rfop(["leaderboard", agent, "--seed", "5", "--chosen-by", "Jane Doe", "--out", str(out)]) == 0
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 0
    (tmp_path / "mine.py").write_text(LAST_LEGAL)
    capsys.readouterr()
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 1
    assert "perhaps because this machine rounds" in capsys.readouterr().out


def test_an_entry_that_was_changed_is_refused(agent, ladder, tmp_path, capsys):
    out = tmp_path / "entry"
    assert rfop(["leaderboard", agent, "--seed", "5", "--chosen-by", "Jane Doe", "--out", str(out)]) == 0
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
    made = leaderboard.make_entry(agent, env, JANES, tmp_path)
    assert leaderboard.find_differences(made, agent) == []
    forged = first_rows(made, high=0.999)
    assert len(leaderboard.find_differences(forged, agent)) == 1


# -- where deals come from ---------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """Sets the time."""

    def set_time(text):
        class Clock(datetime):
            @classmethod
            def now(cls, zone):
                return leaderboard.parse_time(text)

        monkeypatch.setattr(leaderboard, "datetime", Clock)

    return set_time


def test_deals_come_from_a_round_that_the_entrant_named_before_it_was_drawn(agent, ladder, clock, tmp_path, capsys):
    out = tmp_path / "entry"
    words = ["leaderboard", agent, "--env", "Revolution-v0", "--out", str(out)]
    assert (
        leaderboard.shown_time(leaderboard.round_time(1000)) == "2023-08-23T15:59:24Z"
    )  # 999 times 3 s after the first
    clock("2023-08-23T15:00:00Z")
    assert rfop([*words, "--declare", "1000"]) == 0
    assert "make it known before 2023-08-23T15:59:24Z" in capsys.readouterr().out
    assert rfop([*words, "--declare", "2000"]) == 2
    assert "a round is named once" in capsys.readouterr().err
    assert rfop([*words, "--value", RANDOMNESS]) == 2
    assert "round 1000 is drawn 2023-08-23T15:59:24Z: wait for it" in capsys.readouterr().err

    clock("2023-08-23T16:00:00Z")
    assert rfop([*words, "--value", RANDOMNESS]) == 0
    entry = read_entry(out / ENTRY)
    assert entry.draw == Draw("drand quicknet", 1000, RANDOMNESS, "2023-08-23T15:00:00Z")
    digest = hashlib.blake2b(f"Revolution-v0 {RANDOMNESS}".encode(), digest_size=8).digest()
    assert {row.first_deal for row in entry.rows} == {
        MAX_DEALS + int.from_bytes(digest, "little") % (FIRST_DEAL - 3 * MAX_DEALS)
    }
    said = "round 1000 of drand quicknet (drawn 2023-08-23T15:59:24Z, named 2023-08-23T15:00:00Z)"
    assert said in (out / "card.md").read_text() and said in leaderboard.table([entry])
    assert rfop(["leaderboard", agent, "--check", str(out / ENTRY)]) == 0

    # What was declared is this agent.
    (tmp_path / "mine.py").write_text(LAST_LEGAL)
    capsys.readouterr()
    assert rfop([*words, "--value", RANDOMNESS]) == 2
    assert "declaration.json is of mine.act#" in capsys.readouterr().err


def test_an_agent_that_plays_otherwise_than_it_was_declared_names_another_round(agent, clock, tmp_path, monkeypatch):
    clock("2023-08-23T15:00:00Z")
    leaderboard.declare(agent, "Revolution-v0", 1000, tmp_path)
    monkeypatch.setattr(leaderboard, "fingerprint", lambda setting, name: "0123456789ab")
    with pytest.raises(RfopError, match="does not play as when round 1000 was named: name another round"):
        leaderboard.read_declaration(agent, "Revolution-v0", tmp_path)


ROUND = Draw("drand quicknet", 1000, RANDOMNESS, "2023-08-23T15:00:00Z")


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (
            replace(ROUND, declared="2023-08-23T15:59:24Z"),
            r"round 1000 was drawn 2023-08-23T15:59:24Z, before it was named \(2023-08-23T15:59:24Z\): name a later",
        ),
        (replace(ROUND, declared="yesterday"), "expected a time like 2026-11-28T18:00:00Z, found 'yesterday'"),
        (replace(ROUND, declared=""), "expected a time like"),
        (replace(ROUND, round=0), "rounds of drand quicknet are from 1 to"),
        (replace(ROUND, round=10**30), "rounds of drand quicknet are from 1 to"),
        (
            replace(ROUND, value="5"),
            "expected the randomness of round 1000, 64 hexadecimal digits in lower case, found '5'",
        ),
        (replace(ROUND, value=RANDOMNESS.upper()), "64 hexadecimal digits in lower case"),
        (replace(ROUND, value=RANDOMNESS + "\n"), "64 hexadecimal digits in lower case"),
        (replace(JANES, value="-5"), "expected a number from 0 to"),
        (replace(JANES, value="٥"), "expected a number from 0 to"),
        (replace(JANES, value=str(2**63)), "expected a number from 0 to"),
        (replace(JANES, chooser=" "), "a number needs the name of who chose it"),
        (replace(JANES, round=3), "a number needs the name of who chose it, and has no round"),
    ],
)
def test_a_draw_that_cannot_be_is_refused_in_a_sentence(draw, said, entry, tmp_path):
    with pytest.raises(RfopError, match=said):
        draw.check()
    forged = replace(entry, draw=draw)
    content = {"format": leaderboard.FORMAT, **asdict(forged), "checksum": forged.checksum}
    (tmp_path / ENTRY).write_text(json.dumps(content))
    with pytest.raises(RfopError, match=f"entry.json: .*{said}"):
        read_entry(tmp_path / ENTRY)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "where do the deals come from?"),
        (["--seed", "5", "--declare", "1000"], "where do the deals come from?"),
        (["--seed", "5"], "the name of who chose it"),
        (["--chosen-by", "Jane", "--declare", "1000"], "the name of who chose it"),
        (["--declare", "1000"], "round 1000 was drawn 2023-08-23T15:59:24Z, before it was named"),
        (["--value", RANDOMNESS], "declaration.json does not exist: name a round first, with --declare ROUND"),
    ],
)
def test_a_command_without_one_source_of_deals_is_told(words, said, agent, tmp_path, capsys):
    assert rfop(["leaderboard", agent, "--env", "Revolution-v0", "--out", str(tmp_path / "out"), *words]) == 2
    assert said in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, float("nan"), float("inf")])
def test_an_entry_of_an_impossible_share_is_refused(share, entry, tmp_path):
    replace(entry, share=share).write(tmp_path / "forged")
    with pytest.raises(RfopError, match="share: above 0"):
        read_entry(tmp_path / "forged" / ENTRY)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": 4}', '{"format": 3}', '{"format": 4, "rows": [3]}', "[" * 10**5]
)
def test_what_is_no_entry_is_refused(text, tmp_path):
    (tmp_path / ENTRY).write_text(text)
    with pytest.raises(RfopError, match=ENTRY):
        read_entry(tmp_path / ENTRY)


def test_the_same_command_goes_on_after_it_was_stopped(agent, ladder, tmp_path, monkeypatch):
    whole = leaderboard.make_entry(agent, "Revolution-v0", JANES, tmp_path / "whole")
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
        leaderboard.make_entry(agent, "Revolution-v0", JANES, tmp_path / "parts")
    monkeypatch.setattr(leaderboard, "evaluate", going_on)
    parts = leaderboard.make_entry(agent, "Revolution-v0", JANES, tmp_path / "parts")
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
    before = leaderboard.make_entry(f"{path}:act", "Revolution-v0", JANES, tmp_path / "entry")
    weights.write_text("last")
    after = leaderboard.make_entry(f"{path}:act", "Revolution-v0", JANES, tmp_path / "entry")
    fresh = leaderboard.make_entry(f"{path}:act", "Revolution-v0", JANES, tmp_path / "fresh")
    assert after.agent == before.agent and after.fingerprint != before.fingerprint
    assert after.rows == fresh.rows != before.rows
    assert len(read_rows(tmp_path / "entry" / ROWS, LadderRow)) == len(after.rows)
