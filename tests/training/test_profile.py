"""The profile of a run: the functions that take its time, and its rates, of every trainer."""

from __future__ import annotations

import re

import pytest

from training.research.__main__ import main as research
from training.research.speed import bench_training as bench

SMALL = ["--num-envs=16", "--num-steps=8", "--minibatch-size=64", "--width=16", "--evaluate-deals=2"]


@pytest.mark.parametrize("words", [["ppo"], ["ppo", "--threads=2"], ["maskable"], ["expert", "--simulations=2"]])
def test_the_command_prints_functions_and_counts_a_second(words, capsys):
    assert research(["profile", *words, "--env=Revolution-v0", *SMALL, "--seconds=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["function", "calls", "seconds", "share"]
    assert any("run.py: update" in line for line in lines[1:-1])
    assert re.fullmatch(r"[\d,]+ decisions.* in [\d.]+ s: [\d,]+ decisions.* a second of processor time", lines[-1])


def test_a_profile_is_written_into_a_page_with_its_command(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: profile_ppo -->\n<!-- /generated -->\n")
    words = ["--env=Revolution-v0", *SMALL]
    assert research(["profile", "ppo", *words, "--seconds", "7", "--write", str(page)]) == 0
    machine, _, fence, output, titles, *rows = page.read_text().splitlines()[1:-2]
    assert "torch" in machine and "Load" in machine and fence == "```text"
    assert output == f"$ python -m training.research profile ppo {' '.join(words)} --seconds 7"
    assert titles.startswith("function") and " decisions in " in rows[-1]

    # The block of another trainer is refused before anything is trained.
    assert research(["profile", "expert", "--write", str(page)]) == 2
    assert "it needs a line <!-- generated: profile_expert -->" in capsys.readouterr().err


def test_the_speed_of_training_is_measured_in_every_way_and_written_into_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "GAMES", 16)
    monkeypatch.setattr(bench, "SHARED", {"minibatch_size": 64, "num_steps": 8, "evaluate_deals": 1})
    monkeypatch.setattr(bench, "BOARD", {"space_units": 4, "layers": 1, "width": 8})
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: training_speed -->\n<!-- /generated -->\n")
    assert research(["training", "--games", "Revolution-v0", "--seconds", "1", "--write", str(page)]) == 0
    rows = [line.split(" | ") for line in page.read_text().splitlines() if line.startswith("| Revolution-v0")]
    assert [row[0] for row in rows] == ["| Revolution-v0", "| Revolution-v0, network for boards"]
    assert all(int(figure.strip(" |").replace(",", "")) > 0 for row in rows for figure in row[1:])
    assert "float32, 16 games for each thread, 1 seconds for each figure" in page.read_text()

    # A page without a place is refused before anything is measured.
    page.write_text("no place\n")
    assert research(["training", "--write", str(page)]) == 2
    assert "the page has no place for the table" in capsys.readouterr().err
