"""The package of docs/extend.md: once it is installed, `rfop` has its command and its player."""

import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from rfop_env.compiler import JIT
from tests.docs.code_blocks import find_blocks

PAGE = "docs/extend.md"
FILE = re.compile(r'""".*: (my_project/\w+\.py)\."""\n')  # the first line of a block that is a file of the package
SAID = (r"\d+\n", r"\| first \| .* 40 \|", "Royalists first, Jacobins scripted")  # by the lines of the page
PIP = [sys.executable, "-m", "pip", "--no-input", "--disable-pip-version-check", "install", "--no-index", "--no-deps"]


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that the package of the page is installed into."""
    project, target = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("installed")
    (settings,) = find_blocks(PAGE, "toml").values()
    files = {FILE.match(source)[1]: source for source in find_blocks(PAGE, "python").values() if FILE.match(source)}
    assert len(files) == 2
    for name, text in {"pyproject.toml": settings, "my_project/__init__.py": "", **files}.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    run([*PIP, "--no-build-isolation", "--target", target, project], project)
    return target


def rfop(words, installed, folder):
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    return run([sys.executable, "-m", "rfop_env.cli.main", *words], folder, PYTHONPATH=path)


def lines():
    (console,) = find_blocks(PAGE, "console").values()
    return [shlex.split(line)[1:] for line in console.splitlines() if line.startswith("rfop ")]


@pytest.mark.skipif(not JIT, reason="plays whole games, for readers who have the rules compiled")
@pytest.mark.parametrize(("words", "says"), [*zip(lines(), SAID, strict=True)])
def test_the_lines_of_the_page_run(words, says, installed, tmp_path):
    assert re.search(says, rfop(words, installed, tmp_path))


def test_the_command_is_in_the_help(installed, tmp_path):
    output = rfop(["--help"], installed, tmp_path)
    assert "my project:\n  openings " in output


def test_the_project_depends_on_this_package():
    (settings,) = find_blocks(PAGE, "toml").values()
    assert tomllib.loads(settings)["project"]["dependencies"] == ["rfop-env[train]"]
