"""Component files that are slightly or grossly wrong: mutants of the shipped files, as TOML data."""

from __future__ import annotations

import copy
import datetime
import json
import math
import random
import tomllib
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from rfop_env.core.component_file import read_component_file
from rfop_env.core.component_set import SetLoader
from rfop_env.registry import get_game

Document = dict[str, Any]
Place = tuple[dict[str, Any], str]  # a row and one of its fields

NUMBERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 5, 9, 12, 20, 30, 60, 255, 2**31, 2**32 + 1, 2**63, 10**40)
ODD_VALUES = (
    True, False, 0.5, math.nan, math.inf, "", "die", "a\x1b[31m", "a\0b", "x" * 5000, [], [[]], [1], ["x", "x"], {},
    {"a": 1}, datetime.date(1871, 3, 18), datetime.time(12, 0),
)  # fmt: skip


def component_loader(game: str) -> SetLoader[Any]:
    """How a game makes sets of its component files."""
    return import_module(f"rfop_env.games.{get_game(game).folder.name}.component_set").SETS


def shipped_document(game: str) -> Document:
    """The shipped component file of a game, as TOML data."""
    return tomllib.loads(component_loader(game).shipped.read_text(encoding="utf-8"))


def toml_text(document: Mapping[str, Any]) -> str:
    """A document in TOML, a line for each row."""
    return "".join(f"{json.dumps(name)} = {_toml(value)}\n" for name, value in document.items())


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        lines = ",\n".join(map(_toml, value))  # lists may go on in further lines, and long lines are refused
        return f"[{lines}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(entry)}" for name, entry in value.items()) + "}"
    return str(value)  # numbers, nan, inf, dates and times are written as Python prints them


def mutant(game: str, number: int) -> Document:
    """Mutant `number` of a game's shipped file: always the same one. Most are mild, so that some are still valid."""
    rng = random.Random(f"{game} {number}")
    document = copy.deepcopy(shipped_document(game))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        mutation = rng.choice(MILD if rng.random() < 0.8 else GROSS)
        mutation(document, rng)
    if number % 3 == 0:
        lengthen(game, document, rng)
    return document


def load(game: str, number: int, folder: Path) -> Any:
    """The component set of a mutant, laid over the shipped one or (every fifth) by itself; raises `BadComponents`."""
    path, loader = folder / "mutant.toml", component_loader(game)
    path.write_text(toml_text(mutant(game, number)), encoding="utf-8")
    return loader.load(path) if number % 5 else loader.of(read_component_file(path, loader.schema))


# -- where to change something -----------------------------------------------------------------------------------------


def _rows(document: Document, rng: random.Random) -> list[dict[str, Any]]:
    """The rows of some table, if any are left."""
    tables = [rows for rows in document.values() if isinstance(rows, list) and any(isinstance(r, dict) for r in rows)]
    return [row for row in rng.choice(tables) if isinstance(row, dict)] if tables else []


def _place(document: Document, rng: random.Random, kind: type = object) -> Place | None:
    """A field that holds a value of a kind; seldom the first one, which names the row."""
    rows, first = _rows(document, rng), int(rng.random() < 0.8)
    places = [(row, name) for row in rows for name in list(row)[first:] if isinstance(row[name], kind)]
    return rng.choice(places) if places else None


# -- mild mutations ----------------------------------------------------------------------------------------------------


def nudge(document: Document, rng: random.Random) -> None:
    """A number a little higher or lower."""
    if place := _place(document, rng, int):
        row, name = place
        row[name] = row[name] + rng.choice((-3, -1, 1, 4))


def shift(document: Document, rng: random.Random) -> None:
    """A number of one row goes over to another: what is counted over all rows stays the same."""
    rows = _rows(document, rng)
    names = sorted({name for row in rows for name, value in row.items() if isinstance(value, int)})
    if names:
        name = rng.choice(names)
        holders = [row for row in rows if isinstance(row.get(name), int)]
        giver, taker, amount = rng.choice(holders), rng.choice(holders), rng.choice((1, 1, 2))
        giver[name] -= amount
        taker[name] += amount


def borrow(document: Document, rng: random.Random) -> None:
    """Two rows of a table exchange a value, or one takes over that of the other."""
    rows = _rows(document, rng)
    if len(rows) > 1:
        first, second = rng.sample(rows, 2)
        names = sorted(set(first) & set(second))
        if names:
            name = rng.choice(names)
            first[name], second[name] = copy.deepcopy(second[name]), copy.deepcopy(rng.choice((first, second))[name])


def relist(document: Document, rng: random.Random) -> None:
    """A list loses an entry, gains one of another list, or changes its order."""
    first, second = _place(document, rng, list), _place(document, rng, list)
    if first and second:
        row, name = first
        entries = row[name]
        change = rng.randrange(4)
        if change == 0 and entries:
            entries.pop(rng.randrange(len(entries)))
        elif change == 1:
            rng.shuffle(entries)
        elif entries:
            entries.insert(rng.randrange(len(entries) + 1), rng.choice(entries))
        row[name] = [*entries, *second[0][second[1]][:1]] if change == 3 else entries


def drop_row(document: Document, rng: random.Random) -> None:
    """A row is missing."""
    tables = [rows for rows in document.values() if isinstance(rows, list) and rows]
    if tables:
        rows = rng.choice(tables)
        rows.pop(rng.randrange(len(rows)))


def toggle(document: Document, rng: random.Random) -> None:
    """True becomes false, or the other way round."""
    if place := _place(document, rng, bool):
        row, name = place
        row[name] = not row[name]


def renumber(document: Document, rng: random.Random) -> None:
    """A number is anything that some table might allow."""
    if place := _place(document, rng, int):
        row, name = place
        row[name] = rng.randrange(31)


MILD: tuple[Callable[[Document, random.Random], None], ...] = (
    nudge, shift, shift, borrow, borrow, relist, drop_row, toggle, renumber, renumber,
)  # fmt: skip

# -- gross mutations ---------------------------------------------------------------------------------------------------


def retype(document: Document, rng: random.Random) -> None:
    """A value of another type, or far out of range."""
    if place := _place(document, rng):
        row, name = place
        row[name] = copy.deepcopy(rng.choice(ODD_VALUES + NUMBERS))


def nest(document: Document, rng: random.Random) -> None:
    """A value becomes a list or a table of itself."""
    if place := _place(document, rng):
        row, name = place
        row[name] = [row[name]] if rng.random() < 0.5 else {name: row[name]}


def drop_field(document: Document, rng: random.Random) -> None:
    """A field is missing."""
    if place := _place(document, rng):
        row, name = place
        del row[name]


def add_field(document: Document, rng: random.Random) -> None:
    """A field that no row, or another row, has."""
    if (place := _place(document, rng)) and (target := _place(document, rng)):
        place[0][target[1] if rng.random() < 0.5 else "x\x1b"] = copy.deepcopy(target[0][target[1]])


def duplicate(document: Document, rng: random.Random) -> None:
    """A row stands there twice."""
    tables = [rows for rows in document.values() if isinstance(rows, list) and rows]
    if tables:
        rows = rng.choice(tables)
        rows.append(copy.deepcopy(rng.choice(rows)))


def retable(document: Document, rng: random.Random) -> None:
    """A table is missing, has another name, is one row or no table at all."""
    if not document:
        return
    name = rng.choice(sorted(document))
    rows = document.pop(name)
    change = rng.randrange(4)
    if change == 1:
        document[f"{name}s"] = rows
    elif change == 2:
        document[name] = rows[0] if isinstance(rows, list) and rows else [rows]
    elif change == 3:
        document[name] = copy.deepcopy(rng.choice(ODD_VALUES + NUMBERS))


GROSS: tuple[Callable[[Document, random.Random], None], ...] = (
    retype, retype, retype, nest, drop_field, add_field, duplicate, retable,
)  # fmt: skip

# -- contents that each game allows, and that make it as long or as odd as can be --------------------------------------


def lengthen(game: str, document: Document, rng: random.Random) -> None:
    """Contents that are valid and unusual: long events, many Actions, close prices."""
    for table, change in LENGTHENED.items():
        rows = document.get(table)
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and rng.random() < 0.5:
                change(row, rng)


def _long_event(row: dict[str, Any], rng: random.Random) -> None:
    row["event"] = random_event(rng)
    if not row.get("final_crisis") and row.get("side"):
        row["side"] = rng.choice(("Commune", "Versailles", "Neutral", "Neutral"))


def random_event(rng: random.Random) -> list[str]:
    """An event of the card language, with every word that there is."""
    from rfop_env.games.red_flag_over_paris.board import DIMENSION_NAMES, MILITARY_NAMES, SPACE_NAMES

    def scope() -> str:
        names = ("any", "political", "military", *DIMENSION_NAMES, *SPACE_NAMES)
        return " or ".join(rng.choices(names, k=rng.choice((1, 1, 2))))

    def sentence() -> str:
        count, verb = rng.choice((1, 2, 3, 9)), rng.randrange(10)
        count_words = f"{rng.choice(('up to ', ''))}{count}"
        flags = rng.choice(("", "", ", different spaces", ", where present"))
        cubes = rng.choice(("place", "place out of play", "remove", "replace", "remove own"))
        action = (
            f"{cubes} {count_words} in {scope()}{flags}",
            f"{cubes} {count_words} in {scope()}{flags}",
            f"move {count_words} from {scope()} to {scope()}",
            f"place disc in {rng.choice(MILITARY_NAMES)} or {rng.choice(MILITARY_NAMES)}",
            f"operations up to {count} in {scope()}",
            f"operations up to {count} in {rng.choice(MILITARY_NAMES)} and up to {count} in political",
            f"{rng.choice(('own', 'enemy'))} momentum {rng.choice(('+1', '-1'))}",
            "reveal hand",
            rng.choice(("reveal objective", "swap card")),
            "use any discard",
        )[verb]
        condition = rng.choice(
            ("", "", "", f"if control of {rng.choice(SPACE_NAMES)}: ", "if own momentum 1: ", "if enemy momentum 2: ")
        )
        return condition + rng.choice(("", "", "may: ", "must: ")) + action

    rows = [sentence() for _ in range(rng.choice((1, 2, 4, 8)))]
    first = rng.randrange(len(rows))
    if len(rows) - first >= 2 and rng.random() < 0.4:
        rows[first:] = [f"option {1 + (i > 0)}: {row}" for i, row in enumerate(rows[first:])]
    return rows


def _more_actions(row: dict[str, Any], rng: random.Random) -> None:
    row["actions"] = rng.choice((1, 5, 5))


def _battle(row: dict[str, Any], rng: random.Random) -> None:
    row["value"] = rng.choice((0, 6, 6))


def _prices(row: dict[str, Any], rng: random.Random) -> None:
    row["sell"] = rng.choice((0, 10, 19))
    if row.get("buy"):
        row["buy"] = row["sell"] + 1


def _bank(row: dict[str, Any], rng: random.Random) -> None:
    row["francs"] = rng.choice((0, 20))


def _landmark(row: dict[str, Any], rng: random.Random) -> None:
    row["prestige"] = [f"{rng.choice(('bronze', 'silver', 'gold'))} {rng.choice((1, 99))}" for _ in range(3)]
    for resource in ("wood", "marble", "gold"):
        row[resource] = rng.choice((0, 0, 1, 6))


def _extreme(*names: str, highest: int) -> Callable[[dict[str, Any], random.Random], None]:
    def change(row: dict[str, Any], rng: random.Random) -> None:
        for name in names:
            if name in row:
                row[name] = rng.choice((0, 1, highest))

    return change


LENGTHENED: dict[str, Callable[[dict[str, Any], random.Random], None]] = {
    "strategy_card": _long_event,
    "objective": _long_event,
    "momentum_pool": _extreme("places", highest=18),
    "headline": _more_actions,
    "battle_value": _battle,
    "good": _prices,
    "bank": _bank,
    "landmark": _landmark,
    "bonus_tile": _extreme("francs", "price", "vp", "vp_2", "vp_3", "vp_4", highest=20),
    "type_set": _extreme("vp", highest=60),
    "end_game_tile": _extreme("francs", "vp", highest=20),
    "counter": _extreme("value", highest=9),
    "markers": _extreme("count", highest=11),
}
