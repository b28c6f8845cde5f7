"""The results of mutants: a CSV file for each game, and a file with the reasons of those that survive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rfop_training.common import records
from training.research import ROOT
from training.research.mutation.places import Place

FOLDER = ROOT / "training" / "results" / "mutation"
REASONS = FOLDER / "reasons.csv"
SURVIVES = "survives"
GAME_NAMES = ("revolution", "levee_en_masse", "paris", "red_flag_over_paris")
Key = tuple[str, str, str, str, int]


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
        """The key of its `Place`: what tells it from all other places of its game."""
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
        """The key of its `Place`: what tells it from all other places of its game."""
        return self.module, self.function, self.text, self.change, self.occurrence


def results_file(folder: str) -> Path:
    """The file of a game's mutants."""
    return FOLDER / f"{folder}.csv"


def read_rows(folder: str) -> list[Row]:
    """The mutants of a game that were tried; none before the first run."""
    return records.read_rows(results_file(folder), Row)


def read_reasons(folder: str) -> dict[Key, str]:
    """The reasons that are known for a game's survivors."""
    return {reason.key: reason.reason for reason in records.read_records(REASONS, Reason) if reason.game == folder}


def add_row(folder: str, place: Place, caught_by: str, seconds: float) -> None:
    """Append the result of a mutant to the file of its game."""
    module, function, text, change, occurrence = place.key
    row = Row(module, function, place.line, text, change, occurrence, caught_by or SURVIVES, round(seconds, 1))
    records.append_rows(results_file(folder), [asdict(row)])


def write_rows(folder: str, rows: Sequence[Row]) -> None:
    """Write the file of a game anew, in the order of the source."""
    records.write_records(results_file(folder), sorted(rows, key=lambda row: (row.module, row.line, row.key)), Row)
