"""The server's routes. `rfop_env.web.protocol` says what each is sent and answers."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from rfop_env.core.errors import InternalFault, RfopError, printable, shown
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import entries, get_game
from rfop_env.seat_view import card_texts
from rfop_env.web import protocol, refusals, saves, view
from rfop_env.web.guard import Guard, error_response
from rfop_env.web.session import Session, Sessions

T = TypeVar("T")

STATIC = Path(__file__).parent / "static"
PAGE = "index.html"
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}
FILES = {path.name: path for path in STATIC.iterdir() if path.suffix in MEDIA_TYPES}
MOST_BYTES = 2**16  # of a body
PATIENCE = 0.8  # seconds that an answer waits for a program


def make_app(programs: AgentLoader, component_sets: ComponentSets, folder: Path, token: str, url: str = "") -> Guard:
    """The application. `folder`: where saved games lie; `url`: where a proxy shows the page, if one does."""
    routes = Routes(programs, component_sets, folder)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        routes.sessions.stop()

    handlers = {HTTPException: _http_error, InternalFault: _fault, RfopError: _rfop_error, Exception: _fault}
    return Guard(Starlette(routes=routes.table(), exception_handlers=handlers, lifespan=lifespan), token, url)


class Routes:
    """The answer to each request."""

    def __init__(self, programs: AgentLoader, component_sets: ComponentSets, folder: Path) -> None:
        self.sessions = Sessions()
        self._programs, self._component_sets, self._folder = programs, component_sets, folder
        self._moves: set[asyncio.Task[None]] = set()  # programs that think longer than an answer waits

    def table(self) -> list[Route]:
        """Paths and functions."""
        game = "/api/games/{id}"
        gets = {
            "/": self.page,
            "/static/{name}": self.file,
            "/api/menu": self.menu,
            game: self.state,
            f"{game}/cards": self.cards,
            f"{game}/moments/{{number:int}}": self.moment,
        }
        posts = {"/api/games": self.new, "/api/load": self.load}
        posts |= {
            f"{game}/{answer.__name__}": answer
            for answer in (
                self.act,
                self.move,
                self.stop,
                self.undo,
                self.reveal,
                self.fork,
                self.close,
                self.save,
                self.replay,
                self.hint,
                self.value,
            )
        }
        return [
            *(Route(path, answer, methods=["GET"]) for path, answer in gets.items()),
            *(Route(path, answer, methods=["POST"]) for path, answer in posts.items()),
        ]

    # -- files -----------------------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        """The page."""
        return FileResponse(STATIC / PAGE, media_type="text/html")

    async def file(self, request: Request) -> Response:
        """One of its files."""
        path = FILES.get(request.path_params["name"])
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type=MEDIA_TYPES[path.suffix])

    # -- games -----------------------------------------------------------------------------------------------------

    async def menu(self, request: Request) -> Response:
        """The games that can be played, those that are open, and those that are saved."""
        return JSONResponse(await run_in_threadpool(self._menu))

    def _menu(self) -> dict[str, Any]:
        games = []
        for entry in entries():
            game = get_game(entry.id)
            options = [{"name": o.name, "values": o.values, "meaning": o.meaning} for o in game.options]
            sets = [{"name": cards.name, "digest": cards.digest} for cards in self._component_sets.of(entry.id)]
            games.append(
                {
                    "id": entry.id,
                    "title": entry.title,
                    "players": entry.players,
                    "options": options,
                    "seats": list(game.spec.seats),
                    "programs": self._programs.names(game),
                    "components": sets,
                }
            )
        sessions = [view.session_summary(session) for session in self.sessions.newest()]
        return {"games": games, "open": sessions, "saved": saves.saved_names(self._folder)}

    async def new(self, request: Request) -> Response:
        """A new game."""
        body = await _read(request, protocol.NewGame)

        def begin() -> Session:
            game, digest = get_game(body.game), body.components
            components = None if digest is None else self._component_sets.by_digest(game.id, digest)
            seed = None if body.seed is None else int(body.seed)
            return Session(game, body.seats, self._programs, options=body.options, components=components, seed=seed)

        return await self._open(begin)

    async def load(self, request: Request) -> Response:
        """A saved game, from the server's folder or from the text of a file."""
        body = await _read(request, protocol.LoadGame)

        def load() -> Session:
            text = saves.read_saved(self._folder, body.name) if body.name is not None else body.text
            return saves.load(text or "", self._programs, self._component_sets, body.seats)

        return await self._open(load)

    async def fork(self, request: Request) -> Response:
        """A new game from a moment of this one."""
        body, session = await _read(request, protocol.Fork), self._session(request)
        return await self._open(lambda: session.fork(body.moment, session.rotation if body.swap else None))

    async def close(self, request: Request) -> Response:
        """The end of a game that nobody wants to keep."""
        await _read(request, protocol.Nothing)
        self.sessions.close(request.path_params["id"])
        return JSONResponse({})

    async def _open(self, make: Callable[[], Session]) -> Response:
        return await self._state(await run_in_threadpool(self.sessions.open, make))

    # -- looking ---------------------------------------------------------------------------------------------------

    async def state(self, request: Request) -> Response:
        """The present position."""
        session = self._session(request)
        if _query(request, "known") == session.version:
            return JSONResponse({"version": session.version, "thinking": session.thinking})
        return await self._state(session, _query(request, "looking"))

    async def cards(self, request: Request) -> Response:
        """All cards."""
        return JSONResponse(await run_in_threadpool(card_texts, self._session(request).batch.components))

    async def moment(self, request: Request) -> Response:
        """A moment of the past."""
        session, looking = self._session(request), _query(request, "looking")
        return JSONResponse(await run_in_threadpool(view.moment_view, session, request.path_params["number"], looking))

    # -- playing ---------------------------------------------------------------------------------------------------

    async def act(self, request: Request) -> Response:
        """The person's decision."""
        body = await _read(request, protocol.TakeAction)
        return await self._change(request, lambda session: session.act(body.version, body.action))

    async def undo(self, request: Request) -> Response:
        """The person's last decision taken back."""
        body = await _read(request, protocol.Change)
        return await self._change(request, lambda session: session.undo(body.version))

    async def reveal(self, request: Request) -> Response:
        """The curtain lifted."""
        body = await _read(request, protocol.Change)
        return await self._change(request, lambda session: session.reveal(body.version))

    async def move(self, request: Request) -> Response:
        """A program's decision: waited for a little, and then left to think."""
        body, session = await _read(request, protocol.Change), self._session(request)
        task = asyncio.create_task(run_in_threadpool(session.move, body.version))
        self._moves.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        error = next((task.exception() for task in done), None)
        if isinstance(error, refusals.Conflict):
            return await self._conflict(session, error)
        if error is not None and not isinstance(error, refusals.ProgramFailed):  # that stands in the state's `problem`
            raise error
        return await self._state(session)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._moves.discard(task)
        if not task.cancelled():
            task.exception()  # it stands in the session's `problem`

    async def stop(self, request: Request) -> Response:
        """An end to thinking."""
        await _read(request, protocol.Nothing)
        self._session(request).stop()
        return JSONResponse({})

    async def save(self, request: Request) -> Response:
        """The position into a file."""
        return await self._write(request, saves.save)

    async def replay(self, request: Request) -> Response:
        """The game so far into a file."""
        return await self._write(request, saves.save_replay)

    async def _write(self, request: Request, write: Callable[[Session, Path, str], str]) -> Response:
        body = await _read(request, protocol.FileName)
        return JSONResponse({"path": await run_in_threadpool(write, self._session(request), self._folder, body.name)})

    async def hint(self, request: Request) -> Response:
        """A program's thoughts on the person's decision."""
        body, session = await _read(request, protocol.HintQuestion), self._session(request)
        try:
            return JSONResponse(await run_in_threadpool(view.hint_view, session, body.version, body.program))
        except refusals.Conflict as error:
            return await self._conflict(session, error)

    async def value(self, request: Request) -> Response:
        """The return that a program expects at a moment."""
        body, session = await _read(request, protocol.ValueQuestion), self._session(request)
        seat, value = await run_in_threadpool(session.value, body.moment, body.program)
        return JSONResponse({"moment": body.moment, "seat": seat, "value": round(value, 4)})

    # -- what these share ------------------------------------------------------------------------------------------

    def _session(self, request: Request) -> Session:
        return self.sessions.get(request.path_params["id"])

    async def _change(self, request: Request, change: Callable[[Session], None]) -> Response:
        """Carry out a change; an outdated one is answered with the present state."""
        session = self._session(request)
        try:
            await run_in_threadpool(change, session)
        except refusals.Conflict as error:
            return await self._conflict(session, error)
        return await self._state(session)

    async def _state(self, session: Session, looking: int | None = None) -> Response:
        return JSONResponse(await run_in_threadpool(view.session_state, session, looking))

    async def _conflict(self, session: Session, error: refusals.Conflict) -> Response:
        state = await run_in_threadpool(view.session_state, session)
        return JSONResponse({"error": str(error), "state": state}, refusals.Conflict.status)


# -- requests ----------------------------------------------------------------------------------------------------------


async def _read(request: Request, kind: type[T]) -> T:
    """The message in a request's body, as long as it is not too long; what is left of a longer one is not read."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise refusals.WrongKind("expected Content-Type: application/json")
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BYTES:
            raise refusals.TooLarge(f"a request has at most {MOST_BYTES:,} bytes")
    return protocol.read_message(kind, data)


def _query(request: Request, name: str) -> int | None:
    """A number from 0 in the address."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise refusals.Refused(f"{name}: expected a number from 0, found {shown(text, 40)}")
    return int(text)


# -- errors ------------------------------------------------------------------------------------------------------------


async def _rfop_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RfopError)
    return error_response(request.url.path, printable(str(error)), getattr(error, "status", refusals.Refused.status))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = f"{request.method} {printable(request.url.path, 80)}: {error.detail}"
    return error_response(request.url.path, words, error.status_code)


async def _fault(request: Request, error: Exception) -> Response:
    """A bug: a sentence in the browser; the server logs it in full."""
    if isinstance(error, InternalFault):  # its words may hold the seed; Starlette logs others by itself
        traceback.print_exception(error)
    return JSONResponse({"error": "internal error; the terminal of 'rfop serve' says more"}, 500)
