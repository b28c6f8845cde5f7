"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

from pathlib import Path

from rfop_env.core import component_file
from rfop_env.core.component_file import (
    INTEGER,
    LIST,
    SET,
    SET_TABLE,
    YES_NO,
    ComponentRows,
    TableField,
    TableRow,
    Table,
)
from rfop_env.core.component_set import CheckedSet, Record, SetLoader
from rfop_env.core.errors import BadComponents, UnknownName, nearest
from rfop_env.games.red_flag_over_paris import board, card_language, components

SHIPPED = Path(__file__).parent / "components" / "reconstruction.toml"
FIGHTING_SIDES = board.SIDE_NAMES[: board.SIDES]


# What a row of each table of the Aid can ask, by its words in the file; the last row must leave no doubt.
_EITHER_TABLE = {
    "breaks control": components.SELECT_BREAKS_CONTROL,
    "adds control": components.SELECT_ADDS_CONTROL,
    "own sphere": components.SELECT_OWN_SPHERE,
    "fewest cubes": components.SELECT_FEWEST_CUBES,
    "die": components.SELECT_DIE,
}
AID_CONDITIONS = {
    "choose": {
        "no cubes": components.CHOOSE_NO_CUBES,
        "takes key space": components.CHOOSE_TAKES_KEY_SPACE,
        "dimension": components.CHOOSE_DIMENSION,
        "home dimension": components.CHOOSE_HOME_DIMENSION,
        "no room": components.CHOOSE_NO_ROOM,
        "place": components.CHOOSE_PLACE,
    },
    "place": {
        "room": components.SELECT_ROOM,
        "completes dimension": components.SELECT_COMPLETES_DIMENSION,
        "adds key control": components.SELECT_ADDS_KEY_CONTROL,
        "strongest dimension": components.SELECT_STRONGEST_DIMENSION,
        "not isolated": components.SELECT_NOT_ISOLATED,
        **_EITHER_TABLE,
    },
    "remove": {
        "certain": components.SELECT_CERTAIN,
        "breaks dimension": components.SELECT_BREAKS_DIMENSION,
        "breaks key control": components.SELECT_BREAKS_KEY_CONTROL,
        "isolated": components.SELECT_ISOLATED,
        **_EITHER_TABLE,
    },
}
AID_LAST = {"choose": "place", "place": "die", "remove": "die"}

_NAME = TableField(low=1, high=60)
_EVENT = TableField(LIST, 1, components.MAX_STEPS, canonical=card_language.canonical)
_SIDE = TableField(choices=FIGHTING_SIDES)
_SIDES = TableField(SET, choices=FIGHTING_SIDES)
_FLAG = TableField(YES_NO, default=False)
_CUBES = TableField(INTEGER, 0, board.CUBES)
_REACHES = TableField(SET, choices=board.SPACE_NAMES)

SCHEMA = (
    SET_TABLE,
    Table(
        "space",
        ("name",),
        {
            "name": TableField(choices=board.SPACE_NAMES),
            "sphere": TableField(choices=board.SPHERE_NAMES),
            "dimension": TableField(choices=board.DIMENSION_NAMES),
            "pivotal": TableField(YES_NO),
            "reaches": _REACHES,
            "always_present": _SIDES,
            "never_isolated": _SIDES,
            "start_commune": TableField(INTEGER, 0, board.CUBE_LIMIT),
            "start_versailles": TableField(INTEGER, 0, board.CUBE_LIMIT),
        },
    ),
    Table(
        "place",
        ("name",),
        {"name": TableField(choices=board.PLACE_NAMES[len(board.SPACE_NAMES) :]), "reaches": _REACHES},
    ),
    Table(
        "track",
        ("side", "zone"),
        {"side": _SIDE, "zone": TableField(choices=board.ZONE_NAMES), "cubes": _CUBES, "bonus": _CUBES},
    ),
    Table("momentum_cubes", ("level",), {"level": TableField(INTEGER, 1, board.MOMENTUM_LIMIT), "cubes": _CUBES}),
    Table("momentum_pool", ("level",), {"level": TableField(INTEGER, 0, board.MOMENTUM_LIMIT), "places": _CUBES}),
    Table("momentum_gift", ("side",), {"side": _SIDE, "dimension": TableField(choices=board.DIMENSION_NAMES)}),
    Table(
        "strategy_card",
        ("number",),
        {
            "number": TableField(INTEGER, 1, components.STRATEGY_CARDS),
            "name": _NAME,
            "side": TableField(choices=board.SIDE_NAMES),
            "points": TableField(INTEGER, 1, 4),
            "event": _EVENT,
            "not_in_solo": _FLAG,
            "final_crisis": _FLAG,
        },
    ),
    Table(
        "objective",
        ("number",),
        {
            "number": TableField(INTEGER, components.FIRST_OBJECTIVE, components.CARDS - 1),
            "name": _NAME,
            "target": TableField(choices=board.SPACE_NAMES),
            "event": _EVENT,
        },
    ),
    Table(
        "aid",
        ("table", "side"),
        {
            "table": TableField(choices=tuple(AID_CONDITIONS)),
            "side": _SIDE,
            "rows": TableField(LIST, 1, components.AID_ROWS),
        },
    ),
)


class ComponentSet(CheckedSet):
    """A checked set of this game."""

    def card(self, number: int) -> TableRow:
        """The row of a card: 1 to 41 strategy cards, 42 to 53 objectives."""
        table = self.content.table("strategy_card" if number < components.FIRST_OBJECTIVE else "objective")
        if (number,) not in table:
            raise UnknownName("card", number, [f"1 to {components.CARDS - 1}"])
        return table[(number,)]

    @property
    def numbers(self) -> list[int]:
        """The numbers of all cards."""
        return [int(row["number"]) for table in ("strategy_card", "objective") for row in self.rows(table)]

    def card_title(self, number: int) -> str:
        """A card in a line: number, name, side and points or target, where it comes from."""
        values = self.card(number).values
        kind = f"{values['side']}, {values['points']} points" if "points" in values else f"objective {values['target']}"
        marks = {"final_crisis": "Final Crisis", "not_in_solo": "not in solo games"}
        remarks = ", ".join([kind, *(text for name, text in marks.items() if values.get(name))])
        return f"{number} {self.card_name(number)} ({remarks}; {self.card(number).provenance})"

    def card_name(self, number: int) -> str:
        """The name of a card."""
        return str(self.card(number).values["name"])

    def event_sentences(self, number: int) -> list[str]:
        """The rows of a card's event, in the canonical spelling of the card language."""
        return list(self.card(number).values["event"])


def _check(content: ComponentRows) -> None:
    """Check what the rows say together."""
    content.require(_KEYS)
    _check_board(content)
    _check_cards(content)
    _check_aid(content)
    _check_cubes(content)


def _fill(record: Record, content: ComponentRows) -> None:
    """Fill the record with the rows."""
    _fill_map(record, content)
    _fill_tracks(record, content)
    _fill_cards(record, content)
    _fill_aid(record, content)


SETS = SetLoader(SHIPPED, SCHEMA, components.COMPONENTS, ComponentSet, _fill, _check)
load_components, component_set_of = SETS.load, SETS.of


# -- checks beyond single fields ---------------------------------------------------------------------------------------

_KEYS: dict[str, list[component_file.Key]] = {
    "set": [()],
    "space": [(name,) for name in board.SPACE_NAMES],
    "place": [(name,) for name in board.PLACE_NAMES[len(board.SPACE_NAMES) :]],
    "track": [(side, zone) for side in FIGHTING_SIDES for zone in board.ZONE_NAMES],
    "momentum_cubes": [(level,) for level in range(1, board.MOMENTUM_LIMIT + 1)],
    "momentum_pool": [(level,) for level in range(board.MOMENTUM_LIMIT + 1)],
    "momentum_gift": [(side,) for side in FIGHTING_SIDES],
    "strategy_card": [(number,) for number in range(1, components.STRATEGY_CARDS + 1)],
    "objective": [(number,) for number in range(components.FIRST_OBJECTIVE, components.CARDS)],
    "aid": [(table, side) for table in AID_CONDITIONS for side in FIGHTING_SIDES],
}


def _check_board(content: ComponentRows) -> None:
    """Check each space against the rules, which know where it lies; the file states it for its readers."""
    for (name,), row in content.table("space").items():
        x = board.SPACE_NAMES.index(name)
        fixed = {
            "sphere": board.SPHERE_NAMES[x // board.SPACES_A_SPHERE],
            "dimension": board.DIMENSION_NAMES[x // board.SPACES_A_DIMENSION],
            "pivotal": bool(board.PIVOTAL_SPACES >> x & 1),
        }
        for field_name, value in fixed.items():
            if row.values[field_name] != value:
                raise row.error(field_name, f"{value!r}, which the rules fix", row.values[field_name])


def _check_cards(content: ComponentRows) -> None:
    """Check that names and targets are unique, and which two strategy cards are the Final Crisis cards."""
    component_file.require_unique(content.oldest_first("strategy_card", "objective"), "name")
    component_file.require_unique(content.oldest_first("objective"), "target")
    for (number,), row in content.table("strategy_card").items():
        last = number in components.FINAL_CRISIS_CARD
        if row.values["final_crisis"] != last:
            numbers = " and ".join(map(str, components.FINAL_CRISIS_CARD))
            expected = f"{str(last).lower()}: the Final Crisis cards are {numbers}"
            raise row.error("final_crisis", expected, row.values["final_crisis"])
        side = board.SIDE_NAMES[components.FINAL_CRISIS_CARD.index(number)] if last else row.values["side"]
        if row.values["side"] != side:
            raise row.error("side", f"{side!r}, whose Final Crisis card it is", row.values["side"])


def _check_aid(content: ComponentRows) -> None:
    for (table, _), row in content.table("aid").items():
        names = row.values["rows"]
        for i, name in enumerate(names):
            if name not in AID_CONDITIONS[table]:
                hint = nearest(name, list(AID_CONDITIONS[table]))
                raise row.error("rows", f"a condition of the {table} table ({hint})", name)
            if name in names[:i]:
                raise row.error("rows", "each condition once", name)
        if names[-1] != AID_LAST[table]:
            raise row.error("rows", f"{AID_LAST[table]!r} as the last row", names[-1])


def _check_cubes(content: ComponentRows) -> None:
    """Check that every cube of a side is somewhere at the start: 18 in all."""
    over_starting = [content.table("track")[(side, board.ZONE_NAMES[board.STARTING])] for side in FIGHTING_SIDES]
    for row in over_starting:
        if row.values["bonus"]:
            raise row.error("bonus", "0: no bonus cubes lie over the Starting zone", row.values["bonus"])
    for side in FIGHTING_SIDES:
        where = _starting_cubes(content, side)
        if sum(where.values()) != board.CUBES:
            places = ", ".join(f"{n} {place}" for place, n in where.items())
            expected = f"{board.CUBES} cubes of {side} in all ({places})"
            raise BadComponents(content.files[-1], f"track {side}", "cubes", expected, sum(where.values()))


def _starting_cubes(content: ComponentRows, side: str) -> dict[str, int]:
    """The cubes of a side at the start, by where they lie."""
    track = [row.values for row in content.table("track").values() if row.values["side"] == side]
    collaboration = [row.values["cubes"] for row in content.table("momentum_cubes").values()]
    return {
        "on the crisis track": sum(row["cubes"] for row in track),
        "bonus": sum(row["bonus"] for row in track),
        "under Prussian Collaboration": sum(collaboration) if side == board.SIDE_NAMES[board.VERSAILLES] else 0,
        "on the map": sum(row.values[f"start_{side.lower()}"] for row in content.table("space").values()),
    }


# -- the record --------------------------------------------------------------------------------------------------------


def _fill_map(record: Record, content: ComponentRows) -> None:
    for row in (*content.table("space").values(), *content.table("place").values()):
        # The file says where a controller may go, the rules ask whence a space can be reached.
        for reached in row.values["reaches"]:
            record["adjacent"][0, board.SPACE_NAMES.index(reached)] |= 1 << board.PLACE_NAMES.index(row.values["name"])
    for (name,), row in content.table("space").items():
        x = board.SPACE_NAMES.index(name)
        for side in (board.COMMUNE, board.VERSAILLES):
            record["start_cubes"][0, side, x] = row.values[f"start_{board.SIDE_NAMES[side].lower()}"]
            for column in ("always_present", "never_isolated"):
                record[column][0, side] |= (board.SIDE_NAMES[side] in row.values[column]) << x


def _fill_tracks(record: Record, content: ComponentRows) -> None:
    for (side, zone), row in content.table("track").items():
        for column, name in (("track", "cubes"), ("bonus", "bonus")):
            record[column][0, board.SIDE_NAMES.index(side), board.ZONE_NAMES.index(zone)] = row.values[name]
    for (level,), row in content.table("momentum_cubes").items():
        record["collaboration"][0, level] = row.values["cubes"]
    for (level,), row in content.table("momentum_pool").items():
        record["pool_places"][0, level] = row.values["places"]
    for (side,), row in content.table("momentum_gift").items():
        record["gift_dimension"][0, board.SIDE_NAMES.index(side)] = board.DIMENSION_NAMES.index(row.values["dimension"])


def _fill_cards(record: Record, content: ComponentRows) -> None:
    record["target"][0] = -1  # strategy cards have none, and 0 is a space
    record["side"][0] = board.NEUTRAL
    for (number,), row in content.table("strategy_card").items():
        record["points"][0, number] = row.values["points"]
        record["side"][0, number] = board.SIDE_NAMES.index(row.values["side"])
        record["not_in_solo"][0, number] = row.values["not_in_solo"]
    for (number,), row in content.table("objective").items():
        record["target"][0, number] = board.SPACE_NAMES.index(row.values["target"])
    for row in content.oldest_first("strategy_card", "objective"):
        record["program"][0, row.values["number"]] = card_language.parse_event(row.values["event"])


def _fill_aid(record: Record, content: ComponentRows) -> None:
    for (table, side), row in content.table("aid").items():
        numbers = [AID_CONDITIONS[table][name] for name in row.values["rows"]]
        record[f"{table}_table"][0, board.SIDE_NAMES.index(side), : len(numbers)] = numbers
