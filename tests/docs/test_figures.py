"""The figures of published results: each is drawn again as it is, and each is shown on a page."""

import re

import pytest

pytest.importorskip("matplotlib")
import matplotlib

from training.research.generator import figures, pages, write_pages
from training.research.__main__ import main as research
from training.research import ROOT
from training.research.generator.figures import same_picture
from rfop_training.figures.pictures import DARK, INK, themed

ON_PAGES = re.compile(r"\((?:docs/|\.\./)?((?:figures|curves)/[\w-]+\.svg)\)")


@pytest.fixture(scope="module")
def fresh_figures():
    return figures.draw_figures()


def of_another_matplotlib(text):
    return f"Matplotlib v{matplotlib.__version__}," not in text


def test_figures_are_fresh(fresh_figures):
    """Only with the version of matplotlib that drew them: others place letters and lines differently."""
    stale = []
    for name, text in fresh_figures.items():
        path = ROOT / name
        assert path.exists(), f"{name} is missing: run `make docs`"
        if of_another_matplotlib(path.read_text(encoding="utf-8")):
            pytest.skip("the figures were drawn by another version of matplotlib")
        if not same_picture(path.read_text(encoding="utf-8"), text):
            stale.append(name)
    assert stale == [], "run `make docs`"


def test_every_figure_is_drawn_and_shown(fresh_figures):
    stored = {path.relative_to(ROOT).as_posix() for folder in ("figures", "curves")
              for path in (ROOT / "docs" / folder).glob("*.svg")}  # fmt: skip
    assert stored == set(fresh_figures)
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "lab").glob("*.md")]
    on_pages = {f"docs/{name}" for page in pages for name in ON_PAGES.findall(page.read_text(encoding="utf-8"))}
    assert set(fresh_figures) - on_pages == set() and on_pages - set(fresh_figures) == set()


def test_every_colour_changes_on_a_dark_page_and_there_is_no_background(fresh_figures):
    for name, text in fresh_figures.items():
        assert "prefers-color-scheme: dark" in text, name
        assert all(f'[style*="fill: {light}"]{{fill: {dark} !important}}' in text for light, dark in DARK.items())
        body = text.partition("</defs>")[2]
        assert f"fill: {INK}" in body and "fill: #ffffff" not in body.partition("axes_1")[0], name


def test_every_title_is_a_finding_with_a_figure(fresh_figures):
    """The bold lines of a figure are its title."""
    for name, text in fresh_figures.items():
        title = " ".join(re.findall(r'<text style="font-weight: 700;[^>]*>([^<]+)</text>', text))
        assert re.search(r"\d", title), (name, title)


def test_rounding_is_no_difference_and_anything_else_is():
    drawing = '<path id="m0123456789" d="M 10.001 20.5"/><text>wins 3</text>'
    assert same_picture(drawing, drawing.replace("10.001", "10.012").replace("m0123456789", "m9876543210"))
    assert not same_picture(drawing, drawing.replace("10.001", "10.1"))
    assert not same_picture(drawing, drawing.replace("wins 3", "wins 4"))
    assert not same_picture(drawing, drawing.replace("wins", "loses"))


def test_a_stale_and_a_missing_figure_are_rewritten(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        figures, "draw_figures", lambda: {"docs/figures/a.svg": "<svg>1</svg>", "docs/figures/b.svg": "<svg/>"}
    )
    (tmp_path / "docs" / "figures").mkdir(parents=True)
    (tmp_path / "docs" / "figures" / "a.svg").write_text("<svg>2</svg>")
    monkeypatch.setattr(write_pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "stale", lambda root: {})
    assert research(["docs"]) == 0 and capsys.readouterr().out == "docs/figures/a.svg\ndocs/figures/b.svg\n"
    assert (tmp_path / "docs/figures/a.svg").read_text() == "<svg>1</svg>" and figures.stale(tmp_path) == {}


def test_a_drawing_without_a_style_sheet_keeps_its_light_colours():
    svg = f'<svg><defs><style>*{{}}</style></defs><text style="fill: {INK}">a</text></svg>'
    assert f'style="fill: {INK}"' in themed(svg) and themed(svg).count("</style>") == 1
