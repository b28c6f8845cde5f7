"""A game on the server: a table whose programs think in threads.

Two tabs cannot change the same position: every change is of a version (`GameSession`). Methods may be called from any
thread, those of `GameSession` in a block of `at`; a program thinks outside the lock, and until it is done nothing else
changes the game.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rfop_env.agent_names import PERSON
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import RfopError, printable
from rfop_env.core.game import Game
from rfop_env.players import AgentLoader, SeatedAgent, Stop, Thought
from rfop_env.web.game_session import GameSession, require_legal
from rfop_env.web.refusals import Conflict, ProgramFailed, Refused, reporting_failures
from rfop_env.web.review import action_values

TOKEN_BYTES = 18

T = TypeVar("T")


class Session(GameSession):
    """A game, and who plays it.

    `seats` has a name for each seat: `PERSON`, or that of a program, which `programs` loads. `states` is the record [1]
    of the first moment; None: a new game begins from `seed`, a random one by default. `course`: the game as it was kept
    (`GameSession.course`), which began there, and `parent` the game that it was played on from; programs are loaded
    once they have to decide. In a recording nobody plays, and names may be any. Raises `Refused` where names and seats
    do not fit, and what `GameBatch` and `AgentLoader.load` raise.
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
        recorded: bool = False,
        course: Mapping[str, Any] | None = None,
        parent: Session | None = None,
    ) -> None:
        options = dict(options or {})
        seed = secrets.randbits(48) if seed is None and states is None else seed
        batch = GameBatch(game, 1, seed, options=options, components=components)
        if states is not None:
            batch.set_state(states)
        batch.keep_history()

        self._programs = programs
        self._loaded: dict[tuple[str, object], SeatedAgent] = {}
        self._stops: set[threading.Event] = set()  # of the programs at work
        self._asking = threading.Lock()  # one hint or value at a time
        id = secrets.token_urlsafe(9) if course is None else str(course["id"])
        super().__init__(batch, seats, id, options, seed, threading.RLock())
        if course is not None:
            self.repeat(course, parent)
            return
        for seat, name in enumerate(self.seats):
            if name != PERSON and not recorded:
                self._program(name, seat)

    @contextmanager
    def at(self, guest: int | None) -> Iterator[None]:
        """Let the guest of a seat, or the page of the game itself (None), act and look in the block, under the lock."""
        with self.lock:
            previous, self.guest = self.guest, guest
            try:
                yield
            finally:
                self.guest = previous

    def guest_token(self) -> str:
        """A new token of a guest's link, which begins with the id of the game."""
        return f"{self.id}.{secrets.token_urlsafe(TOKEN_BYTES)}"

    def invite(self, seat: int) -> str:
        """The token of the link for a person's seat: from now on it is played, and seen, from a page of its own."""
        with self.lock:
            if seat in self.guests:
                return self.guests[seat]
            if self.over or seat not in self.people:
                raise Refused("a guest takes the seat of a person in a game that runs")
            if len(self.here) < 2:
                raise Refused(
                    "the last person's seat stays with this page: begin a game with a person in another seat, too"
                )
            self.guests[seat] = self.guest_token()
            viewer, self.looking = self.secrets_of, None
            self._change(viewer)
            return self.guests[seat]

    def _program(self, name: str, role: object) -> SeatedAgent:
        """The program of a role, which is a seat or a kind of question. Each role has its own: agents have a memory."""
        if (name, role) not in self._loaded:
            with reporting_failures(name, "be loaded", but=RfopError):
                self._loaded[name, role] = self._programs.load(name, self.game, self.batch.components)
        return self._loaded[name, role]

    # -- changes ---------------------------------------------------------------------------------------------------

    def move(self, version: int) -> None:
        """Let the program whose turn it is decide; returns when it has. Raises `ProgramFailed` where it cannot."""
        with self.lock:
            name, newest, earlier = self.begin_move(version), self.newest, self.earlier(len(self.moments) - 1)
        try:
            program = self._program(name, newest.decider)
            with self._stoppable() as stop, reporting_failures(name, "decide"):
                action = require_legal(
                    program.act(self.batch, stop, earlier), newest.legal
                )  # agents with a memory know the batch
        except RfopError as error:
            with self.lock:
                self.fail_move(printable(str(error)))
            if isinstance(error, ProgramFailed):
                raise
            raise ProgramFailed(str(error)) from error
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
        """A variation from a moment of this game (`fork_states`), with the same players or with others."""
        with self.lock:
            home, past, states = self.home(number), self.moments[: number + 1], self.fork_states(number)
        components = self.batch.components
        fork = Session(
            self.game, seats or self.seats, self._programs, options=self.options, components=components, states=states
        )
        fork.follow(home, past)
        return fork

    def again(self, swap: bool) -> Session:
        """A new game of the same kind, with the same players or with everybody a seat further."""
        seats = self.rotation if swap else self.seats
        return Session(self.game, seats, self._programs, options=self.options, components=self.batch.components)

    # -- questions to programs -------------------------------------------------------------------------------------

    def hint(self, version: int, name: str, guest: int | None = None) -> Thought:
        """A program's thoughts on the person's decision."""
        with self.at(guest):
            self.require_version(version)
            if not self.asks_person:
                raise Refused("hints are for a person's turn")
            legal, batch = self.newest.legal, self._batch_at(self.newest)
            program, earlier = self._program(name, "hint"), self.earlier(len(self.moments) - 1)
        thought = self._ask(name, lambda stop: program.think(batch, stop, earlier))
        with reporting_failures(name, "give a hint"):
            require_legal(thought.action, legal)
        return thought

    def value(self, number: int, name: str, guest: int | None = None) -> tuple[int, float]:
        """The seat that decides at a moment, and the return that a program expects for it.

        It reads what that seat sees, so it is given for the decisions of the person at the page; once the game is over,
        and in games without people, for all.
        """
        with self.at(guest):
            moment = self.moment(number)
            self.require_viewer_decides(number)
            batch = self._batch_at(moment)
            program = None if name in moment.values else self._program(name, "value")
        if program is None:
            return moment.decider, moment.values[name]
        if not program.gives_values:
            raise Refused(f"{name} gives no values: choose a search or a trained network")
        thought = self._ask(name, lambda stop: program.think(batch, stop, self.earlier(number)))
        with reporting_failures(name, "give a value"):
            value = np.nan if thought.value is None else float(thought.value)
        if not np.isfinite(value):
            raise Refused(f"{name} gives no value here: choose a search or a trained network")
        with self.at(guest):
            self.require_viewer_decides(number)  # somebody else may look now
            moment.values[name] = value
        return moment.decider, value

    def review(self, number: int, name: str, guest: int | None = None) -> list[tuple[int, float]]:
        """The values of actions at a moment by a program, that of the action which was played among them."""
        with self.at(guest):
            self.require_decision(number)
            batch, choice = self._batch_at(self.moment(number)), self.moments[number + 1].action
            program = self._program(name, "value")
        if not program.gives_values:
            raise Refused(f"{name} gives no values: choose a search or a trained network")
        assert choice is not None, "the first moment alone follows no action"
        if not batch.action_mask[0][choice : choice + 1].any():
            raise Refused("this decision was illegal, and lost the game")
        return self._ask(name, lambda stop: action_values(program, batch, choice, stop))

    def _ask(self, name: str, work: Callable[[Stop], T]) -> T:
        """What a program thinks of a copy of the game; `Conflict` while another question is open."""
        if not self._asking.acquire(blocking=False):
            raise Conflict("another question is still being answered: wait for it, or stop it")
        try:
            with self._stoppable() as stop, reporting_failures(name, "answer"):
                return work(stop)
        finally:
            self._asking.release()
