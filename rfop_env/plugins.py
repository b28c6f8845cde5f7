"""What other installed packages offer: commands, players and games, by entry points.

The groups are `rfop.commands`, `rfop.players` and `rfop.games`. The shipped agents and trainers come this way too, so
that this package imports neither.
"""

from __future__ import annotations

import sys
from importlib import metadata
from typing import Any

from rfop_env.core.errors import RfopError


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """The entry points of a group, in the order of their names."""
    return sorted(metadata.entry_points(group=group), key=lambda entry: entry.name)


def load_plugins(group: str) -> dict[str, Any]:
    """What the entry points of a group name, by the names of the entry points.

    One that cannot be imported is left out, and stderr says so in one line.
    """
    plugins = {}
    for entry in entry_points(group):
        try:
            plugins[entry.name] = entry.load()
        except RfopError:  # which says what to do
            raise
        except Exception as error:  # whatever another package raises
            print(f"rfop: {entry.value} of {group} cannot be used: {type(error).__name__}: {error}", file=sys.stderr)
    return plugins
