"""One game that is played: its seats, its past, who may see what, and what may be done now.

A `GameSession` is the whole state of a game: the batch of one with all seats asked, who sits where, and a
`SessionMoment` for each position since the start. Every change raises `version` by one and is refused for another
version than the present one. The server's `Session` adds programs and threads; the page without a server runs this very
class.

A variation is a game that was played on from a moment of another one (`follow`): it has the moments before that, too,
which stay those of the other game (`home`). All variations of a game are its `family`.

A recording is a game that was played elsewhere: nobody decides in it, everybody may see all of it, and variations may
begin at each of its moments.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rfop_env.agent_names import PERSON
from rfop_env.core.game import Game
from rfop_env.core.position import load_position, save_position
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
    time: int = 0  # when it came about, in milliseconds since 1970
    position: str = ""  # as text, once the game has been written down, of a moment that a course begins with
    values: dict[str, float] = field(default_factory=dict)  # for the seat that decides, by program
    worths: dict[str, list[tuple[int, float]]] = field(default_factory=dict)  # of its actions, by program
    notes: list[str] = field(default_factory=list)  # on what has led here
    score: Any = None  # the points by source, as of `Presentation.score`; None in a game without any

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
        self.keep: Callable[[], None] = lambda: None  # writes the game down: called after every change, in the lock
        if len(seats) != self.game.spec.players:
            raise Refused(f"{self.game.id} has {self.game.spec.players} seats here, and {len(seats)} are taken")
        self.seats = list(seats)
        self.guests: dict[int, str] = {}  # people at pages of their own: the token of each seat's link
        self.guest: int | None = None  # the seat of the guest who asks now; None: the page of the game itself
        self.looking: int | None = None  # of several people: the seat of the one at the page
        self.version = 0
        self.thinking: str | None = None  # the program whose decision it is, while it thinks
        self.preparing = False  # whether the code of searches is still compiled, for the first hint
        self.problem = ""  # what kept a program from deciding
        self.moments = [self._moment(None)]
        self.parent: GameSession | None = None  # the game that this one was played on from
        self.recorded = False  # whether it is a recording
        self.judge = ""  # who gave the values of a recording, or reviewed the game
        self.puzzle: dict[str, Any] | None = None  # of the moment `start`: title, by, and values of actions by label
        self.start = 0  # the moment where it was; those before are the parent's
        self.drawn = 0  # the last moment at which what is hidden was drawn anew: from there on it is one game
        self.family: list[GameSession] = [self]  # with the games that were played on from it, in the order they began

    # -- who sits where, who sees what -----------------------------------------------------------------------------

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, name in enumerate(self.seats) if name == PERSON]

    @property
    def here(self) -> list[int]:
        """The seats of the people at the page that asks: a guest's own, or all that no guest has."""
        if self.guest is not None:
            return [self.guest]
        return [seat for seat in self.people if seat not in self.guests]

    @property
    def over(self) -> bool:
        """Whether the game has ended; a recording has, even where it stops before the end."""
        return self.recorded or self.newest.decider == NO_SEAT

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
        here = self.here
        if self.over or not here:
            return None
        if len(here) == 1:
            return here[0]
        if not self.hides:
            return self.newest.decider if self.newest.decider in here else here[0]
        return self.looking

    @property
    def curtain(self) -> int | None:
        """The seat of the person who has to come to the page before anything is shown; None if nobody has to."""
        here = self.here
        if self.over or len(here) < 2 or not self.hides:
            return None
        if self.newest.decider in here:
            return None if self.looking == self.newest.decider else self.newest.decider
        return here[0] if self.looking is None else None

    @property
    def secrets_of(self) -> int | None:
        """The seat whose secrets the page shows; None where it shows nobody's, or everybody may see everything."""
        return self.viewer if self.hides and self.curtain is None else None

    @property
    def asks_person(self) -> bool:
        """Whether the game waits for the person at the page."""
        return not self.over and self.newest.decider in self.here and self.curtain is None

    # -- changes ---------------------------------------------------------------------------------------------------

    def require_version(self, version: int) -> None:
        """Raise `Conflict` for another version than the present one."""
        if version != self.version:
            raise Conflict("the game has changed since: this is how it stands now")

    def _require_change(self, version: int) -> None:
        """Raise `Conflict` where the present version cannot be changed: it is another one, or a program thinks."""
        self.require_version(version)
        if self.recorded:
            raise Refused("this is a recording: play on from one of its moments")
        if self.thinking is not None:
            raise Conflict(f"{self.thinking} is thinking: wait for it, or stop it")
        self.problem = ""

    def _change(self, viewer: int | None) -> None:
        """Count a change; what one person has asked comes to an end when another one looks than before (`viewer`)."""
        self.version += 1
        if self.secrets_of != viewer:
            self.stop()
        self.keep()

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
        self.keep()

    def fail_move(self, problem: str) -> None:
        """The program that thinks could not decide."""
        self.problem, self.thinking = problem, None
        self.version += 1
        self.keep()

    def undo(self, version: int) -> None:
        """Go back to the last own decision of the person at the page; refused where something hidden came to light."""
        self._require_change(version)
        viewer = self.secrets_of
        self.moments = self.moments[: self._undo_target() + 1]
        self.batch.set_state(self.newest.states)
        if self.guest is None:
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
        """The record [1] from which another game goes on from a moment of this one; `follow` makes it a variation.

        While the game of that moment (`home`) runs, the other one must not show what is hidden there. What the viewer
        cannot see, and all chance to come, is drawn anew for it. In a game with secrets, `Refused` where that would not
        do: at the decision of another seat, which may itself rest on hidden cards, and where several people have
        secrets from each other.
        """
        moment, home = self.moment(number), self.home(number)
        if moment.decider == NO_SEAT:
            raise Refused("nothing can be played on from the end of a game")
        if home.hides and home.people and not home.over:
            home._require_redrawable(moment)
        return home._redraw(moment) if home._redraws else moment.states

    def follow(self, home: GameSession, past: Sequence[SessionMoment]) -> None:
        """Become a variation of a game: this one has just begun with the `fork_states` of the last of some moments.

        `home` is the game in which that moment was played.
        """
        first, moment, number = self.moments[0], past[-1], len(past) - 1
        self.parent, self.start = home, number
        self.drawn = number if home._redraws else min(number, home.drawn)
        first.lines, first.action = moment.lines, moment.action
        first.notes = moment.notes
        if self.drawn < number:
            first.values = moment.values
        self.moments = [*past[:-1], first]
        self.family = home.family
        self.family.append(self)

    def leave(self) -> None:
        """Be no part of the family any more: the game is closed."""
        self.family.remove(self)

    def home(self, number: int) -> GameSession:
        """The game in which a moment was played: this one, or one that it was played on from."""
        session = self
        while session.parent is not None and number < session.start:
            session = session.parent
        return session

    @property
    def own(self) -> int:
        """The first moment that this game's own viewer may see: those before may be of a game that runs and hides."""
        numbers = [number for number in range(self.start) if self.keeps_secrets(number)]
        return numbers[-1] + 1 if numbers else 0

    def keeps_secrets(self, number: int) -> bool:
        """Whether a moment is of another game, which still runs and is shown as its own viewer sees it."""
        home = self.home(number)
        return home is not self and home.hides and not home.over and home.viewer is not None

    @property
    def _redraws(self) -> bool:
        """Whether other games go on from this one with what is hidden, and all chance, drawn anew."""
        return self.game.spec.has_deals and not self.over and self.viewer is not None

    def random_key(self) -> int:
        """A random number that nobody can guess, for what is drawn anew."""
        return secrets.randbits(32)

    def clock(self) -> int:
        """The time in milliseconds since 1970."""
        return milliseconds()

    def _require_redrawable(self, moment: SessionMoment) -> None:
        """Raise `Refused` where drawing anew what the viewer cannot see would leave secrets of others in place."""
        if len(self.people) > 1:
            raise Refused("people with secrets from each other play here: other games start from it once it is over")
        if moment.decider != self.viewer:
            raise Refused("this game still runs: play on from a decision of your own, or wait for its end")

    def _redraw(self, moment: SessionMoment) -> Any:
        """The record of a moment with what its viewer cannot see, and all chance to come, drawn anew."""
        trial = self._batch_at(moment)
        trial.determinize(self.viewer, self.random_key())
        return trial.get_state()

    def _require_sight(self) -> None:
        """Raise `Refused` behind a curtain."""
        if self.curtain is not None:
            raise Refused("the curtain is down: lift it first")

    def require_viewer_decides(self, number: int) -> None:
        """Raise `Refused` unless the viewer decides at a moment, or everybody may see everything."""
        self._require_sight()
        decider = self.moment(number).decider
        if decider == NO_SEAT or self.viewer not in (None, decider) or self.keeps_secrets(number):
            raise Refused("a value is for a decision of your own")

    def require_decision(self, number: int) -> None:
        """Raise `Refused` unless a moment's decision was taken, and the page may have a value for it."""
        self.require_viewer_decides(number)
        if number >= len(self.moments) - 1:
            raise Refused("this decision is not taken yet")

    # -- puzzles and recordings ------------------------------------------------------------------------------------

    def record(self, judge: str, notes: Sequence[str]) -> None:
        """Become a recording, of which this is the first moment; `judge` gives its values, `notes` are on the start."""
        self.recorded, self.judge = True, judge
        self.newest.notes = list(notes)

    def pose(self, number: int, by: str, values: Mapping[str, float]) -> None:
        """Become a puzzle: the person is to find the best action here. The moments before are its past."""
        self.start = len(self.moments) - 1
        self.puzzle = {"number": number, "by": by, "values": dict(values.items())}

    def add_recorded(self, action: int, value: float | None, notes: Sequence[str]) -> None:
        """The position of the batch, after an action. `value`: what was expected before it."""
        if value is not None:
            self.newest.values[self.judge] = value
        self.moments.append(self._moment(action))
        self.newest.notes = list(notes)

    # -- keeping ---------------------------------------------------------------------------------------------------

    def course(self) -> dict[str, Any]:
        """The game from its first moment, as data for JSON: `repeat` plays it again.

        A position stands there of the first moment, and of each that another game's past ends before.
        """
        return {
            "id": self.id,
            "game": self.game.id,
            "options": {name: str(value) for name, value in self.options.items()},
            "seats": list(self.seats),
            "guests": {str(seat): token for seat, token in self.guests.items()},
            "seed": None if self.seed is None else str(self.seed),
            "version": self.version,
            "components": self._components_digest(),
            "parent": None if self.parent is None else self.parent.id,
            "start": self.start,
            "drawn": self.drawn,
            "recorded": self.recorded,
            "puzzle": self.puzzle,
            "annotations": self._annotations() if self.recorded or self.judge else None,
            "positions": {str(number): self._position_text(self.moments[number]) for number in self._starts()},
            "lines": {str(number): list(self.moments[number].lines) for number in self._starts()},
            "times": [moment.time for moment in self.moments],
            "actions": [moment.action for moment in self.moments[1:]],
        }

    def _annotations(self) -> dict[str, Any]:
        """The judge, and the values, reviews and notes of all moments, for JSON."""
        values = [moment.values.get(self.judge) for moment in self.moments]
        worths = [moment.worths.get(self.judge) for moment in self.moments]
        notes = [moment.notes for moment in self.moments]
        return {"judge": self.judge, "values": values, "worths": worths, "notes": notes}

    def _starts(self) -> list[int]:
        """The moments at which a game of this one's line began, and where a recording ended."""
        starts, session = [0, len(self.moments) - 1] if self.recorded else [0], self
        while session.parent is not None:
            starts.append(session.start)
            session = session.parent
        return sorted(set(starts) | {self.start})

    def repeat(self, course: Mapping[str, Any], parent: GameSession | None) -> None:
        """Play a course from its first moment, where this game stands; raises `ValueError` for an illegal action.

        `parent`: the game that it was played on from; None for a game that was first, and where that one is gone.
        """
        positions, lines = course["positions"], course["lines"]
        self.moments[0].lines = [str(line) for line in lines["0"]]
        for number, action in enumerate(course["actions"], 1):
            key = str(number)
            if key in positions:
                self.batch.set_state(self._position(positions[key]))
                self.moments.append(self._moment(int(action), [str(line) for line in lines[key]]))
            else:
                self._step(require_legal(action, self.newest.legal))
        self.start, self.drawn, self.parent = int(course["start"]), int(course["drawn"]), parent
        if not 0 <= self.drawn <= self.start < len(self.moments):
            raise ValueError("the course begins where it has no moment")
        if parent is not None:
            self.family = parent.family
            self.family.append(self)
        for moment, when in zip(self.moments, course["times"], strict=True):
            moment.time = int(when)
        self.recorded, self.puzzle = bool(course.get("recorded")), course.get("puzzle")
        if course.get("annotations") is not None:
            self._repeat_annotations(course["annotations"])
        self.guests = {int(seat): token for seat, token in course["guests"].items()}
        self.version = int(course["version"]) + 2  # a tab may know the next one: of a program that has begun to think

    def _repeat_annotations(self, annotations: Mapping[str, Any]) -> None:
        self.judge = str(annotations["judge"])
        for moment, value, notes in zip(self.moments, annotations["values"], annotations["notes"], strict=True):
            moment.notes = [str(note) for note in notes]
            if value is not None:
                moment.values[self.judge] = float(value)
        for number, rows in enumerate(annotations.get("worths", [])[: len(self.moments) - 1]):
            if rows is not None:
                moment, choice = self.moments[number], self.moments[number + 1].action
                worths = [(require_legal(action, moment.legal), float(worth)) for action, worth in rows]
                if choice not in [action for action, _ in worths]:
                    raise ValueError("a review has no value of the action that was played")
                moment.worths[self.judge] = worths

    def _components_digest(self) -> str:
        """The digest of the component set."""
        return str(self.batch.components.digest)

    def _position_text(self, moment: SessionMoment) -> str:
        """A position as text."""
        if not moment.position:
            moment.position = base64.b64encode(save_position(self._batch_at(moment))).decode()
        return moment.position

    def _position(self, text: str) -> Any:
        """The record [1] of a position as text; raises `ValueError` and `BadPosition`."""
        batch = self.batch.clone()
        load_position(batch, base64.b64decode(text, validate=True))
        return batch.get_state()

    def earlier(self, number: int) -> int:
        """How many decisions the seat that decides at a moment has taken just before, in the same turn."""
        deciders = [moment.decider for moment in self.moments[: number + 1]]
        breaks = [k for k, decider in enumerate(deciders) if decider != deciders[number]]
        return number - 1 - breaks[-1] if breaks else number

    # -- moments ---------------------------------------------------------------------------------------------------

    def moment(self, number: int) -> SessionMoment:
        """A moment by its number from 0; `Unknown`."""
        if not 0 <= number < len(self.moments):
            raise Unknown(f"there is no moment {number}: they run from 0 to {len(self.moments) - 1}")
        return self.moments[number]

    def _moment(self, action: int | None, lines: list[str] | None = None) -> SessionMoment:
        """The present position of the batch."""
        record, score = self.batch.record(0), self.game.presentation.score
        return SessionMoment(
            states=self.batch.get_state(),
            lines=self.batch.journal() if lines is None else lines,
            decider=NO_SEAT if record.over else int(record.player),
            legal=[action for action, legal in enumerate(self.batch.action_mask[0]) if legal],
            action=action,
            time=self.clock(),
            score=None if score is None else score(record, self.batch.components),
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
        own = [self.viewer] if self.hides and not self.over else self.here
        earlier = [k for k in range(self.start, len(self.moments) - 1) if self.moments[k].decider in own]
        if not earlier:
            raise Refused("there is no decision of yours to undo")
        target = earlier[-1]
        elsewhere = [seat for seat in self.people if seat not in self.here]
        if any(moment.decider in elsewhere for moment in self.moments[target:-1]):
            raise Refused("this cannot be undone: another person has decided since")
        if any(self._reveals(k) for k in range(target, len(self.moments) - 1)):
            raise Refused("this cannot be undone: since then something hidden came to light, or chance decided")
        return target

    def _reveals(self, number: int) -> bool:
        """Whether the step that followed a moment showed people something that they could not have known before it.

        Chance shows in the counters of the random streams. What was hidden shows when the step is taken again in
        positions that look the same to a person: if any of them goes on differently, the true one said something.
        """
        moment, successor = self.moments[number], self.moments[number + 1]
        if not self.game.spec.has_deals:
            return False
        if (moment.record.draws != successor.record.draws).any():
            return True
        if successor.decider == NO_SEAT and self.game.spec.hidden_information:
            return True  # at the end all cards lie open
        return any(self._differs(moment, successor, seat) for seat in self.people)

    def _differs(self, moment: SessionMoment, successor: SessionMoment, seat: int) -> bool:
        """Whether a seat sees something else after the action in some determinization of what it could not see."""
        action = successor.action
        assert action is not None, "the first moment alone follows no action"
        expected = bytes(self._batch_at(successor).observe(seat))
        for key in range(GUESSES):
            guess = self._batch_at(moment)
            guess.determinize(seat, key)
            if not guess.action_mask[0][action]:
                return True
            guess.step([action])
            if guess.record(0).over != successor.record.over or guess.journal() != successor.lines:
                return True
            if bytes(guess.observe(seat)) != expected:
                return True
        return False


def milliseconds() -> int:
    """The time since 1970."""
    return time.time_ns() // 1_000_000


def require_legal(action: Any, legal: Sequence[int]) -> int:
    """The action that a program has chosen; `ValueError` for one that is not legal."""
    if action not in legal:
        raise ValueError(f"{action!r} is not among the legal actions {list(legal)}")
    return int(action)
