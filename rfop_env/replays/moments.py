"""A replay played out for those who look at it: positions, sentences, and what a single seat may be shown of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.action_words import action_label, result_sentence
from rfop_env.core.batch import GameBatch
from rfop_env.core.game import ILLEGAL_ACTION, Game
from rfop_env.replays.replay_file import Decision, Replay

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


@dataclass(frozen=True)
class Episode:
    """A replay played out: everything that viewers of any kind show. `moments_of` makes one."""

    replay: Replay
    game: Game
    components: Any
    seats: tuple[str, ...]  # what each seat plays, for people
    moments: tuple[Moment, ...]

    @property
    def result(self) -> str:
        """How the episode ended, a sentence."""
        if self.replay.returns is None:
            return "The recording stops here"
        return result_sentence(self.game, self.moments[-1].record)

    def text(self, number: int, viewer: int | None) -> str:
        """A moment drawn for a terminal."""
        return self.game.draw_text(self.moments[number].record, self.components, viewer=self._viewer(viewer))

    def picture(self, number: int, viewer: int | None) -> str:
        """A moment drawn as an SVG document as a seat sees it; None: as the deciding seat does.

        What has changed since the moment before is marked.
        """
        before = self.moments[number - 1].record if number else None
        drawn: str = self.game.draw_svg(
            self.moments[number].record, self.components, viewer=self._viewer(viewer), legal=[], previous=before
        )
        return drawn

    def _viewer(self, viewer: int | None) -> int | None:
        return viewer if len(self.seats) > 1 else None  # with one seat the drawing knows whose it is

    def for_seat(self, seat: int) -> Episode:
        """This episode without what the other seats alone know: labels and values of their decisions.

        The records stay, and with them everything hidden: they are for drawing with that seat as the viewer.
        """
        return replace(self, moments=tuple(_for_seat(moment, seat) for moment in self.moments))


def _for_seat(moment: Moment, seat: int) -> Moment:
    own = moment.seat in (seat, NO_SEAT)
    return replace(
        moment,
        label=moment.label if own else "",
        sentence=moment.sentence if own else "",
        value=moment.value if moment.decider == seat else None,
    )


def episode_of(replay: Replay, components: Any = None) -> Episode:
    """Play a replay out. Raises `BadReplay` at the first line that does not fit."""
    start = replay.begin(components)
    seats = start.game.spec.seats
    names = start.game.seat_names(start.record())
    moments = [Moment(start.get_state(), tuple(start.journal()), _decider(start), notes=replay.notes)]
    for batch, decision in zip(replay.play_from(start), replay.decisions, strict=True):
        moments[-1] = replace(moments[-1], value=decision.value)
        label, sentence = _words_of(decision, batch)
        moments.append(
            Moment(
                batch.get_state(), tuple(batch.journal()), _decider(batch), seats.index(decision.seat), label, sentence,
                notes=decision.notes,
            )
        )  # fmt: skip
    return Episode(replay, start.game, start.components, tuple(names), tuple(moments))


def _words_of(decision: Decision, batch: GameBatch) -> tuple[str, str]:
    """The label of a decision, with the name of a card, and what it does."""
    game, action = batch.game, decision.action(batch.game)
    if not 0 <= action < game.actions.size:
        return f"{ILLEGAL_ACTION}: {action}", f"{game.id} has no such action, and the game is lost"
    label = action_label(game, batch.components, action)
    if decision.illegal:
        return f"{ILLEGAL_ACTION}: {label}", "it is not legal here, and the game is lost"
    return label, game.actions.sentence(action)


def _decider(batch: GameBatch) -> int:
    return NO_SEAT if batch.states["over"][0] else int(batch.current_player[0])


def with_values(
    replay: Replay, judge: Callable[[GameBatch], float | None], name: str, components: Any = None
) -> Replay:
    """The same replay with a value for each decision, in place of those that it had.

    `judge` gives the return that it expects for the deciding seat of a batch of one, or None where it cannot say.
    """
    batch = replay.begin(components)
    values = [judge(batch) if replay.decisions else None]
    for _ in replay.play_from(batch):
        values.append(None if batch.states["over"][0] else judge(batch))
    valued = [
        replace(decision, value=None if value is None else round(value, 4))
        for decision, value in zip(replay.decisions, values, strict=False)
    ]
    return replace(replay, decisions=tuple(valued), values_by=name)
