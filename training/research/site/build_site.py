"""Build the documentation site: a folder of pages that any browser reads without a network.

    python -m training.research site
    python -m training.research site --out /tmp/site

It needs the extra `docs`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from rfop_env.core.errors import extra
from training.research import ROOT
from training.research.site.contents import START

OUT = ROOT / "build" / "site"
INSTALL = "-e '.[docs]' (or run 'make site')"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER", help="default: build/site")


def run(args: argparse.Namespace) -> int:
    """Build it; returns the exit status. A warning of Sphinx, such as a broken link, is an error."""
    out = args.out.resolve()
    with extra("docs", "the site", "furo", "myst_nb", "myst_parser", "sphinx", install=INSTALL):
        import furo  # noqa: F401 - the theme
        import myst_nb  # noqa: F401 - the reader of the pages
        from sphinx.cmd.build import build_main

    # Rules as plain Python: what is played here is little, and a bare machine would compile for minutes.
    os.environ["RFOP_JIT"] = "0"

    # Parsed pages are thrown away: every build starts from the sources.
    with tempfile.TemporaryDirectory() as parsed:
        options = ["-b", "html", "-c", str(Path(__file__).parent), "-d", parsed, "--quiet", "--fail-on-warning"]
        failed = build_main([*options, str(ROOT), str(out)])
    if not failed:
        shutil.copyfile(out / f"{START}.html", out / "index.html")
        print(f"Written: {out / 'index.html'}")
    return failed
