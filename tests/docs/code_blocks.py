"""The code blocks of pages, run as readers run them: one alone, in a process of its own."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(text, *languages):
    """The fenced blocks of these languages: the line that each begins on, from 0, and its source."""
    return [(text[: m.start(2)].count("\n"), m[2]) for m in BLOCK.finditer(text) if m[1] in languages]


def find_blocks(page, *languages):
    """The blocks of a page, by its path from the checkout: their names, `docs/start.md:22`, and sources."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return {f"{page}:{line + 1}": source for line, source in blocks(text, *languages)}


def run_alone(source, folder, *options, **environment):
    """What a block prints, pasted into a file in an empty folder, with the packages as they are installed.

    `folder` is empty, `options` are for Python, `environment` has more variables. Fails with the block's traceback.
    """
    environment = {name: v for name, v in os.environ.items() if not name.startswith("PYTHON")} | environment
    (folder / "block.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, *options, "block.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{source}\n{done.stderr}"
    return done.stdout
