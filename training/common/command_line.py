"""The parser of all commands of this folder: one line for each mistake, and numbers with a range."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from rfop_env import command_line
from rfop_env.core.errors import nearest


class Parser(command_line.Parser):
    """A parser of `python -m <module>` without abbreviations, which suggests the nearest flag for an unknown one."""

    def __init__(self, module: str, document: str | None, **settings: Any):
        super().__init__(
            prog=f"python -m {module}", description=(document or "").split("\n\n")[0], allow_abbrev=False, **settings
        )

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with the message."""
        before, _, words = message.partition("unrecognized arguments: ")
        flag = words.split("=")[0].split(" ")[0]
        if not before and flag.startswith("--"):
            message = f"unknown flag {flag}: {nearest(flag, list(self._option_string_actions))}"
        super().error(message)


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
