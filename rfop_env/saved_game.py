"""Saved games: a position as text (`core.position`), with the options and the players in two comments at its head.

`rfop play` and the page of `rfop serve` write and read the same files. A file without the comments is taken for a game
with standard options and one person, in the first seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rfop_env.agent_names import PERSON, RANDOM
from rfop_env.core.batch import GameBatch
from rfop_env.core.position import position_text
from rfop_env.options import option_text, parse_options

SEATS, OPTIONS = "# seats: ", "# options: "
FIRST_LINES = 4  # the comments stand among them
LONGEST_COMMENT = 1000  # characters


def saved_text(batch: GameBatch, seats: Sequence[str], options: Mapping[str, object]) -> str:
    """The file of a game; `seats` names who sits in each seat: `PERSON` or a program."""
    return f"{SEATS}{', '.join(seats)}\n{OPTIONS}{option_text(options)}\n{position_text(batch)}"


def options_of(text: str) -> dict[str, str]:
    """The options that a saved game names. Raises `RfopError` for what are no options."""
    return parse_options(_comment(text, OPTIONS))


def seats_of(text: str, players: int) -> list[str]:
    """The names of who sits in each seat of a saved game; without the comment, a person and random players."""
    named = [name for name in map(str.strip, _comment(text, SEATS).split(",")) if name]
    return named or [PERSON, *[RANDOM] * (players - 1)]


def _comment(text: str, head: str) -> str:
    """What follows a head in the comments at the top."""
    for line in text.splitlines()[:FIRST_LINES]:
        if line.startswith(head):
            return line.removeprefix(head)[:LONGEST_COMMENT]
    return ""
