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
from rfop_env.core.game import ILLEGAL_ACTION, Game, forfeit_sentence

CARD_KINDS = ("card", "objective", "bonus")  # kinds of actions whose argument is the number of a card


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
            viewer = int(batch.current_player[game])
        else:
            viewer = whole_number("seat", seat, 0, batch.game.spec.players - 1)
        return cls(batch.game, record, batch.components, viewer)

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
    def decides(self) -> bool:
        """Whether the seat that looks decides."""
        return not self.over and self.seat in (None, self.decider)

    @property
    def sides(self) -> tuple[str, ...]:
        """What each seat plays, for people."""
        return self.game.seat_names(self.record)

    @property
    def result(self) -> str:
        """How the game ended, a sentence without its full stop."""
        return result_sentence(self.game, self.record)

    @property
    def question(self) -> str:
        """Who decides what, or how the game ended, in one line."""
        if self.game.question is not None:
            return self.game.question(self.record, self.components, self._viewer)
        return self.result if self.over else f"{self.sides[int(self.record.player)]} to decide"

    @property
    def situation(self) -> str:
        """Who the seat is, and what it has to do."""
        seat = int(self.record.player) if self.seat is None else self.seat
        you = f"You play {self.sides[seat]} (seat {self.game.spec.seats[seat]})."
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
        return self.game.draw_text(self.record, self.components, self._viewer)

    def svg(self, legal: Sequence[int] = (), previous: Any = None) -> str:
        """The drawing as an SVG document.

        Parts that stand for one of the `legal` actions carry its id; what has changed since the record `previous` is
        marked.
        """
        return self.game.draw_svg(self.record, self.components, viewer=self._viewer, legal=legal, previous=previous)

    # -- actions ---------------------------------------------------------------------------------------------------

    def action(self, action: int, number: int = 0) -> LegalAction:
        """A legal action in words."""
        row = self.game.actions.rows[action]
        tell = self.game.tell
        return LegalAction(
            number,
            action,
            row.kind,
            action_label(self.game, self.components, action),
            row.label,
            row.sentence if tell is None else tell(self.record, self.components, action),
            card_number(self.game, self.components, action),
        )

    def actions(self, legal: Sequence[int]) -> list[LegalAction]:
        """Legal actions in words, numbered from 1."""
        return [self.action(action, number) for number, action in enumerate(legal, 1)]


def legal_actions(batch: GameBatch, game: int = 0) -> list[LegalAction]:
    """The legal actions of the seat that decides, in the order of their ids; none of an ended game.

    Raises `NotStarted`, `BadArgument`.
    """
    view = SeatView.of(batch, game)
    return view.actions(np.flatnonzero(batch.action_mask[game]).tolist())


def card_number(game: Game, components: Any, action: int) -> int | None:
    """The number of the card that an action's label names; None where it names none."""
    row = game.actions.rows[action]
    number = row.label.partition(" ")[2]
    has_card = row.kind in CARD_KINDS and number.isdigit() and hasattr(components, "card_name")
    return int(number) if has_card else None


def action_label(game: Game, components: Any, action: int) -> str:
    """The label of an action, and the name of the card that it names by number."""
    card, label = card_number(game, components, action), game.actions.rows[action].label
    return label if card is None else f"{label} {components.card_name(card)}"


def result_sentence(game: Game, record: Any) -> str:
    """How the game of a record ended, a sentence without its full stop: who won, and why."""
    names, reason = game.seat_names(record), game.end_reason(record)
    if reason == ILLEGAL_ACTION:
        return forfeit_sentence(names[record.player])
    winners = [name for name, wins in zip(names, game.winners(record), strict=True) if wins]
    if len(names) == 1:
        return f"{names[0]} {'won' if winners else 'lost'}: {reason}"
    if len(winners) in (0, len(names)):
        return f"A draw between {_enumerate(names)}: {reason}"
    return f"{_enumerate(winners)} won: {reason}"


def _enumerate(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else str(last)
