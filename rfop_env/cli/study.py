"""A study with participants: a fixed series of games, questions, and the time of each decision, in the browser.

    rfop study examples/study.toml --saves runs/my-study

docs/study.md says what a configuration has. `rfop participants FOLDER` reads what was kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rfop_env.web import serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command: those of `rfop serve`, and the configuration."""
    parser.add_argument("config", type=Path, help="the configuration of the study, a TOML file")
    serve.add_arguments(parser)
    parser.set_defaults(saves=Path("study"))


def run(args: argparse.Namespace) -> int:
    """Serve the study until Ctrl-C."""
    return serve.serve(args, args.config)
