"""Arguments that commands share."""

from __future__ import annotations

import argparse

from rfop_env.command_line import environment

ENV = "Revolution-v0"  # the environment of every command that is given none


def add_env(parser: argparse.ArgumentParser) -> None:
    """Add the environment's id."""
    parser.add_argument(
        "--env", type=environment, default=ENV, metavar="ID", help="environment id, or FILE.py (default %(default)s)"
    )
