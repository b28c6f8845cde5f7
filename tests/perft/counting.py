"""Positions of Revolution counted through by depth, as chess programs do (perft), by the package and by the slow rules.

    python -m tests.perft.counting            writes revolution.txt anew
    python -m tests.perft.counting POSITION DEPTH   says the first line of play at which the two differ

A leaf of depth d is a position after d decisions, or one after fewer in which the game has ended. A decision without an
alternative is not counted. The leaves are not enough: a slip in the rules of control shows in how games end and in how
many markers lie on the board, so these are counted too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.games.revolution import board
from rfop_env.registry import get_game
from tests.perft.slow_revolution import BLUE, RED, Revolution, name

TABLE = Path(__file__).parent / "revolution.txt"
GAME = "Revolution-v0"
AT_ONCE = 4096  # positions that the package expands together
PACKAGE, BOTH = "package", "both"
ENDS = ("flag captured", "three buildings", "flag and all markers", "draw: both sides met a condition")


class Count(NamedTuple):
    """What is counted of the leaves of a tree."""

    leaves: int = 0
    flags: int = 0  # of these, games ended by the capture of a flag
    buildings: int = 0  # ... by three buildings
    markers: int = 0  # ... by a flag and all markers
    draws: int = 0  # ... undecided
    points: int = 0  # sum of what the Royalists have scored
    marked: int = 0  # sum of the markers on the board

    def __add__(self, addend: Count) -> Count:  # type: ignore[override]
        return Count(*(a + b for a, b in zip(self, addend, strict=True)))


class Row(NamedTuple):
    """A line of the table."""

    position: str
    depth: int
    count: Count
    source: str  # BOTH, or PACKAGE where the slow rules would take hours


# -- the package -------------------------------------------------------------------------------------------------------


def start_batch(line: list[str]) -> GameBatch:
    """The package's game after a line of play, with points as rewards."""
    batch = GameBatch(get_game(GAME), 1, 0, reward="margin")
    for label in line:
        batch.step([batch.game.actions.parse(label)])
    return batch


def count_package(line: list[str], depth: int) -> Count:
    """The tree below a line of play, counted by the package."""
    return _count_states(start_batch(line).get_state(), depth)


def _count_states(states: Any, depth: int) -> Count:
    if depth == 0:
        return _count_leaves(states)
    over = states["over"] != 0
    total = _count_leaves(states[over]) if over.any() else Count()
    running = states[~over]
    for k in range(0, len(running), AT_ONCE):
        total += _count_states(_children(running[k : k + AT_ONCE]), depth - 1)
    return total


def _children(states: Any) -> Any:
    """Every position one decision after the given ones."""
    batch = _batch(states)
    parents, actions = np.nonzero(batch.action_mask)
    children = _batch(states[parents])
    children.step(actions)
    return children.get_state()


def _batch(states: Any) -> GameBatch:
    batch = GameBatch(get_game(GAME), len(states), reward="margin")
    batch.set_state(states)
    return batch


def _count_leaves(states: Any) -> Count:
    reasons = get_game(GAME).end_reasons
    ends = np.bincount(states["end_reason"], minlength=len(reasons))
    blue, losers = board.SIDE_NAMES.index(BLUE), 1 - np.maximum(states["winner"], 0)
    stakes = states["left"][np.arange(len(states)), losers]
    points = np.where(states["winner"] < 0, 0, np.where(states["winner"] == blue, stakes, -stakes))
    by_reason = [int(ends[reasons.index(reason)]) for reason in ENDS]
    return Count(len(states), *by_reason, int(points.sum()), int(states["marked"].sum()))


# -- the slow rules ----------------------------------------------------------------------------------------------------


def slow_game(line: list[str]) -> Revolution:
    """The slow rules' game after a line of play."""
    game = Revolution()
    for label in line:
        game.play(label)
    return game


def count_slow(line: list[str], depth: int) -> Count:
    """The tree below a line of play, counted by the slow rules."""
    return _count_game(slow_game(line), depth)


def _count_game(game: Revolution, depth: int) -> Count:
    if depth == 0 or game.ending:
        ends = [int(game.ending == reason) for reason in ENDS]
        return Count(1, *ends, game.points(BLUE), len(game.marked))
    return sum((_count_game(game.child(label), depth - 1) for label in game.choices()), Count())


# -- where they differ -------------------------------------------------------------------------------------------------


def first_difference(line: list[str], depth: int) -> str | None:
    """The first line of play, within `depth` decisions of the given one, after which the two see different things."""
    return next(_differences(start_batch(line), slow_game(line), line, depth), None)


def _differences(batch: GameBatch, game: Revolution, line: list[str], depth: int) -> Iterator[str]:
    package, slow = package_facts(batch), slow_facts(game)
    for fact, value in package.items():
        if value != slow[fact]:
            yield f"after {', '.join(line) or 'nothing'}: {fact}: the package {value}, the slow rules {slow[fact]}"
    for label in package["choices"] if depth else ():
        copy = batch.clone()
        copy.step([batch.game.actions.parse(label)])
        yield from _differences(copy, game.child(label), [*line, label], depth - 1)


def package_facts(batch: GameBatch) -> dict[str, Any]:
    """What can be seen of the package's game, in words."""
    record, game = batch.record(0), batch.game
    over = bool(record.over)
    on = {
        board.SPACE_NAMES[x]: board.piece_name(int(piece))
        for x, piece in enumerate(record.on)
        if piece != board.NO_PIECE
    }
    marks = {board.SPACE_NAMES[x]: board.SIDE_NAMES[side] for side, x in np.argwhere(record.marked)}
    return {
        "choices": [game.actions.label(action) for action in np.flatnonzero(batch.action_mask[0]).tolist()],
        "decides": None if over else board.SIDE_NAMES[batch.current_player[0]],
        "pieces": on,
        "markers": marks,
        "end": game.end_reasons[record.end_reason] if over else None,
        "points": [round(float(r / batch.reward.scale)) for r in batch.rewards[0]] if over else None,
    }


def slow_facts(game: Revolution) -> dict[str, Any]:
    """The same of the slow rules' game."""
    return {
        "choices": game.choices(),
        "decides": None if game.ending else game.side,
        "pieces": {name(space): f"{side} {piece}".strip() for space, (side, piece) in game.pieces.items()},
        "markers": {name(space): side for space, side in game.marked.items()},
        "end": game.ending,
        "points": [game.points(BLUE), game.points(RED)] if game.ending else None,
    }


# -- the table ---------------------------------------------------------------------------------------------------------

HEADER = """\
# Revolution counted through from named positions, by depth: as chess programs count (perft).
#
# leaves      positions after so many decisions, or after fewer where the game has ended; forced decisions do not count
# flags       ... of these, games ended by the capture of a flag
# buildings   ... by three buildings
# markers     ... by a flag and all markers
# draws       ... undecided: both sides met a condition
# points      sum of the points that the Royalists have scored in ended games, those of the Jacobins less
# marked      sum of the markers on the board
# counted by  both: the package, and the slow rules of slow_revolution.py, which were written from the booklet alone;
#             package: by the package alone, since the slow rules would take hours
#
# `python -m tests.perft.counting` counts everything anew and writes this file; the lines of play are kept.
"""
COLUMNS = ("depth", "leaves", "flags", "buildings", "markers", "draws", "points", "marked", "counted by")


def read_table(text: str) -> tuple[dict[str, list[str]], list[Row]]:
    """The positions by name with their lines of play, and the rows."""
    positions: dict[str, list[str]] = {}
    rows: list[Row] = []
    for line in text.splitlines():
        word, _, fields = line.strip().partition(" ")
        if word == "position":
            positions[current := fields] = []
        elif word == "play":
            positions[current] = fields.split(", ")
        elif word.isdigit():
            *numbers, source = fields.split()
            rows.append(Row(current, int(word), Count(*map(int, numbers)), source))
    return positions, rows


def write_table(positions: dict[str, list[str]], rows: list[Row]) -> str:
    """The text of the table."""
    parts = [HEADER]
    for position, line in positions.items():
        parts += [f"\nposition {position}\n", f"play {', '.join(line)}\n" * bool(line)]
        parts.append("# " + " ".join(f"{column:>10}" for column in COLUMNS) + "\n")
        for row in rows:
            if row.position == position:
                cells = (row.depth, *row.count, row.source)
                parts.append("  " + " ".join(f"{cell:>10}" for cell in cells) + "\n")
    return "".join(parts)


def recount(line: list[str], row: Row) -> Count:
    """What a row's counters find now; `AssertionError` where two differ, with the line of play."""
    count = count_package(line, row.depth)
    if row.source == BOTH:
        slow = count_slow(line, row.depth)
        assert count == slow, f"{count} is not {slow}: {first_difference(line, row.depth)}"
    return count


def main(arguments: list[str]) -> None:
    """Write the table anew, or say where the two differ in one of its positions."""
    positions, rows = read_table(TABLE.read_text(encoding="utf-8"))
    if arguments:
        print(first_difference(positions[arguments[0]], int(arguments[1])) or "no difference")
        return
    counted = [row._replace(count=recount(positions[row.position], row)) for row in rows]
    TABLE.write_text(write_table(positions, counted), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
