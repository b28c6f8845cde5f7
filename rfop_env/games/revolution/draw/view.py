"""What the drawings say of a position of Revolution. Nothing of it is hidden."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from rfop_env.core.decisions import JOURNAL_B, JOURNAL_C, JOURNAL_CODE
from rfop_env.games.revolution import board, journal, state, words
from rfop_env.games.revolution.state import State

SIDE_LETTERS = ("R", "J")


class View:
    """A position with the components that it is played with.

    `viewer` is a side, or None for the side to move; both see the same. `previous` is an earlier record, or None.
    Raises `ValueError` for any other viewer.
    """

    def __init__(self, s: State, components: Any, viewer: int | None = None, previous: Any = None) -> None:
        if viewer not in (None, *range(board.SIDES)):
            raise ValueError(f"viewer: expected None or a side (0 Royalists, 1 Jacobins), found {viewer!r}")
        self.s = s
        self.components = components
        self.previous = previous
        self.over = s.over == 1

    # -- the board -----------------------------------------------------------------------------------------------------

    @cached_property
    def lines(self) -> range:
        """The numbers of the rows, and of the columns, of the board in play."""
        cells = [x for x in range(board.SPACES) if self.s.on[x] != board.NO_SPACE]
        return range(cells[0] // board.WIDTH, cells[-1] // board.WIDTH + 1)

    @property
    def spaces(self) -> list[int]:
        """The spaces of the board in play, row by row."""
        return [board.WIDTH * row + column for row in self.lines for column in self.lines]

    def piece(self, space: int) -> int:
        """The piece on a space, or NO_PIECE."""
        return int(self.s.on[space])

    def holder(self, space: int) -> int:
        """The side that certainly controls a space, or NEUTRAL."""
        return next((side for side in range(board.SIDES) if self.s.controls[side, space]), board.NEUTRAL)

    def marked(self, space: int) -> list[int]:
        """The sides that have a marker on a space."""
        return [side for side in range(board.SIDES) if self.s.marked[side, space]]

    def influence(self, space: int) -> tuple[int, int]:
        """The influence of both sides on a space."""
        royalists, jacobins = (int(self.s.influence[side, space]) for side in range(board.SIDES))
        return royalists, jacobins

    @cached_property
    def touched(self) -> set[int]:
        """The spaces whose piece or marker differs from the earlier record; without one, see the journal."""
        if self.previous is not None:
            previous = self.previous
            placed = {x for x in range(board.SPACES) if self.piece(x) != previous.on[x]}
            return placed | {x for x in range(board.SPACES) if (self.s.marked[:, x] != previous.marked[:, x]).any()}
        notes = self.s.journal[: self.s.journal_size].tolist()
        placed = {note[JOURNAL_C] for note in notes if note[JOURNAL_CODE] == journal.NOTE_PLACED}
        return placed | {note[JOURNAL_B] for note in notes if note[JOURNAL_CODE] == journal.NOTE_MARKED}

    # -- beside the board ----------------------------------------------------------------------------------------------

    @property
    def held_piece(self) -> int:
        """The piece that has been chosen and is to be placed, or NO_PIECE."""
        return int(self.s.held)

    def unplayed(self, side: int) -> list[int]:
        """The counters of a side that are not on the board."""
        return [n for n in range(board.COUNTERS) if self.s.at[board.COUNTERS * side + n] == board.NOWHERE]

    def counters(self, side: int) -> list[int]:
        """The counters that a side plays with."""
        return [n for n in range(board.COUNTERS) if self.s.at[board.COUNTERS * side + n] != board.NOT_IN_PLAY]

    def beside(self) -> list[int]:
        """The buildings that are not on the board."""
        return [i for i in range(board.BUILDINGS) if self.s.at[board.FIRST_BUILDING + i] == board.NOWHERE]

    def markers_left(self, side: int) -> int:
        """The unplaced markers of a side."""
        return int(self.s.left[side])

    def value(self, counter: int) -> str:
        """What stands on a numbered counter."""
        return str(self.components.value(counter))

    # -- where the game stands -----------------------------------------------------------------------------------------

    @property
    def mover(self) -> int:
        """The side to move; of an ended game the winner, or NEUTRAL."""
        side = int(self.s.winner) if self.over else int(self.s.player)
        return side if side in range(board.SIDES) else board.NEUTRAL

    def course_text(self) -> str:
        """How far the game is: "12 of 25 spaces filled"."""
        filled = sum(self.piece(x) != board.NO_PIECE for x in self.spaces)
        return f"{filled} of {len(self.spaces)} spaces filled"

    def decision_text(self) -> str:
        """Who is to do what, or how the game ended."""
        s = self.s
        if self.over:
            return words.ending(s, self.components)
        side = board.SIDE_NAMES[int(s.player)]
        if self.held_piece != board.NO_PIECE:
            return f"{side} to place {board.piece_name(self.held_piece).removeprefix(side).strip()}"
        return f"{side} to choose a {'building' if s.question == state.ASK_BUILDING else 'counter'}"

    def space_text(self, space: int) -> str:
        """A space in a sentence: name, piece, control, influence."""
        piece, holder = self.piece(space), self.holder(space)
        parts = [f"{board.SPACE_NAMES[space]}: {'empty' if piece == board.NO_PIECE else board.piece_name(piece)}"]
        parts += [f"controlled by the {board.SIDE_NAMES[holder]}"] if holder != board.NEUTRAL else []
        influences = zip(board.SIDE_NAMES, self.influence(space), strict=True)
        return "; ".join([*parts, ", ".join(f"{name} {influence}" for name, influence in influences)])


def is_flag(piece: int) -> bool:
    """Whether a piece is one of the two flags."""
    return piece < board.FIRST_BUILDING and piece % board.COUNTERS == board.FLAG


def question(s: State, components: Any, viewer: int | None = None) -> str:
    """Who decides what, or how the game ended, in one line, as `viewer` of a `View` sees it."""
    return View(s, components, viewer).decision_text()
