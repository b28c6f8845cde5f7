"""The code blocks of pages, run as readers run them: one alone, in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OF_A_CHECKOUT = re.compile(r"^\s*(?:import|from) (?:agents|training)\b", re.MULTILINE)
NOTE = "Blocks that import `agents` or `training` run in a checkout."  # on each page that has such blocks


def blocks(text, *languages):
    """The fenced blocks of these languages: the line that each begins on, from 0, and its source."""
    return [(text[: m.start(2)].count("\n"), m[2]) for m in BLOCK.finditer(text) if m[1] in languages]


def blocks_of(page, *languages):
    """The blocks of a page, by its path from the root of the checkout: their names, `docs/gpu.md:22`, and sources."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return {f"{page}:{line + 1}": source for line, source in blocks(text, *languages)}


def run_alone(source, folder, *options, **environment):
    """What a block prints, pasted into a file in an empty folder, where only the package can be imported.

    A block that imports `agents` or `training` is run at the root of the checkout instead. `folder` is empty, `options`
    are for Python, `environment` has more variables. Fails with the traceback of the block.
    """
    environment = {name: v for name, v in os.environ.items() if not name.startswith("PYTHON")} | environment
    if OF_A_CHECKOUT.search(source):
        command, place = ["-c", source], ROOT
    else:
        installed, place = folder / "installed", folder / "empty"
        installed.mkdir()
        place.mkdir()
        (installed / "rfop_env").symlink_to(ROOT / "rfop_env")
        (place / "block.py").write_text(source, encoding="utf-8")
        command, environment = ["block.py"], environment | {"PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *options, *command], cwd=place, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{source}\n{done.stderr}"
    return done.stdout
