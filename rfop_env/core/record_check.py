"""The check of records from outside: what compiled rules rely on, from ranges to the game's own relations."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.game import Game, forfeited
from rfop_env.core.record import Field


def record_problems(game: Game, components: Any, states: NDArray[Any], fresh: NDArray[Any]) -> list[list[str]]:
    """List the problems of each of the records [n] of a game, a sentence each; an empty list for a sound record.

    `fresh`: a record [1] right after a reset under the same options: its option fields hold the right values. The
    game's own check (`Game.problems`) sees only records whose every number is in range.
    """
    # Numbers out of range.
    problems = game.record.problems(states, _limits(game))

    # Games of other options.
    for field in game.record.fields:
        if field.option:
            for k, sentence in _other_option(field, states[field.name], fresh[field.name][0]):
                problems[k] = [sentence]  # whatever else is wrong may follow from it

    # What the game itself checks.
    records = states.view(np.recarray)
    return [own or _game_problems(game, components, records[k]) for k, own in enumerate(problems)]


def _other_option(field: Field, values: NDArray[Any], expected: int) -> Iterator[tuple[int, str]]:
    """Records [n] of games that were made with another option: (record, sentence)."""
    possible = (values >= np.asarray(field.low)) & (values <= np.asarray(field.high))
    for k in np.flatnonzero(possible & (values != expected)).tolist():
        mend = "make the batch with the options of the saved game"
        yield k, f"{field.name} is {values[k]}, and the options of this batch make it {expected}: {mend}"


def _limits(game: Game) -> dict[str, int]:
    """The highest values of header fields that depend on the game."""
    return {
        "player": game.spec.players - 1,
        "learner": game.spec.players,
        "end_reason": len(game.end_reasons) - 1,
        "decisions": game.spec.max_decisions,
    }


def _game_problems(game: Game, components: Any, record: Any) -> list[str]:
    """List the problems that the game itself sees in a record in range: seats, relations between fields, the journal.

    A forfeited game, which is over without an end of its rules, must be sound as the running game that it was.
    """
    if forfeited(record):
        record = record.copy()
        record.over = 0
    try:
        seats = len(game.seat_names(record))
        if seats != game.spec.players:
            return [f"it has {seats} seats, and this batch {game.spec.players}"]
        problems = game.problems(_read(record), components.record.view(np.recarray)[0])
        game.presentation.journal(record, components)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return [f"it cannot be read ({type(error).__name__}: {error})"]
    return problems


def _read(record: Any) -> SimpleNamespace:
    """The fields of a record, read once: a record looks each of its fields up again whenever it is asked for one."""
    fields = {name: record[name] for name in record.dtype.names}
    return SimpleNamespace(**{k: v if isinstance(v, np.ndarray) else v.item() for k, v in fields.items()})
