"""The command that measures the speed of the search; how fast it is is not tested."""

import re


from training.research.__main__ import main as research
from training.research.speed import search_speed

GAME = "Revolution-v0"


def test_the_table_goes_into_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(search_speed, "measure", lambda game, slices: (35261.4, 15900.6, 32450.0, 1.0))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: search_speed -->\nold\n<!-- /generated -->\nafter\n")
    assert research(["search", "--env", GAME, "--write", str(page)]) == 0
    text = page.read_text()
    assert f"| {GAME} | 35,261 | 15,901 | 32,450 | 1 |\n<!-- /generated -->\nafter\n" in text
    assert text.startswith("before\n<!-- generated: search_speed -->\n| environment |") and "old" not in text
    assert capsys.readouterr().out.strip() in text


def test_decisions_are_timed_with_one_leaf_and_several(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(search_speed, "GUIDED", {GAME: (5, "revolution/ppo-2")})
    monkeypatch.setattr(search_speed, "DECISIONS", 1)
    page = tmp_path / "page.md"
    places = [f"<!-- generated: {name} -->\n<!-- /generated -->\n" for name in ("search_speed", "search_decisions")]
    page.write_text("".join(places))
    assert research(["search", "--decisions", "--slices", "1", "--write", str(page)]) == 0
    row = r"\| search-5\+revolution/ppo-2( \| \d+\.\d ms){4} \|"
    assert re.search(
        rf"search_speed -->\n<!-- /.*\n<!-- .*decisions -->\n\| agent \| one leaf \|.*\n.*\n{row}\n<", page.read_text()
    )
    assert re.search(row, capsys.readouterr().out)


def test_the_bench_prints_a_row_for_each_game(monkeypatch, capsys):
    monkeypatch.setattr(search_speed, "TREE", 4)
    assert research(["search", "--env", "Revolution-v0", "--seconds", "0.01", "--slices", "1"]) == 0
    assert re.search(r"\| Revolution-v0( \| [\d,]+){4} \|", capsys.readouterr().out)
    assert research(["search", "--env", "Revolutio-v0"]) == 2
    assert "did you mean 'Revolution-v0'" in capsys.readouterr().err
