"""The documentation site: every page is in it, it builds without a warning, and nothing in it leads elsewhere."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest

from training.research import ROOT
from training.research.generator import pages
from training.research.generator.recorded import MOMENTS, REPLAYS
from training.research.__main__ import main as research
from training.research.site import contents
from rfop_env.registry import list_games
from rfop_env.replays import Replay

MOST_PICTURE = 60_000  # bytes of the picture of a position
needs_sphinx = pytest.mark.skipif(find_spec("sphinx") is None, reason="the extra `docs` is not installed")


# -- what the site is made of ------------------------------------------------------------------------------------------


def repository_pages():
    """The name of every page of the repository, without its suffix."""
    paths = (path.relative_to(ROOT) for pattern in contents.PATTERNS for path in ROOT.glob(pattern))
    return {path.with_suffix("").as_posix() for path in paths}


def test_every_page_is_in_the_contents_once():
    names = [contents.START, *(page for chapter in contents.CHAPTERS.values() for page in chapter)]
    assert len(set(names)) == len(names)
    assert set(names) == repository_pages(), "training/research/site/contents.py has the order of all pages"


@pytest.mark.parametrize("name", list_games())
def test_every_environment_has_a_page_a_picture_and_a_recorded_game(name):
    page = (ROOT / "docs" / "environments" / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == ["The rules in brief", "An example", "Results", "More"]
    for block in (f"recorded {name}", f"summary {name}"):
        assert f"<!-- generated: {block} -->" in page
    assert (ROOT / "docs" / "environments" / f"{name}.svg").stat().st_size < MOST_PICTURE

    replay = Replay.read(REPLAYS / f"{name}.rfop")
    assert replay.game.id == name and replay.returns is not None and replay.values_by
    assert 0 < MOMENTS[name] < len(replay.decisions)


def test_pictures_of_positions_are_fresh():
    stale = [name for name, text in pages.pictures().items() if (ROOT / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


# -- docstrings and links ----------------------------------------------------------------------------------------------


@dataclass
class Example:
    """Fields with comments in both places."""

    a: int = 1  # behind `it`
    # above it,
    # in two lines
    b: list[str] = field(default_factory=list)
    é: str = "#"
    c: tuple[int, ...] = (0,)  # of é


@needs_sphinx
def test_fields_are_listed_with_types_defaults_and_comments():
    from training.research.site.docstrings import field_table

    lines = [line.strip() for line in field_table(Example).splitlines() if line.strip()]
    assert lines == [
        ".. py:attribute:: a", ":type: int", ":value: 1", "behind `it`",
        ".. py:attribute:: b", ":type: list[str]", "above it, in two lines",
        ".. py:attribute:: é", ":type: str", ":value: '#'",
        ".. py:attribute:: c", ":type: tuple[int, ...]", ":value: (0,)", "of é",
    ]  # fmt: skip


@needs_sphinx
@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("give `seed`", "give :py:obj:`seed`"),
        ("`a.b` and `c(1)`", ":py:obj:`a.b` and ``c(1)``"),
        ("``left`` :py:obj:`alone`", "``left`` :py:obj:`alone`"),
        ("`_<key>`", "``_<key>``"),
    ],
)
def test_single_backquotes_become_code(text, converted):
    from training.research.site.docstrings import restructured

    assert restructured(text) == converted


# -- the whole site ----------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a page of the site refers to, and the places in it that can be referred to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])


def dead_ends(site):
    """The references of all pages that lead to nothing inside the site, and whatever is loaded from outside."""
    read = {path: Page(path) for path in site.rglob("*.html")}
    dead = []
    for path, page in read.items():
        for target in page.links + page.loaded:
            if re.match(r"(https?|mailto|data):|//", target):
                if target in page.loaded and not target.startswith("data:"):
                    dead.append((path.name, target))
                continue
            name, _, anchor = target.partition("?")[0].partition("#")
            file = (path.parent / unquote(name)).resolve() if name else path
            alive = file.suffix != ".html" or not anchor or (file in read and unquote(anchor) in read[file].ids)
            if not file.exists() or not alive:
                dead.append((path.name, target))
    return dead


@needs_sphinx
def test_the_site_builds_without_a_warning_and_is_whole(tmp_path):
    site = tmp_path.resolve() / "site"
    done = subprocess.run(
        [sys.executable, "-m", "training.research", "site", "--out", str(site)],
        cwd=ROOT, env=os.environ | {"PYTHONWARNINGS": "default"}, capture_output=True, text=True, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-5000:]

    # Pages, replays, the reference.
    assert {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")} >= repository_pages()
    for name in list_games():
        assert (site / "replays" / f"{name}.html").stat().st_size < 200_000
        page = (site / "docs" / "environments" / f"{name}.html").read_text(encoding="utf-8")
        assert f'href="../../replays/{name}.html"' in page
        assert f'<iframe src="../../play/{name}.html"' in page
        assert (site / "play" / f"{name}.html").stat().st_size < 1_000_000  # networks lie beside it
    assert '<iframe src="../play/learn.html"' in (site / "docs" / "train.html").read_text(encoding="utf-8")
    assert (site / "play" / "learn.html").stat().st_size < 100_000
    reference = (site / "docs" / "api" / "batch.html").read_text(encoding="utf-8")
    assert 'id="rfop_env.core.batch.GameBatch.step"' in reference and "NDArray" in reference

    # Nothing is missing, nothing comes from a network.
    assert dead_ends(site) == []
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert len(styles) > 2 and [text for text in styles if re.search(r"url\(['\"]?(https?:)?//|@import", text)] == []


def test_without_sphinx_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "furo", None)
    assert research(["site", "--out", str(Path("nowhere"))]) == 2
    install = "pip install -e '.[docs]' (or run 'make site')"
    assert (
        capsys.readouterr().err == f"python -m training.research: the site needs furo, of the extra `docs`: {install}\n"
    )
    assert not Path("nowhere").exists()
