"""The block about mutated rules: how many of them the tests of each game notice."""

from __future__ import annotations

from rfop_env.markdown import markdown_table
from training.research.mutation import results
from training.research.mutation.places import find_places


def mutation() -> str:
    """The mutants of every game: those that were tried and still stand in the source."""
    titles = ["game", "places", "tried", "caught", "share", "survivors with a reason", "without", "command"]
    return markdown_table(titles, map(mutant_cells, results.GAME_NAMES), right=range(1, 7))


def mutant_cells(folder: str) -> list[str]:
    """The cells of one game."""
    places, reasons = {place.key for place in find_places(folder)}, results.read_reasons(folder)
    rows = [row for row in results.read_rows(folder) if row.key in places]

    # Caught, and survivors with and without a reason.
    survivors = [row for row in rows if row.caught_by == results.SURVIVES]
    explained = sum(row.key in reasons for row in survivors)
    caught = len(rows) - len(survivors)

    share = f"{caught / len(rows):.1%}" if rows else "-"
    numbers = [len(places), len(rows), caught, share, explained, len(survivors) - explained]
    return [f"`{folder}`", *map(str, numbers), f"`RFOP_JIT=0 python -m training.research mutation {folder}`"]
