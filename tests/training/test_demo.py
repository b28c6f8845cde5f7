"""`make demo` in small: both games are trained, a second call goes on, and what is printed last can be typed."""

import shlex

import pytest

from rfop_env.cli.main import main as rfop
from training import demo

pytestmark = pytest.mark.many_games


def test_the_demo_trains_compares_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(demo.SETTINGS, "num_envs", 4)
    monkeypatch.setitem(demo.SETTINGS, "num_steps", 8)
    monkeypatch.setitem(demo.SETTINGS, "evaluate_deals", 1)
    run = tmp_path / "demo"
    words = ["--minutes", "0.01", "--deals", "2", "--threads", "1", "--quiet", "--run", str(run)]

    assert demo.main(words) == 0
    first = capsys.readouterr().out
    assert "1 of 2" in first and "2 of 2" in first and str(run) in first
    assert f"| {demo.SEARCH}+demo#" in first
    for name in ("model.safetensors", "curve.csv", "results.csv", "curve.png", "two_players/model.safetensors"):
        assert (run / name).stat().st_size > 0

    assert demo.main(words) == 0
    second = capsys.readouterr().out
    assert "1 of 2" not in second and "more minutes" in second

    watch = next(line for line in second.splitlines() if "watch" in line)
    words = shlex.split(watch.split(":", 1)[1])[1:]
    assert rfop([word for word in words if word not in ("--delay", "1", "--draw")]) == 0
    assert "The game is over" in capsys.readouterr().out
