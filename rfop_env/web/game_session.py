"""One game that is played: its seats, its past, who may see what, and what may be done now.

A `GameSession` is the whole state of a game: the batch of one with all seats asked, who sits where, and a
`SessionMoment` for each position since the start. Every change raises `version` by one and is refused for another
version than the present one. The server's `Session` adds programs and threads; the page without a server runs this very
class.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rfop_env.agent_names import PERSON
from rfop_env.core.game import Game
from rfop_env.web.refusals import Conflict, Refused, Unknown

NO_SEAT = -1
GUESSES = 8  # determinizations that have to agree before a decision may be undone


@dataclass
class SessionMoment:
    """A position of the game, and what led to it."""

    states: Any  # the record, [1]
    lines: list[str]  # the journal: what happened since the moment before
    decider: int  # the seat that decides; NO_SEAT once the game is over
    legal: list[int]  # ids of the legal actions
    action: int | None = None  # that led here; None for the first
    values: dict[str, float] = field(default_factory=dict)  # for the seat that decides, by program

    @property
    def record(self) -> Any:
        """The record with its fields as attributes."""
        return self.states.view(np.recarray)[0]


class NoLock:
    """In place of a lock where there is one thread."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class GameSession:
    """A game, and who plays it. `batch`: the `GameBatch` of one; `seats` has a name for each seat, `PERSON` or another.

    `seed`: that of the game, None where it is not known. `lock`: held by every change, and while several attributes are
    read. Raises `Refused` where there are not as many names as seats.
    """

    def __init__(
        self, batch: Any, seats: Sequence[str], id: str, options: Mapping[str, object], seed: int | None, lock: Any
    ) -> None:
        self.id, self.options, self.seed, self.lock = id, dict(options), seed, lock
        self.batch = batch
        self.game: Game = batch.game
        if len(seats) != self.game.spec.players:
            raise Refused(f"{self.game.id} has {self.game.spec.players} seats here, and {len(seats)} are taken")
        self.seats = list(seats)
        self.looking: int | None = None  # of several people: the seat of the one at the page
        self.version = 0
        self.thinking: str | None = None  # the program whose decision it is, while it thinks
        self.problem = ""  # what kept a program from deciding
        self.moments = [self._moment(None)]

    # -- who sits where, who sees what -----------------------------------------------------------------------------

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, name in enumerate(self.seats) if name == PERSON]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.newest.decider == NO_SEAT

    @property
    def newest(self) -> SessionMoment:
        """The newest moment."""
        return self.moments[-1]

    @property
    def hides(self) -> bool:
        """Whether a seat of this game has secrets from another one."""
        return self.game.spec.hidden_information and self.game.spec.players > 1

    @property
    def viewer(self) -> int | None:
        """The seat whose view the page shows; None where nobody's secrets have to be kept from anybody.

        Of one person, the person's seat; of several, the seat that looks now. Without people, and once the game is
        over, the page may look from any seat.
        """
        people = self.people
        if self.over or not people:
            return None
        if len(people) == 1:
            return people[0]
        if not self.hides:
            return self.newest.decider if self.newest.decider in people else people[0]
        return self.looking

    @property
    def curtain(self) -> int | None:
        """The seat of the person who has to come to the page before anything is shown; None if nobody has to."""
        people = self.people
        if self.over or len(people) < 2 or not self.hides:
            return None
        if self.newest.decider in people:
            return None if self.looking == self.newest.decider else self.newest.decider
        return people[0] if self.looking is None else None

    @property
    def secrets_of(self) -> int | None:
        """The seat whose secrets the page shows; None where it shows nobody's, or everybody may see everything."""
        return self.viewer if self.hides and self.curtain is None else None

    @property
    def asks_person(self) -> bool:
        """Whether the game waits for the person at the page."""
        return self.newest.decider in self.people and self.curtain is None

    # -- changes ---------------------------------------------------------------------------------------------------

    def require_version(self, version: int) -> None:
        """Raise `Conflict` for another version than the present one."""
        if version != self.version:
            raise Conflict("the game has changed since: this is how it stands now")

    def _require_change(self, version: int) -> None:
        """Raise `Conflict` where the present version cannot be changed: it is another one, or a program thinks."""
        self.require_version(version)
        if self.thinking is not None:
            raise Conflict(f"{self.thinking} is thinking: wait for it, or stop it")
        self.problem = ""

    def _change(self, viewer: int | None) -> None:
        """Count a change; what one person has asked comes to an end when another one looks than before (`viewer`)."""
        self.version += 1
        if self.secrets_of != viewer:
            self.stop()

    def stop(self) -> None:
        """Have the programs at work come to an end."""

    def act(self, version: int, action: int) -> None:
        """A decision of the person at the page."""
        self._require_change(version)
        if not self.asks_person:
            raise Refused("it is not a person's turn at this page")
        viewer = self.secrets_of
        self._step(action)
        self._change(viewer)

    def begin_move(self, version: int) -> str:
        """Have the program whose turn it is think; returns its name. `end_move` or `fail_move` follows."""
        self._require_change(version)
        seat = self.newest.decider
        if seat == NO_SEAT or self.seats[seat] == PERSON:
            raise Refused("it is not a program's turn")
        self.thinking = self.seats[seat]
        self.version += 1
        return self.thinking

    def end_move(self, action: int) -> None:
        """The decision of the program that thinks; raises `ValueError` for an action that is not legal."""
        self._step(require_legal(action, self.newest.legal))
        self.thinking = None
        self.version += 1

    def fail_move(self, problem: str) -> None:
        """The program that thinks could not decide."""
        self.problem, self.thinking = problem, None
        self.version += 1

    def undo(self, version: int) -> None:
        """Go back to the last own decision of the person at the page; refused where something hidden came to light."""
        self._require_change(version)
        viewer = self.secrets_of
        self.moments = self.moments[: self._undo_target() + 1]
        self.batch.set_state(self.newest.states)
        self.looking = self.newest.decider
        self._change(viewer)

    def reveal(self, version: int) -> None:
        """Lift the curtain: the person whose turn it is has come to the page."""
        self._require_change(version)
        if self.curtain is None:
            raise Refused("there is no curtain to lift")
        viewer = self.secrets_of
        self.looking = self.curtain
        self._change(viewer)

    @property
    def rotation(self) -> list[str]:
        """The players of a game in which everybody sits one seat further. Raises `Refused` where there is one seat."""
        if len(self.seats) == 1:
            raise Refused(f"{self.game.id} has one seat")
        return [*self.seats[-1:], *self.seats[:-1]]

    def fork_states(self, number: int) -> Any:
        """The record [1] from which another game goes on from a moment of this one.

        While this game runs, the other one must not show what is hidden here. What the viewer cannot see, and all
        chance to come, is drawn anew for it. In a game with secrets, `Refused` where that would not do: at the decision
        of another seat, which may itself rest on hidden cards, and where several people have secrets from each other.
        """
        moment = self.moment(number)
        if moment.decider == NO_SEAT:
            raise Refused("nothing can be played on from the end of a game")
        if self.hides and self.people and not self.over:
            self._require_redrawable(moment)
        return moment.states if self.over else self._redraw(moment)

    def random_key(self) -> int:
        """A random number that nobody can guess, for what is drawn anew."""
        return secrets.randbits(32)

    def _require_redrawable(self, moment: SessionMoment) -> None:
        """Raise `Refused` where drawing anew what the viewer cannot see would leave secrets of others in place."""
        if len(self.people) > 1:
            raise Refused("people with secrets from each other play here: other games start from it once it is over")
        if moment.decider != self.viewer:
            raise Refused("this game still runs: play on from a decision of your own, or wait for its end")

    def _redraw(self, moment: SessionMoment) -> Any:
        """The record of a moment with what its viewer cannot see, and all chance to come, drawn anew."""
        spec, viewer = self.game.spec, self.viewer
        trial = self._batch_at(moment)
        if viewer is not None and (spec.hidden_information or spec.chance):
            trial.determinize(viewer, self.random_key())
        return trial.get_state()

    def _require_sight(self) -> None:
        """Raise `Refused` behind a curtain."""
        if self.curtain is not None:
            raise Refused("the curtain is down: lift it first")

    def require_viewer_decides(self, moment: SessionMoment) -> None:
        """Raise `Refused` unless the viewer decides at a moment, or everybody may see everything."""
        self._require_sight()
        if moment.decider == NO_SEAT or self.viewer not in (None, moment.decider):
            raise Refused("a value is for a decision of your own")

    # -- moments ---------------------------------------------------------------------------------------------------

    def moment(self, number: int) -> SessionMoment:
        """A moment by its number from 0; `Unknown`."""
        if not 0 <= number < len(self.moments):
            raise Unknown(f"there is no moment {number}: they run from 0 to {len(self.moments) - 1}")
        return self.moments[number]

    def _moment(self, action: int | None, lines: list[str] | None = None) -> SessionMoment:
        """The present position of the batch."""
        record = self.batch.record(0)
        return SessionMoment(
            states=self.batch.get_state(),
            lines=self.batch.journal() if lines is None else lines,
            decider=NO_SEAT if record.over else int(record.player),
            legal=[action for action, legal in enumerate(self.batch.action_mask[0]) if legal],
            action=action,
        )

    def _step(self, action: int) -> None:
        self.batch.step([action])
        self.moments.append(self._moment(action))

    def _batch_at(self, moment: SessionMoment) -> Any:
        """A batch of its own at a moment."""
        batch = self.batch.clone()
        batch.set_state(moment.states)
        return batch

    def _undo_target(self) -> int:
        """The moment that an undo goes back to; raises `Refused`."""
        self._require_sight()
        own = [self.viewer] if self.hides and not self.over else self.people
        earlier = [k for k, moment in enumerate(self.moments[:-1]) if moment.decider in own]
        if not earlier:
            raise Refused("there is no decision of yours to undo")
        target = earlier[-1]
        if any(self._reveals(k) for k in range(target, len(self.moments) - 1)):
            raise Refused("this cannot be undone: since then something hidden came to light, or chance decided")
        return target

    def _reveals(self, number: int) -> bool:
        """Whether the step that followed a moment showed people something that they could not have known before it.

        Chance shows in the counters of the random streams. What was hidden shows when the step is taken again in
        positions that look the same to a person: if any of them goes on differently, the true one said something.
        """
        moment, successor = self.moments[number], self.moments[number + 1]
        spec = self.game.spec
        if not (spec.hidden_information or spec.chance):
            return False
        if (moment.record.draws != successor.record.draws).any():
            return True
        if successor.decider == NO_SEAT and spec.hidden_information:
            return True  # at the end all cards lie open
        return any(self._differs(moment, successor, seat) for seat in self.people)

    def _differs(self, moment: SessionMoment, successor: SessionMoment, seat: int) -> bool:
        """Whether a seat sees something else after the action in some determinization of what it could not see."""
        action = successor.action
        assert action is not None, "the first moment alone follows no action"
        expected = self._batch_at(successor).observe(seat)
        for key in range(GUESSES):
            guess = self._batch_at(moment)
            guess.determinize(seat, key)
            if not guess.action_mask[0][action]:
                return True
            guess.step([action])
            if guess.record(0).over != successor.record.over or guess.journal() != successor.lines:
                return True
            if (guess.observe(seat) != expected).any():
                return True
        return False


def require_legal(action: Any, legal: Sequence[int]) -> int:
    """The action that a program has chosen; `ValueError` for one that is not legal."""
    if action not in legal:
        raise ValueError(f"{action!r} is not among the legal actions {list(legal)}")
    return int(action)
