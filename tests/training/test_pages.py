"""Published results: all in the documentation, of committed code, in files that say what they were made from."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from training.evaluation.best_response import Response
from training.evaluation.matrix import MatrixRow, read_matrix
from training.evaluation.rows import PUBLISHED, RecordedRow
from training.publishing import pages, replay
from training.common.records import read_records

KINDS = {"best_responses.csv": Response, "search.csv": RecordedRow, "scores.csv": RecordedRow} | {
    path.name: MatrixRow for path in pages.RESULTS.glob("matrix_*.csv")
}


def test_every_table_is_on_a_page_and_fresh():
    text = "".join(page.read_text(encoding="utf-8") for page in pages.pages())
    assert [name for name in pages.TABLES if f"<!-- {name} -->" not in text] == []
    assert list(pages.stale()) == [], "run `make docs`"


def test_a_table_replaces_the_old_one_and_nothing_else(monkeypatch):
    monkeypatch.setitem(pages.TABLES, "curves", lambda: "| new |")
    page = "before\n<!-- curves -->\nold\n<!-- /curves -->\n<!-- other -->\nkept\n<!-- /other -->\n"
    assert pages.fresh(page) == page.replace("old", "| new |")
    around = f"<!-- results -->\n{page}<!-- /results -->\n"
    assert pages.fresh(around) == around.replace("old", "| new |")


def typed_results(text):
    """The lines of tables with shares in per cent that stand in no block of a generated table."""
    blocks = "|".join(pages.TABLES)
    outside = re.sub(rf"<!-- ({blocks}) -->\n.*?<!-- /\1 -->", "", text, flags=re.DOTALL)
    return [line for line in outside.splitlines() if re.match(r"\|.*\d%", line)]


@pytest.mark.parametrize(
    "name", ["README.md", *(f"docs/{n}.md" for n in ("results", "evaluation", "search", "levee_en_masse"))]
)
def test_no_table_of_results_is_typed(name):
    assert typed_results((pages.README.parent / name).read_text(encoding="utf-8")) == []


def test_a_typed_table_is_found():
    row = "| greedy | 1.5% | 1.0% to 2.1% |\n"
    assert typed_results(f"<!-- solo -->\n{row}<!-- /solo -->\n") == [] and typed_results(f"<!-- results -->\n{row}")


def test_the_distribution_is_of_the_same_games_as_the_scores():
    outcomes = read_records(replay.SPREAD, replay.Outcome)
    scores = replay.spread_scores()
    assert scores and all(replay.same_games(row, replay.outcomes_of(row, outcomes)) for row in scores)
    moved = [replace(outcomes[0], points=outcomes[0].points + 30), *outcomes[1:]]
    assert not all(replay.same_games(row, replay.outcomes_of(row, moved)) for row in scores)


def test_a_stale_table_is_found_with_its_page(monkeypatch):
    page = next(p for p in pages.DOCS.glob("*.md") if "<!-- searches -->" in p.read_text(encoding="utf-8"))
    whole = pages.TABLES["searches"]
    monkeypatch.setitem(pages.TABLES, "searches", lambda: whole() + "\n| one row more |")
    assert list(pages.stale()) == [page]


@pytest.mark.parametrize("name", KINDS)
def test_published_rows_were_played_by_committed_code(name):
    rows = read_records(pages.RESULTS / name, KINDS[name])
    assert rows and not [row for row in rows if row.git.endswith("+")]


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind is MatrixRow])
def test_published_matrices_are_whole_and_of_games_enough(name):
    assert read_matrix(pages.RESULTS / name).games >= PUBLISHED


def test_published_responses_played_games_enough():
    assert min(row.games for row in read_records(pages.RESPONSES, Response) if row.side == "all") >= PUBLISHED
