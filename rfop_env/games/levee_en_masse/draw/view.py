"""What the drawings say of a position: the numbers and sentences that both of them show. Nothing of it is hidden."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rfop_env.core.decisions import JOURNAL_A, JOURNAL_B, JOURNAL_CODE
from rfop_env.games.levee_en_masse import board, component_set, ending, journal, state
from rfop_env.games.levee_en_masse.components import HEAD
from rfop_env.games.levee_en_masse.state import State

ARMY_SIGNS = ("BR", "PR", "AU", "PI", "VE", "SP", "SU", "KO", "BS")


# Notes of the journal whose first number is an army.
_NOTES_OF_ARMIES = {
    journal.NOTE_ATTACK,
    journal.NOTE_DEFENDED,
    journal.NOTE_DISARRAY,
    journal.NOTE_MOVED,
    journal.NOTE_NAPOLEON,
    journal.NOTE_PLACED,
    journal.NOTE_SECOND_DIE,
}


class Changes(NamedTuple):
    """What has changed since an earlier position."""

    armies: set[int]
    spaces: set[tuple[int, int]]  # track and box where a Liberation marker came or went
    politics: set[int]  # markers
    disorder: bool


class View:
    """A position with the components that it is played with.

    `viewer` is the only seat, 0, or None. `previous` is an earlier record, or None. Raises `ValueError` for any other
    viewer.
    """

    def __init__(
        self, s: State, components: component_set.ComponentSet, viewer: int | None = None, previous: Any = None
    ) -> None:
        if viewer not in (None, 0):
            raise ValueError(f"viewer: expected None or 0, the only seat, found {viewer!r}")
        self.s = s
        self.components = components
        self.previous = previous
        self.tables = components.tables
        self.over = s.over == 1

    @property
    def card(self) -> int:
        """The current Headline card, 0 before the first."""
        return int(self.s.headline)

    def colour(self, number: int) -> int:
        """The colour of a card; NO_COLOUR of card 0."""
        return int(self.tables.headline[number, HEAD.colour])

    def undrawn_cards(self) -> dict[int, int]:
        """How many cards of each colour are still to come; which ones is no secret, their order is."""
        coming = [self.colour(card) for card in self.s.deck[self.s.drawn : self.s.deck_size].tolist()]
        return {colour: coming.count(colour) for colour in range(board.BLUE, board.RED + 1)}

    def armies(self, track: int, box: int) -> list[int]:
        """The armies in a box of a track, those that have to be fought first in front; Paris has a box on each."""
        armies = [a for a in range(board.ARMIES) if board.TRACK_OF[a] == track and self.s.box[a] == box]
        return sorted(armies, key=lambda army: army < board.FIRST_STATIONARY)

    def army_value(self, army: int) -> str:
        """An army's Battle Value, in brackets if it never moves."""
        value = int(self.tables.battle_value[army])
        return f"[{value}]" if army >= board.FIRST_STATIONARY else str(value)

    def army_state(self, army: int) -> list[str]:
        """What holds of an army besides its place."""
        s = self.s
        words = [("disorganized", state.DISORGANIZED), ("routed", state.ROUTED)]
        states = [word for word, level in words if s.disarray[army] == level]
        if army == board.PRUSSIAN and s.rotated == 1:
            states.append("rotated")
        if s.napoleon == state.NAPOLEON_ASSIGNED and s.napoleon_army == army:
            states.append("Napoleon")
        return states

    def reigning(self) -> str:
        """The reigning government; empty if the highest box is shared. The same as `tracks.reigning` for kernels."""
        politics = self.s.politics.tolist()
        top = [name for name, box in zip(board.POLITICS_NAMES, politics, strict=True) if box == max(politics)]
        return top[0] if len(top) == 1 else ""

    def holding_box(self) -> list[str]:
        """What lies in the Holding Box, in words."""
        s = self.s
        markers = int(s.markers_held)
        things = [f"{markers} marker{'s' * (markers > 1)}"] if markers else []
        things += ["Disorder"] if s.disorder == 0 else []
        things += ["Napoleon"] if s.napoleon == state.NAPOLEON_HELD else []
        return things + (["Napoleon (next turn)"] if s.napoleon == state.NAPOLEON_TRAVELLING else [])

    def turn_text(self) -> str:
        """Where the game stands: "Headline 7 of 48"."""
        return f"Headline {int(self.s.drawn)} of {int(self.s.deck_size)}"

    def decision_text(self) -> str:
        """What is asked, or how the game ended."""
        s = self.s
        if self.over:
            return ending.sentence(s, self.components)
        if s.question == state.ASK_ROLL:
            kind = "Naval roll" if s.roll_kind == state.BY_SEA else "Roll"
            return f"{kind} against {board.ARMY_NAMES[int(s.roll_army)]}: {int(s.roll_die)}"
        return f"{self._actions()} left"

    def _actions(self) -> str:
        s = self.s
        words = [f"{int(s.actions_left)} Action{'' if s.actions_left == 1 else 's'}"]
        words += [f"{int(s.emergency)} emergency"] if s.emergency else []
        words += [f"{int(s.inside)} inside France"] if s.inside else []
        return " + ".join(words)

    def in_paris(self) -> list[int]:
        """The armies in Paris."""
        return [army for army in range(board.ARMIES) if self.s.box[army] == board.PARIS]

    @cached_property
    def changes(self) -> Changes:
        """What differs from the earlier record; without one, what has changed since the last decision."""
        if self.previous is not None:
            return self._differences(self.s, self.previous)
        notes = self.s.journal[: self.s.journal_size].tolist()
        armies = {note[JOURNAL_A] for note in notes if note[JOURNAL_CODE] in _NOTES_OF_ARMIES}
        armies |= {board.PRUSSIAN for note in notes if note[JOURNAL_CODE] == journal.NOTE_ROTATED}
        armies |= {board.BRITISH for note in notes if note[JOURNAL_CODE] == journal.NOTE_NAVAL}
        markers = [note for note in notes if note[JOURNAL_CODE] in (journal.NOTE_LIBERATED, journal.NOTE_LEVEE)]
        return Changes(
            armies=armies,
            spaces={(note[JOURNAL_A], note[JOURNAL_B]) for note in markers},
            politics={note[JOURNAL_A] for note in notes if note[JOURNAL_CODE] == journal.NOTE_POLITICS},
            disorder=any(note[JOURNAL_CODE] == journal.NOTE_DISORDER for note in notes),
        )

    def _differences(self, s: State, previous: Any) -> Changes:
        turned = {board.PRUSSIAN} if s.rotated != previous.rotated else set()
        moved = {a for a in range(board.ARMIES) if s.box[a] != previous.box[a] or s.disarray[a] != previous.disarray[a]}
        return Changes(
            armies=moved | turned,
            spaces={(int(track), int(box)) for track, box in np.argwhere(s.liberated != previous.liberated)},
            politics={int(marker) for marker in np.flatnonzero(s.politics != previous.politics)},
            disorder=bool(s.disorder != previous.disorder),
        )


def question(s: State, components: component_set.ComponentSet, viewer: int | None = None) -> str:
    """Who decides what, or how the game ended, in one line, as `viewer` of a `View` sees it."""
    return View(s, components, viewer).decision_text()
