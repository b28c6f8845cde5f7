"""The games of a page without a server: what `rfop serve` answers (`rfop_env.web.protocol`), from plain Python.

The page runs this text in MicroPython (`python_source`). Rules and chance are functions of the page's worker, which
`Worker` names; a record is handed over as the hexadecimal text of its bytes. Programs think in the worker: `begin_move`
says who is to think, `end_move` takes the action.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from rfop_env.browser.python_source import RUNTIME, python_source
from rfop_env.core.action_table import ActionTable
from rfop_env.core.game import Game, Presentation
from rfop_env.drawing.palette import USUAL_LOOK
from rfop_env.replays.replay_file import FORMAT, HIGHEST_EPISODE, ILLEGAL, MOST_BYTES, UNFINISHED, VERSION
from rfop_env.seat_view import SeatView, card_texts
from rfop_env.web import view
from rfop_env.web.game_session import NO_SEAT, GameSession, NoLock, SessionMoment
from rfop_env.web.puzzles import puzzle_seats
from rfop_env.web.refusals import Refused, Unknown

LOADED = 8  # decisions of a replay that are played in one call


class Worker(Protocol):
    """The functions of the worker (`static/engine.js`)."""

    def begin(self, seed: str, episode: str) -> str:
        """The record of a new game; seed and episode in digits."""

    def step(self, record: str, action: int) -> str:
        """The record after an action and all forced ones."""

    def mask(self, record: str) -> str:
        """The legal actions: bool [A] in hexadecimal digits."""

    def observe(self, record: str, seat: int) -> str:
        """The observation of a seat: int8 [D] in hexadecimal digits."""

    def determinize(self, record: str, seat: int, key: int) -> str:
        """The record with what a seat cannot see drawn anew."""

    def payoff(self, record: str, seat: int) -> int:
        """The payoff of a seat under the game's first reward, in units."""

    def random(self) -> int:
        """A random number below 2**31."""

    def clock(self) -> str:
        """The time in milliseconds since 1970, in digits."""


class PageRecord:
    """A record [1], as `GameBatch.get_state` gives one."""

    def __init__(self, text: str, game: Game) -> None:
        self.text = text
        self._records = np.frombuffer(bytes.fromhex(text), game.state)

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
        return [bytes.fromhex(self._worker.mask(self._position.text))]

    def journal(self) -> list[str]:
        """What has happened since the last decision."""
        return list(self.game.presentation.journal(self.record(), self.components))

    def observe(self, seat: int) -> bytes:
        """The observation of a seat: int8 [D]."""
        return bytes.fromhex(self._worker.observe(self._position.text, seat))

    def determinize(self, seat: int, key: int) -> None:
        """Draw anew what a seat cannot see, and all chance to come."""
        self._position = PageRecord(self._worker.determinize(self._position.text, seat, key), self.game)


class PageSession(GameSession):
    """A game of the page."""

    def __init__(
        self,
        batch: PageBatch,
        seats: Sequence[str],
        id: str,
        options: Mapping[str, object],
        seed: int | None,
        worker: Worker,
    ) -> None:
        self._worker = worker
        super().__init__(batch, seats, id, options, seed, NoLock())

    def random_key(self) -> int:
        """A random number below 2**31."""
        return self._worker.random()

    def clock(self) -> int:
        """The time in milliseconds since 1970."""
        return int(self._worker.clock())

    def _components_digest(self) -> str:
        """Nothing: a page has one component set."""
        return ""

    def _position_text(self, moment: SessionMoment) -> str:
        """A position as text."""
        return str(moment.states.text)

    def _position(self, text: str) -> PageRecord:
        """The record of a position as text."""
        return PageRecord(text, self.game)


class PageSessions:
    """All games of a page, which keeps their courses (`GameSession.course`) and gives them back once it is loaded."""

    def __init__(self, game: Game, components: Any, options: Mapping[str, str]) -> None:
        self.game, self.components, self.options = game, components, options
        self.set_line = f"{components.name} {components.digest}"  # of the component set, in replays
        self.sessions: dict[str, GameSession] = {}
        self.resting: dict[str, dict[str, Any]] = {}  # courses of games that nobody has asked for yet
        self.kept: dict[str, int] = {}  # the versions of the games that the page has kept
        self.readers: dict[str, ReplayReader] = {}  # of recordings
        self.worker: Worker | None = None  # the worker's functions, which the page sets
        self.look = USUAL_LOOK  # of the pictures in answers

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
            state = None if session is None else view.session_state(session, None, self.look)
            picture = "" if state is None else state.pop("svg")
            return json.dumps({"error": str(error), "state": state}) + "\n" + picture

    def draw_for(self, layout: str | None, palette: str | None) -> None:
        """The look of the pictures in answers from now on."""
        self.look = view.read_look(layout, palette)

    def open(self) -> list[dict[str, Any]]:
        """All games, the one with the last move first."""
        lines = [view.session_summary(session) for session in self.sessions.values()]
        lines += [course["summary"] for course in self.resting.values()]
        return sorted(lines, key=lambda line: -line["time"])

    def changed(self) -> list[dict[str, str]]:
        """The games that have changed since this was asked, as texts for the page to keep."""
        texts = []
        for id, session in self.sessions.items():
            if self.kept.get(id) != session.version and session.thinking is None:
                self.kept[id] = session.version
                course = session.course()
                course["summary"] = view.session_summary(session)
                texts.append({"id": id, "text": json.dumps(course)})
        return texts

    def restore(self, texts: list[str]) -> None:
        """Games that the page has kept; a text that is none is passed over."""
        for text in texts:
            try:
                course = json.loads(text)
                if course["summary"]["time"] >= 0:
                    self.resting[course["id"]] = course
            except (ValueError, KeyError, TypeError):
                continue

    def renew(self, texts: list[str]) -> None:
        """Games as another tab has left them: they are played again once they are asked for."""
        for id in [id for id in self.sessions if id in self.kept and id not in self.readers]:
            self.close(id)
        self.resting = {}
        self.restore(texts)

    def new(self, seats: list[str], seed: str | None) -> dict[str, Any]:
        """Begin a game; `seed`: up to 20 digits."""
        assert self.worker is not None, "the page has set it"
        if seed is None:
            seed = str(self.worker.random() * 2**17 + self.worker.random() % 2**17)
        if not (seed.isdigit() and int(seed) < 2**64):
            raise Refused(f"seed: expected a whole number below 2**64, found {seed[:40]}")
        session = self._sit(self.worker.begin(seed, "0"), seats, int(seed), str(self.worker.random()))
        return view.session_state(session, None, self.look)

    def begin_load(self, text: str) -> str:
        """Begin a recording from the text of a replay; returns its id. `load_on` follows. Raises `Refused`."""
        assert self.worker is not None, "the page has set it"
        reader = ReplayReader(text, self.game, self.set_line.rpartition(" ")[2], self.options)
        seed, episode = reader.start
        record, own = self.worker.begin(seed, episode), int(seed) if episode == "0" else None
        session = self._sit(record, reader.players, own, str(self.worker.random()))
        session.record(reader.judge, reader.notes)
        self.readers[session.id] = reader
        self.kept[session.id] = session.version  # it is kept once it is whole
        return session.id

    def begin_puzzle(self, text: str) -> str:
        """Begin the game of a puzzle; returns its id. `load_on` follows, and `pose`."""
        id = self.begin_load(text)
        self.sessions[id].recorded = False
        return id

    def pose(self, id: str, number: int, by: str, values: dict[str, float]) -> dict[str, Any]:
        """The puzzle, for a person in the seat that decides."""
        session = self._session(id)
        session.seats = puzzle_seats(self.game, session.newest.decider)
        session.judge = ""
        session.pose(number, by, values)
        return self.state(id)

    def load_on(self, id: str) -> bool:
        """Play some more decisions of a replay; whether any are left. MicroPython frees no memory within a call."""
        session, rows = self._session(id), self.readers[id].rows
        done = len(session.moments) - 1
        for number in range(done, min(done + LOADED, len(rows))):
            row, moment = rows[number], session.newest
            if row.action not in moment.legal or self.game.spec.seats[moment.decider] != row.seat:
                self.close(id)
                raise Refused(f"decision {number + 1} of this replay, {row.seat}: {row.label}, is not legal here")
            session.batch.step([row.action])
            session.add_recorded(row.action, row.value, row.notes)
        is_whole = len(session.moments) > len(rows)
        if is_whole:
            del self.kept[id]
        return not is_whole

    def replay(self, id: str) -> dict[str, Any]:
        """The game so far as the text of a replay; raises `Refused`."""
        session = self._session(id)
        if session.drawn:
            raise Refused("what was hidden was drawn anew in this variation: 'rfop serve' alone writes its replay")
        return {"text": self._replay_text(session), "name": f"{self.game.id}.rfop"}

    def _replay_text(self, session: GameSession) -> str:
        assert self.worker is not None, "the page has set it"
        first, seats = session.moments[0].record, self.game.spec.seats
        lines = [
            f"{FORMAT} {VERSION}",
            f"game: {self.game.id}",
            f"components: {self.set_line}",
            *[f"option: {name}={value}" for name, value in self.options.items()],
            f"seed: {int(first.seed[0]) + int(first.seed[1]) * 2**32} episode: {int(first.episode)}",
            *[f"player: {seats[k]} {name}" for k, name in enumerate(session.seats)],
            *([f"values: {session.judge}"] if session.judge else []),
            "",
            *[f"# {note}" for note in session.moments[0].notes],
        ]

        for moment, successor in zip(session.moments, session.moments[1:], strict=False):
            assert successor.action is not None, "the first moment alone follows no action"
            lines.append(f"{seats[moment.decider]}: {self.game.actions.rows[successor.action].label}")
            value = moment.values.get(session.judge)
            lines += [f"value {signed(value)}"] if value is not None else []
            lines += [f"# {note}" for note in successor.notes]

        newest = session.newest
        if newest.decider == NO_SEAT:
            scale = self.game.rewards[0].scale
            returns = [self.worker.payoff(newest.states.text, seat) * scale for seat in range(len(seats))]
            numbers = [f"{'+' if value >= 0 else '-'}{abs(value):g}" for value in returns]
            return "\n".join([*lines, f"end {self.game.end_reason(newest.record)}: {' '.join(numbers)}", ""])
        return "\n".join([*lines, f"end {UNFINISHED}", ""])

    def _sit(self, record: str, seats: list[str], seed: int | None, id: str) -> PageSession:
        assert self.worker is not None, "the page has set it"
        batch = PageBatch(self.game, self.components, self.worker, record)
        session = PageSession(batch, seats, id, self.options, seed, self.worker)
        self.sessions[id] = session
        return session

    def _session(self, id: str) -> GameSession:
        if id in self.resting:
            self._wake(id)
        if id not in self.sessions:
            raise Unknown("there is no such game in this browser: it was deleted, or is another browser's")
        return self.sessions[id]

    def _wake(self, id: str) -> None:
        """Play a game again that the page has kept, the one before that it was played on from."""
        course = self.resting[id]
        del self.resting[id]
        try:
            parent = course["parent"]
            if parent in self.resting:
                self._wake(parent)
            seed = None if course["seed"] is None else int(course["seed"])
            self._sit(course["positions"]["0"], course["seats"], seed, id).repeat(course, self.sessions.get(parent))
        except (ValueError, KeyError, TypeError):
            self.sessions.pop(id, None)
            raise Refused("this game was kept damaged, and cannot be played on") from None
        self.kept[id] = self.sessions[id].version

    def close(self, id: str) -> None:
        """Give a game up."""
        self.resting.pop(id, None)
        if id in self.sessions:
            self.sessions.pop(id).leave()
        self.readers.pop(id, None)

    def state(self, id: str, looking: int | None = None) -> dict[str, Any]:
        """The present position."""
        return view.session_state(self._session(id), looking, self.look)

    def cards(self, id: str) -> dict[str, Any]:
        """All cards."""
        return card_texts(self.components)

    def moment(self, id: str, number: int, looking: int | None = None) -> dict[str, Any]:
        """A moment of the past."""
        return view.moment_view(self._session(id), number, looking, self.look)

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

    def fork(self, id: str, moment: int, swap: bool, seats: list[str] | None) -> dict[str, Any]:
        """A variation from a moment of this game, everybody a seat further, or with other players."""
        session = self._session(id)
        states = session.fork_states(moment)
        assert self.worker is not None, "the page has set it"
        fork = self._sit(
            states.text, session.rotation if swap else seats or session.seats, None, str(self.worker.random())
        )
        fork.follow(session.home(moment), session.moments[: moment + 1])
        return view.session_state(fork, None, self.look)

    def again(self, id: str, swap: bool) -> dict[str, Any]:
        """A new game, with the same players or with everybody a seat further."""
        session = self._session(id)
        return self.new(session.rotation if swap else session.seats, None)

    # -- programs --------------------------------------------------------------------------------------------------

    def begin_move(self, id: str, version: int) -> dict[str, Any]:
        """The position in which a program is to think: its name, the seat, the record."""
        session = self._session(id)
        name = session.begin_move(version)
        return self._position(session, name, -1)

    def end_move(self, id: str, action: int) -> dict[str, Any]:
        """The program's decision; none where another tab has changed the game, in which nobody thinks now."""
        if self._session(id).thinking is not None:
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

    def begin_value(self, id: str, moment: int, program: str) -> dict[str, Any]:
        """The position at a moment, for a program that judges it, or the value that it has given before: `known`."""
        session = self._session(id)
        session.require_viewer_decides(moment)
        answer = self._position(session, "", moment)
        answer["known"] = session.moment(moment).values.get(program)
        return answer

    def begin_review(self, id: str, moment: int) -> dict[str, Any]:
        """The position at a moment, for a program that judges its decision: `played`."""
        session = self._session(id)
        session.require_decision(moment)
        answer = self._position(session, "", moment)
        answer["played"] = session.moments[moment + 1].action
        answer["has_deals"] = self.game.spec.has_deals
        return answer

    def end_review(self, id: str, moment: int, program: str, values: list[tuple[int, float]]) -> dict[str, Any]:
        """What the decision was worth, from the values of actions."""
        session = self._session(id)
        session.require_decision(moment)
        return view.review_row(session, moment, program, values)

    def reviews(self, id: str) -> list[dict[str, Any]]:
        """What the decisions of a game that is over were worth."""
        return view.review_rows(self._session(id))

    def _position(self, session: GameSession, name: str, moment: int) -> dict[str, Any]:
        """A position for a program; what the deciding seat cannot see is drawn anew, so the program cannot see it."""
        position = session.moments[moment]
        batch = session.batch.clone()
        batch.set_state(position.states)
        assert self.worker is not None, "the page has set it"
        if self.game.spec.has_deals:
            batch.determinize(position.decider, self.worker.random())
        earlier = session.earlier(moment)
        return {"name": name, "seat": position.decider, "record": batch.get_state().text, "earlier": earlier}


class ReplayRow:
    """A decision of a replay."""

    def __init__(self, seat: str, label: str, action: int) -> None:
        self.seat, self.label, self.action = seat, label, action
        self.value: float | None = None
        self.notes: list[str] = []


class ReplayReader:
    """The text of a replay (`rfop_env.replays.replay_file`) of the game of this page, from a seed.

    Raises `Refused` for what cannot be read. A last decision that was illegal is a note: the page takes none.
    """

    def __init__(self, text: str, game: Game, digest: str, options: Mapping[str, str]) -> None:
        lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
        if lines[0] != f"{FORMAT} {VERSION}":
            raise Refused(f"this is no replay that the page reads: expected '{FORMAT} {VERSION}' in its first line")
        if "" not in lines or len(text) > MOST_BYTES:
            raise Refused("this replay is damaged, or too long")
        blank = lines.index("")

        self._game, self._actions = game, {row.label: row.id for row in game.actions.rows}
        self.players: list[str] = []
        self.notes: list[str] = []
        self.rows: list[ReplayRow] = []
        self.start, self.judge = ("0", "0"), ""
        self._read_header(lines[1:blank], digest, options)
        self._read_decisions(lines[blank + 1 :])

    def _read_header(self, lines: Sequence[str], digest: str, options: Mapping[str, str]) -> None:
        """What was played, by whom, from which seed."""
        own: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(": ")
            if name == "game" and value != self._game.id:
                raise Refused(f"this is a replay of {value[:60]}, and the page plays {self._game.id}")
            if name == "components" and value.rpartition(" ")[2] != digest:
                raise Refused(f"this replay was played with other cards: {value[:60]}")
            if name == "position":
                raise Refused("this replay begins at a saved position: 'rfop serve' opens it")
            if name == "option":
                key, _, choice = value.partition("=")
                own[key] = choice
            if name == "seed":
                self.start = self._seed(value)
            if name == "player":
                self.players.append(value.partition(" ")[2])
            if name == "values":
                self.judge = value

        for key, choice in options.items():
            if own.get(key) != choice:
                raise Refused(f"this replay was played with {key}={own.get(key)}, and the page has {key}={choice}")

    def _read_decisions(self, lines: Sequence[str]) -> None:
        """The decisions with their notes and values, up to the line of the end."""
        for line in lines:
            if line.startswith("end "):
                return
            if line:
                self._read(line)
        raise Refused("this replay was cut off: its last line is missing")

    def _seed(self, text: str) -> tuple[str, str]:
        seed, _, episode = text.partition(" episode: ")
        if not (seed.isdigit() and episode.isdigit() and int(seed) < 2**64 and int(episode) <= HIGHEST_EPISODE):
            raise Refused(f"seed: expected 'seed: N episode: N', found {text[:60]}")
        return seed, episode

    def _read(self, line: str) -> None:
        """A note, a value, or a decision with a note behind it."""
        notes = self.rows[-1].notes if self.rows else self.notes
        if line.startswith("#"):
            notes.append(line[1:].strip())
        elif line.startswith("value ") and self.rows:
            try:
                self.rows[-1].value = float(line[6:])
            except ValueError:
                raise Refused(f"expected 'value NUMBER', found {line[:60]}") from None
        else:
            words, _, note = line.partition(" #")
            seat, _, label = words.strip().partition(": ")
            if label.startswith(ILLEGAL):
                notes.append(f"{seat}: {label}, which lost the game")
                return
            if seat not in self._game.spec.seats or label not in self._actions:
                raise Refused(f"this replay has a line that the page cannot read: {line[:80]}")
            self.rows.append(ReplayRow(seat, label, self._actions[label]))
            self.rows[-1].notes += [note.strip()] if note else []


def signed(value: float) -> str:
    """A value with its sign, to four places."""
    return f"{'+' if value >= 0 else '-'}{abs(value):.4f}"


PICTURED = ("new", "pose", "state", "moment", "act", "undo", "reveal", "fork", "again", "end_move", "fail_move")
OMITTED: dict[type, tuple[str, ...]] = {  # what a page has in its own words, or does without
    GameSession: ("random_key", "clock", "_components_digest", "_position_text", "_position"),
    SeatView: ("of", "text"),
    Presentation: ("draw_text",),
    ActionTable: ("label", "sentence"),
}


def page_source(game: Game, components: Any, options: Mapping[str, str]) -> str:
    """The MicroPython text of a page's games, under the name `sessions`; raises `BadSource`.

    `game` is under the options that it is played with; `components` is the loaded set, `options` has the value of
    every option.
    """
    entries = ["answer", "worker", *(name for name in vars(PageSessions) if not name.startswith("_"))]
    text = python_source({"sessions": PageSessions(game, components, options)}, entries, OMITTED)
    return f"{RUNTIME.read_text(encoding='utf-8')}\n\n{text}\n"
