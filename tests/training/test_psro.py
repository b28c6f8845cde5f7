"""The loop of champions and best responses: a smaller bound in a solved game, exact resume, shares of the Nash mix."""

from __future__ import annotations

import pytest

from rfop_env.core.errors import RfopError
from rfop_training.common.records import read_records
from rfop_training.evaluation.setting import Setting
from rfop_training.run import RunFolder
from toy_runs import toys
from training.research.__main__ import main as research
from rfop_training.evaluation.matrix import MatrixRow
from training.research.lab import best_response, psro
from training.research.lab.best_response import train_against
from training.research.lab.end_games import EndGames
from training.research.lab.psro import Psro, Round, rounds_table

TINY = {"num_envs": 16, "num_steps": 8, "minibatch_size": 64, "evaluate_deals": 2, "quiet": True}
TOY = Setting("ToyTurns-v0")


@pytest.fixture(autouse=True, scope="module")
def toy_ids():
    """The toy games have ids."""
    with toys():
        yield


@pytest.fixture
def champion(tmp_path):
    """A network of a toy game that has hardly been trained."""
    path = tmp_path / "first"
    train_against({"self": 1.0}, TOY, path, 64, "", width=8, **TINY)
    return str(path)


def loop(folder, champion, **settings):
    return Psro(TOY, champion, folder, 128, seeds=2, deals=range(40), arguments=TINY, **settings)


def figures(rows):
    return [(row.round, row.champion, row.opponent, row.win_rate, row.responses, row.mix) for row in rows]


def test_a_loop_that_was_stopped_ends_as_one_that_was_not(tmp_path, champion, monkeypatch):
    whole = loop(tmp_path / "whole", champion).play(1)
    assert [row.round for row in whole] == [0, 1] and read_records(tmp_path / "whole" / "rounds.csv", Round) == whole

    def stop(args):
        if args.run.name == stopped:
            raise KeyboardInterrupt
        return train(args)

    train = best_response.train
    monkeypatch.setattr(best_response, "train", stop)
    for stopped in ("response_0_2", "champion_1", "response_1_2"):  # noqa: B007 - the function reads it
        with pytest.raises(KeyboardInterrupt):
            loop(tmp_path / "again", champion).play(1)
    stopped = ""
    again = loop(tmp_path / "again", champion)
    assert figures(again.play(1)) == figures(whole)

    # The champion met the mix and itself, and began with the last one; the best response of each round is in the pool.
    run = RunFolder(tmp_path / "again" / "champion_1").read_metadata()["arguments"]
    assert run["init_from"] == champion and run["opponents"].startswith("self=0.5,") and run["openings"] == 1.0
    assert [name.rpartition("/")[2][:10] for name in again.pool] == ["first", "response_0", "champion_1", "response_1"]

    # The bound is what the best of all known opponents wins.
    for row in whole:
        games = [game for game in read_records(tmp_path / "whole" / "matrix.csv", MatrixRow) if game.side == "all"]
        lows = [game.low for game in games if game.opponent == row.champion]
        lows += [1 - game.high for game in games if game.agent == row.champion]
        assert row.low in (pytest.approx(low) for low in lows) and len(row.responses.split()) == 2
        assert row.round == 0 or row.low == pytest.approx(max(lows))
        assert f"| {row.round} | {row.champion} | {row.opponent} | {row.win_rate:.1%} |" in rounds_table(whole)
    with pytest.raises(RfopError, match="is another run, with steps 128 instead of 64"):
        Psro(TOY, champion, tmp_path / "again", 64, deals=range(40), arguments=TINY).play(0)


def test_what_the_loop_cannot_play_is_refused(tmp_path, champion):
    with pytest.raises(RfopError, match="has not two seats"):
        Psro(Setting.parse("Paris-v0", "players=3"), "paris/ppo-7", tmp_path, 10)
    for agent in ("random", f"{champion}@1"):
        with pytest.raises(RfopError, match="is no network that plays its most likely action"):
            Psro(TOY, agent, tmp_path, 10)


def test_the_command_writes_a_row_for_each_round(tmp_path, champion, capsys, monkeypatch):
    monkeypatch.setattr(psro, "Psro", lambda *args: Psro(*args, arguments=TINY))
    words = ["--env", "ToyTurns-v0", "--rounds", "0", "--steps", "64", "--seeds", "1", "--deals", "10"]
    csv = tmp_path / "rounds.csv"
    assert research(["psro", champion, *words, "--run", str(tmp_path / "run"), "--csv", str(csv)]) == 0
    captured = capsys.readouterr()
    assert "| 0 | first#" in captured.out and "round 0: response of seed 1 to" in captured.err
    assert [row.steps for row in read_records(csv, Round)] == [64]
    assert research(["psro", champion, *words, "--run", str(tmp_path / "run"), "--self", "2"]) == 2


@pytest.mark.slow
def test_exact_exploitability_falls_on_the_small_board(tmp_path):
    setting = Setting("Revolution-v0", components="small_board")
    first, quick = tmp_path / "first", {"evaluate_deals": 10, "quiet": True}
    train_against({"self": 1.0}, setting, first, 100_000, "", **quick)
    end_games = EndGames(setting, left=13, games=40)
    settings = {"seeds": 2, "deals": range(200), "end_games": end_games, "arguments": quick}
    rows = Psro(setting, str(first), tmp_path / "run", 100_000, **settings).play(2)
    assert rows[-1].exploitability < rows[0].exploitability - 0.2 and rows[-1].sampled < rows[0].sampled - 0.05
    assert all(0.0 <= row.exploitability <= 4.0 for row in rows)
