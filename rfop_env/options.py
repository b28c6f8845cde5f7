"""Options of a game on a command line: one grammar for every command.

`--option players=3,screens=open` and `--option players=3 --option screens=open` mean the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping

from rfop_env.core.errors import RfopError


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add `--option` to a parser; what it collects is for `parse_options`."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, or several: players=3,screens=open; may be given again",
    )


def add_components(parser: argparse.ArgumentParser, text: str = "a component file (default: the shipped set)") -> None:
    """Add `--components`, and `--any-components` for networks that were trained for another set."""
    parser.add_argument("--components", metavar="FILE", help=text)
    add_any_components(parser)


ANY_COMPONENTS = "use networks that were trained for another component set, too; their names say so"


def add_any_components(parser: argparse.ArgumentParser) -> None:
    """Add `--any-components` to a parser of a command that plays networks."""
    parser.add_argument("--any-components", action="store_true", help=ANY_COMPONENTS)


def parse_options(texts: str | Iterable[str]) -> dict[str, str]:
    """Options by name, from one text like "players=3,screens=open" or from several, which add up.

    Whether the game has them is for `Game.encode_options` to say. Raises `RfopError` for what is not NAME=VALUE and for
    a name with two different values.
    """
    options: dict[str, str] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        for word in filter(None, map(str.strip, text.split(","))):
            name, value = _name_and_value(word)
            if options.setdefault(name, value) != value:
                raise RfopError(f"--option: {name} is given as {options[name]!r} and as {value!r}: choose one")
    return options


def _name_and_value(word: str) -> tuple[str, str]:
    name, _, value = (part.strip() for part in word.partition("="))
    if not name or not value:
        raise RfopError(f"--option: expected NAME=VALUE, as in players=3,screens=open, found {word!r}")
    return name, value


def option_text(options: Mapping[str, object]) -> str:
    """Options as `parse_options` reads them: "players=3,screens=open"."""
    return ",".join(f"{name}={value}" for name, value in options.items())
