"""Replays that evaluations and the self-play trainer write."""

import pytest

from rfop_env.cli.main import main as rfop
from rfop_env.replays import Replay
from rfop_training.commands import evaluate

ARGUMENTS = ["--env", "Revolution-v0", "random", "scripted"]


def test_an_evaluation_records_its_first_games(tmp_path, capsys):
    folder = tmp_path / "games"
    assert rfop(["evaluate", *ARGUMENTS, "--deals", "3", "--replays", str(folder), "--replay-games", "2"]) == 0
    with_replays = capsys.readouterr().out
    files = sorted(folder.glob("*"))
    assert len(files) == 4  # two deals, the first agent in either seat
    counts = set()
    for path in files:
        replay = Replay.read(path)
        assert sum(1 for _ in replay.play()) == len(replay.decisions)
        counts.add((replay.players, replay.seed - 2**40))
    assert counts == {(pair, deal) for pair in (("random", "scripted"), ("scripted", "random")) for deal in (0, 1)}

    # What is recorded changes no result, and older replays stay.
    assert rfop(["evaluate", *ARGUMENTS, "--deals", "3"]) == 0
    assert capsys.readouterr().out == with_replays
    assert rfop(["evaluate", *ARGUMENTS, "--deals", "3", "--replays", str(folder)]) == 2
    assert "has replays already" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_refused_before_a_game(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(evaluate, "evaluate", lambda *_, **__: pytest.fail("played"))
    (tmp_path / "file").write_text("")
    for folder, message in ("a\0b", "a name has no NUL"), ("file/games", "its folder cannot be made: Not a directory"):
        assert rfop(["evaluate", *ARGUMENTS, "--replays", str(tmp_path / folder)]) == 2
        error = capsys.readouterr().err
        assert "--replays" in error and message in error and error.count("\n") == 1


def test_a_number_of_replays_without_a_folder(capsys):
    assert rfop(["evaluate", *ARGUMENTS, "--deals", "1", "--replay-games", "2"]) == 2
    assert "--replay-games: say where they go with --replays FOLDER" in capsys.readouterr().err


@pytest.mark.parametrize(("trainer", "points"), [("ppo", 2), ("maskable", 1)])
def test_the_trainers_record_games_of_their_curves(trainer, points, tmp_path):
    run = tmp_path / "run"
    sizes = ["--num-envs", "8", "--num-steps", "8", "--minibatch-size", "32", "--width", "8"]
    settings = ["--steps", "64", "--evaluate-deals", "2", "--evaluate-replays", "1", "--quiet"]
    assert rfop(["train", trainer, "--env", "Revolution-v0", "--run", str(run), *sizes, *settings]) == 0
    folders = list((run / "replays").iterdir())
    assert len(folders) == points
    replays = [Replay.read(path) for path in folders[0].iterdir()]
    assert {replay.players for replay in replays} == {("training", "scripted"), ("scripted", "training")}


@pytest.mark.parametrize("games", ["-1", "x"])
def test_a_wrong_number_of_recorded_games(games, capsys):

    assert rfop(["train", "ppo", "--steps", "1", "--evaluate-replays", games]) == 2
    assert "evaluate-replays" in capsys.readouterr().err
