"""All games of a server: a file for each, written after every change, and the games used last in memory.

A file is the course of its game (`GameSession.course`) as JSON, with its line of the list. It holds the seed and the
links of guests, so its owner alone may read it. A game that is asked for and not in memory is played again from its
file; it is the same game, with its whole past, for whoever has its link.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import BadPosition, RfopError, printable
from rfop_env.core.files import read_text, write_atomically
from rfop_env.core.position import load_position
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game
from rfop_env.web import view
from rfop_env.web.refusals import Unknown
from rfop_env.web.session import Session

MOST_SESSIONS = 16  # in memory; a program that thinks or an answer under way keeps its game there as well
MOST_LISTED = 50
MOST_BYTES = 2**19  # of a file; those of the games here have a few thousand
FOLDER, SUFFIX = "open", ".json"
ID = re.compile(r"[\w-]{1,40}", re.ASCII)
SUMMARY = "summary"
SMALLEST = "search-2"
LINE: dict[str, tuple[type, ...]] = {  # the parts of a line
    **dict.fromkeys(("id", "title", "who", "turn"), (str,)),
    **dict.fromkeys(("moment", "time"), (int,)),
    "over": (bool,),
    "parent": (str, type(None)),
    "start": (int, type(None)),
}


class Sessions:
    """All games of a server. `folder`: that of its saved games, in which they have one of their own."""

    def __init__(self, folder: Path, programs: AgentLoader, component_sets: ComponentSets) -> None:
        self._folder, self._programs, self._component_sets = folder / FOLDER, programs, component_sets
        self._recent: OrderedDict[str, Session] = OrderedDict()  # the one used last at the end
        self._all: WeakValueDictionary[str, Session] = (
            WeakValueDictionary()
        )  # also those that somebody still works with
        self._summaries: dict[Path, tuple[int, dict[str, Any]]] = {}  # by file, with the time of its last change
        self.prepares = True  # whether searches are compiled for hints
        self._preparations = Preparations()
        self._lock = threading.Lock()
        self._reading = threading.Lock()  # no game is read twice

    def open(self, make: Callable[[], Session]) -> Session:
        """Add a new game; raises what `make` raises."""
        session = make()
        self._add(session)
        with session.lock:
            session.keep()
        return session

    def _add(self, session: Session) -> None:
        """Have a game in memory, and written down after every change."""

        def keep() -> None:
            try:
                self._write(session)
            except OSError as error:
                session.problem = f"this game is not kept: {printable(str(error))}"

        session.keep = keep
        if self.prepares:
            self._preparations.begin(session)
        with self._lock:
            self._all[session.id] = session
        self._use(session)

    def _use(self, session: Session) -> None:
        with self._lock:
            self._recent[session.id] = session
            self._recent.move_to_end(session.id)
            while len(self._recent) > MOST_SESSIONS:
                self._recent.popitem(last=False)

    def get(self, id: str) -> Session:
        """A game by its id; raises `Unknown`, and `RfopError` where its file cannot be played."""
        session = self._all.get(id)
        if session is None:
            with self._reading:
                session = self._all.get(id) or self._read_family(id)
        self._use(session)
        return session

    def close(self, id: str) -> None:
        """End a game for good, and what programs do in it; raises `Unknown`."""
        path, session = self._path(id), self._all.get(id)
        if session is None and not path.is_file():
            raise _unknown()
        if session is not None:
            with session.lock:
                session.keep = lambda: None
                session.leave()
            session.stop()
        with self._lock:
            self._recent.pop(id, None)
            self._all.pop(id, None)
        path.unlink(missing_ok=True)

    def guest(self, token: str) -> tuple[str, int] | None:
        """The game and the seat of a guest's token (`Session.invite`); None for any other one."""
        id = token.partition(".")[0]
        try:
            session = self.get(id)
        except RfopError:
            return None
        seats = [s for s, own in session.guests.items() if secrets.compare_digest(own.encode(), token.encode())]
        return (id, seats[0]) if seats else None

    def newest(self) -> list[dict[str, Any]]:
        """The lines of the games for the list, the one with the last move first."""
        lines = {line["id"]: line for line in self._lines()}
        lines |= {id: view.session_summary(session) for id, session in list(self._all.items())}
        return sorted(lines.values(), key=lambda line: -line["time"])[:MOST_LISTED]

    def _lines(self) -> list[dict[str, Any]]:
        """The lines of all games that have files."""
        lines = [self._summary(path) for path in self._folder.glob(f"*{SUFFIX}") if ID.fullmatch(path.stem)]
        return [line for line in lines if line is not None]

    def stop(self) -> None:
        """Have all programs come to an end."""
        for session in list(self._all.values()):
            session.stop()

    # -- files -----------------------------------------------------------------------------------------------------

    def _path(self, id: str) -> Path:
        if not ID.fullmatch(id):
            raise _unknown()
        return self._folder / f"{id}{SUFFIX}"

    def _write(self, session: Session) -> None:
        """Write a game down; raises `OSError`."""
        course = {SUMMARY: view.session_summary(session), **session.course()}
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(session.id), json.dumps(course).encode(), 0o600)

    def _read_family(self, id: str) -> Session:
        """A game from its file, with the games that it was played on from, and those that go on from one of them."""
        session = self._read(id)
        family, size = {game.id for game in session.family}, 0
        lines = [line for line in self._lines() if line["parent"] is not None]
        while size != (size := len(family)):
            for line in lines:
                if line["parent"] in family and line["id"] not in family:
                    family.add(line["id"])
                    with contextlib.suppress(RfopError):
                        self._read(line["id"])
        return session

    def _read(self, id: str) -> Session:
        """A game from its file, the one before that it was played on from."""
        session = self._all.get(id)
        if session is not None:
            return session
        path = self._path(id)
        if not path.is_file():
            raise _unknown()
        course, parent = _read_course(path), None
        if isinstance(course.get("parent"), str) and course["parent"] != id:
            with contextlib.suppress(Unknown):
                parent = self._read(course["parent"])
        try:
            session = _session(course, self._programs, self._component_sets, parent)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise BadPosition(f"{printable(str(path))} is no open game: {printable(repr(error), 200)}") from None
        if session.id != id:
            raise BadPosition(f"{printable(str(path))} is the file of another game: give it back its name")
        self._add(session)
        return session

    def _summary(self, path: Path) -> dict[str, Any] | None:
        """The line of a game that rests; None for a file that has none."""
        try:
            changed = path.stat().st_mtime_ns
            if self._summaries.get(path, (0, {}))[0] != changed:
                line = _read_course(path)[SUMMARY]
                if any(type(line[name]) not in kinds for name, kinds in LINE.items()) or line["id"] != path.stem:
                    return None
                self._summaries[path] = (changed, line)
            return self._summaries[path][1]
        except (OSError, RfopError, KeyError, AttributeError):
            return None


class Preparations:
    """Compiles the searches of each game that people play, beside the game, so that the first hint is at hand."""

    def __init__(self) -> None:
        self._games: set[str] = set()  # by their rules

    def begin(self, session: Session) -> None:
        """Begin with the game of a session, unless that has been done, or nothing is compiled."""
        rules = session.game.rules_name
        if not JIT or not session.people or rules in self._games:
            return
        self._games.add(rules)
        session.preparing = True
        batch = session.batch.clone()
        threading.Thread(target=self._prepare, args=(session, batch), daemon=True).start()

    def _prepare(self, session: Session, batch: GameBatch) -> None:
        try:
            with contextlib.suppress(Exception):  # a game of somebody else may have no search
                AgentLoader(0).load(SMALLEST, session.game, batch.components).think(batch, lambda: False)
        finally:
            session.preparing = False


def _unknown() -> Unknown:
    return Unknown("there is no such game: it was closed, or the server has another folder of saved games")


def _read_course(path: Path) -> dict[str, Any]:
    """The content of a file; raises `RfopError`."""
    try:
        course = json.loads(read_text(path, MOST_BYTES))
    except (ValueError, RecursionError):
        course = None
    if not isinstance(course, dict):
        raise BadPosition(f"{printable(str(path))} is no open game")
    return course


def _session(
    course: dict[str, Any], programs: AgentLoader, component_sets: ComponentSets, parent: Session | None
) -> Session:
    """The game of a course; whatever is wrong with it raises."""
    game, options = get_game(course["game"]), dict(course["options"])
    components = component_sets.by_digest(game.id, course["components"])
    batch = GameBatch(game, 1, 0, options=options, components=components)
    try:
        start = base64.b64decode(course["positions"]["0"], validate=True)
    except binascii.Error:
        raise BadPosition("its first position is damaged") from None
    load_position(batch, start)
    seed = None if course["seed"] is None else int(course["seed"])
    return Session(
        game,
        [str(name) for name in course["seats"]],
        programs,
        options=options,
        components=components,
        seed=seed,
        states=batch.get_state(),
        course=course,
        parent=parent,
    )
