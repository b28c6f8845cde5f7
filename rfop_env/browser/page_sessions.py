"""The games of a page without a server: what `rfop serve` answers (`rfop_env.web.protocol`), from plain Python.

The page runs this text in MicroPython (`python_source`). Rules and chance are functions of the page's worker, which
`Worker` names; a record is handed over as the base64 text of its bytes. Programs think in the worker: `begin_move` says
who is to think, `end_move` takes the action.
"""

from __future__ import annotations

import binascii
import json
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from rfop_env.browser.python_source import RUNTIME, python_source
from rfop_env.core.action_table import ActionTable
from rfop_env.core.game import Game, Presentation
from rfop_env.seat_view import SeatView, card_texts
from rfop_env.web import view
from rfop_env.web.game_session import GameSession, NoLock
from rfop_env.web.refusals import Refused, Unknown


class Worker(Protocol):
    """The functions of the worker (`static/engine.js`)."""

    def begin(self, seed: str) -> str:
        """The record of a new game; the seed in digits."""

    def step(self, record: str, action: int) -> str:
        """The record after an action and all forced ones."""

    def mask(self, record: str) -> str:
        """The legal actions: bool [A] in base64."""

    def observe(self, record: str, seat: int) -> str:
        """The observation of a seat: int8 [D] in base64."""

    def determinize(self, record: str, seat: int, key: int) -> str:
        """The record with what a seat cannot see drawn anew."""

    def random(self) -> int:
        """A random number below 2**31."""


class PageRecord:
    """A record [1], as `GameBatch.get_state` gives one."""

    def __init__(self, text: str, game: Game) -> None:
        self.text = text
        self._records = np.frombuffer(binascii.a2b_base64(text.encode()), game.state)

    def view(self, kind: Any) -> Any:
        """The record with its fields as attributes, [1]."""
        return self._records.view(kind)


class PageBatch:
    """What a `GameSession` asks of a batch of one."""

    def __init__(self, game: Game, components: Any, worker: Worker, text: str) -> None:
        self.game, self.components, self._worker = game, components, worker
        self._position = PageRecord(text, game)

    def get_state(self) -> PageRecord:
        """The record."""
        return self._position

    def set_state(self, position: PageRecord) -> None:
        """Another record."""
        self._position = position

    def record(self, game: int = 0) -> Any:
        """The record with its fields as attributes."""
        return self._position.view(np.recarray)[0]

    def clone(self) -> PageBatch:
        """The same position, to be played on by itself."""
        return PageBatch(self.game, self.components, self._worker, self._position.text)

    def step(self, actions: Sequence[int]) -> None:
        """Take an action, and all forced ones after it."""
        self._position = PageRecord(self._worker.step(self._position.text, actions[0]), self.game)

    @property
    def action_mask(self) -> list[bytes]:
        """The legal actions: [1], a byte for each."""
        return [binascii.a2b_base64(self._worker.mask(self._position.text).encode())]

    def journal(self) -> list[str]:
        """What has happened since the last decision."""
        return list(self.game.presentation.journal(self.record(), self.components))

    def observe(self, seat: int) -> PageObservation:
        """The observation of a seat."""
        return PageObservation(self._worker.observe(self._position.text, seat))

    def determinize(self, seat: int, key: int) -> None:
        """Draw anew what a seat cannot see, and all chance to come."""
        self._position = PageRecord(self._worker.determinize(self._position.text, seat, key), self.game)


class PageObservation:
    """An observation, which can be compared."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __ne__(self, observation: object) -> Any:
        return Difference(not isinstance(observation, PageObservation) or self._text != observation._text)


class Difference:
    """Whether two observations differ."""

    def __init__(self, differs: bool) -> None:
        self._differs = differs

    def any(self) -> bool:
        """Whether any entry differs."""
        return self._differs


class PageSession(GameSession):
    """A game of the page."""

    def __init__(self, batch: PageBatch, seats: Sequence[str], id: str, seed: int | None, worker: Worker) -> None:
        self._worker = worker
        super().__init__(batch, seats, id, {}, seed, NoLock())

    def random_key(self) -> int:
        """A random number below 2**31."""
        return self._worker.random()


class PageSessions:
    """All games of a page."""

    def __init__(self, game: Game, components: Any) -> None:
        self.game, self.components = game, components
        self.sessions: dict[str, GameSession] = {}
        self.count = 0
        self.worker: Worker | None = None  # the worker's functions, which the page sets

    def answer(self, question: str) -> str:
        """The answer to a question, both as JSON: the method's name and its arguments, in a list.

        An answer is `{"answer"}`, or `{"error", "state"}` with the present state where it is known. A picture, which
        JSON would spell letter by letter, follows it on the next line.
        """
        name, *arguments = json.loads(question)
        try:
            answer = getattr(self, name)(*arguments)
            picture = answer.pop("svg", "") if name in PICTURED else ""
            return json.dumps({"answer": answer}) + "\n" + picture
        except Refused as error:
            session = self.sessions.get(arguments[0]) if arguments else None
            state = None if session is None else view.session_state(session)
            picture = "" if state is None else state.pop("svg")
            return json.dumps({"error": str(error), "state": state}) + "\n" + picture

    def open(self) -> list[dict[str, Any]]:
        """The games that are open, the newest first."""
        return [view.session_summary(session) for session in reversed(list(self.sessions.values()))]

    def new(self, seats: list[str], seed: str | None) -> dict[str, Any]:
        """Begin a game; `seed`: up to 20 digits."""
        assert self.worker is not None, "the page has set it"
        if seed is None:
            seed = str(self.worker.random() * 2**17 + self.worker.random() % 2**17)
        if not (seed.isdigit() and int(seed) < 2**64):
            raise Refused(f"seed: expected a whole number below 2**64, found {seed[:40]}")
        return self._sit(self.worker.begin(seed), seats, int(seed))

    def _sit(self, record: str, seats: list[str], seed: int | None) -> dict[str, Any]:
        assert self.worker is not None, "the page has set it"
        self.count += 1
        batch = PageBatch(self.game, self.components, self.worker, record)
        session = PageSession(batch, seats, str(self.count), seed, self.worker)
        self.sessions[session.id] = session
        return view.session_state(session)

    def _session(self, id: str) -> GameSession:
        if id not in self.sessions:
            raise Unknown("there is no such game: it was closed, or the page was loaded anew")
        return self.sessions[id]

    def close(self, id: str) -> None:
        """Give a game up."""
        self._session(id)
        del self.sessions[id]

    def state(self, id: str, looking: int | None = None) -> dict[str, Any]:
        """The present position."""
        return view.session_state(self._session(id), looking)

    def cards(self, id: str) -> dict[str, Any]:
        """All cards."""
        return card_texts(self.components)

    def moment(self, id: str, number: int, looking: int | None = None) -> dict[str, Any]:
        """A moment of the past."""
        return view.moment_view(self._session(id), number, looking)

    def act(self, id: str, version: int, action: int) -> dict[str, Any]:
        """The person's decision."""
        self._session(id).act(version, action)
        return self.state(id)

    def undo(self, id: str, version: int) -> dict[str, Any]:
        """The person's last decision taken back."""
        self._session(id).undo(version)
        return self.state(id)

    def reveal(self, id: str, version: int) -> dict[str, Any]:
        """The curtain lifted."""
        self._session(id).reveal(version)
        return self.state(id)

    def fork(self, id: str, moment: int, swap: bool) -> dict[str, Any]:
        """A new game from a moment of this one."""
        session = self._session(id)
        states = session.fork_states(moment)
        state = self._sit(states.text, session.rotation if swap else session.seats, None)
        self.sessions[state["id"]].moments[0].lines = list(session.moments[moment].lines)
        return self.state(state["id"])

    # -- programs --------------------------------------------------------------------------------------------------

    def begin_move(self, id: str, version: int) -> dict[str, Any]:
        """The position in which a program is to think: its name, the seat, the record."""
        session = self._session(id)
        name = session.begin_move(version)
        return self._position(session, name, -1)

    def end_move(self, id: str, action: int) -> dict[str, Any]:
        """The program's decision."""
        self._session(id).end_move(action)
        return self.state(id)

    def fail_move(self, id: str, problem: str) -> dict[str, Any]:
        """The program could not decide."""
        self._session(id).fail_move(problem)
        return self.state(id)

    def begin_hint(self, id: str, version: int) -> dict[str, Any]:
        """The position of the person's decision, for a program that gives a hint."""
        session = self._session(id)
        session.require_version(version)
        if not session.asks_person:
            raise Refused("hints are for a person's turn")
        return self._position(session, "", -1)

    def end_hint(self, id: str, version: int, actions: list[int]) -> list[dict[str, Any]]:
        """Actions of a hint in words."""
        session = self._session(id)
        session.require_version(version)
        return [view.action_entry(session, action) for action in actions]

    def begin_value(self, id: str, moment: int) -> dict[str, Any]:
        """The position at a moment, for a program that judges it."""
        session = self._session(id)
        session.require_viewer_decides(session.moment(moment))
        return self._position(session, "", moment)

    def _position(self, session: GameSession, name: str, moment: int) -> dict[str, Any]:
        """A position for a program; what the deciding seat cannot see is drawn anew, so the program cannot see it."""
        position = session.moments[moment]
        batch = session.batch.clone()
        batch.set_state(position.states)
        spec = self.game.spec
        assert self.worker is not None, "the page has set it"
        if spec.hidden_information or spec.chance:
            batch.determinize(position.decider, self.worker.random())
        return {"name": name, "seat": position.decider, "record": batch.get_state().text}


PICTURED = ("new", "state", "moment", "act", "undo", "reveal", "fork", "end_move", "fail_move")
OMITTED: dict[type, tuple[str, ...]] = {  # what a page has in its own words, or does without
    GameSession: ("random_key",),
    SeatView: ("of", "text"),
    Presentation: ("draw_text",),
    ActionTable: ("label", "sentence"),
}


def page_source(game: Game, components: Any) -> str:
    """The MicroPython text of a page's games, under the name `sessions`; raises `BadSource`.

    `game` is under the options that it is played with; `components` is the loaded set.
    """
    entries = ["answer", "worker", *(name for name in vars(PageSessions) if not name.startswith("_"))]
    text = python_source({"sessions": PageSessions(game, components)}, entries, OMITTED)
    return f"{RUNTIME.read_text(encoding='utf-8')}\n\n{text}\n"
