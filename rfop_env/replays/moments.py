"""A replay played out: its positions, and what one seat may be shown of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.replays.replay_file import Decision, Replay
from rfop_env.seat_view import SeatView

NO_SEAT = -1


@dataclass(frozen=True)
class Moment:
    """A position of an episode, and what led to it."""

    states: NDArray[Any]  # the record, [1]
    lines: tuple[str, ...]  # the journal: what everybody saw happen since the moment before
    decider: int  # the seat that decides; NO_SEAT once the game is over
    seat: int = NO_SEAT  # that took the decision which led here; NO_SEAT for the first moment
    label: str = ""  # of that decision, with the name of a card that it names by number
    sentence: str = ""  # what the decision does
    value: float | None = None  # the return expected here for the seat that decides
    notes: tuple[str, ...] = ()

    @property
    def record(self) -> Any:
        """The record with its fields as attributes."""
        return self.states.view(np.recarray)[0]

    def for_seat(self, seat: int) -> Moment:
        """The moment without label and value of another seat's decision."""
        value = self.value if self.decider == seat else None
        if self.seat in (seat, NO_SEAT):
            return replace(self, value=value)
        return replace(self, label="", sentence="", value=value)


@dataclass(frozen=True)
class Playback:
    """A replay played out, with everything that viewers of any kind show; `play_back` makes one."""

    replay: Replay
    game: Game
    components: Any
    seats: tuple[str, ...]  # what each seat plays, for people
    moments: tuple[Moment, ...]

    @property
    def result(self) -> str:
        """A sentence on the end of the episode."""
        return "The recording stops here" if self.replay.returns is None else self._view(-1, None).result

    @property
    def score(self) -> dict[str, Any] | None:
        """The points of the ended game by source (`SeatView.score`); None for one that was cut off or has none."""
        return None if self.replay.returns is None else self._view(-1, None).score

    def text(self, number: int, viewer: int | None) -> str:
        """A moment drawn for a terminal, as a seat sees it; None: as the deciding seat does."""
        return self._view(number, viewer).text()

    def picture(self, number: int, viewer: int | None) -> str:
        """A moment drawn as an SVG document, as a seat sees it; None: as the deciding seat does.

        What has changed since the moment before is marked.
        """
        return self._view(number, viewer).svg(previous=self.moments[number - 1].record if number else None)

    def _view(self, number: int, viewer: int | None) -> SeatView:
        return SeatView(self.game, self.moments[number].record, self.components, viewer)

    def for_seat(self, seat: int) -> Playback:
        """This playback without labels and values of the other seats' decisions.

        The records stay, and with them everything hidden: they are for drawing with that seat as the viewer.
        """
        return replace(self, moments=tuple(moment.for_seat(seat) for moment in self.moments))


def play_back(replay: Replay, components: Any = None) -> Playback:
    """Play a replay out. Raises `BadReplay` at the first line that does not fit."""
    start = replay.begin(components)
    seats = start.game.spec.seats
    names = start.game.seat_names(start.record())
    moments = [Moment(start.get_state(), tuple(start.journal()), _decider(start), notes=replay.notes)]
    for batch, decision in zip(replay.play_from(start), replay.decisions, strict=True):
        moments[-1] = replace(moments[-1], value=decision.value)
        label, sentence = _describe(decision, batch, moments[-1].states)
        moments.append(
            Moment(
                batch.get_state(),
                tuple(batch.journal()),
                _decider(batch),
                seats.index(decision.seat),
                label,
                sentence,
                notes=decision.notes,
            )
        )
    return Playback(replay, start.game, start.components, tuple(names), tuple(moments))


def _describe(decision: Decision, batch: GameBatch, states: NDArray[Any]) -> tuple[str, str]:
    """The label of a decision, with the name of a card, and what it does in the position [1] where it is taken."""
    game, action = batch.game, decision.action(batch.game)
    if not 0 <= action < game.actions.size:
        return f"{ILLEGAL_ACTION}: {action}", f"{game.id} has no such action, and the game is lost"
    label = game.action_label(batch.components, action)
    if decision.illegal:
        return f"{ILLEGAL_ACTION}: {label}", "it is not legal here, and the game is lost"
    return label, game.action_sentence(states.view(np.recarray)[0], batch.components, action)


def _decider(batch: GameBatch) -> int:
    return NO_SEAT if batch.states["over"][0] else int(batch.current_player[0])


def with_values(
    replay: Replay, judge: Callable[[GameBatch], float | None], name: str, components: Any = None
) -> Replay:
    """A replay with a value for each decision, in place of those that it had.

    `judge` gives the return that it expects for the deciding seat of a batch of one, or None where it cannot say.
    """
    batch = replay.begin(components)
    values = [judge(batch) if replay.decisions else None]
    for _ in replay.play_from(batch):
        values.append(None if batch.states["over"][0] else judge(batch))
    decisions = [
        replace(decision, value=None if value is None else round(value, 4))
        for decision, value in zip(replay.decisions, values, strict=False)
    ]
    return replace(replay, decisions=tuple(decisions), values_by=name)
