"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, count, pairwise, product
from pathlib import Path
from typing import Any

from rfop_env.core import component_file
from rfop_env.core.component_file import INTEGER, ComponentRows, TableField, TableRow, Table
from rfop_env.core.component_set import CheckedSet, Record, SetLoader
from rfop_env.core.errors import BadComponents, UnknownName
from rfop_env.games.paris import board, components

SHIPPED = Path(__file__).parent / "components" / "reconstruction.toml"
COPIED_TILES = 6  # bonus tiles with copies: 24 single ones and 6 x 3 make the 42 of four players
PLAYER_KEYS = 12  # that each colour has
FEWEST_TYPES = 4  # tile 30 pays nothing for less (P29)
BACK_TILE, TYPES_TILE = 25, 30

# -- the vocabulary of the files --------------------------------------------------------------------------------------

RESOURCE_NAMES = ("wood", "marble", "gold")
PRESTIGE = {"bronze": board.BRONZE, "silver": board.SILVER, "gold": board.GOLD_PRESTIGE}
PLACING_NAMES = ("first", "second", "third")
BUILDING_TYPES = ("café", "hotel", "theatre", "newsstand", "bookshop", "residence")
NUMBERS = ("start francs", "keys aside", "value-8 vp")
SET_WORDS = {"sets": "types", "sets_vp": "vp"}  # words in the text of tile 30: fields of `type_set`

# The fields that the effect of a bonus tile uses, by number.
TILE_FIELDS = {
    **dict.fromkeys((1, 5, 12, 22), ("francs",)),
    7: ("francs", "vp"),
    **dict.fromkeys((13, 14), ("price",)),
    **dict.fromkeys((6, 11, 15, 18, 26, 27, 28, 29), ("vp",)),
    **dict.fromkeys((20, 23, 24), ("vp_2", "vp_3", "vp_4")),
    BACK_TILE: ("spaces",),
}


def _indices(keys: Iterable[Any], first: int = 0) -> dict[Any, int]:
    return dict(zip(keys, count(first)))


# The rows of the tables with one key field, and the place of each in the columns of the record.
KEYS = {
    "bank": _indices(board.DISTRICT_NAMES),
    "bonus_fee": _indices(board.VALUES[: components.FEES]),
    "landmark": _indices(board.LANDMARK_NAMES),
    "vp_tile": _indices(range(1, board.VP_TILES + 1)),
    "bonus_tile": _indices(range(1, board.BONUS_TILES + 1), 1),
    "type_set": _indices(range(FEWEST_TYPES, board.TYPES + 1), FEWEST_TYPES),
    "zone": _indices(board.ZONE_NAMES),
    "end_game_tile": _indices(board.END_NAMES),
    "good": _indices(board.GOOD_NAMES),
    "keys": _indices(board.PLAYER_COUNTS, board.PLAYER_COUNTS[0]),
    "number": _indices(NUMBERS),
}

# Fields that the record has as they are: table, field, column.
COLUMNS = (
    ("bank", "francs", "bank"),
    ("bonus_fee", "francs", "bonus_fee"),
    ("landmark", "value", "landmark_value"),
    ("bonus_tile", "copied", "copied"),
    ("bonus_tile", "francs", "bonus_francs"),
    ("bonus_tile", "price", "bonus_price"),
    ("bonus_tile", "vp", "bonus_vp"),
    ("type_set", "vp", "types_vp"),
    ("end_game_tile", "tiles", "end_tiles"),
    ("end_game_tile", "francs", "end_francs"),
    ("end_game_tile", "vp", "end_vp"),
    ("good", "sell", "sell_price"),
    ("keys", "in_hand", "keys_in_hand"),
)

_WORD = re.compile(r"{(\w*)}")


def _sections(entries: list[str]) -> list[str]:
    """The prestige sections of a landmark, each a token and its VP: `bronze 3`."""
    return [f"{word} {vp}" for word, vp in map(_section, entries)]


def _section(entry: str) -> tuple[str, int]:
    word, _, vp = entry.strip().partition(" ")
    if word not in PRESTIGE:
        raise component_file.WrongText(entry, word, " or ".join(map(repr, PRESTIGE)))
    if not re.fullmatch(r" *[1-9]\d?", vp):
        raise component_file.WrongText(entry, vp, "the VP of this section, from 1 to 99,")
    return word, int(vp)


_NAME, _TEXT = TableField(low=1, high=60), TableField(low=1, high=200)
_FRANCS, _VP = TableField(INTEGER, 0, 20), TableField(INTEGER, 0, 30)
_NO_FRANCS, _NO_VP = TableField(INTEGER, 0, 20, default=0), TableField(INTEGER, 0, 30, default=0)
_COST = dict.fromkeys(RESOURCE_NAMES, TableField(INTEGER, 0, 6, default=0))
_DISTRICT = TableField(choices=board.DISTRICT_NAMES)
_VALUE = TableField(INTEGER, board.VALUES[0], board.VALUES[-1])
_SPACE = TableField(INTEGER, 1, board.TRACK)
_PLAYERS = TableField(INTEGER, board.PLAYER_COUNTS[0], board.PLAYER_COUNTS[-1])

_BUILDING = {"district": _DISTRICT, "value": _VALUE, "type": TableField(choices=BUILDING_TYPES), **_COST}
_LANDMARK = {
    "name": TableField(choices=board.LANDMARK_NAMES),
    "value": TableField(INTEGER, 1, 30),
    **_COST,
    "prestige": TableField(component_file.LIST, 0, board.SECTIONS, canonical=_sections),
}
_BONUS_TILE = {
    "number": TableField(INTEGER, 1, board.BONUS_TILES),
    "name": _NAME,
    "text": _TEXT,
    "copied": TableField(component_file.YES_NO, default=False),
    **dict.fromkeys(("francs", "price"), _NO_FRANCS),
    **dict.fromkeys(("vp", "vp_2", "vp_3", "vp_4"), _NO_VP),
    "spaces": TableField(INTEGER, 0, board.TRACK, default=0),
}
_TILES = TableField(INTEGER, 0, board.END_TILES)
_END_GAME_TILE = {"kind": TableField(choices=board.END_NAMES), "tiles": _TILES, "francs": _NO_FRANCS, "vp": _NO_VP}
_VP_TILE = {"number": TableField(INTEGER, 1, board.VP_TILES), **dict.fromkeys(PLACING_NAMES, _VP)}
_TYPE_SET = {"types": TableField(INTEGER, FEWEST_TYPES, board.TYPES), "vp": TableField(INTEGER, 0, 60)}

SCHEMA = (
    component_file.SET_TABLE,
    Table("bank", ("district",), {"district": _DISTRICT, "francs": _FRANCS}),
    Table("building", ("district", "value"), _BUILDING),
    Table("bonus_fee", ("value",), {"value": TableField(INTEGER, 1, components.FEES), "francs": _FRANCS}),
    Table("landmark", ("name",), _LANDMARK),
    Table("vp_tile", ("number",), _VP_TILE),
    Table("bonus_tile", ("number",), _BONUS_TILE),
    Table("type_set", ("types",), _TYPE_SET),
    Table("zone", ("name",), {"name": TableField(choices=board.ZONE_NAMES), "first": _SPACE, "last": _SPACE}),
    Table("end_game_tile", ("kind",), _END_GAME_TILE),
    Table("good", ("name",), {"name": TableField(choices=board.GOOD_NAMES), "sell": _FRANCS, "buy": _NO_FRANCS}),
    Table("keys", ("players",), {"players": _PLAYERS, "in_hand": TableField(INTEGER, 1, PLAYER_KEYS)}),
    Table("number", ("name",), {"name": TableField(choices=NUMBERS), "value": TableField(INTEGER, 0, 20)}),
)

# -- the set in play --------------------------------------------------------------------------------------------------


class ComponentSet(CheckedSet):
    """A checked set of this game.

    What other games call cards are here the bonus tiles, 1 to 30.
    """

    numbers = range(1, board.BONUS_TILES + 1)

    def card(self, number: int) -> TableRow:
        """The row of a bonus tile."""
        table = self.content.table("bonus_tile")
        if (number,) not in table:
            raise UnknownName("bonus tile", number, [f"1 to {board.BONUS_TILES}"])
        return table[(number,)]

    def card_name(self, number: int) -> str:
        """The name of a bonus tile."""
        return self._filled(number, "name")

    def card_title(self, number: int) -> str:
        """A bonus tile in a line: number, name, zone, copies, where its row comes from."""
        copies = "a copy for each player but one" if self.card(number).values["copied"] else "one copy"
        zone = next(z["name"] for z in self.rows("zone") if z["first"] <= number <= z["last"])
        return f"{number} {self.card_name(number)} (zone {zone}, {copies}; {self.card(number).provenance})"

    def event_sentences(self, number: int) -> list[str]:
        """The effect of a bonus tile, in one sentence."""
        return [self._filled(number, "text")]

    def _filled(self, number: int, name: str) -> str:
        """A text of a bonus tile with its own numbers in the places of the words in braces."""
        values = self.card(number).values
        text = str(values[name])
        if "{" not in text:
            return text
        for word in TILE_FIELDS.get(number, ()):
            text = text.replace(f"{{{word}}}", str(values[word]))
        for word, field in SET_WORDS.items():
            text = text.replace(f"{{{word}}}", "/".join(str(types[field]) for types in self.rows("type_set")))
        return text


def _check(content: ComponentRows) -> None:
    """Check what the rows say together."""
    _check_keys(content)
    _check_buildings(content)
    _check_landmarks(content)
    _check_vp_tiles(content)
    _check_bonus_tiles(content)
    _check_zones(content)
    _check_end_game_tiles(content)
    _check_goods(content)
    _check_player_keys(content)


# -- checks beyond single fields ---------------------------------------------------------------------------------------


def _check_keys(content: ComponentRows) -> None:
    """Every row that the rules need is there, and no other."""
    rows: dict[str, list[component_file.Key]] = {"set": [()]}
    rows |= {table: [(key,) for key in keys] for table, keys in KEYS.items()}
    rows["building"] = list(product(board.DISTRICT_NAMES, board.VALUES))
    content.require(rows)
    for (_, value), row in content.table("building").items():
        if value not in board.VALUES:
            raise row.error("value", f"one of the values {', '.join(map(str, board.VALUES))}", value)


def _check_buildings(content: ComponentRows) -> None:
    """Every district has each type once; only the value-8 buildings ask for resources."""
    for district in board.DISTRICT_NAMES:
        rows = [row for row in content.oldest_first("building") if row.values["district"] == district]
        component_file.require_unique(rows, "type")
    for row in content.table("building").values():
        for name in RESOURCE_NAMES:
            if row.values[name] and row.values["value"] != board.VALUES[-1]:
                raise row.error(
                    name, f"0: only buildings of value {board.VALUES[-1]} ask for resources", row.values[name]
                )


def _check_landmarks(content: ComponentRows) -> None:
    """No two are worth the same: P14 asks for a higher one, and majorities are decided by the highest."""
    component_file.require_unique(content.oldest_first("landmark"), "value")


def _clash(content: ComponentRows, neighbour: TableRow, row: TableRow, name: str, expected: str) -> BadComponents:
    """The error that blames a field of a row which does not fit another row, in the newer one's file."""
    file = max(neighbour.file, row.file, key=content.files.index)
    return BadComponents(file, row.label, name, expected, row.values[name])


def _check_vp_tiles(content: ComponentRows) -> None:
    """On a tile no placing pays more than the one before, in the row of tiles none more than its neighbour before."""
    rows = [content.table("vp_tile")[(number,)] for number in range(1, board.VP_TILES + 1)]
    for row in rows:
        for better, name in pairwise(PLACING_NAMES):
            if row.values[name] > row.values[better]:
                raise row.error(name, f"at most {row.values[better]}, the VP of the {better}", row.values[name])
    for above, row in pairwise(rows):
        for name in PLACING_NAMES:
            if row.values[name] > above.values[name]:
                raise _clash(content, above, row, name, f"at most {above.values[name]}, as {above.label}")


def _check_bonus_tiles(content: ComponentRows) -> None:
    """Each tile says the numbers that its effect has use for, and names no others in its texts."""
    rows = content.oldest_first("bonus_tile")
    numeric = sorted(set(chain.from_iterable(TILE_FIELDS.values())))
    for row in rows:
        number = row.values["number"]
        fields = TILE_FIELDS.get(number, ())
        for name in numeric:
            if row.values[name] and name not in fields:
                raise row.error(name, f"0: the effect of tile {number} has no use for it", row.values[name])
        _check_words(row, (*fields, *SET_WORDS) if number == TYPES_TILE else fields)

    copied = sorted(row.values["number"] for row in rows if row.values["copied"])
    if len(copied) != COPIED_TILES:
        numbers = ", ".join(map(str, copied))
        expected = f"{COPIED_TILES} bonus tiles with copies, for 42 tiles in all (now: {numbers})"
        raise BadComponents(content.files[-1], "bonus_tile", "copied", expected, len(copied))


def _check_words(row: TableRow, words: tuple[str, ...]) -> None:
    expected = "words in braces of " + (", ".join(map(repr, words)) or "no kind: this tile has no numbers")
    for name in ("name", "text"):
        for word in _WORD.findall(row.values[name]):
            if word not in words:
                raise row.error(name, expected, f"{{{word}}}")


def _check_zones(content: ComponentRows) -> None:
    """The zones divide the track: each begins where the one before has ended."""
    rows = [content.table("zone")[(name,)] for name in board.ZONE_NAMES]
    for previous, row in pairwise(rows):
        if row.values["first"] != previous.values["last"] + 1:
            raise _clash(
                content, previous, row, "first", f"{previous.values['last'] + 1}, the space after {previous.label}"
            )
    for row in rows:
        if row.values["last"] < row.values["first"]:
            raise row.error("last", f"at least {row.values['first']}, the first space of this zone", row.values["last"])
    for row, name, end in ((rows[0], "first", 1), (rows[-1], "last", board.TRACK)):
        if row.values[name] != end:
            raise row.error(name, f"{end}: the track has spaces 1 to {board.TRACK}", row.values[name])


def _check_end_game_tiles(content: ComponentRows) -> None:
    """There are 12; those that stand for a good give nothing else."""
    table = content.table("end_game_tile")
    for (kind,), row in table.items():
        for name in ("francs", "vp"):
            if kind in board.GOOD_NAMES and row.values[name]:
                raise row.error(name, f"0: this tile is a {kind}", row.values[name])
    tiles = sum(row.values["tiles"] for row in table.values())
    if tiles != board.END_TILES:
        raise BadComponents(content.files[-1], "end_game_tile", "tiles", f"{board.END_TILES} tiles of all kinds", tiles)


def _check_goods(content: ComponentRows) -> None:
    """Prestige is never bought (P7); a resource costs more than it sells for, or trade would have no end."""
    for (name,), row in content.table("good").items():
        buy = row.values["buy"]
        sell = row.values["sell"]
        if name not in RESOURCE_NAMES and buy:
            raise row.error("buy", "0: prestige is never bought", buy)
        if name in RESOURCE_NAMES and buy <= sell:
            raise row.error("buy", f"at least {sell + 1}: to buy and to sell again must cost money", buy)


def _check_player_keys(content: ComponentRows) -> None:
    aside = content.table("number")[("keys aside",)].values["value"]
    for row in content.table("keys").values():
        if row.values["in_hand"] + aside > PLAYER_KEYS:
            expected = f"at most {PLAYER_KEYS - aside}: a player has {PLAYER_KEYS} keys, {aside} of them aside"
            raise row.error("in_hand", expected, row.values["in_hand"])


# -- the record --------------------------------------------------------------------------------------------------------


def _fill(record: Record, content: ComponentRows) -> None:
    """Write the rows into the record."""
    for table, name, column in COLUMNS:
        for (key,), row in content.table(table).items():
            record[column][0, KEYS[table][key]] = row.values[name]

    # What stands in several fields, or in fields of another shape.
    _fill_costs(record, content)
    _fill_tiles(record, content)
    for (good,), row in content.table("good").items():
        if good in RESOURCE_NAMES:
            record["buy_price"][0, RESOURCE_NAMES.index(good)] = row.values["buy"]
    numbers = {name: row.values["value"] for (name,), row in content.table("number").items()}
    record["start_francs"][0] = numbers["start francs"]
    record["keys_aside"][0] = numbers["keys aside"]
    record["eight_vp"][0] = numbers["value-8 vp"]


def _fill_costs(record: Record, content: ComponentRows) -> None:
    """Write what buildings and landmarks cost, and what landmarks give."""
    for (district, value), row in content.table("building").items():
        space = board.SPACE_NAMES.index(f"{district} {value}")
        record["building_type"][0, space] = BUILDING_TYPES.index(row.values["type"])
        record["resources"][0, space] = [row.values[name] for name in RESOURCE_NAMES]
    for (name,), row in content.table("landmark").items():
        landmark = KEYS["landmark"][name]
        record["resources"][0, board.FIRST_LANDMARK + landmark] = [row.values[good] for good in RESOURCE_NAMES]
        for k, (word, vp) in enumerate(map(_section, row.values["prestige"])):
            record["section_good"][0, landmark, k] = PRESTIGE[word] + 1
            record["section_vp"][0, landmark, k] = vp


def _fill_tiles(record: Record, content: ComponentRows) -> None:
    """Write VP tiles, VP of bonus tiles by players, and the zones of the track."""
    for (number,), row in content.table("vp_tile").items():
        record["vp_tile"][0, number - 1] = [row.values[name] for name in PLACING_NAMES]
    for (number,), row in content.table("bonus_tile").items():
        for players in board.PLAYER_COUNTS:
            record["bonus_vp_by_players"][0, number, players] = row.values[f"vp_{players}"]
    record["steps_back"][0] = content.table("bonus_tile")[(BACK_TILE,)].values["spaces"]
    for (name,), row in content.table("zone").items():
        record["zone"][0, row.values["first"] : row.values["last"] + 1] = KEYS["zone"][name]


SETS = SetLoader(SHIPPED, SCHEMA, components.COMPONENTS, ComponentSet, _fill, _check)
load_components = SETS.load
