"""The command that measures what copying costs; how much is not tested."""

import re

import pytest

from rfop_env.registry import get_game
from training.research.__main__ import main
from training.research import copy_cost

GAME = "Revolution-v0"


def test_every_way_can_be_called_again_and_again():
    ways = copy_cost.ways(get_game(GAME))
    assert len(ways) == 13
    for call in ways.values():
        call()
        call()
    assert 0 < copy_cost.microseconds(ways["`get_state()`"], 0.001) < 1e6


def test_the_table_goes_into_the_page(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: copying -->\nold\n<!-- /generated -->\nafter\n")
    assert main(["copies", "--env", GAME, "--seconds", "0.001", "--write", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n<!-- generated: copying -->\nMicroseconds") and text.endswith(
        "<!-- /generated -->\nafter\n"
    )
    assert "old" not in text and capsys.readouterr().out.strip() in text
    rows = re.findall(r"^\| `.*\| +([\d,.]+) \|$", text, re.MULTILINE)
    assert len(rows) == 13 and f"| | {GAME} |" in text


def test_a_page_without_a_place_is_refused_before_anything_is_measured(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(copy_cost, "table", lambda *given: pytest.fail("it was measured"))
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    assert main(["copies", "--write", str(page)]) == 2
    assert "no place for the table" in capsys.readouterr().err
    for value in ("0", "-1", "nan", "1e9"):
        assert main(["copies", "--seconds", value]) == 2


def test_figures_have_two_digits():
    for value, output in [(3.14159, "3.1"), (31.4159, "31"), (3141.59, "3,100"), (12.0, "12")]:
        assert copy_cost._figure(value) == output
