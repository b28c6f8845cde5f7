"""What came of the mutants: a CSV file for each game, the reasons of those that survive, and the table of both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from training.common.records import append_rows, read_records, write_records
from tests.mutation.places import GAMES, Place, places_of

FOLDER = Path(__file__).parent / "results"
REASONS = FOLDER / "reasons.csv"
PAGE = Path(__file__).parents[2] / "docs" / "testing.md"
SURVIVES = "survives"
GAME_NAMES = ("revolution", "levee_en_masse", "paris", "red_flag_over_paris")
Key = tuple[str, str, str, str, int]

_BLOCK = re.compile(r"(<!-- mutation -->\n).*?(<!-- /mutation -->)", re.DOTALL)


@dataclass(frozen=True)
class Row:
    """One mutant that was tried."""

    module: str
    function: str
    line: int  # where it stood then
    text: str
    change: str
    occurrence: int
    caught_by: str  # a test, the import, a time limit; or SURVIVES
    seconds: float

    @property
    def key(self) -> Key:
        """As of a `Place`."""
        return self.module, self.function, self.text, self.change, self.occurrence


@dataclass(frozen=True)
class Reason:
    """Why a mutant survives: nobody can see the difference."""

    game: str
    module: str
    function: str
    text: str
    change: str
    occurrence: int
    reason: str

    @property
    def key(self) -> Key:
        """As of a `Place`."""
        return self.module, self.function, self.text, self.change, self.occurrence


def path_of(folder: str) -> Path:
    """The file of a game's mutants."""
    return FOLDER / f"{folder}.csv"


def rows_of(folder: str) -> list[Row]:
    """The mutants of a game that were tried; none before the first run."""
    return read_records(path_of(folder), Row) if path_of(folder).exists() else []


def reasons_of(folder: str) -> dict[Key, str]:
    """The reasons that are known for a game's survivors."""
    return {reason.key: reason.reason for reason in read_records(REASONS, Reason) if reason.game == folder}


def add_row(folder: str, place: Place, caught_by: str, seconds: float) -> None:
    """Append the result of a mutant to the file of its game."""
    row = Row(*place.key[:2], place.line, *place.key[2:], caught_by or SURVIVES, round(seconds, 1))
    append_rows(path_of(folder), [asdict(row)])


def write_rows(folder: str, rows: Sequence[Row]) -> None:
    """Write the file of a game anew, in the order of the source."""
    write_records(path_of(folder), sorted(rows, key=lambda row: (row.module, row.line, row.key)), Row)


# -- the table ---------------------------------------------------------------------------------------------------------


def table() -> str:
    """The mutants of every game: those that were tried and still stand in the source."""
    titles = ["game", "places", "tried", "caught", "share", "survivors with a reason", "without", "command"]
    lines = [titles, ["---", *["---:"] * 6, "---"], *map(_line, GAME_NAMES)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(folder: str) -> list[str]:
    places = {place.key for place in places_of(folder)}
    rows, reasons = [row for row in rows_of(folder) if row.key in places], reasons_of(folder)
    survivors = [row for row in rows if row.caught_by == SURVIVES]
    explained = sum(row.key in reasons for row in survivors)
    caught = len(rows) - len(survivors)
    share = f"{caught / len(rows):.1%}" if rows else "-"
    numbers = [len(places), len(rows), caught, share, explained, len(survivors) - explained]
    command = f"`RFOP_JIT=0 python -m tests.mutation {folder}`"
    return [f"`{folder}`", *map(str, numbers), command]


def fresh(text: str) -> str:
    """A page with the table as it is now."""
    return _BLOCK.sub(lambda found: f"{found[1]}{table()}\n{found[2]}", text)


def missing_games() -> set[str]:
    """Games that the table does not name, and names that are no game's."""
    return {path.parent.name for path in GAMES.glob("*/game.py")} ^ set(GAME_NAMES)
