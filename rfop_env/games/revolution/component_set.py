"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rfop_env.core.component_file import INTEGER, SET, SET_TABLE, ComponentRows, TableField, Key, TableRow, Table
from rfop_env.core.component_set import CheckedSet, Record, SetLoader
from rfop_env.games.revolution import board
from rfop_env.games.revolution.components import COMPONENTS, HIGHEST_VALUE, MOST_MARKERS

SHIPPED = Path(__file__).parent / "components" / "published.toml"

NOTRE_DAME_NAME, FLAG_NAME = board.BUILDING_NAMES[-1], board.COUNTER_NAMES[board.FLAG]

_COUNTER, _SIDE = TableField(choices=board.COUNTER_NAMES), TableField(choices=board.SIDE_NAMES)
_BOARD = {  # without a row the board and the pieces are those of the game; the spaces are those in the middle
    "width": TableField(INTEGER, 3, board.WIDTH),
    "counters": TableField(SET, choices=board.COUNTER_NAMES),
    "buildings": TableField(SET, choices=board.BUILDING_NAMES),
}
SCHEMA = (
    SET_TABLE,
    Table("counter", ("name",), {"name": _COUNTER, "value": TableField(INTEGER, 0, HIGHEST_VALUE)}),
    Table("markers", ("side",), {"side": _SIDE, "count": TableField(INTEGER, 1, MOST_MARKERS)}),
    Table("board", ("width",), _BOARD),
)


class ComponentSet(CheckedSet):
    """A checked set of this game."""

    def value(self, counter: int) -> int:
        """The influence of a counter."""
        return int(self.record["value"][0, counter])


def _check(content: ComponentRows) -> None:
    """Every row that the rules need is there, and the pieces in play fill the board."""
    content.require(_KEYS)
    boards = list(content.table("board").values())
    if len(boards) > 1:
        raise boards[1].error("width", "one board in all files", boards[1].values["width"])
    for row in boards:
        _check_board(row)
        limit = _most_markers(row)
        for markers in content.table("markers").values():
            if markers.values["count"] > limit:
                raise markers.error("count", f"at most {limit} on this board", markers.values["count"])


def _check_board(row: TableRow) -> None:
    """The pieces fill the board, and what decides the game is among them."""
    width, counters, buildings = (row.values[name] for name in ("width", "counters", "buildings"))
    if width % 2 != board.WIDTH % 2:
        raise row.error("width", f"3 or {board.WIDTH}, so that the board has a middle", width)
    if FLAG_NAME not in counters:
        raise row.error("counters", f"the {FLAG_NAME} among them", counters)
    if NOTRE_DAME_NAME not in buildings:
        raise row.error("buildings", f"{NOTRE_DAME_NAME} among them", buildings)
    pieces = board.SIDES * len(counters) + len(buildings)
    if pieces != width**2:
        expected = f"{width**2} pieces for {width**2} spaces: the counters of both sides and the buildings"
        raise row.error("counters", expected, pieces)


def _most_markers(row: TableRow) -> int:
    """Just over half of the spaces that can be marked, numbers and Notre Dame: one side can place all its markers."""
    return (board.SIDES * (len(row.values["counters"]) - 1) + 2) // 2


_KEYS: dict[str, list[Key]] = {
    "set": [()],
    "counter": [(name,) for name in board.COUNTER_NAMES],
    "markers": [(name,) for name in board.SIDE_NAMES],
}


def _fill(record: Record, content: ComponentRows) -> None:
    """The record of the rows."""
    counters = content.table("counter")
    markers = content.table("markers")
    values = [int(counters[(name,)].values["value"]) for name in board.COUNTER_NAMES]
    record["value"][0] = values
    record["by_value"][0] = sorted(range(len(values)), key=lambda n: -values[n])
    record["markers"][0] = [markers[(name,)].values["count"] for name in board.SIDE_NAMES]
    _fill_board(record, next((row.values for row in content.table("board").values()), _WHOLE_BOARD))


_WHOLE_BOARD = {"width": board.WIDTH, "counters": board.COUNTER_NAMES, "buildings": board.BUILDING_NAMES}


def _fill_board(record: Record, values: Mapping[str, Any]) -> None:
    """The spaces in the middle, and the pieces that are in play."""
    edge = (board.WIDTH - values["width"]) // 2
    for x in range(board.SPACES):
        record["space_in_play"][0, x] = all(edge <= k < board.WIDTH - edge for k in divmod(x, board.WIDTH))
    for side in range(board.SIDES):
        for counter, name in enumerate(board.COUNTER_NAMES):
            record["piece_in_play"][0, board.COUNTERS * side + counter] = name in values["counters"]
    for building, name in enumerate(board.BUILDING_NAMES):
        record["piece_in_play"][0, board.FIRST_BUILDING + building] = name in values["buildings"]
    record["spaces"][0] = values["width"] ** 2
    record["buildings"][0] = len(values["buildings"])


SETS = SetLoader(SHIPPED, SCHEMA, COMPONENTS, ComponentSet, _fill, _check)
load_components = SETS.load
