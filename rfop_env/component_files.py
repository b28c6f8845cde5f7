"""Which environments a component file is for, by the tables in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rfop_env.core.component_file import table_names
from rfop_env.core.component_set import file_of_set
from rfop_env.core.errors import RfopError, shown
from rfop_env.registry import get_game, list_games


def games_of(file: str | Path) -> list[str]:
    """The ids of the environments that know every table of a file; of a file that fits none, the first of all.

    Loading the file for that first one then says what is wrong with it. `file` may be the name of a set that a game
    ships. Raises `BadComponents` for what is no TOML.
    """
    for name in list_games():
        file = file_of_set(get_game(name).folder / "components", file)
    tables = table_names(file)
    fitting = [name for name in list_games() if tables <= set(_tables_of(name))]
    return fitting or list_games()[:1]


def _tables_of(name: str) -> Iterable[str]:
    """The tables that component files of a game have; none where a game of somebody else reads no such files."""
    content = getattr(get_game(name).load_components(None), "content", None)
    return content.tables if content else ()


class ComponentSets:
    """The component sets that can be chosen from: the shipped one of every environment, and those of some files.

    Of two sets that play alike, which have the same digest, the first is kept.

    Raises `BadComponents` for a file that is not valid.
    """

    def __init__(self, files: Iterable[Path] = ()) -> None:
        self._of_files: dict[str, list[Any]] = {}
        for file in files:
            for name in games_of(file):
                loaded = get_game(name).load_components(file)
                if all(other.digest != loaded.digest for other in self.of(name)):
                    self._of_files.setdefault(name, []).append(loaded)

    def of(self, game: str) -> list[Any]:
        """The sets of an environment, the shipped one first."""
        return [get_game(game).load_components(None), *self._of_files.get(game, [])]

    def by_digest(self, game: str, digest: str) -> Any:
        """The set with a digest. Raises `RfopError` if there is none."""
        for found in self.of(game):
            if found.digest == digest:
                return found
        raise RfopError(
            f"there is no set of {game} with digest {shown(digest, 80)} here: add its file, as in --components FILE"
        )
