"""The command that measures first use; how long it takes is not tested."""

import subprocess
import sys

import pytest

from training.research.__main__ import main as research
from training.research.speed import search_first_use as first_use

GAME = "Revolution-v0"


def test_each_process_finds_what_the_one_before_has_kept(monkeypatch):
    calls = []

    def seconds(game, way, folder):
        calls.append((game, way, folder))
        return 10.0 - len(calls)

    monkeypatch.setattr(first_use, "seconds", seconds)
    assert list(first_use.measured(GAME, 2).values()) == [6.0, 5.0, 4.0], "the best of two"
    assert [way for _, way, _ in calls] == ["rules", "search", "both"] * 2
    folders = [folder for _, _, folder in calls]
    assert len(set(folders[:3])) == len(set(folders[3:])) == 1 and folders[0] != folders[3]


def test_a_process_is_timed_and_keeps_what_it_does_in_the_folder(monkeypatch, tmp_path):
    def run(command, env, **options):
        assert "make_batch('Revolution-v0'" in command[-1] and env["RFOP_CACHE_DIR"] == str(tmp_path)
        return subprocess.CompletedProcess(command, 0, stdout="1.5\n")

    monkeypatch.setattr(first_use.subprocess, "run", run)
    assert first_use.seconds(GAME, "rules", str(tmp_path)) == 1.5


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


def test_a_page_without_a_place_and_wrong_numbers_are_refused_before_anything_is_measured(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(first_use, "table", lambda *arguments: pytest.fail("it was measured"))
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    assert research(["first-use", "--write", str(page)]) == 2
    assert "no place for the table" in capsys.readouterr().err
    assert research(["first-use", "--runs", "0"]) == 2
    assert research(["first-use", "--env", "Chess"]) == 2
