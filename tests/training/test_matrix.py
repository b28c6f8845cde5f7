"""Pay-off matrices: right numbers, nothing played twice, nothing stale."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
import rfop_agents
from rfop_agents.network import write_network
from rfop_agents.network import game_metadata
from rfop_env.core.errors import RfopError, UnknownName
from rfop_env.registry import get_game
from rfop_training.evaluation import matrix as m
from rfop_training.evaluation.ratings import rate
from rfop_training.evaluation.rows import ALL, pair
from rfop_training.evaluation.setting import Setting
from rfop_training.figures.heat_maps import matrix_title
from rfop_training.common.records import read_records, write_records

from tests.training.random_networks import random_weights

REVOLUTION = Setting("Revolution-v0")


def network(path, seed=0):
    """The file of a network of random weights for Revolution."""
    game = get_game("Revolution-v0")
    write_network(path, random_weights(game, seed), game_metadata(game, game.load_components(None)))
    return str(path)


@pytest.fixture
def played(monkeypatch):
    """The names of the agents of all tasks that are played."""
    found = []
    play = m.play_tasks

    def listed(tasks, *others):
        found.extend(task.names for task in tasks)
        return play(tasks, *others)

    monkeypatch.setattr(m, "play_tasks", listed)
    return found


def test_a_matrix_holds_what_pairs_score(tmp_path):
    game = get_game("Revolution-v0")
    lines = m.fill(REVOLUTION, ["random", "scripted"], range(60), tmp_path / "m.csv")
    direct = pair(game, rfop_agents.load("random", game), rfop_agents.load("scripted", game), range(60))
    assert [(x.side, x.wins) for x in lines] == [(x.side, x.wins) for x in direct]
    assert [x.points for x in lines] == pytest.approx([x.points for x in direct], abs=1e-5)
    found = m.read_matrix(tmp_path / "m.csv")
    assert found.names == ("random", "scripted") and found.seats == 2 and found.games == 120
    assert found.share[0, 1] == pytest.approx(direct[-1].win_rate)
    assert found.share + found.share.T == pytest.approx(np.ones((2, 2)))
    assert "Not for publication: 120 games" in m.matrix_table(found)


def test_two_processes_that_fill_one_file_keep_each_others_pairs(tmp_path, monkeypatch):
    path, net = tmp_path / "m.csv", network(tmp_path / "net.safetensors")
    play, nested = m._PairPlayer.play, []

    def while_another_fills(self, pairs, *others):
        for lines in play(self, pairs, *others):
            if not nested:
                nested.append(True)
                m.fill(REVOLUTION, ["scripted", net], range(8), path)
            yield lines

    monkeypatch.setattr(m._PairPlayer, "play", while_another_fills)
    m.fill(REVOLUTION, ["random", "scripted"], range(8), path)
    written = {(line.agent, line.opponent.split("#")[0]) for line in read_records(path, m.MatrixRow)}
    assert written == {("random", "scripted"), ("scripted", "net")}


def test_pairs_of_the_file_are_played_again_only_if_an_agent_plays_otherwise(tmp_path, played, monkeypatch):
    fingerprint = m.fingerprint
    path, net = tmp_path / "m.csv", network(tmp_path / "net.safetensors")
    m.fill(REVOLUTION, ["random", net], range(8), path)
    assert len(played) == 2
    m.fill(REVOLUTION, [net, "random"], range(8), path)  # the order of names is no other matrix
    assert len(played) == 2
    m.fill(REVOLUTION, ["random", net, "scripted"], range(8), path)
    assert len(played) == 6 and ("random", net) not in played[2:]
    monkeypatch.setattr(
        m, "fingerprint", lambda setting, name: "another" if name == net else fingerprint(setting, name)
    )
    m.fill(REVOLUTION, ["random", net], range(8), path)  # as after a change of the code that plays it
    assert len(played) == 8
    with pytest.raises(RfopError, match=r"net#\w+ changed between its pairs"):
        m.read_matrix(path)
    m.fill(REVOLUTION, ["random", net, "scripted"], range(8), path)
    assert m.read_matrix(path).share.shape == (3, 3)
    assert len(read_records(path, m.MatrixRow)) == 9


def test_a_model_that_was_trained_further_is_another_agent_and_the_old_one_can_be_left_out(tmp_path, capsys):
    path, net = tmp_path / "m.csv", network(tmp_path / "net.safetensors")
    old = m.fill(REVOLUTION, ["random", net], range(8), path)[0].opponent
    network(tmp_path / "net.safetensors", seed=1)
    new = m.fill(REVOLUTION, ["random", net], range(8), path)[0].opponent
    assert old != new and m.read_matrix(path).names == ("random", old, new)
    assert rfop(["ratings", str(path), "--resamples", "100"]) == 2
    assert (
        "have not played each other: run rfop matrix with both, or leave one out: --without" in capsys.readouterr().err
    )
    assert rfop(["ratings", str(path), "--resamples", "100", "--without", old]) == 0
    assert old not in capsys.readouterr().out
    with pytest.raises(UnknownName, match="agent of this matrix"):
        m.read_matrix(path, ["nobody"])


def test_a_stop_in_the_middle_keeps_the_pairs_that_are_done(tmp_path, monkeypatch, capsys):
    path, net = tmp_path / "m.csv", network(tmp_path / "net.safetensors")
    play = m.play_tasks

    def broken(tasks, *others):
        for k, found in enumerate(play(tasks, *others)):
            if k == 3:
                signal.raise_signal(signal.SIGTERM)
            yield found

    monkeypatch.setattr(m, "play_tasks", broken)
    words = ["random", "scripted", net, "--env", "Revolution-v0", "--deals", "4", "--out", str(path)]
    assert rfop(["matrix", *words]) == 143
    assert "the same command plays the pairs that are missing" in capsys.readouterr().err
    assert {(x.agent, x.opponent) for x in read_records(path, m.MatrixRow)} == {("random", "scripted")}


def test_a_file_is_about_one_game_on_the_same_deals(tmp_path):
    path = tmp_path / "m.csv"
    m.fill(REVOLUTION, ["random", "scripted"], range(4), path)
    with pytest.raises(RfopError, match=r"m\.csv has deals 4, but 5 was asked for"):
        m.fill(REVOLUTION, ["random", "scripted"], range(5), path)
    with pytest.raises(RfopError, match=r"m\.csv has opening 5, but 0 was asked for"):
        m.fill(Setting("Revolution-v0", opening=0), ["random", "scripted"], range(4), path)
    with pytest.raises(RfopError, match=r"m\.csv has env 'Revolution-v0'"):
        m.fill(Setting("Paris-v0"), ["random", "scripted"], range(4), path)
    with pytest.raises(RfopError, match="one seat"):
        m.fill(Setting("LeveeEnMasse-v0"), ["random", "scripted"], range(4), path)
    with pytest.raises(RfopError, match="called"):
        m.fill(REVOLUTION, ["random", "random"], range(4), path)


def test_pairs_with_searches_and_rollouts_play_the_first_deals_alone(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(m, "PARTS", 2)
    path, names = tmp_path / "m.csv", ["random", "scripted", "search-2", "rollout-1x1+revolution/ppo-2"]
    words = ["--env", "Revolution-v0", "--deals", "6", "--slow-deals", "2", "--out", str(path)]
    assert rfop(["matrix", *names, *words]) == 0
    lines = [line for line in read_records(path, m.MatrixRow) if line.side == ALL]
    assert {line.deals for line in lines if {line.agent, line.opponent} == {"random", "scripted"}} == {6}
    assert [line.deals for line in lines].count(2) == 5 and all(len(line.parts.split()) == 2 for line in lines)
    matrix = m.read_matrix(path)
    assert matrix.games == 4 and not np.isnan(matrix.parts).any() and len(rate(matrix)) == 4

    # They are the games of the first deals in any matrix.
    alone = m.fill(REVOLUTION, ["random", "search-2"], range(2), None)
    assert [line.wins for line in alone if line.side == ALL] == [
        line.wins for line in lines if (line.agent, line.opponent) == ("random", "search-2")
    ]
    assert rfop(["matrix", *names, *words[:-4], "--slow-deals", "3", "--out", str(path)]) == 2
    assert "has deals 2, but 3 was asked for" in capsys.readouterr().err
    for slow in (1, 7):
        with pytest.raises(RfopError, match="slow_deals: from 2, one for each part of the other pairs, to 6"):
            m.matrix("Revolution-v0", ["random", "search-2"], 6, slow_deals=slow)


def test_with_three_seats_a_pair_has_an_order(tmp_path):
    setting = Setting("Paris-v0", (("players", "3"),))
    lines = m.fill(setting, ["random", "scripted"], range(6), tmp_path / "m.csv")
    assert [(x.agent, x.games) for x in lines if x.side == ALL] == [("random", 18), ("scripted", 18)]
    found = m.make_matrix(lines)
    assert found.seats == 3 and found.share[0, 0] == pytest.approx(1 / 3)
    assert found.share[1, 0] > 0.8 and found.share[0, 1] < 0.2


def test_a_broken_file_is_told_by_line_and_column(tmp_path):
    path = tmp_path / "m.csv"
    m.fill(REVOLUTION, ["random", "scripted"], range(4), path)
    text = path.read_text()
    path.write_text(text.replace("random,scripted,royalists,4,", "random,scripted,royalists,four,"))
    with pytest.raises(RfopError, match=r"m\.csv:2: games: expected a whole number, found 'four'"):
        m.read_matrix(path)
    path.write_text(text.replace("agent,opponent", "agent,enemy"))
    with pytest.raises(RfopError, match="expected the columns agent, opponent"):
        m.read_matrix(path)
    write_records(path, [], m.MatrixRow)
    with pytest.raises(RfopError, match="holds no pair"):
        m.read_matrix(path)


def test_the_command_writes_file_and_heat_map(tmp_path, capsys):
    out, figure = tmp_path / "new" / "m.csv", tmp_path / "m.svg"
    words = ["random", "scripted", "--env", "Revolution-v0", "--deals", "5", "--out", str(out), "--figure", str(figure)]
    assert rfop(["matrix", *words]) == 0
    assert "| scripted |" in capsys.readouterr().out
    assert "not for publication" in figure.read_text() and out.exists()
    assert (
        rfop(["matrix", *words[:-1], str(tmp_path / "m.bmp")]) == 2 and "a picture is a .png" in capsys.readouterr().err
    )
    assert rfop(["matrix", "random", "--out", str(out)]) == 2
    assert rfop(["matrix", "random", "nobody", "--env", "Revolution-v0", "--out", str(out)]) == 2
    assert "unknown agent 'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "against_b, against_c, title",
    [
        ((0.4, 0.5), (0.7, 0.9), "No agent beats all others; a wins most"),
        ((0.1, 0.94), (0.7, 0.9), "a wins most; b may be as strong"),
        ((0.1, 0.94), (0.15, 0.95), "a wins most; 2 others may be as strong"),
        ((0.56, 0.617), (0.7, 0.9), "a beats every other agent: 58.8\u00a0% of games or more"),
    ],
)
def test_the_title_of_a_heat_map_claims_no_lead_within_its_interval(against_b, against_c, title):
    parts = np.full((3, 3, 100), 0.5)  # b and c are even; the shares of a alternate from part to part
    for other, shares in ((1, against_b), (2, against_c)):
        parts[0, other] = np.tile(shares, 50)
        parts[other, 0] = 1 - parts[0, other]
    matrix = m.Matrix("Toy-v0", "", ("a", "b", "c"), 2, 1000, parts.mean(axis=2), parts, np.ones(100))
    assert matrix_title(matrix) == title


def test_who_beats_all_others_is_first_though_another_one_wins_more():
    shares = np.array([[0.5, 0.6, 0.6], [0.4, 0.5, 0.9], [0.4, 0.1, 0.5]])
    parts = np.repeat(shares[:, :, None], 100, axis=2)
    matrix = m.Matrix("Toy-v0", "", ("a", "b", "c"), 2, 1000, shares, parts, np.ones(100))
    assert matrix_title(matrix) == "a beats every other agent: 60.0\u00a0% of games or more"
