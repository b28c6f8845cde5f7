"""Published results: all in the documentation, of committed code, in files that say what they were made from."""

from __future__ import annotations

import pytest

from training import pages
from training.best_response import Response
from training.evaluate import PUBLISHED, RecordedRow
from training.matrix import Line, read_matrix
from training.records import read_records

KINDS = {"best_responses.csv": Response, "search.csv": RecordedRow} | {
    path.name: Line for path in pages.curves.RESULTS.glob("matrix_*.csv")
}


def test_every_table_is_on_a_page_and_fresh():
    text = "".join(page.read_text(encoding="utf-8") for page in pages.DOCS.glob("*.md"))
    assert [name for name in pages.TABLES if f"<!-- {name} -->" not in text] == []
    assert pages.stale() == [], "run `make docs`"


def test_a_table_replaces_the_old_one_and_nothing_else(monkeypatch):
    monkeypatch.setitem(pages.TABLES, "curves", lambda: "| new |")
    page = "before\n<!-- curves -->\nold\n<!-- /curves -->\n<!-- other -->\nkept\n<!-- /other -->\n"
    assert pages.fresh(page) == page.replace("old", "| new |")


@pytest.mark.parametrize("name", KINDS)
def test_published_rows_were_played_by_committed_code(name):
    rows = read_records(pages.curves.RESULTS / name, KINDS[name])
    assert rows and not [row for row in rows if row.git.endswith("+")]


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind is Line])
def test_published_matrices_are_whole_and_of_games_enough(name):
    assert read_matrix(pages.curves.RESULTS / name).games >= PUBLISHED


def test_published_responses_played_games_enough():
    assert min(row.games for row in read_records(pages.RESPONSES, Response) if row.side == "all") >= PUBLISHED
