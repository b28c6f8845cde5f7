"""Replays that evaluations and the self-play trainer write."""

import pytest

from rfop_env.cli.main import main as rfop
from rfop_env.replays import Replay

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


@pytest.mark.parametrize(("trainer", "points"), [("ppo", 2), ("maskable", 2)])
def test_the_trainers_record_games_of_their_curves(trainer, points, tmp_path):
    run = tmp_path / "run"
    sizes = ["--num-envs", "8", "--num-steps", "8", "--minibatch-size", "32", "--width", "8"]
    settings = ["--steps", "64", "--evaluate-deals", "2", "--evaluate-replays", "1", "--quiet"]
    assert rfop(["train", trainer, "--env", "Revolution-v0", "--run", str(run), *sizes, *settings]) == 0
    folders = list((run / "replays").iterdir())
    assert len(folders) == points
    replays = [Replay.read(path) for path in folders[0].iterdir()]
    assert {replay.players for replay in replays} == {("training", "scripted"), ("scripted", "training")}
