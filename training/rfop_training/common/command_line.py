"""Arguments that commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from rfop_env.command_line import environment

ENV = "Revolution-v0"  # the environment of every command that is given none


def add_env(parser: argparse.ArgumentParser) -> None:
    """Add the environment's id."""
    parser.add_argument(
        "--env", type=environment, default=ENV, metavar="ID", help="environment id, or FILE.py (default %(default)s)"
    )


def whole_number(low: int, high: int = 2**53) -> Callable[[str], int]:
    """An argparse type: a whole number from `low` to `high`."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a whole number, found {text!r}") from None
        if number < low:
            raise argparse.ArgumentTypeError(f"at least {low:,}, found {number}")
        if number > high:
            raise argparse.ArgumentTypeError(f"at most {high:,}, found {number}")
        return number

    return parse
