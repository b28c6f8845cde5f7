"""The command that measures first use; how long it takes is not tested."""

import subprocess
import sys

import pytest

from training.research.__main__ import main as research
from training.research.speed import search_first_use as first_use

GAME = "Revolution-v0"


@pytest.mark.parametrize("way", ["rules", "search", "both"])
def test_what_is_measured_can_be_run(way):
    work = "\n".join(first_use.WAYS.values()) if way == "both" else first_use.WAYS[way]
    script = first_use._SCRIPT.format(work=work.format(game=GAME))
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(process.stdout) > 0


def test_the_table_goes_into_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(first_use, "seconds", lambda game, way, folder: {"rules": 4.0, "search": 3.0}.get(way, 0.2))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: first_use -->\nold\n<!-- /generated -->\nafter\n")
    assert research(["first-use", "--env", GAME, "--runs", "1", "--write", str(page)]) == 0
    text = page.read_text()
    assert text.startswith("before\n<!-- generated: first_use -->\nProcessor time") and text.endswith(
        "<!-- /generated -->\nafter\n"
    )
    assert "old" not in text and f"| {GAME} | 75% | 5% |" in text
    assert capsys.readouterr().out.strip() in text
