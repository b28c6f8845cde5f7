"""The parser of all commands of this folder: one line for each mistake, and numbers with a range."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from typing import Any, NoReturn

from rfop_env import command_line
from rfop_env.core.errors import nearest

ENV = "Revolution-v0"  # the environment of every command that is given none


class Parser(command_line.Parser):
    """A parser of `python -m <module>` without abbreviations, which suggests the nearest flag for an unknown one.

    Its help shows the first paragraph of the module's docstring, and the examples of its indented second one.
    """

    def __init__(self, module: str, document: str | None, **settings: Any):
        about, examples = [*(document or "").split("\n\n"), "", ""][:2]
        super().__init__(
            prog=f"python -m {module}",
            description=about,
            epilog=command_line.examples(textwrap.dedent(examples)) if examples.startswith(" ") else None,
            allow_abbrev=False,
            **{"formatter_class": command_line.Help, **settings},
        )

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the message."""
        before, _, words = message.partition("unrecognized arguments: ")
        flag = words.split("=")[0].split(" ")[0]
        if not before and flag.startswith("--"):
            message = f"unknown flag {flag}: {nearest(flag, list(self._option_string_actions))}"
        super().error(message)


def add_env(parser: argparse.ArgumentParser) -> None:
    """Add the environment's id."""
    parser.add_argument("--env", default=ENV, metavar="ID", help="environment id (default %(default)s)")


def whole(least: int, most: int = 2**53) -> Callable[[str], int]:
    """An argparse type: a whole number from `least` to `most`."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected a whole number, found {text!r}") from None
        if number < least:
            raise argparse.ArgumentTypeError(f"at least {least:,}, found {number}")
        if number > most:
            raise argparse.ArgumentTypeError(f"at most {most:,}, found {number}")
        return number

    return parse
