"""Commands that use Ray, where it is not installed: one error that says how to install it."""

from __future__ import annotations

import importlib.util

import pytest

from rfop_env.cli.main import main as rfop

pytestmark = pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="Ray is installed")

INSTALL = 'rfop: work over Ray needs ray, of the extra `ray`: pip install -c constraints-ray.txt -e ".[ray]"'


def test_every_command_says_how_to_install_ray_and_leaves_nothing(tmp_path, capsys):
    for words in (
        ["evaluate", "--env", "Revolution-v0", "random", "--ray", "10.0.0.1:6379"],
        ["matrix", "--env", "Revolution-v0", "random", "scripted", "--ray", "--out", str(tmp_path / "m.csv")],
        ["train", "expert", "--steps", "10", "--ray", "local", "--run", str(tmp_path / "run")],
    ):
        assert rfop(words) == 2
        error = capsys.readouterr().err
        assert error.startswith(INSTALL) and error.count("\n") == 1
    assert [*tmp_path.iterdir()] == []


def test_workers_and_recorded_games_are_refused_with_ray(tmp_path, capsys):
    words = ["--env", "Revolution-v0", "random", "--ray", "10.0.0.1:6379"]
    assert rfop(["evaluate", *words, "--workers", "2"]) == 2
    assert "--workers: processes of this machine; leave it out" in capsys.readouterr().err
    assert rfop(["evaluate", *words, "--replays", str(tmp_path / "games")]) == 2
    assert "recorded games would lie on the nodes" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
