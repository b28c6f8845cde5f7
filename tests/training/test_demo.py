"""`make demo` in small: both games are trained, a second call goes on, and what is printed last can be typed."""

import io
import shlex
import sys

import pytest

from rfop_env.cli.main import main as rfop
from rfop_training.commands import demo

pytestmark = pytest.mark.many_games


def test_the_demo_trains_compares_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(demo.SETTINGS, "num_envs", 4)
    monkeypatch.setitem(demo.SETTINGS, "num_steps", 8)
    monkeypatch.setitem(demo.SETTINGS, "evaluate_deals", 1)
    run = tmp_path / "my runs" / "demo"
    words = ["--minutes", "0.01", "--deals", "2", "--threads", "1", "--quiet", "--run", str(run)]

    assert rfop(["demo", *words]) == 0
    first = capsys.readouterr().out
    assert "1 of 2" in first and "2 of 2" in first and str(run) in first
    assert f"| {demo.SEARCH}+demo#" in first
    for name in ("model.safetensors", "curve.csv", "results.csv", "curve.png", "two_players/model.safetensors"):
        assert (run / name).stat().st_size > 0

    assert rfop(["demo", *words]) == 0
    second = capsys.readouterr().out
    assert "1 of 2" not in second and "more minutes" in second

    commands = [line.split(":", 1)[1] for line in second.splitlines() if "rfop " in line]
    assert len(commands) == 3
    for words in map(shlex.split, commands):
        monkeypatch.setattr(sys, "stdin", io.StringIO("1\n" * 12))  # the person's first decisions, where it is asked
        assert rfop(["0" if word == "1" else word for word in words[1:]]) == 0, words  # without the delay
        out = capsys.readouterr().out
        if "watch" in words:
            assert "The game is over" in out
        else:
            opponent = words[words.index("--opponent") + 1]
            assert f"Versailles {opponent}" in out and "· Versailles " in out, "the opponent did not play"
