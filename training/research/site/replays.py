"""The games to watch on the site: each file of `docs/replays` as a page of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env.core.files import write_whole
from rfop_env.replays import Replay
from rfop_env.replays.moments import play_back
from rfop_env.replays.page import replay_page
from rfop_env.replays.replay_file import SUFFIX
from training.research import ROOT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

SOURCES = ROOT / "docs" / "replays"
FOLDER = "replays"  # of the site
BOARD = "../play/{0}.html?replay={0}"  # the board of the environment, which holds the replay (`play_pages`)


def setup(app: Sphinx) -> None:
    """Connect with Sphinx."""
    app.connect("build-finished", _write_all)


def write_page(source: Path, folder: Path) -> Path:
    """Play a replay again and write its page into a folder. Raises `BadReplay` where rules or cards have changed."""
    page = folder / f"{source.stem}.html"
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(page, replay_page(play_back(Replay.read(source)), board=BOARD.format(source.stem)))
    return page


def _write_all(app: Sphinx, failure: Exception | None) -> None:
    if failure is None:
        for source in sorted(SOURCES.glob(f"*{SUFFIX}")):
            write_page(source, Path(app.outdir) / FOLDER)
