"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

from pathlib import Path

from rfop_env.core.component_file import INTEGER, SET_TABLE, ComponentRows, Field, Key, Table
from rfop_env.core.component_set import CheckedSet, Record, SetLoader
from rfop_env.games.revolution.board import COUNTER_NAMES, SIDE_NAMES
from rfop_env.games.revolution.components import COMPONENTS, HIGHEST_VALUE, MOST_MARKERS

SHIPPED = Path(__file__).parent / "components" / "published.toml"

SCHEMA = (
    SET_TABLE,
    Table("counter", ("name",), {
        "name": Field(choices=COUNTER_NAMES),
        "value": Field(INTEGER, 0, HIGHEST_VALUE),
    }),
    Table("markers", ("side",), {
        "side": Field(choices=SIDE_NAMES),
        "count": Field(INTEGER, 1, MOST_MARKERS),
    }),
)  # fmt: skip


class ComponentSet(CheckedSet):
    """A checked set of this game."""

    def value(self, counter: int) -> int:
        """The influence of a counter."""
        return int(self.record["value"][0, counter])


def _check(content: ComponentRows) -> None:
    """Every row that the rules need is there."""
    content.require(_KEYS)


_KEYS: dict[str, list[Key]] = {
    "set": [()],
    "counter": [(name,) for name in COUNTER_NAMES],
    "markers": [(name,) for name in SIDE_NAMES],
}


def _fill(record: Record, content: ComponentRows) -> None:
    """The record of the rows."""
    counters = content.table("counter")
    markers = content.table("markers")
    values = [int(counters[(name,)].values["value"]) for name in COUNTER_NAMES]
    record["value"][0] = values
    record["by_value"][0] = sorted(range(len(values)), key=lambda n: -values[n])
    record["markers"][0] = [markers[(name,)].values["count"] for name in SIDE_NAMES]


SETS = SetLoader(SHIPPED, SCHEMA, COMPONENTS, ComponentSet, _fill, _check)
load_components = SETS.load
