"""A game on the server: a table whose programs think in threads.

Two tabs cannot change the same position: every change is of a version (`GameSession`). Methods may be called from any
thread; a program thinks outside the lock, and until it is done nothing else changes the game.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent_names import PERSON
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, printable
from rfop_env.core.game import Game
from rfop_env.players import AgentLoader, SeatedAgent, Stop, Thought
from rfop_env.web.game_session import GameSession, require_legal
from rfop_env.web.refusals import Conflict, Full, ProgramFailed, Refused, Unknown, reporting_failures

MOST_SESSIONS = 16


class Session(GameSession):
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
        options = dict(options or {})
        seed = secrets.randbits(48) if seed is None and states is None else seed
        batch = GameBatch(game, 1, seed, options=options, components=components)
        if states is not None:
            batch.set_state(states)
        batch.keep_history()

        self._programs = programs
        self._loaded: dict[tuple[str, object], SeatedAgent] = {}
        self.last_used = time.monotonic()
        self._stops: set[threading.Event] = set()  # of the programs at work
        self._asking = threading.Lock()  # one hint or value at a time
        super().__init__(batch, seats, secrets.token_urlsafe(9), options, seed, threading.RLock())
        for seat, name in enumerate(self.seats):
            if name != PERSON:
                self._program(name, seat)

    def _program(self, name: str, role: object) -> SeatedAgent:
        """The program of a role, which is a seat or a kind of question. Each role has its own: agents have a memory."""
        if (name, role) not in self._loaded:
            with reporting_failures(name, "be loaded", but=RfopError):
                self._loaded[name, role] = self._programs.load(name, self.game, self.batch.components)
        return self._loaded[name, role]

    # -- changes ---------------------------------------------------------------------------------------------------

    def _require_change(self, version: int) -> None:
        self.last_used = time.monotonic()
        super()._require_change(version)

    def act(self, version: int, action: int) -> None:
        """A decision of the person at the page."""
        with self.lock:
            super().act(version, action)

    def undo(self, version: int) -> None:
        """Go back to the last own decision of the person at the page; refused where something hidden came to light."""
        with self.lock:
            super().undo(version)

    def reveal(self, version: int) -> None:
        """Lift the curtain: the person whose turn it is has come to the page."""
        with self.lock:
            super().reveal(version)

    def move(self, version: int) -> None:
        """Let the program whose turn it is decide; returns when it has. Raises `ProgramFailed` where it cannot."""
        with self.lock:
            name = self.begin_move(version)
            program, legal = self._program(name, self.newest.decider), self.newest.legal
        try:
            with self._stoppable() as stop, reporting_failures(name, "decide"):
                action = require_legal(program.act(self.batch, stop), legal)  # agents with a memory know the batch
        except ProgramFailed as error:
            with self.lock:
                self.fail_move(printable(str(error)))
            raise
        with self.lock:
            self.end_move(action)

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

    def fork(self, number: int, seats: Sequence[str] | None = None) -> Session:
        """Another game that goes on from a moment of this one (`fork_states`), with the same players or with others."""
        with self.lock:
            moment, states = self.moment(number), self.fork_states(number)
        components = self.batch.components
        fork = Session(
            self.game, seats or self.seats, self._programs, options=self.options, components=components, states=states
        )
        fork.moments[0].lines = list(moment.lines)
        return fork

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
            require_legal(thought.action, legal)
        return thought

    def value(self, number: int, name: str) -> tuple[int, float]:
        """The seat that decides at a moment, and the return that a program expects for it.

        It reads what that seat sees, so it is given for the decisions of the person at the page; once the game is over,
        and in games without people, for all.
        """
        with self.lock:
            moment = self.moment(number)
            self.require_viewer_decides(moment)
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
            self.require_viewer_decides(moment)  # somebody else may look now
            moment.values[name] = value
        return moment.decider, value

    def _ask(self, name: str, program: SeatedAgent, batch: GameBatch) -> Thought:
        """A program's thoughts on a copy of the game; `Conflict` while another question is open."""
        if not self._asking.acquire(blocking=False):
            raise Conflict("another question is still being answered: wait for it, or stop it")
        try:
            with self._stoppable() as stop, reporting_failures(name, "answer"):
                return program.think(batch, stop)
        finally:
            self._asking.release()


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
