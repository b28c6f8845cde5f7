"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from rfop_env.core.component_file import (
    INTEGER,
    LIST,
    SET_TABLE,
    YES_NO,
    ComponentRows,
    Field,
    Key,
    Row,
    Table,
    WrongText,
    require_unique,
)
from rfop_env.core.component_set import CheckedSet, Record, SetLoader
from rfop_env.core.errors import BadComponents, UnknownName
from rfop_env.games.paris.board import (
    BONUS_TILES,
    BRONZE,
    DISTRICT_NAMES,
    END_NAMES,
    END_TILES,
    FIRST_LANDMARK,
    GOOD_NAMES,
    LANDMARK_NAMES,
    LANDMARK_TYPE,
    PLAYER_COUNTS,
    RESOURCES,
    SECTIONS,
    SPACE_NAMES,
    TRACK,
    TYPE_NAMES,
    TYPES,
    VALUES,
    VP_TILES,
    ZONE_NAMES,
)
from rfop_env.games.paris.components import COMPONENTS, FEES

SHIPPED = Path(__file__).parent / "components" / "reconstruction.toml"
RESOURCE_NAMES = GOOD_NAMES[:RESOURCES]
PRESTIGE_WORDS = tuple(name.removesuffix("-prestige") for name in GOOD_NAMES[RESOURCES:])
PLACING_NAMES = ("first", "second", "third")
COPIED_TILES = 6  # bonus tiles with copies: 24 single ones and 6 x 3 make the 42 of four players
PLAYER_KEYS = 12  # that each colour has
FEWEST_TYPES = 4  # tile 30 pays nothing for less (P29)

BACK_TILE, TYPES_TILE = 25, 30
# Which numbers a bonus tile's effect has use for, by number; the rules know what they mean.
TILE_NUMBERS = {
    **dict.fromkeys((1, 5, 12, 22), ("francs",)),
    7: ("francs", "vp"),
    **dict.fromkeys((13, 14), ("price",)),
    **dict.fromkeys((6, 11, 15, 18, 26, 27, 28, 29), ("vp",)),
    **dict.fromkeys((20, 23, 24), ("vp_2", "vp_3", "vp_4")),
    BACK_TILE: ("spaces",),
}
_WORD = re.compile(r"{(\w*)}")


def _sections(entries: list[str]) -> list[str]:
    """The prestige sections of a landmark, each a token and its VP: `bronze 3`."""
    return [f"{word} {vp}" for word, vp in map(_section, entries)]


def _section(entry: str) -> tuple[str, int]:
    word, _, vp = entry.strip().partition(" ")
    if word not in PRESTIGE_WORDS:
        raise WrongText(entry, word, " or ".join(map(repr, PRESTIGE_WORDS)))
    if not re.fullmatch(r" *[1-9]\d?", vp):
        raise WrongText(entry, vp, "the VP of this section, from 1 to 99,")
    return word, int(vp)


_NAME = Field(low=1, high=60)
_FRANCS, _VP = Field(INTEGER, 0, 20), Field(INTEGER, 0, 30)
_NO_FRANCS, _NO_VP = Field(INTEGER, 0, 20, default=0), Field(INTEGER, 0, 30, default=0)
_COST = {name: Field(INTEGER, 0, 6, default=0) for name in RESOURCE_NAMES}
_DISTRICT = Field(choices=DISTRICT_NAMES)

SCHEMA = (
    SET_TABLE,
    Table("bank", ("district",), {"district": _DISTRICT, "francs": _FRANCS}),
    Table("building", ("district", "value"), {
        "district": _DISTRICT,
        "value": Field(INTEGER, VALUES[0], VALUES[-1]),
        "type": Field(choices=TYPE_NAMES[:LANDMARK_TYPE]),
        **_COST,
    }),
    Table("bonus_fee", ("value",), {"value": Field(INTEGER, 1, FEES), "francs": _FRANCS}),
    Table("landmark", ("name",), {
        "name": Field(choices=LANDMARK_NAMES),
        "value": Field(INTEGER, 1, 30),
        **_COST,
        "prestige": Field(LIST, 0, SECTIONS, canonical=_sections),
    }),
    Table("vp_tile", ("number",), {"number": Field(INTEGER, 1, VP_TILES), **dict.fromkeys(PLACING_NAMES, _VP)}),
    Table("bonus_tile", ("number",), {
        "number": Field(INTEGER, 1, BONUS_TILES),
        "name": _NAME,
        "text": Field(low=1, high=200),
        "copied": Field(YES_NO, default=False),
        "francs": _NO_FRANCS,
        "price": _NO_FRANCS,
        "vp": _NO_VP,
        "vp_2": _NO_VP,
        "vp_3": _NO_VP,
        "vp_4": _NO_VP,
        "spaces": Field(INTEGER, 0, TRACK, default=0),
    }),
    Table("type_set", ("types",), {"types": Field(INTEGER, FEWEST_TYPES, TYPES), "vp": Field(INTEGER, 0, 60)}),
    Table("zone", ("name",), {
        "name": Field(choices=ZONE_NAMES), "first": Field(INTEGER, 1, TRACK), "last": Field(INTEGER, 1, TRACK),
    }),
    Table("end_game_tile", ("kind",), {
        "kind": Field(choices=END_NAMES), "tiles": Field(INTEGER, 0, END_TILES), "francs": _NO_FRANCS, "vp": _NO_VP,
    }),
    Table("good", ("name",), {"name": Field(choices=GOOD_NAMES), "sell": _FRANCS, "buy": _NO_FRANCS}),
    Table("keys", ("players",), {
        "players": Field(INTEGER, PLAYER_COUNTS[0], PLAYER_COUNTS[-1]), "in_hand": Field(INTEGER, 1, PLAYER_KEYS),
    }),
    Table("number", ("name",), {
        "name": Field(choices=("start francs", "keys aside", "value-8 vp")), "value": Field(INTEGER, 0, 20),
    }),
)  # fmt: skip


class ComponentSet(CheckedSet):
    """A checked set of this game.

    What other games call cards are here the bonus tiles, 1 to 30.
    """

    numbers = range(1, BONUS_TILES + 1)

    def card(self, number: int) -> Row:
        """The row of a bonus tile."""
        table = self.content.table("bonus_tile")
        if (number,) not in table:
            raise UnknownName("bonus tile", number, [f"1 to {BONUS_TILES}"])
        return table[(number,)]

    def card_name(self, number: int) -> str:
        """The name of a bonus tile."""
        return self._filled(number, "name")

    def card_title(self, number: int) -> str:
        """A bonus tile in a line: number, name, zone, copies, where its row comes from."""
        copies = "a copy for each player but one" if self.card(number).values["copied"] else "one copy"
        zone = next(z["name"] for z in self.rows("zone") if z["first"] <= number <= z["last"])
        return f"{number} {self.card_name(number)} (zone {zone}, {copies}; {self.provenance(number)})"

    def event_sentences(self, number: int) -> list[str]:
        """The effect of a bonus tile, in one sentence."""
        return [self._filled(number, "text")]

    def provenance(self, number: int) -> str:
        """The provenance of a bonus tile's row: `printed`, `published` or `reconstructed`."""
        return self.card(number).provenance

    def _filled(self, number: int, name: str) -> str:
        """A text of a bonus tile with its own numbers in the places of the words in braces."""
        row = self.card(number)
        sets = self.rows("type_set")
        numbers = {**row.values} | {key: "/".join(str(s[of]) for s in sets) for key, of in _OF_SETS.items()}
        return _WORD.sub(lambda found: str(numbers[found[1]]), str(row.values[name]))


_OF_SETS = {"sets": "types", "sets_vp": "vp"}  # words in the text of tile 30


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


def _fill(record: Record, content: ComponentRows) -> None:
    """The record of the rows."""
    _fill_board(record, content)
    _fill_landmarks(record, content)
    _fill_tiles(record, content)
    _fill_bonus_tiles(record, content)
    _fill_prices(record, content)


SETS = SetLoader(SHIPPED, SCHEMA, COMPONENTS, ComponentSet, _fill, _check)
load_components = SETS.load


# -- checks beyond single fields ---------------------------------------------------------------------------------------

_KEYS: dict[str, list[Key]] = {
    "set": [()],
    "bank": [(name,) for name in DISTRICT_NAMES],
    "building": [(name, value) for name in DISTRICT_NAMES for value in VALUES],
    "bonus_fee": [(value,) for value in VALUES[:FEES]],
    "landmark": [(name,) for name in LANDMARK_NAMES],
    "vp_tile": [(number,) for number in range(1, VP_TILES + 1)],
    "bonus_tile": [(number,) for number in range(1, BONUS_TILES + 1)],
    "type_set": [(types,) for types in range(FEWEST_TYPES, TYPES + 1)],
    "zone": [(name,) for name in ZONE_NAMES],
    "end_game_tile": [(kind,) for kind in END_NAMES],
    "good": [(name,) for name in GOOD_NAMES],
    "keys": [(players,) for players in PLAYER_COUNTS],
    "number": [("start francs",), ("keys aside",), ("value-8 vp",)],
}


def _check_keys(content: ComponentRows) -> None:
    """Every row that the rules need is there, and no other."""
    content.require(_KEYS)
    for (_, value), row in content.table("building").items():
        if value not in VALUES:
            raise row.wrong("value", f"one of the values {', '.join(map(str, VALUES))}", value)


def _check_buildings(content: ComponentRows) -> None:
    """Every district has each type once; only the value-8 buildings ask for resources."""
    for district in DISTRICT_NAMES:
        rows = [row for row in content.oldest_first("building") if row.values["district"] == district]
        require_unique(rows, "type")
    for row in content.table("building").values():
        for name in RESOURCE_NAMES:
            if row.values[name] and row.values["value"] != VALUES[-1]:
                raise row.wrong(name, f"0: only buildings of value {VALUES[-1]} ask for resources", row.values[name])


def _check_landmarks(content: ComponentRows) -> None:
    """No two are worth the same: P14 asks for a higher one, and majorities are decided by the highest."""
    require_unique(content.oldest_first("landmark"), "value")


def _clash(content: ComponentRows, other: Row, row: Row, name: str, wanted: str) -> BadComponents:
    """The error that blames a field of a row which does not fit another row, in the newer one's file."""
    file = max(other.file, row.file, key=content.files.index)
    return BadComponents(file, row.label, name, wanted, row.values[name])


def _check_vp_tiles(content: ComponentRows) -> None:
    """On a tile no placing pays more than the one before, in the row of tiles none more than its neighbour before."""
    rows = [content.table("vp_tile")[(number,)] for number in range(1, VP_TILES + 1)]
    for row in rows:
        for before, name in pairwise(PLACING_NAMES):
            if row.values[name] > row.values[before]:
                raise row.wrong(name, f"at most {row.values[before]}, the VP of the {before}", row.values[name])
    for above, row in pairwise(rows):
        for name in PLACING_NAMES:
            if row.values[name] > above.values[name]:
                raise _clash(content, above, row, name, f"at most {above.values[name]}, as {above.label}")


def _check_bonus_tiles(content: ComponentRows) -> None:
    """Each tile says the numbers that its effect has use for, and names no others in its texts."""
    rows = content.oldest_first("bonus_tile")
    for row in rows:
        number = row.values["number"]
        used = TILE_NUMBERS.get(number, ())
        for name in sorted({name for names in TILE_NUMBERS.values() for name in names}):
            if row.values[name] and name not in used:
                raise row.wrong(name, f"0: the effect of tile {number} has no use for it", row.values[name])
        _check_words(row, (*used, *(_OF_SETS if number == TYPES_TILE else ())))
    copied = [row for row in rows if row.values["copied"]]
    if len(copied) != COPIED_TILES:
        numbers = ", ".join(str(n) for n in sorted(row.values["number"] for row in copied))
        wanted = f"{COPIED_TILES} bonus tiles with copies, for 42 tiles in all (now: {numbers})"
        raise BadComponents(content.files[-1], "bonus_tile", "copied", wanted, len(copied))


def _check_words(row: Row, known: tuple[str, ...]) -> None:
    for name in ("name", "text"):
        for word in _WORD.findall(row.values[name]):
            if word not in known:
                wanted = "words in braces of " + (", ".join(map(repr, known)) or "no kind: this tile has no numbers")
                raise row.wrong(name, wanted, f"{{{word}}}")


def _check_zones(content: ComponentRows) -> None:
    """The zones divide the track: each begins where the one before has ended."""
    rows = [content.table("zone")[(name,)] for name in ZONE_NAMES]
    for before, row in pairwise(rows):
        if row.values["first"] != before.values["last"] + 1:
            raise _clash(content, before, row, "first", f"{before.values['last'] + 1}, the space after {before.label}")
    for row in rows:
        if row.values["last"] < row.values["first"]:
            raise row.wrong("last", f"at least {row.values['first']}, the first space of this zone", row.values["last"])
    for row, name, end in ((rows[0], "first", 1), (rows[-1], "last", TRACK)):
        if row.values[name] != end:
            raise row.wrong(name, f"{end}: the track has spaces 1 to {TRACK}", row.values[name])


def _check_end_game_tiles(content: ComponentRows) -> None:
    """There are 12; those that stand for a good give nothing else."""
    table = content.table("end_game_tile")
    for (kind,), row in table.items():
        for name in ("francs", "vp"):
            if kind in GOOD_NAMES and row.values[name]:
                raise row.wrong(name, f"0: this tile is a {kind}", row.values[name])
    tiles = sum(row.values["tiles"] for row in table.values())
    if tiles != END_TILES:
        raise BadComponents(content.files[-1], "end_game_tile", "tiles", f"{END_TILES} tiles of all kinds", tiles)


def _check_goods(content: ComponentRows) -> None:
    """Prestige is never bought (P7); a resource costs more than it sells for, or trade would have no end."""
    for (name,), row in content.table("good").items():
        buy = row.values["buy"]
        sell = row.values["sell"]
        if name not in RESOURCE_NAMES and buy:
            raise row.wrong("buy", "0: prestige is never bought", buy)
        if name in RESOURCE_NAMES and buy <= sell:
            raise row.wrong("buy", f"at least {sell + 1}: to buy and to sell again must cost money", buy)


def _check_player_keys(content: ComponentRows) -> None:
    aside = content.table("number")[("keys aside",)].values["value"]
    for row in content.table("keys").values():
        if row.values["in_hand"] + aside > PLAYER_KEYS:
            wanted = f"at most {PLAYER_KEYS - aside}: a player has {PLAYER_KEYS} keys, {aside} of them aside"
            raise row.wrong("in_hand", wanted, row.values["in_hand"])


# -- the record --------------------------------------------------------------------------------------------------------


def _fill_board(record: Record, content: ComponentRows) -> None:
    for (district,), row in content.table("bank").items():
        record["bank"][0, DISTRICT_NAMES.index(district)] = row.values["francs"]
    for (district, value), row in content.table("building").items():
        space = SPACE_NAMES.index(f"{district} {value}")
        record["building_type"][0, space] = TYPE_NAMES.index(row.values["type"])
        record["resources"][0, space] = [row.values[name] for name in RESOURCE_NAMES]
    for (value,), row in content.table("bonus_fee").items():
        record["bonus_fee"][0, value - 1] = row.values["francs"]


def _fill_landmarks(record: Record, content: ComponentRows) -> None:
    for (name,), row in content.table("landmark").items():
        i = LANDMARK_NAMES.index(name)
        record["landmark_value"][0, i] = row.values["value"]
        record["resources"][0, FIRST_LANDMARK + i] = [row.values[resource] for resource in RESOURCE_NAMES]
        for k, (word, vp) in enumerate(map(_section, row.values["prestige"])):
            record["section_good"][0, i, k] = BRONZE + PRESTIGE_WORDS.index(word) + 1
            record["section_vp"][0, i, k] = vp


def _fill_tiles(record: Record, content: ComponentRows) -> None:
    for (number,), row in content.table("vp_tile").items():
        record["vp_tile"][0, number - 1] = [row.values[name] for name in PLACING_NAMES]
    for (kind,), row in content.table("end_game_tile").items():
        for column, name in (("end_tiles", "tiles"), ("end_francs", "francs"), ("end_vp", "vp")):
            record[column][0, END_NAMES.index(kind)] = row.values[name]
    for (types,), row in content.table("type_set").items():
        record["types_vp"][0, types] = row.values["vp"]


_TILE_COLUMNS = (("copied", "copied"), ("bonus_francs", "francs"), ("bonus_price", "price"), ("bonus_vp", "vp"))


def _fill_bonus_tiles(record: Record, content: ComponentRows) -> None:
    for (number,), row in content.table("bonus_tile").items():
        for column, name in _TILE_COLUMNS:
            record[column][0, number] = row.values[name]
        for players in PLAYER_COUNTS:
            record["bonus_vp_by_players"][0, number, players] = row.values[f"vp_{players}"]
    record["steps_back"][0] = content.table("bonus_tile")[(BACK_TILE,)].values["spaces"]
    for (name,), row in content.table("zone").items():
        record["zone"][0, row.values["first"] : row.values["last"] + 1] = ZONE_NAMES.index(name)


def _fill_prices(record: Record, content: ComponentRows) -> None:
    for (name,), row in content.table("good").items():
        record["sell_price"][0, GOOD_NAMES.index(name)] = row.values["sell"]
        if name in RESOURCE_NAMES:
            record["buy_price"][0, RESOURCE_NAMES.index(name)] = row.values["buy"]
    for (players,), row in content.table("keys").items():
        record["keys_in_hand"][0, players] = row.values["in_hand"]
    numbers = {name: row.values["value"] for (name,), row in content.table("number").items()}
    record["start_francs"][0] = numbers["start francs"]
    record["keys_aside"][0] = numbers["keys aside"]
    record["eight_vp"][0] = numbers["value-8 vp"]
