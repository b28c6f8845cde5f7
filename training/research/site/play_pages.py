"""A board to play on in the page of each environment: pages without a server, with networks beside them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rfop_env
from rfop_env.registry import get_entry
from training.research.site.contents import ROOT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "play"  # of the site
OPTIONS = {"Paris-v0": ["--option", "players=2"]}
PAGES = "docs/environments/"  # of the environments, by id
FRAME = """
```{{raw}} html
<figure class="play">
  <iframe src="{address}" title="Play {title}" loading="lazy"></iframe>
  <figcaption>Play against a program or another person; <a href="{address}">on a page of its own</a>.</figcaption>
</figure>
```
"""


def setup(app: Sphinx) -> None:
    """Connect with Sphinx."""
    app.connect("source-read", _add_frame)
    app.connect("build-finished", _write_all)


def with_frame(env: str, text: str) -> str:
    """The text of an environment's page with its board, before the rules in brief."""
    address = f"../../{FOLDER}/{env}.html"
    frame = FRAME.format(address=address, title=get_entry(env).title)
    return text.replace("\n## ", f"{frame}\n## ", 1)


def write_page(env: str, folder: Path) -> None:
    """Write the page of an environment. Raises `RuntimeError` with the sentence of `rfop page` where that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "rfop_env", "page", env, "--beside", "--out", str(folder / f"{env}.html")]
    compiled = {name: value for name, value in os.environ.items() if name != "RFOP_JIT"}
    run = subprocess.run(
        [*command, *OPTIONS.get(env, [])], cwd=ROOT, env=compiled, capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise RuntimeError(f"no board for {env}: {run.stderr.strip()}")


def _add_frame(app: Sphinx, document: str, source: list[str]) -> None:
    if document.startswith(PAGES):
        source[0] = with_frame(document.removeprefix(PAGES), source[0])


def _write_all(app: Sphinx, failure: Exception | None) -> None:
    if failure is None:
        for env in rfop_env.list_games():
            write_page(env, Path(app.outdir) / FOLDER)
