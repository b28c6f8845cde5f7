"""The command that measures the adapters for other libraries; how fast they are is not tested."""

import pytest

from rfop_env import make
from training.research.__main__ import main
from training.research import library_speed
from rfop_env.testing.speed import Case


def test_the_table_goes_into_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(library_speed, "cases", lambda: [Case("A-v0", "by hand", 3, 1, lambda: 3)])
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: libraries -->\nold\n<!-- /generated -->\nafter\n")
    assert main(["libraries", "--seconds", "0.001", "--runs", "1", "--write", str(page)]) == 0
    text = page.read_text()
    assert "| A-v0 | by hand | 3 | " in text and "old" not in text and capsys.readouterr().out.strip() in text


@pytest.mark.parametrize(
    ("loop", "game"), [(library_speed.plain_aec, "Revolution-v0"), (library_speed.plain_gymnasium, "LeveeEnMasse-v0")]
)
def test_a_plain_loop_plays_one_game_after_the_other(loop, game):
    env = make(game)
    resets, reset = [], env.reset
    env.reset = lambda **given: (resets.append(given), reset(**given))[1]
    step = loop(env)
    while len(resets) < 3:
        assert step() in (0, 1)
    assert resets == [{"seed": 0}, {}, {}]
