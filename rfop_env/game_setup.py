"""What a game starts from, as people write it: options, component files and saved games."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rfop_env.agent_names import PERSON, RANDOM
from rfop_env.core.batch import GameBatch
from rfop_env.core.component_file import table_names
from rfop_env.core.component_set import file_of_set
from rfop_env.core.errors import RfopError, shown
from rfop_env.core.position import position_text
from rfop_env.registry import get_game, list_games

# -- options -----------------------------------------------------------------------------------------------------------


def add_option(parser: argparse.ArgumentParser) -> None:
    """Add `--option` to a parser; `parse_options` reads its values."""
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, or several: players=3,screens=open; may be given again",
    )


def parse_options(texts: str | Iterable[str]) -> dict[str, str]:
    """Options by name, from texts like "players=3,screens=open", which add up.

    `Game.encode_options` checks them. Raises `RfopError` for what is not NAME=VALUE and for a name with two values.
    """
    options: dict[str, str] = {}
    for text in [texts] if isinstance(texts, str) else texts:
        for word in filter(None, map(str.strip, text.split(","))):
            name, _, value = (part.strip() for part in word.partition("="))
            if not name or not value:
                raise RfopError(f"--option: expected NAME=VALUE, as in players=3,screens=open, found {word!r}")
            if options.setdefault(name, value) != value:
                raise RfopError(f"--option: {name} is given as {options[name]!r} and as {value!r}: choose one")
    return options


def option_text(options: Mapping[str, object]) -> str:
    """Options as `parse_options` reads them: "players=3,screens=open"."""
    return ",".join(f"{name}={value}" for name, value in options.items())


# -- component files ---------------------------------------------------------------------------------------------------

ANY_COMPONENTS = "use networks that were trained for another component set, too; their names say so"


def add_components(parser: argparse.ArgumentParser, text: str = "a component file (default: the shipped set)") -> None:
    """Add `--components`, and `--any-components` for networks that were trained for another set."""
    parser.add_argument("--components", metavar="FILE", help=text)
    add_any_components(parser)


def add_any_components(parser: argparse.ArgumentParser) -> None:
    """Add `--any-components` to a parser of a command that plays networks."""
    parser.add_argument("--any-components", action="store_true", help=ANY_COMPONENTS)


def fitting_games(file: str | Path) -> list[str]:
    """The ids of the environments that have every table of a file; where none has, the first of all environments.

    Loading the file for that first one then raises an error that says what is wrong with it. `file` may be the name of
    a shipped set. Raises `BadComponents` for what is no TOML.
    """
    for name in list_games():
        file = file_of_set(get_game(name).folder / "components", file)
    tables = table_names(file)
    fitting = [name for name in list_games() if tables <= set(_game_tables(name))]
    return fitting or list_games()[:1]


def _game_tables(name: str) -> Iterable[str]:
    """The tables that component files of a game have; none where a third-party game reads no such files."""
    content = getattr(get_game(name).load_components(None), "content", None)
    return content.tables if content else ()


class ComponentSets:
    """The component sets to choose from: the shipped one of every environment, and those of some files.

    Of sets with the same digest only the first is stored. Raises `BadComponents` for a file that is not valid.
    """

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._file_sets: dict[str, list[Any]] = {}
        for file in files:
            for name in fitting_games(file):
                components = get_game(name).load_components(file)
                if all(known_set.digest != components.digest for known_set in self.of(name)):
                    self._file_sets.setdefault(name, []).append(components)

    def of(self, game: str) -> list[Any]:
        """The sets of an environment, the shipped one first."""
        return [get_game(game).load_components(None), *self._file_sets.get(game, [])]

    def by_digest(self, game: str, digest: str) -> Any:
        """The set with a digest. Raises `RfopError` if there is none."""
        for components in self.of(game):
            if components.digest == digest:
                return components
        raise RfopError(
            f"there is no set of {game} with digest {shown(digest, 80)} here: add its file, as in --components FILE"
        )


# -- saved games: a position as text (`core.position`), with its players and options in comments at the head -----------

SEATS, OPTIONS = "# seats: ", "# options: "
HEAD_LINES = 4  # that may be such comments
MAX_COMMENT = 1000  # characters


def saved_text(batch: GameBatch, seats: Sequence[str], options: Mapping[str, object]) -> str:
    """The file of a game; `seats` names the player of each seat: `PERSON` or an agent."""
    return f"{SEATS}{', '.join(seats)}\n{OPTIONS}{option_text(options)}\n{position_text(batch)}"


def saved_options(text: str) -> dict[str, str]:
    """The options of a saved game, none without the comment. Raises `RfopError` for what are no options."""
    return parse_options(_comment(text, OPTIONS))


def saved_seats(text: str, players: int) -> list[str]:
    """The player of each seat of a saved game; without the comment, a person and random players."""
    names = [name for name in map(str.strip, _comment(text, SEATS).split(",")) if name]
    return names or [PERSON, *[RANDOM] * (players - 1)]


def _comment(text: str, head: str) -> str:
    """The rest of the comment that begins so; "" without one."""
    for line in text.splitlines()[:HEAD_LINES]:
        if line.startswith(head):
            return line.removeprefix(head)[:MAX_COMMENT]
    return ""
