"""The generator of the documentation: every table is in a block, every block is fresh, and nothing else is touched."""

import re
from collections import Counter

import pytest

from training.research.__main__ import main as research
from training.research.generator import figures, pages, results, write_pages
from training.research.generator.blocks import BLOCKS, MEASURED, RESULT_BLOCKS
from training.research import ROOT
from training.research.generator.pages import fresh
from rfop_env.core.errors import BadArgument, UnknownName
from rfop_env.games.red_flag_over_paris.card_language import (
    ARGUMENTS, BOTH_SPHERES, FLAGS, HIGHEST_COUNT, PREFIXES, VERBS, Flag, Prefix, Verb,
)  # fmt: skip
from rfop_env.testing.marked_block import find_blocks
from rfop_training.evaluation.setting import Setting
from training.research.publishing.bounds import Bound

EMPTY = "before\n<!-- generated: environments -->\n<!-- /generated -->\nafter\n"
TABLE = re.compile(r"\|.*\d%")  # a row with shares in per cent


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with one page, whose block is empty, and no picture; figures have tests of their own."""
    monkeypatch.setattr(pages, "pictures", lambda: {"docs/position.svg": "<svg/>\n"})
    monkeypatch.setattr(figures, "draw_figures", dict)
    monkeypatch.setattr(write_pages, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(EMPTY, encoding="utf-8")
    return tmp_path


def blocks_on_pages():
    """Every block of the repository."""
    return [block for page in pages.find_pages(ROOT) for block in find_blocks(page.read_text(encoding="utf-8"))]


# -- the repository ----------------------------------------------------------------------------------------------------


def test_tables_of_results_are_fresh():
    """Tables that come from the games are a matter of `test_documentation.py`."""
    assert list(pages.stale(blocks=RESULT_BLOCKS)) == [], "run `make docs`"


def test_every_block_stands_on_a_page():
    counts = Counter(block.name for block in blocks_on_pages())
    assert set(counts) == set(BLOCKS) | set(MEASURED)
    assert [name for name in MEASURED if counts[name] != 1] == []


def typed_results(text):
    """The rows of tables with shares in per cent that stand outside of all blocks."""
    for block in find_blocks(text):
        text = text.replace(block.body, "")
    return [line for line in text.splitlines() if TABLE.match(line)]


@pytest.mark.parametrize(
    "name", ["README.md", *(f"docs/{n}.md" for n in ("results", "evaluate", "search", "levee_en_masse", "lab/tests"))]
)
def test_no_table_of_results_is_typed(name):
    assert typed_results((ROOT / name).read_text(encoding="utf-8")) == []


# -- what the generator does -------------------------------------------------------------------------------------------


def test_a_stale_page_and_a_missing_picture_are_rewritten(checkout):
    assert research(["docs"]) == 0 and list(pages.stale(checkout)) == []
    text = (checkout / "README.md").read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("after\n") and "RedFlagOverParisSolo-v1" in text
    assert (checkout / "docs" / "position.svg").read_text(encoding="utf-8") == "<svg/>\n"


def test_an_edited_table_and_an_edited_picture_are_found(checkout):
    research(["docs"])
    page = checkout / "README.md"
    page.write_text(page.read_text(encoding="utf-8").replace("Solo-v1", "Solo-v2"), encoding="utf-8")
    (checkout / "docs" / "position.svg").write_text("<svg></svg>\n")
    assert list(pages.stale(checkout)) == [page, checkout / "docs" / "position.svg"]


def test_the_command_checks_without_writing(checkout, capsys):
    assert research(["docs", "--check"]) == 1
    assert capsys.readouterr().out == "README.md\ndocs/position.svg\n"
    assert (checkout / "README.md").read_text(encoding="utf-8") == EMPTY

    assert research(["docs"]) == 0 and capsys.readouterr().out == "README.md\ndocs/position.svg\n"
    assert research(["docs", "--check"]) == 0 and capsys.readouterr().out == "nothing is stale\n"
    assert research(["docs"]) == 0 and capsys.readouterr().out == "nothing to rewrite\n"


def test_the_best_of_a_kind_is_not_the_luckiest_of_few_games():
    lucky, steady = ("search-400+a/b", 0.97, 0.936), ("rollout-16+a/b", 0.96, 0.95)
    assert results._best([lucky, steady, ("a/b", 0.99, 0.98)], "best search") == "96.0% `rollout-16+a/b`"
    assert results._best([lucky], "best network") == ""


def test_an_agent_is_measured_by_the_strongest_that_it_met_and_by_the_best_that_is_known(monkeypatch):
    digest = Setting("Revolution-v0").digest

    def bound(agent, opponent, share, response=False):
        figures = share, share - 0.02, share + 0.02
        return Bound("Revolution-v0", "", digest, agent, opponent, 1000, *figures, response)

    pairs = {("a/b", "random"): 0.01, ("a/b", "scripted"): 0.1, ("a/c", "a/b"): 0.8, ("a/c", "scripted"): 0.4}
    bounds = [bound(*pair, share) for pair, share in pairs.items()]
    bounds += [bound(opponent, agent, 1 - share) for (agent, opponent), share in pairs.items()]
    bounds.append(bound("a/b", "response-8:a/b", 0.99, response=True))
    monkeypatch.setattr(results, "published_bounds", lambda: bounds)
    rows = {row.agent: row for row in results.list_standings()}
    assert list(rows) == ["a/b", "a/c", "scripted"]  # the strongest first, without random play
    assert rows["a/b"].strongest.opponent == "a/c" and rows["a/b"].best.opponent == "response-8:a/b"
    assert rows["a/c"].strongest.opponent == rows["a/c"].best.opponent == "a/b"
    assert rows["a/c"].scripted.win_rate == 0.4 and rows["scripted"].scripted is None
    table = results.standings()
    assert "| `a/b` | 80.0% (78.0 to 82.0) | `a/c` | 99.0% (97.0 to 101.0) | `response-8:a/b` | 90.0% |" in table
    with pytest.raises(UnknownName):
        results.standings("worst")


@pytest.mark.parametrize(("share", "order"), [(0.54, ["low", "high"]), (0.51, ["high", "low"])])
def test_who_beats_the_agent_above_it_goes_above_it(share, order):
    met = Bound("Revolution-v0", "", "", "high", "low", 1000, share, share - 0.03, share + 0.03)
    assert results.rank({"random": 0.0, "low": 100.0, "high": 110.0}, {("high", "low"): met}) == [*order, "random"]


def test_measured_figures_stay_as_they_are():
    page = "<!-- generated: speed -->\n| 1,000 |\n<!-- /generated -->\n"
    assert fresh(page) == page
    profile = "<!-- generated: profile_ppo -->\n```text\nphase 1.5\n```\n<!-- /generated -->\n"  # is no table
    assert fresh(profile) == profile
    with pytest.raises(BadArgument, match="'speed' has no figures yet: run `rfop bench --write PAGE`"):
        fresh(page.replace("| 1,000 |\n", ""))


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<!-- generated: reward Revolution-v0 -->\n<!-- /generated -->\n", "did you mean 'rewards'"),
        ("<!-- generated: rewards -->\n<!-- /generated -->\n", r"expected rewards\(name"),
        ("<!-- generated: rewards Revolution-v0 2 -->\n<!-- /generated -->\n", r"expected rewards\(name"),
        ("<!-- generated: rewards Revolution-v9 -->\n<!-- /generated -->\n", "Revolution-v0"),
        ("<!-- generated: matrix red_flag pionts -->\n<!-- /generated -->\n", "points"),
        ("a\n<!-- generated: environments -->\nb\n", "ends inside the block <!-- generated: environments -->"),
        ("a\n<!-- /generated -->\nb\n", "line 2 .* has no partner"),
        ("<!-- generated: words -->\n<!-- generated: words -->\n<!-- /generated -->\n", "line 1 .* has no partner"),
    ],
)
def test_a_wrong_block_is_refused_with_its_page_and_nothing_is_written(checkout, page, message, capsys):
    (checkout / "docs" / "wrong.md").write_text(page, encoding="utf-8")
    assert research(["docs"]) == 2 and re.search(rf"docs/wrong.md: .*{message}", capsys.readouterr().err)
    assert (checkout / "README.md").read_text(encoding="utf-8") == EMPTY


# -- the grammar of cards ----------------------------------------------------------------------------------------------


def test_the_grammar_has_every_word_of_the_parser():
    text = BLOCKS["grammar"]()
    for table in (PREFIXES, VERBS, FLAGS, ARGUMENTS):
        assert [name for name in table if not re.search(rf"^\| `{name}\b.* \|$", text, re.MULTILINE)] == []
    assert f"a number from 1 to {HIGHEST_COUNT};" in text and f"`{BOTH_SPHERES}`" in text.replace("operations ", "")


@pytest.mark.parametrize(
    ("table", "row"),
    [(VERBS, Verb(99, "N of MILITARY", "burns")), (PREFIXES, Prefix("LEVEL", "fears")), (FLAGS, Flag(64, "by night"))],
)
def test_a_new_word_of_the_parser_makes_the_page_stale(monkeypatch, table, row):
    page = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
    assert fresh(page) == page
    monkeypatch.setitem(table, "burn", row)
    assert fresh(page) != page and f"| {row.meaning} |" in fresh(page)
