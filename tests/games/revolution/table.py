"""A position drawn in words and played by names: what the tests of the rules are written with."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.batch import GameBatch
from rfop_env.games.revolution import board, game, problems, state
from tests.games.base_table import BaseTable

LETTERS = "RJ"  # Royalists (blue), Jacobins (red)
BUILDING_WORDS = {"Ba": board.BASTILLE, "Ve": board.VERSAILLES, "ND": board.NOTRE_DAME}


def space(name: str) -> int:
    """The number of a space."""
    return board.SPACE_NAMES.index(name)


def parse_piece(word: str) -> int:
    """R9, JF (a flag), Ba, Ve, ND."""
    if word in BUILDING_WORDS:
        return BUILDING_WORDS[word]
    return board.COUNTERS * LETTERS.index(word[0]) + (board.FLAG if word[1] == "F" else int(word[1]))


def parse_pieces(drawing: str) -> dict[int, str]:
    """The words of a drawing of five rows by space; `.` is empty."""
    words = drawing.split()
    assert len(words) == board.SPACES, f"{len(words)} spaces"
    return {x: word for x, word in enumerate(words) if word != "."}


class Table(BaseTable):
    """One game whose position the test draws, and in which a side is asked for a counter.

    Five rows of five words: a counter (`R9`, `JF`), a building (`Ba`, `Ve`, `ND`, all three of them), `.` for an empty
    space; `R9/J` bears a marker of the Jacobins. `left`: markers left; `full`: whose a full and level Notre Dame is.
    """

    def __init__(
        self,
        drawing: str | dict[int, str],
        to_play: str = "J",
        *,
        left: tuple[int, int] | None = None,
        full: str = "R",
        components: Any = None,
        reward: str | None = None,
    ):
        super().__init__(GameBatch(game.revolution(), 1, 0, components=components, reward=reward))
        self._lay(parse_pieces(drawing) if isinstance(drawing, str) else drawing)
        self._sum_up(LETTERS.index(full))
        s = self.s
        if left is not None:
            s.left[:] = left
        s.question, s.player, s.decisions = state.ASK_COUNTER, LETTERS.index(to_play), 2 * s.placed
        self.batch.refresh()

    def _lay(self, words: dict[int, str]) -> None:
        s = self.s
        s.at[:], s.on[:] = board.NOWHERE, board.NO_PIECE
        for x, word in words.items():
            name, _, marker = word.partition("/")
            piece = parse_piece(name)
            assert s.at[piece] == board.NOWHERE, f"two of {name}"
            s.at[piece], s.on[x] = x, piece
            if marker:
                s.marked[LETTERS.index(marker), x] = 1
                s.left[LETTERS.index(marker)] -= 1
        s.placed = len(words)
        assert all(s.at[b] != board.NOWHERE for b in BUILDING_WORDS.values()), "a position needs its three buildings"

    def _sum_up(self, full: int) -> None:
        """Fill what follows from the pieces."""
        s, c = self.s, self.c
        for side in range(board.SIDES):
            s.influence[side] = [problems.influence_on(s, c, side, x) for x in range(board.SPACES)]
            s.reach[side] = [problems.highest_sum(s, c, side, k) for k in range(board.MOST_NEIGHBOURS + 1)]
        s.empties[:] = [problems.empties_next_to(s, x) for x in range(board.SPACES)]
        for x in range(board.SPACES):
            verdict = full if problems.verdict_on(s, c, x) == problems.TIED else problems.verdict_on(s, c, x)
            if verdict >= 0:
                s.controls[verdict, x] = 1

    # -- playing ---------------------------------------------------------------------------------------------------

    def play(self, counter: str, name: str) -> Table:
        """Place a counter of the side on turn; decisions with one legal action are taken by the batch itself."""
        piece = parse_piece(LETTERS[int(self.s.player)] + counter)
        log: list[str] = []
        if self.s.question == state.ASK_COUNTER:
            log += self.do(f"counter {board.COUNTER_NAMES[piece % board.COUNTERS]}").log
        assert self.s.question != state.ASK_SPACE or self.s.held == piece
        if self.s.at[piece] == board.NOWHERE:
            log += self.do(f"space {name}").log
        self.log = log
        assert self.s.at[piece] == space(name)
        return self

    # -- looking ---------------------------------------------------------------------------------------------------

    def control(self, name: str) -> str:
        """Who controls a space for certain: R, J, or nothing."""
        return "".join(LETTERS[side] for side in range(board.SIDES) if self.s.controls[side, space(name)])

    @property
    def controlled(self) -> dict[str, str]:
        """All spaces under certain control."""
        return {name: self.control(name) for name in board.SPACE_NAMES if self.control(name)}

    def marked(self, side: str) -> set[str]:
        """The spaces that bear markers of a side."""
        return {board.SPACE_NAMES[x] for x in np.flatnonzero(self.s.marked[LETTERS.index(side)])}

    @property
    def result(self) -> tuple[str, str]:
        """("R", "flag captured"): the winner, nothing in a draw or a running game, and the reason."""
        winner = int(self.s.winner)
        return "" if winner < 0 else LETTERS[winner], self.batch.game.end_reasons[int(self.s.end_reason)]

    def view(self, side: str, piece: str) -> Any:
        """What a side sees of one piece of the observation, in words."""
        return super().view(LETTERS.index(side), piece)
