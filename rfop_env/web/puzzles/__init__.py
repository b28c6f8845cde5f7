"""Puzzles: positions in which one action is best by far, a file of data for each game.

A file is JSON: format, game, and puzzles, each with the replay that leads to its position (`rfop_env.replays`), the
label of its best action, the values of actions by label, the margin between the best and the next one, and what gave
the values: an exact search, or a search of so many simulations. `python -m training.research puzzles` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rfop_env.agent_names import PERSON, RANDOM
from rfop_env.core.errors import printable
from rfop_env.core.files import read_text
from rfop_env.core.game import Game
from rfop_env.replays.replay_file import Replay
from rfop_env.web.refusals import Unknown

FOLDER = Path(__file__).parent
FORMAT, SUFFIX = "rfop puzzles 1", ".json"
MOST_BYTES = 2**20


@dataclass(frozen=True)
class Puzzle:
    """A position, and what each action is worth there for the seat that decides."""

    replay: str  # the text of the game up to the position
    best: str  # the label of the best action
    margin: float  # between its value and the next one's
    by: str  # who gave the values
    values: Mapping[str, float]  # by label; an action that a search hardly tried has none


def usual_options(game: str) -> dict[str, str]:
    """The options that the puzzles of an environment are made with."""
    return {"players": "2"} if game.startswith("Paris-") else {}


def puzzles_of(game: str) -> list[Puzzle]:
    """The shipped puzzles of an environment by its id; none where it has no file."""
    path = FOLDER / f"{game}{SUFFIX}"
    if not path.is_file():
        return []
    document: dict[str, Any] = json.loads(read_text(path, MOST_BYTES))
    if document["format"] != FORMAT:
        raise ValueError(f"{path}: expected the format {FORMAT}, found {printable(str(document['format']), 40)}")
    return [Puzzle(**row) for row in document["puzzles"]]


def find_puzzle(game: str, number: int) -> Puzzle:
    """A puzzle of an environment by its number from 1; `Unknown`."""
    puzzles = puzzles_of(game)
    if not 1 <= number <= len(puzzles):
        raise Unknown(f"{printable(game, 40)} has {len(puzzles)} puzzles, and no number {number}")
    return puzzles[number - 1]


def puzzle_seats(game: Game, seat: int) -> list[str]:
    """Who plays: a person in the seat that decides, and the first scripted player in all others."""
    opponent = game.scripted[0].name if game.scripted else RANDOM
    return [PERSON if k == seat else opponent for k in range(game.spec.players)]


def fits(puzzle: Puzzle, game: Game, digest: str, options: Mapping[str, object]) -> bool:
    """Whether a puzzle is for a game with these cards and options."""
    replay = Replay.read(puzzle.replay)
    return replay.game.id == game.id and replay.digest == digest and replay.options == game.option_values(options)
