"""Pages without a server on the site: a board in the page of each environment, and a network that learns.

Networks of the package lie beside them. The board of an environment holds its recorded game, with the options of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import rfop_env
from rfop_env.core.files import write_whole
from rfop_env.registry import get_entry
from rfop_env.replays.replay_file import SUFFIX
from training.research import ROOT
from training.research.site.replays import SOURCES as REPLAYS

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = "play"  # of the site
PAGES = "docs/environments/"  # of the environments, by id
LEARNING, LEARNS = "docs/train", "learn"  # the document that shows it, and its page
TITLE = "Watch it learn"
SMALL_BOARD = "import sys; from rfop_env.browser.page import learn_page; from rfop_env.registry import get_game; "
SMALL_BOARD += "game = get_game('Revolution-v0'); "
SMALL_BOARD += "sys.stdout.write(learn_page(game, game.load_components('small_board'), sys.argv[1]))"
FRAME = """
```{{raw}} html
<figure class="play">
  <iframe src="{address}" title="{title}" loading="lazy"></iframe>
  <figcaption>{words}; <a href="{address}">on a page of its own</a>.</figcaption>
</figure>
```
"""


def setup(app: Sphinx) -> None:
    """Connect with Sphinx."""
    app.connect("source-read", _add_frame)
    app.connect("build-finished", _write_all)


def with_frame(text: str, address: str, title: str, words: str) -> str:
    """The text of a document with a page in it, before its first section."""
    return text.replace("\n## ", f"{FRAME.format(address=address, title=title, words=words)}\n## ", 1)


def write_page(env: str, folder: Path) -> None:
    """Write the page of an environment. Raises `RuntimeError` with the sentence of `rfop page` where that fails."""
    folder.mkdir(parents=True, exist_ok=True)
    out = str(folder / f"{env}.html")
    replay = str(REPLAYS / f"{env}{SUFFIX}")
    _compiled(["-m", "rfop_env", "page", env, "--beside", "--replay", replay, "--out", out])


def _compiled(words: list[str]) -> str:
    """What Python prints for some words, with rules compiled. Raises `RuntimeError` with its words where it fails."""
    settings = {name: value for name, value in os.environ.items() if name != "RFOP_JIT"}
    command = [sys.executable, *words]
    run = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"no page without a server: {run.stderr.strip()}")
    return run.stdout


def _add_frame(app: Sphinx, document: str, source: list[str]) -> None:
    if document.startswith(PAGES):
        env = document.removeprefix(PAGES)
        title, words = f"Play {get_entry(env).title}", "Play against a program or another person"
        source[0] = with_frame(source[0], f"../../{FOLDER}/{env}.html", title, words)
    if document == LEARNING:
        words = "A network learns the small board of Revolution, in your browser"
        source[0] = with_frame(source[0], f"../{FOLDER}/{LEARNS}.html", TITLE, words)


def _write_all(app: Sphinx, failure: Exception | None) -> None:
    if failure is None:
        for env in rfop_env.list_games():
            write_page(env, Path(app.outdir) / FOLDER)
        page = _compiled(["-c", SMALL_BOARD, TITLE])
        write_whole(Path(app.outdir) / FOLDER / f"{LEARNS}.html", page)
