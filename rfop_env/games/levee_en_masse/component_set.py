"""The component set in play: the shipped file, a user's rows laid over it, and the record that the rules read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.component_file import (
    INTEGER,
    LIST,
    PUBLISHED_FIELDS,
    SET,
    SET_TABLE,
    YES_NO,
    ComponentRows,
    TableField,
    Key,
    TableRow,
    Table,
    WrongText,
    require_unique,
)
from rfop_env.core.component_set import CheckedSet, Record, SetLoader
from rfop_env.core.errors import BadComponents, UnknownName
from rfop_env.games.levee_en_masse import board
from rfop_env.games.levee_en_masse.components import COMPONENTS, HEAD, HEADLINES, ORDER

SHIPPED = Path(__file__).parent / "components" / "reconstruction.toml"

SHAPES = START_HEXAGON, ROUND, SQUARE = ("start", "round", "square")
BORDER_PENALTY = {"none": 0, "orange": 1, "red": 3}  # points lost for each army there (rules 9.3, step 7)
NAVY, LIBERATION, DISORDER = "British Navy", "Liberation", "Disorder"
VALUE_NAMES = (*board.ARMY_NAMES, NAVY, LIBERATION, DISORDER)
LAST_NUMBER = {board.BLUE: 21, board.WHITE: 45, board.RED: 60}  # of each colour; the next colour begins after it
DECK_SIZES = {board.BLUE: (19, 2), board.WHITE: (17, 7), board.RED: (12, 3)}  # of the base game, the Expansion Kit

POLITICS_COLUMN = dict(zip(board.POLITICS_NAMES, (HEAD.monarchy, HEAD.despotism, HEAD.republic), strict=True))
DRM_COLUMN = {
    "Military": HEAD.military,
    "Political": HEAD.political,
    "Naval": HEAD.naval,
    "Liberation": HEAD.liberation,
    "Restore Order": HEAD.order,
}
REACTION = "Reaction"
MARKER, NAPOLEON, ROTATE, LIFT = "Liberation marker", "Napoleon", "rotate the Prussian army", "lift the rotation"
SPECIALS = (MARKER, NAPOLEON, ROTATE, LIFT)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def _date(text: str) -> str:
    """A day such as "9 November 1799", or nothing."""
    if not text:
        return text
    try:
        day, month, year = text.split()
        date(int(year), MONTHS.index(month) + 1, int(day))
    except (ValueError, OverflowError):  # no such day; a number that no calendar has
        raise WrongText(text, text, 'a date such as "9 November 1799"') from None
    return text


def _by_army(names: list[str]) -> list[str]:
    """Armies in the order of their tracks: which of two moves first makes no difference (L6)."""
    return sorted(names, key=board.ARMY_NAMES.index)


def _signed(names: Sequence[str], limit: int) -> tuple[str, ...]:
    """Every name with every change that it may have: "Monarchy -1", ..."""
    return tuple(f"{name} {change:+d}" for name in names for change in range(-limit, limit + 1) if change)


_TITLE = TableField(low=1, high=60)
_MOBILE = board.ARMY_NAMES[: board.FIRST_STATIONARY]
_ENTRIES = tuple(f"{army} at {box}" for army in board.ARMY_NAMES for box in range(1, board.BOXES))
_HEADLINE_FIELDS = {
    "number": TableField(INTEGER, 1, HEADLINES),
    "colour": TableField(choices=board.COLOUR_NAMES[board.BLUE :]),
    "title": _TITLE,
    "date": TableField(default="", canonical=_date),
    "expansion": TableField(YES_NO, default=False),
    "advance": TableField(LIST, 0, 12, choices=_MOBILE, default=[], canonical=_by_army),
    "retreat": TableField(SET, choices=_MOBILE, default=[], canonical=_by_army),  # one box (L49)
    "remove": TableField(SET, choices=board.ARMY_NAMES, default=[]),
    "enter": TableField(SET, choices=_ENTRIES, default=[]),
    "politics": TableField(SET, choices=(REACTION, *_signed(board.POLITICS_NAMES, 2)), default=[]),
    "journee": TableField(YES_NO, default=False),
    "drms": TableField(SET, choices=_signed((*DRM_COLUMN, *board.ARMY_NAMES), 2), default=[]),
    "actions": TableField(INTEGER, 1, 5),
    "special": TableField(SET, choices=SPECIALS, default=[]),
}
_SPACE_FIELDS = {
    "track": TableField(choices=board.TRACK_NAMES),
    "box": TableField(INTEGER, board.PARIS + 1, board.START),
    "name": TableField(low=1, high=20),
    "shape": TableField(choices=SHAPES),
    "border": TableField(choices=tuple(BORDER_PENALTY), default="none"),
}


def _with_published(fields: dict[str, TableField]) -> dict[str, TableField]:
    """The fields of a row, and which of them are published although the row as a whole is not."""
    return {**fields, PUBLISHED_FIELDS: TableField(SET, choices=tuple(fields), default=[])}


SCHEMA = (
    SET_TABLE,
    Table("space", ("track", "box"), _with_published(_SPACE_FIELDS)),
    Table("battle_value", ("name",), {"name": TableField(choices=VALUE_NAMES), "value": TableField(INTEGER, 0, 6)}),
    Table("headline", ("number",), _with_published(_HEADLINE_FIELDS)),
)


class ComponentSet(CheckedSet):
    """A checked set of this game."""

    @property
    def numbers(self) -> list[int]:
        """The numbers of all Headline cards."""
        return list(range(1, HEADLINES + 1))

    def card(self, number: int) -> TableRow:
        """The row of a Headline card."""
        table = self.content.table("headline")
        if (number,) not in table:
            raise UnknownName("card", number, [f"1 to {HEADLINES}"])
        return table[(number,)]

    def card_name(self, number: int) -> str:
        """The title of a card."""
        return str(self.card(number).values["title"])

    def card_title(self, number: int) -> str:
        """A card in one line: "12 Prussia Invades France! (blue, 30 July 1792, 3 actions; published)"."""
        row = self.card(number).values
        count = f"{row['actions']} action{'s' if row['actions'] > 1 else ''}"
        parts = [row["colour"], row["date"], "expansion" if row["expansion"] else "", count]
        return f"{number} {row['title']} ({', '.join(filter(None, parts))}; {self.card(number).provenance})"

    def event_sentences(self, number: int) -> list[str]:
        """The effects of a card, in the order in which they are carried out."""
        row = self.card(number).values
        lifted = ["the rotation of the Prussian army is lifted"] if LIFT in row["special"] else []
        rotated = ["the Prussian army is rotated"] if ROTATE in row["special"] else []
        return [
            *(f"{army_words(army)} leaves the map" for army in row["remove"]),
            *(self._entry(entry) for entry in row["enter"]),
            *lifted,
            *_moves(row["advance"], "advances"),
            *_moves(row["retreat"], "retreats"),
            *rotated,
            *([", ".join(row["politics"])] if row["politics"] else []),
            *(["journée: Disorder comes to Paris"] if row["journee"] else []),
            *(["DRM: " + ", ".join(row["drms"])] if row["drms"] else []),
            *(f"{special} to the Holding Box" for special in row["special"] if special in (MARKER, NAPOLEON)),
        ]

    def _entry(self, entry: str) -> str:
        name, box = _entered(entry)
        where = self.space_name(board.TRACK_OF[board.ARMY_NAMES.index(name)], box)
        if name == "British Support":
            return f"{name} is placed at {where} (box {box}), wherever it was"
        return f"{army_words(name)} enters at {where} (box {box}) if it is off the map"

    def space_name(self, track: int, box: int) -> str:
        """The name of a box of a track; box 0 is Paris."""
        if box == board.PARIS:
            return "Paris"
        return str(self.content.table("space")[board.TRACK_NAMES[track], box].values["name"])


def army_words(name: str) -> str:
    """An army in the middle of a sentence; Suvorov, Korsakov and British Support stand without "army"."""
    return name if board.ARMY_NAMES.index(name) >= board.FIRST_STATIONARY else f"the {name} army"


def _moves(names: list[str], verb: str) -> list[str]:
    boxes = Counter(names)
    return [f"{army_words(name)} {verb}{'' if n == 1 else f' {n} boxes'}" for name, n in boxes.items()]


def _entered(entry: str) -> tuple[str, int]:
    """Army and box of "Spanish at 4"."""
    name, box = entry.split(" at ")
    return name, int(box)


def _change(entry: str) -> tuple[str, int]:
    """Name and number of "Restore Order +1"."""
    name, change = entry.rsplit(" ", 1)
    return name, int(change)


def _check(content: ComponentRows) -> None:
    """Check what the rows say together."""
    content.require(_KEYS)
    require_unique(content.oldest_first("space"), "name")
    require_unique(content.oldest_first("headline"), "title")
    for row in content.table("space").values():
        _check_space(row)
    for row in content.table("headline").values():
        _check_place(row)
        _check_armies(row)
        _check_effects(row)
    _check_decks(content)
    _check_supply(content)


def _fill(record: Record, content: ComponentRows) -> None:
    """The record of the rows."""
    _fill_map(record, content)
    _fill_headlines(record, content)


SETS = SetLoader(SHIPPED, SCHEMA, COMPONENTS, ComponentSet, _fill, _check)
load_components = SETS.load


# -- checks beyond single fields ---------------------------------------------------------------------------------------

_KEYS: dict[str, list[Key]] = {
    "set": [()],
    "space": [(track, box) for track in board.TRACK_NAMES for box in range(board.PARIS + 1, board.BOXES)],
    "battle_value": [(name,) for name in VALUE_NAMES],
    "headline": [(number,) for number in range(1, HEADLINES + 1)],
}


def _check_space(row: TableRow) -> None:
    """Box 5 is the start hexagon and nothing else is (L12); only squares have a border."""
    box, shape, border = (row.values[name] for name in ("box", "shape", "border"))
    if (shape == START_HEXAGON) != (box == board.START):
        raise row.error("shape", "'start' in box 5" if box == board.START else "'round' or 'square' below box 5", shape)
    if border != "none" and shape != SQUARE:
        raise row.error("border", "'none': only square spaces have a border", border)


def _check_place(row: TableRow) -> None:
    """The number fixes the colour; the first and the last card of a colour are of the base game."""
    number = row.values["number"]
    colour = board.COLOUR_NAMES[_colour(number)]
    if row.values["colour"] != colour:
        raise row.error("colour", f"{colour!r}, the colour of number {number}", row.values["colour"])
    if (number in LAST_NUMBER.values() or number - 1 in (0, *LAST_NUMBER.values())) and row.values["expansion"]:
        raise row.error("expansion", f"false: the first and the last {colour} card are of the base game", True)


def _colour(number: int) -> int:
    return next(colour for colour, last in LAST_NUMBER.items() if number <= last)


def _check_armies(row: TableRow) -> None:
    """One order for each army; what only the Expansion Kit has stands on its cards, but may be removed by any."""
    entering = [_entered(entry)[0] for entry in row.values["enter"]]
    orders = [*set(row.values["advance"]), *set(row.values["retreat"]), *row.values["remove"], *entering]
    duplicates = [name for name, n in Counter(orders).items() if n > 1]
    if duplicates:
        raise row.error("advance", "each army in one of advance, retreat, remove and enter", duplicates[0])
    news = [name for name in entering if board.ARMY_NAMES.index(name) >= board.SPANISH]
    if NAPOLEON in row.values["special"]:
        news.append(NAPOLEON)
    if news and not row.values["expansion"]:
        raise row.error("expansion", f"true: {news[0]} comes with the Expansion Kit", False)


def _check_effects(row: TableRow) -> None:
    """One change for each thing; Reaction stands alone; a DRM for one army at most; one word on the rotation."""
    politics, drms, special = (row.values[name] for name in ("politics", "drms", "special"))
    if REACTION in politics and len(politics) > 1:
        raise row.error("politics", f"{REACTION!r} alone", politics)
    for name, entries in (("politics", [e for e in politics if e != REACTION]), ("drms", drms)):
        changed = [_change(entry)[0] for entry in entries]
        if len(set(changed)) < len(changed):
            raise row.error(name, "one change for each", entries)
    armies = [entry for entry in drms if _change(entry)[0] in board.ARMY_NAMES]
    if len(armies) > 1:
        raise row.error("drms", "a DRM against one army at most", armies)
    if ROTATE in special and LIFT in special:
        raise row.error("special", f"{ROTATE!r} or {LIFT!r}", special)


def _check_decks(content: ComponentRows) -> None:
    """The size of each deck, of the base game and of the Expansion Kit."""
    rows = [row.values for row in content.table("headline").values()]
    counts = Counter((row["colour"], row["expansion"]) for row in rows)
    for colour, sizes in DECK_SIZES.items():
        for expansion, size in enumerate(sizes):
            number = counts[board.COLOUR_NAMES[colour], bool(expansion)]
            if number != size:
                expected = (
                    f"{size} {board.COLOUR_NAMES[colour]} cards of the {('base game', 'Expansion Kit')[expansion]}"
                )
                raise BadComponents(content.files[-1], "headline", "expansion", expected, number)


def _check_supply(content: ComponentRows) -> None:
    """Check that everything aside comes into play by some card, and that one turns a rotated Prussian army back."""
    rows = [row.values for row in content.table("headline").values()]
    markers = Counter(row["expansion"] for row in rows if MARKER in row["special"])
    if (markers[False], markers.total()) != (board.BASE_MARKERS, board.ALL_MARKERS):
        expected = f"{MARKER!r} on {board.BASE_MARKERS} cards of the base game and on {board.ALL_MARKERS} in all"
        number = f"{markers[False]} and {markers.total()}"
        raise BadComponents(content.files[-1], "headline", "special", expected, number)
    entering = {_entered(entry)[0] for row in rows for entry in row["enter"]}
    for name in board.ARMY_NAMES[board.SPANISH :]:
        if name not in entering:
            raise BadComponents(content.files[-1], "headline", "enter", f"a card that brings {name}", None)
    specials = {special for row in rows for special in row["special"]}
    base = {special for row in rows if not row["expansion"] for special in row["special"]}
    for name, cards in ((NAPOLEON, specials), (ROTATE, base), (LIFT, base)):
        if name not in cards:
            raise BadComponents(content.files[-1], "headline", "special", f"a card with {name!r}", None)


# -- the record --------------------------------------------------------------------------------------------------------


def _fill_map(record: Record, content: ComponentRows) -> None:
    for (name, box), row in content.table("space").items():
        at = (0, board.TRACK_NAMES.index(name), box)
        is_round = row.values["shape"] == ROUND
        record["round_space"][at] = is_round
        record["square_space"][at] = row.values["shape"] == SQUARE
        record["penalty"][at] = BORDER_PENALTY[row.values["border"]]
        record["space_value"][at] = box if is_round else 0  # rules 9.3, step 2
    values = {name: row.values["value"] for (name,), row in content.table("battle_value").items()}
    record["battle_value"][0] = [values[name] for name in board.ARMY_NAMES]
    for column, name in (("navy_value", NAVY), ("liberation_value", LIBERATION), ("disorder_value", DISORDER)):
        record[column][0] = values[name]


def _fill_headlines(record: Record, content: ComponentRows) -> None:
    for (number,), row in content.table("headline").items():
        _fill_effects(record["headline"][0, number], row)
        _fill_orders(record["army_order"][0, number], row)


def _fill_effects(head: NDArray[np.int32], row: TableRow) -> None:
    """The columns of one card: head is [HEAD_COLUMNS]."""
    number, politics, special = (row.values[name] for name in ("number", "politics", "special"))
    head[HEAD.colour] = _colour(number)
    head[[HEAD.expansion, HEAD.actions]] = row.values["expansion"], row.values["actions"]
    head[HEAD.reaction] = REACTION in politics
    for name, change in (_change(entry) for entry in politics if entry != REACTION):
        head[POLITICS_COLUMN[name]] = change
    for name, drm in map(_change, row.values["drms"]):
        if name in DRM_COLUMN:
            head[DRM_COLUMN[name]] = drm
        else:
            head[[HEAD.army, HEAD.army_drm]] = board.ARMY_NAMES.index(name) + 1, drm
    head[[HEAD.journee, HEAD.markers, HEAD.napoleon]] = row.values["journee"], MARKER in special, NAPOLEON in special


def _fill_orders(order: NDArray[np.int32], row: TableRow) -> None:
    """Fill the orders of one card to the armies, `order` [ARMIES, ORDER_COLUMNS]."""
    for name in row.values["remove"]:
        order[board.ARMY_NAMES.index(name), ORDER.remove] = 1
    for name, box in map(_entered, row.values["enter"]):
        order[board.ARMY_NAMES.index(name), ORDER.enter] = box
    for field_name, step in (("advance", 1), ("retreat", -1)):
        for name in row.values[field_name]:
            order[board.ARMY_NAMES.index(name), ORDER.move] += step
    order[board.PRUSSIAN, [ORDER.lift, ORDER.rotate]] = LIFT in row.values["special"], ROTATE in row.values["special"]
