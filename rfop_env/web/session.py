"""One game on the page: its seats, its past, and everything that is done with it.

A `Session` is the whole state of a game: the batch of one with all seats asked, who sits where, and a `SessionMoment`
for each position since the start. Every change raises `version` by one and is refused for another version than the
present one, so two tabs cannot change the same position. Methods may be called from any thread; a program thinks
outside the lock, and until it is done nothing else changes the game.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent_names import PERSON
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.players import AgentLoader, SeatedAgent, Stop, Thought
from rfop_env.web.refusals import Conflict, Full, ProgramFailed, Refused, Unknown, reporting_failures

NO_SEAT = -1
GUESSES = 8  # determinizations that have to agree before a decision may be undone
MOST_SESSIONS = 16


@dataclass
class SessionMoment:
    """A position of the game, and what led to it."""

    states: NDArray[Any]  # the record, [1]
    lines: list[str]  # the journal: what happened since the moment before
    decider: int  # the seat that decides; NO_SEAT once the game is over
    legal: list[int]  # ids of the legal actions
    action: int | None = None  # that led here; None for the first
    values: dict[str, float] = field(default_factory=dict)  # for the seat that decides, by program

    @property
    def record(self) -> Any:
        """The record with its fields as attributes."""
        return self.states.view(np.recarray)[0]


class Session:
    """A game, and who plays it.

    `seats` has a name for each seat: `PERSON`, or that of a program, which `programs` loads. `states` is the record [1]
    of the first moment; None: a new game begins from `seed`, a random one by default. Raises `Refused` where names and
    seats do not fit, and what `GameBatch` and `AgentLoader.load` raise.
    """

    def __init__(
        self,
        game: Game,
        seats: Sequence[str],
        programs: AgentLoader,
        *,
        options: Mapping[str, object] | None = None,
        components: Any = None,
        seed: int | None = None,
        states: NDArray[Any] | None = None,
    ) -> None:
        self.id = secrets.token_urlsafe(9)
        self.options = dict(options or {})
        self.seed = secrets.randbits(48) if seed is None and states is None else seed
        self.batch = GameBatch(game, 1, self.seed, options=self.options, components=components)
        self.game = self.batch.game
        if states is not None:
            self.batch.set_state(states)
        self.batch.keep_history()

        self._programs = programs
        self._loaded: dict[tuple[str, object], SeatedAgent] = {}
        self.seats = self._load_seats(seats)
        self.looking: int | None = None  # of several people: the seat of the one at the page
        self.version = 0
        self.thinking: str | None = None  # the program whose decision it is, while it thinks
        self.problem = ""  # what kept a program from deciding
        self.last_used = time.monotonic()
        self.lock = threading.RLock()  # held by every change, and while several attributes are read
        self._stops: set[threading.Event] = set()  # of the programs at work
        self._asking = threading.Lock()  # one hint or value at a time
        self.moments = [self._moment(None)]

    # -- who sits where --------------------------------------------------------------------------------------------

    def _load_seats(self, seats: Sequence[str]) -> list[str]:
        """The names of all seats, every program loaded."""
        if len(seats) != self.game.spec.players:
            raise Refused(f"{self.game.id} has {self.game.spec.players} seats here, and {len(seats)} are taken")
        for seat, name in enumerate(seats):
            if name != PERSON:
                self._program(name, seat)
        return list(seats)

    def _program(self, name: str, role: object) -> SeatedAgent:
        """The program of a role, which is a seat or a kind of question. Each role has its own: agents have a memory."""
        if (name, role) not in self._loaded:
            with reporting_failures(name, "be loaded", but=RfopError):
                self._loaded[name, role] = self._programs.load(name, self.game, self.batch.components)
        return self._loaded[name, role]

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

    @contextmanager
    def changing(self, version: int) -> Iterator[None]:
        """Hold the lock for a change of the present version; `Conflict` for another one, or while a program thinks.

        What one person has asked comes to an end when another one looks.
        """
        with self.lock:
            self.last_used = time.monotonic()
            self.require_version(version)
            if self.thinking is not None:
                raise Conflict(f"{self.thinking} is thinking: wait for it, or stop it")
            self.problem, viewer = "", self.secrets_of
            yield
            self.version += 1
            if self.secrets_of != viewer:
                self.stop()

    def require_version(self, version: int) -> None:
        """Raise `Conflict` for another version than the present one."""
        if version != self.version:
            raise Conflict("the game has changed since: this is how it stands now")

    def act(self, version: int, action: int) -> None:
        """A decision of the person at the page."""
        with self.changing(version):
            if not self.asks_person:
                raise Refused("it is not a person's turn at this page")
            self._step(action)

    def move(self, version: int) -> None:
        """Let the program whose turn it is decide; returns when it has. Raises `ProgramFailed` where it cannot."""
        with self.changing(version):
            seat = self.newest.decider
            if seat == NO_SEAT or self.seats[seat] == PERSON:
                raise Refused("it is not a program's turn")
            name = self.seats[seat]
            program, legal = self._program(name, seat), self.newest.legal
            self.thinking = name
        try:
            with self._stoppable() as stop, reporting_failures(name, "decide"):
                action = _require_legal(program.act(self.batch, stop), legal)  # agents with a memory know the batch
            with self.lock:
                self._step(action)
        except ProgramFailed as error:
            self.problem = str(error)
            raise
        finally:
            with self.lock:
                self.thinking = None
                self.version += 1

    def stop(self) -> None:
        """Have the programs at work come to an end; a search then gives the best that it has found."""
        for stop in tuple(self._stops):
            stop.set()

    @contextmanager
    def _stoppable(self) -> Iterator[Stop]:
        """A function for a program at work in the block: whether it has to come to an end."""
        stop = threading.Event()
        self._stops.add(stop)
        try:
            yield stop.is_set
        finally:
            self._stops.discard(stop)

    def undo(self, version: int) -> None:
        """Go back to the last own decision of the person at the page; refused where something hidden came to light."""
        with self.changing(version):
            self.moments = self.moments[: self._undo_target() + 1]
            self.batch.set_state(self.newest.states)
            self.looking = self.newest.decider

    def reveal(self, version: int) -> None:
        """Lift the curtain: the person whose turn it is has come to the page."""
        with self.changing(version):
            if self.curtain is None:
                raise Refused("there is no curtain to lift")
            self.looking = self.curtain

    @property
    def rotation(self) -> list[str]:
        """The players of a game in which everybody sits one seat further. Raises `Refused` where there is one seat."""
        if len(self.seats) == 1:
            raise Refused(f"{self.game.id} has one seat")
        return [*self.seats[-1:], *self.seats[:-1]]

    def fork(self, number: int, seats: Sequence[str] | None = None) -> Session:
        """Another game that goes on from a moment of this one, with the same players or with others.

        While this game runs, the other one must not show what is hidden here. What the viewer cannot see, and all
        chance to come, is drawn anew for it. In a game with secrets, `Refused` where that would not do: at the decision
        of another seat, which may itself rest on hidden cards, and where several people have secrets from each other.
        """
        with self.lock:
            moment = self.moment(number)
            if moment.decider == NO_SEAT:
                raise Refused("nothing can be played on from the end of a game")
            if self.hides and self.people and not self.over:
                self._require_redrawable(moment)
            states = moment.states if self.over else self._redraw(moment)
        components = self.batch.components
        fork = Session(
            self.game, seats or self.seats, self._programs, options=self.options, components=components, states=states
        )
        fork.moments[0].lines = list(moment.lines)
        return fork

    def _require_redrawable(self, moment: SessionMoment) -> None:
        """Raise `Refused` where drawing anew what the viewer cannot see would leave secrets of others in place."""
        if len(self.people) > 1:
            raise Refused("people with secrets from each other play here: other games start from it once it is over")
        if moment.decider != self.viewer:
            raise Refused("this game still runs: play on from a decision of your own, or wait for its end")

    def _redraw(self, moment: SessionMoment) -> NDArray[Any]:
        """The record of a moment with what its viewer cannot see, and all chance to come, drawn anew."""
        spec, viewer = self.game.spec, self.viewer
        trial = self._batch_at(moment)
        if viewer is not None and (spec.hidden_information or spec.chance):
            trial.determinize(viewer, secrets.randbits(32))
        return trial.get_state()

    def _require_sight(self) -> None:
        """Raise `Refused` behind a curtain."""
        if self.curtain is not None:
            raise Refused("the curtain is down: lift it first")

    # -- moments ---------------------------------------------------------------------------------------------------

    def moment(self, number: int) -> SessionMoment:
        """A moment by its number from 0; `Unknown`."""
        if not 0 <= number < len(self.moments):
            raise Unknown(f"there is no moment {number}: they run from 0 to {len(self.moments) - 1}")
        return self.moments[number]

    def _moment(self, action: int | None, lines: list[str] | None = None) -> SessionMoment:
        """The present position of the batch."""
        over = bool(self.batch.states["over"][0])
        return SessionMoment(
            states=self.batch.get_state(),
            lines=self.batch.journal() if lines is None else lines,
            decider=NO_SEAT if over else int(self.batch.current_player[0]),
            legal=np.flatnonzero(self.batch.action_mask[0]).tolist(),
            action=action,
        )

    def _step(self, action: int) -> None:
        self.batch.step([action])
        self.moments.append(self._moment(action))

    def _batch_at(self, moment: SessionMoment) -> GameBatch:
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
        if (moment.states["draws"] != successor.states["draws"]).any():
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
            if not guess.action_mask[0, action]:
                return True
            guess.step([action])
            if guess.states["over"][0] != successor.states["over"][0] or guess.journal() != successor.lines:
                return True
            if (guess.observe(seat) != expected).any():
                return True
        return False

    # -- questions to programs -------------------------------------------------------------------------------------

    def hint(self, version: int, name: str) -> Thought:
        """A program's thoughts on the person's decision."""
        with self.lock:
            self.require_version(version)
            if not self.asks_person:
                raise Refused("hints are for a person's turn")
            legal, batch = self.newest.legal, self._batch_at(self.newest)
            program = self._program(name, "hint")
        thought = self._ask(name, program, batch)
        with reporting_failures(name, "give a hint"):
            _require_legal(thought.action, legal)
        return thought

    def value(self, number: int, name: str) -> tuple[int, float]:
        """The seat that decides at a moment, and the return that a program expects for it.

        It reads what that seat sees, so it is given for the decisions of the person at the page; once the game is over,
        and in games without people, for all.
        """
        with self.lock:
            moment = self.moment(number)
            self._require_viewer_decides(moment)
            batch = self._batch_at(moment)
            program = None if name in moment.values else self._program(name, "value")
        if program is None:
            return moment.decider, moment.values[name]
        if not program.gives_values:
            raise Refused(f"{name} gives no values: choose a search or a trained network")
        thought = self._ask(name, program, batch)
        with reporting_failures(name, "give a value"):
            value = np.nan if thought.value is None else float(thought.value)
        if not np.isfinite(value):
            raise Refused(f"{name} gives no value here: choose a search or a trained network")
        with self.lock:
            self._require_viewer_decides(moment)  # somebody else may look now
            moment.values[name] = value
        return moment.decider, value

    def _require_viewer_decides(self, moment: SessionMoment) -> None:
        """Raise `Refused` unless the viewer decides at a moment, or everybody may see everything."""
        self._require_sight()
        if moment.decider == NO_SEAT or self.viewer not in (None, moment.decider):
            raise Refused("a value is for a decision of your own")

    def _ask(self, name: str, program: SeatedAgent, batch: GameBatch) -> Thought:
        """A program's thoughts on a copy of the game; `Conflict` while another question is open."""
        if not self._asking.acquire(blocking=False):
            raise Conflict("another question is still being answered: wait for it, or stop it")
        try:
            with self._stoppable() as stop, reporting_failures(name, "answer"):
                return program.think(batch, stop)
        finally:
            self._asking.release()


def _require_legal(action: Any, legal: Sequence[int]) -> int:
    """The action that a program has chosen; `ValueError` for one that is not legal."""
    if action not in legal:
        raise ValueError(f"{action!r} is not among the legal actions {list(legal)}")
    return int(action)


class Sessions:
    """All games of a server, at most `MOST_SESSIONS`. A game stays until it is closed."""

    def __init__(self) -> None:
        self._all: dict[str, Session] = {}
        self._lock = threading.Lock()

    def open(self, make: Callable[[], Session]) -> Session:
        """Add a new game; raises `Full` where there is no room, and what `make` raises."""
        self._require_room()
        session = make()
        with self._lock:
            self._require_room()
            self._all[session.id] = session
        return session

    def _require_room(self) -> None:
        if len(self._all) >= MOST_SESSIONS:
            raise Full(f"{MOST_SESSIONS} games are open here: save what you want to keep, and close one of them first")

    def close(self, id: str) -> None:
        """End a game, and what programs do in it; raises `Unknown`."""
        self.get(id).stop()
        with self._lock:
            self._all.pop(id, None)

    def get(self, id: str) -> Session:
        """A game by its id; raises `Unknown`."""
        session = self._all.get(id)
        if session is None:
            raise Unknown("there is no such game: it was closed, or the server was started anew")
        session.last_used = time.monotonic()
        return session

    def newest(self) -> list[Session]:
        """All games, the one used last first."""
        return sorted(self._all.values(), key=lambda session: -session.last_used)

    def stop(self) -> None:
        """Have all programs come to an end."""
        for session in tuple(self._all.values()):
            session.stop()
