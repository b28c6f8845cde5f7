"""What other installed packages offer: commands, players and games, by entry points.

The groups are `rfop.commands`, `rfop.players` and `rfop.games`. The shipped agents and trainers come this way too, so
that this package imports neither.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rfop_env.core.errors import RfopError, printable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

METADATA = (".dist-info", ".egg-info")  # the ends of the names of folders that describe installed packages


def entry_points(group: str) -> list[EntryPoint]:
    """The entry points of a group, in the order of their names.

    `importlib.metadata` is imported only if there are any: that takes longer than importing most of this package.
    """
    if not any(_mentions(folder, f"[{group}]".encode()) for folder in sys.path):
        return []
    from importlib import metadata

    return sorted(metadata.entry_points(group=group), key=lambda entry: entry.name)


def _mentions(folder: str, heading: bytes) -> bool:
    """Whether an installed package in a folder of the import path may have entry points under a heading."""
    try:
        packages = [name for name in os.listdir(folder or ".") if name.endswith(METADATA)]  # noqa: PTH208  # faster
    except NotADirectoryError:  # an archive, which may have any
        return True
    except OSError:
        return False
    for package in packages:
        try:
            with open(f"{folder or '.'}/{package}/entry_points.txt", "rb") as file:  # noqa: PTH123  # faster
                if heading in file.read():
                    return True
        except OSError:  # most packages have none
            continue
    return False


def load_plugins(group: str, misfit: Callable[[Any], str]) -> dict[str, Any]:
    """What the entry points of a group name, by the names of the entry points.

    `misfit` says what is wrong with such an object; "" for nothing. One that does not fit, or cannot be imported, is
    left out, and stderr says so in one line.
    """
    plugins = {}
    for entry in entry_points(group):
        try:
            plugin = entry.load()
            problem = misfit(plugin)
        except RfopError:  # which says what to do
            raise
        except Exception as error:  # whatever another package raises
            problem = f"{type(error).__name__}: {printable(str(error))}"
        if problem:
            print(f"rfop: {entry.value} of {group} cannot be used: {problem}", file=sys.stderr)
        else:
            plugins[entry.name] = plugin
    return plugins
