"""A position as one seat sees it: who decides what, the drawings, the legal actions, the result.

Menus, pages, replays, notebooks, and texts for language models are renderings of a `SeatView`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rfop_env.core.arguments import whole_number
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import UnknownName, printable
from rfop_env.core.game import Game, forfeited
from rfop_env.drawing.palette import Look

ACTION_FIELDS = ("id", "kind", "label", "sentence", "card")  # of a `LegalAction`, for pages


@dataclass(frozen=True)
class LegalAction:
    """One legal action of a position."""

    number: int  # in the list of legal actions, from 1
    id: int  # in the action table
    kind: str
    label: str  # with the name of the card that it names
    short_label: str  # of the action table
    sentence: str  # what it does
    card: int | None  # the number of the card that it names

    @property
    def line(self) -> str:
        """The action in a list: label and sentence."""
        return f"{self.label}: {self.sentence}"

    @property
    def page_entry(self) -> dict[str, Any]:
        """What a page needs of the action, by name, as values for JSON."""
        return {name: getattr(self, name) for name in ACTION_FIELDS}


@dataclass(frozen=True)
class SeatView:
    """A position as a seat sees it; as the deciding seat sees it where `seat` is None.

    It shows nothing that is hidden from the seat.
    """

    game: Game
    record: Any
    components: Any
    seat: int | None = None

    @classmethod
    def of(cls, batch: GameBatch, game: int = 0, seat: int | None = None) -> SeatView:
        """A game of a batch, by default as the seat that decides sees it. Raises `NotStarted`, `BadArgument`."""
        record = batch.record(game)
        if seat is None:
            return cls(batch.game, record, batch.components, int(batch.current_player[game]))
        return cls(batch.game, record, batch.components, whole_number("seat", seat, 0, batch.game.spec.players - 1))

    # -- who and what ----------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.record.over)

    @property
    def decider(self) -> int | None:
        """The seat that decides; None once the game has ended."""
        return None if self.over else int(self.record.player)

    @property
    def viewer(self) -> int:
        """The seat that looks."""
        return int(self.record.player) if self.seat is None else self.seat

    @property
    def decides(self) -> bool:
        """Whether the seat that looks decides."""
        return not self.over and self.seat in (None, self.decider)

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of what each seat plays, for people."""
        return self.game.seat_names(self.record)

    @property
    def result(self) -> str:
        """Who has won, and what decided it, a sentence without its full stop."""
        return self.game.result_sentence(self.record, self.components)

    @property
    def score(self) -> dict[str, Any] | None:
        """The points of an ended game by source: {sides, rows: [[source, points of each side]]}; None without any."""
        if self.game.presentation.score is None or not self.over or forfeited(self.record):
            return None
        sides, rows = self.game.presentation.score(self.record, self.components)
        return {"sides": list(sides), "rows": [[name, list(points)] for name, points in rows]} if rows else None

    @property
    def question(self) -> str:
        """The pending decision and its seat, or how the game ended, in one line."""
        question = self.game.presentation.question
        if question is not None:
            return question(self.record, self.components, self._viewer)
        return self.result if self.over else f"{self.sides[int(self.record.player)]} to decide"

    @property
    def situation(self) -> str:
        """The side of the seat, and whether it decides."""
        you = f"You play {self.sides[self.viewer]} (seat {self.game.spec.seats[self.viewer]})."
        if self.over:
            return f"{you} The game is over. {self.result}."
        return f"{you} {'You decide' if self.decides else 'Another seat decides'} now: {self.question}."

    # -- drawings --------------------------------------------------------------------------------------------------

    @property
    def _viewer(self) -> int | None:
        """The viewer of a drawing: None with one seat, whose view every drawing is."""
        return self.seat if self.game.spec.players > 1 else None

    def text(self) -> str:
        """The drawing for a terminal."""
        return self.game.presentation.draw_text(self.record, self.components, self._viewer)

    def svg(self, legal: Sequence[int] = (), previous: Any = None, look: Look | None = None) -> str:
        """The drawing as an SVG document.

        Parts that stand for one of the `legal` actions carry its id; what has changed since the record `previous` is
        marked. `look` is the layout and the palette, by default wide and light; a game may have no other.
        """
        presentation = self.game.presentation
        looks: dict[str, Any] = {} if look is None or not presentation.has_looks else {"look": look}
        viewer = self._viewer
        return presentation.draw_svg(
            self.record, self.components, viewer=viewer, legal=legal, previous=previous, **looks
        )

    # -- actions ---------------------------------------------------------------------------------------------------

    def action(self, action: int, number: int = 0) -> LegalAction:
        """A legal action in words."""
        game, components, row = self.game, self.components, self.game.actions.rows[action]
        return LegalAction(
            number,
            action,
            row.kind,
            game.action_label(components, action),
            row.label,
            game.action_sentence(self.record, components, action),
            game.action_card(components, action),
        )

    def actions(self, legal: Sequence[int]) -> list[LegalAction]:
        """Legal actions in words, numbered from 1."""
        return [self.action(action, number) for number, action in enumerate(legal, 1)]


def card_texts(components: Any) -> dict[str, dict[str, Any]]:
    """All cards of a component set, which everybody may read: name, what it does, and where its text comes from."""
    if not hasattr(components, "card_title"):
        return {}
    return {
        str(number): {
            "name": components.card_name(number),
            "title": components.card_title(number),
            "does": list(components.event_sentences(number)),
            "provenance": components.card(number).provenance,
        }
        for number in components.numbers
    }


def find_seat(game: Game, sides: Sequence[str], name: str, kind: str = "seat") -> int:
    """The seat of a name: that of its side (`sides` has one for each seat) or its own; raises `UnknownName`."""
    names = [word.lower() for word in (*sides, *game.spec.seats)]
    if name.lower() not in names:
        raise UnknownName(kind, printable(name, 60), list(dict.fromkeys(names)))
    return names.index(name.lower()) % game.spec.players


def legal_actions(batch: GameBatch, game: int = 0) -> list[LegalAction]:
    """The legal actions of the seat that decides, in the order of their ids; none of an ended game.

    Raises `NotStarted`, `BadArgument`.
    """
    view = SeatView.of(batch, game)
    return view.actions(np.flatnonzero(batch.action_mask[game]).tolist())
