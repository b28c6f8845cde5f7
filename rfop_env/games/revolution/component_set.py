"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from rfop_env.core.component_file import INTEGER, ComponentRows, Field, Table, read_component_file
from rfop_env.core.rule import JIT
from rfop_env.games.revolution.board import COUNTER_NAMES, SIDE_NAMES
from rfop_env.games.revolution.components import COMPONENTS, HIGHEST_VALUE, MOST_MARKERS

SHIPPED = Path(__file__).parent / "components" / "published.toml"

SCHEMA = (
    Table("set", (), {"name": Field(low=1, high=60), "version": Field(INTEGER, 1), "note": Field(default="")}),
    Table("counter", ("name",), {
        "name": Field(choices=COUNTER_NAMES),
        "value": Field(INTEGER, 0, HIGHEST_VALUE),
    }),
    Table("markers", ("side",), {
        "side": Field(choices=SIDE_NAMES),
        "count": Field(INTEGER, 1, MOST_MARKERS),
    }),
)  # fmt: skip


@dataclass(frozen=True)
class ComponentSet:
    """A checked set: `record` ([1], dtype COMPONENTS; shared, never written to) for the rules, the rest for people."""

    record: Any = field(repr=False)
    name: str
    digest: str
    content: ComponentRows = field(repr=False)

    def value(self, counter: int) -> int:
        """The influence of a counter."""
        return int(self.record["value"][0, counter])


def load_components(path: str | Path | None = None) -> ComponentSet:
    """The shipped set, or the shipped set with a user's file laid over it; raises `BadComponents`."""
    if path is None:
        return _shipped()
    return _set_of(_shipped().content.overlaid(read_component_file(path, SCHEMA)))


@lru_cache(maxsize=1)
def _shipped() -> ComponentSet:
    return _set_of(read_component_file(SHIPPED, SCHEMA))


def _set_of(content: ComponentRows) -> ComponentSet:
    """Fill the record."""
    record = np.zeros(1, COMPONENTS)
    counters, markers = content.table("counter"), content.table("markers")
    values = [int(counters[(name,)].values["value"]) for name in COUNTER_NAMES]
    record["value"][0] = values
    record["by_value"][0] = sorted(range(len(values)), key=lambda n: -values[n])
    record["markers"][0] = [markers[(name,)].values["count"] for name in SIDE_NAMES]
    return ComponentSet(record if JIT else record.view(np.recarray), content.name, content.digest, content)
