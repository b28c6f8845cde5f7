"""`make test` runs every test, without the compiler, with it, or both: the marks leave none out."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def compiled_pass():
    """The marks that the pass with the compiler leaves out, and its paths."""
    marks, paths = re.search(r'^COMPILED := -m "([^"]*)" (.*)$', MAKEFILE, re.MULTILINE).groups()
    return set(re.findall(r"not (\w+)", marks)), [ROOT / path for path in paths.split()]


def plain_pass():
    """The same of the pass without it, which `pytest` runs without arguments."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    return set(re.findall(r"not (\w+)", options["addopts"])), [ROOT / path for path in options["testpaths"]]


def files_with(mark):
    return [path for path in (ROOT / "tests").rglob("test_*.py") if f"pytest.mark.{mark}" in path.read_text("utf-8")]


def test_the_two_passes_leave_out_what_the_other_runs_or_another_target():
    (plain, _), (compiled, paths) = plain_pass(), compiled_pass()
    assert paths == [ROOT / "tests"]
    elsewhere = {"slow", "browser", "libraries", "ray", "wheel"}
    assert plain == elsewhere | {"many_games"} and compiled == elsewhere | {"plain"}
    targets = {
        "slow-test": "slow",
        "browser-test": "browser",
        "libraries-test": "libraries",
        "ray-test": "ray",
        "wheel-test": "wheel",
    }
    for target, marks in targets.items():
        recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
        assert re.search(rf"-m {marks} (--times )?tests", recipe)


@pytest.mark.parametrize("path", [path for path in files_with("plain") if path != Path(__file__)], ids=lambda p: p.stem)
def test_what_does_not_depend_on_the_compiler_is_in_the_pass_without_it(path):
    """A whole file has the mark; none of its tests may be left to the compiler besides."""
    assert any(path.is_relative_to(folder) for folder in plain_pass()[1])
    text = path.read_text(encoding="utf-8")
    assert "\npytestmark = pytest.mark.plain\n" in text and "mark.many_games" not in text and "JIT" not in text
