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
from rfop_env.core.game import Game
from rfop_env.drawing.palette import Look
from rfop_env.game_setup import ComponentSets
from rfop_env.players import AgentLoader
from rfop_env.registry import entries, get_game
from rfop_env.seat_view import card_texts
from rfop_env.web import protocol, refusals, saves, view
from rfop_env.web.guard import GUEST_PATHS, Guard, error_response
from rfop_env.web.guide import game_guide
from rfop_env.web.puzzles import puzzles_of
from rfop_env.web.session import Session
from rfop_env.web.sessions import Sessions
from rfop_env.web.study import Participants, Study

T = TypeVar("T")

STATIC = Path(__file__).parent / "static"
PAGE = "index.html"
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}
FILES = {path.name: path for path in STATIC.iterdir() if path.suffix in MEDIA_TYPES}
MOST_BYTES = 2**16  # of a body
MOST_LOADED = 2**20  # of one that holds a file
PATIENCE = 0.8  # seconds that an answer waits for a program


def make_app(
    programs: AgentLoader,
    component_sets: ComponentSets,
    folder: Path,
    token: str,
    url: str = "",
    address: str | None = None,
    study: tuple[Study, str] | None = None,
) -> Guard:
    """The application. `folder`: where saved and open games lie; `url`: where a proxy shows the page, if one does.

    `address`: where other machines reach it without a proxy; None: they do not. `study`: one for whose participants
    alone the page is, with the text of its configuration. Raises `BadStudy` where the folder is another one's.
    """
    routes = Routes(programs, component_sets, folder, url or address, study)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        routes.sessions.stop()

    handlers = {HTTPException: _http_error, InternalFault: _fault, RfopError: _rfop_error, Exception: _fault}
    app = Starlette(routes=routes.table(), exception_handlers=handlers, lifespan=lifespan)
    paths, guest_paths = ".*", GUEST_PATHS
    if study is not None:
        paths, guest_paths = "/|/api/study/(enter|answer)", _participant_paths(study[0])
    return Guard(app, token, routes.sessions.guest, url, address is not None, paths, guest_paths)


def _participant_paths(study: Study) -> str:
    """What a participant may ask of a game."""
    paths = GUEST_PATHS if study.hints else GUEST_PATHS.replace("|/hint|/value", "")
    return paths if study.undo else paths.replace("|/undo", "")


class Routes:
    """The answer to each request."""

    def __init__(
        self,
        programs: AgentLoader,
        component_sets: ComponentSets,
        folder: Path,
        address: str | None,
        study: tuple[Study, str] | None = None,
    ) -> None:
        self.sessions = Sessions(folder, programs, component_sets)
        self._programs, self._component_sets, self._folder = programs, component_sets, folder
        self._address = address
        self._participants: Participants | None = None
        if study is not None:
            self.sessions.prepares = study[0].hints
            self._participants = Participants(*study, folder, self.sessions, self._new_session)
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
            f"{game}/guide": self.guide,
            f"{game}/reviews": self.reviews,
            f"{game}/moments/{{number:int}}": self.moment,
        }

        posts = {"/api/games": self.new, "/api/load": self.load, "/api/puzzles": self.puzzle}
        if self._participants is not None:
            posts |= {"/api/study/enter": self.enter, "/api/study/answer": self.answer}
        posts |= {
            f"{game}/{answer.__name__}": answer
            for answer in (
                self.act,
                self.move,
                self.stop,
                self.undo,
                self.reveal,
                self.fork,
                self.again,
                self.close,
                self.invite,
                self.save,
                self.replay,
                self.hint,
                self.value,
                self.review,
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
        return JSONResponse(await run_in_threadpool(self._menu, request.scope.get("guest_game")))

    def _menu(self, guest: str | None) -> dict[str, Any]:
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
                    "puzzles": len(puzzles_of(entry.id)),
                    "programs": self._programs.names(game),
                    "levels": view.level_rows(game),
                    "components": sets,
                }
            )
        if guest is not None:
            study = self._participants and self._participants.study
            aids = {"hints": not study or study.hints, "undo": not study or study.undo}
            return {"games": games, "open": [], "saved": [], "guest": guest, "aids": aids}
        saved = saves.saved_names(self._folder)
        return {"games": games, "open": self.sessions.newest(), "saved": saved, "guest": None}

    async def new(self, request: Request) -> Response:
        """A new game."""
        body = await _read(request, protocol.NewGame)

        def begin() -> Session:
            game, digest = get_game(body.game), body.components
            components = None if digest is None else self._component_sets.by_digest(game.id, digest)
            seed = None if body.seed is None else int(body.seed)
            return Session(game, body.seats, self._programs, options=body.options, components=components, seed=seed)

        return await self._open(request, begin)

    def _new_session(self, game: Game, seats: list[str], **settings: Any) -> Session:
        return Session(game, seats, self._programs, **settings)

    async def enter(self, request: Request) -> Response:
        """A participant comes to a study."""
        body = await _read(request, protocol.Enter)
        assert self._participants is not None, "the route is there with a study"
        return JSONResponse(await run_in_threadpool(self._participants.enter, body.code))

    async def answer(self, request: Request) -> Response:
        """The answers of a participant."""
        body = await _read(request, protocol.StepAnswers)
        assert self._participants is not None, "the route is there with a study"
        step = await run_in_threadpool(self._participants.answer, body.code, body.consent, body.answers)
        return JSONResponse(step)

    async def load(self, request: Request) -> Response:
        """A saved game, from the server's folder or from the text of a file."""
        body = await _read(request, protocol.LoadGame, MOST_LOADED)

        def load() -> Session:
            text = saves.read_saved(self._folder, body.name) if body.name is not None else body.text
            return saves.load(text or "", self._programs, self._component_sets, body.seats)

        return await self._open(request, load)

    async def puzzle(self, request: Request) -> Response:
        """A shipped puzzle."""
        body = await _read(request, protocol.OpenPuzzle)

        def make() -> Session:
            return saves.load_puzzle(body.game, body.number, self._programs, self._component_sets)

        return await self._open(request, make)

    async def fork(self, request: Request) -> Response:
        """A new game from a moment of this one."""
        body, session = await _read(request, protocol.Fork), await self._session(request)
        return await self._open(
            request, lambda: session.fork(body.moment, session.rotation if body.swap else body.seats)
        )

    async def again(self, request: Request) -> Response:
        """A new game of the same kind."""
        body, session = await _read(request, protocol.Again), await self._session(request)
        return await self._open(request, lambda: session.again(body.swap))

    async def close(self, request: Request) -> Response:
        """The end of a game that nobody wants to keep."""
        await _read(request, protocol.Nothing)
        await run_in_threadpool(self.sessions.close, request.path_params["id"])
        return JSONResponse({})

    async def invite(self, request: Request) -> Response:
        """A seat for a guest, at a page of its own."""
        body, session = await _read(request, protocol.Invitation), await self._session(request)
        token = await run_in_threadpool(session.invite, body.seat)
        return JSONResponse({"token": token, "address": self._address or None})

    async def _open(self, request: Request, make: Callable[[], Session]) -> Response:
        return await self._state(request, await run_in_threadpool(self.sessions.open, make))

    # -- looking ---------------------------------------------------------------------------------------------------

    async def state(self, request: Request) -> Response:
        """The present position."""
        session = await self._session(request)
        if _query(request, "known") == session.version:
            return JSONResponse({"version": session.version, "thinking": session.thinking})
        return await self._state(request, session, _query(request, "looking"))

    async def cards(self, request: Request) -> Response:
        """All cards."""
        return JSONResponse(await run_in_threadpool(card_texts, (await self._session(request)).batch.components))

    async def guide(self, request: Request) -> Response:
        """The rules in brief, the symbols of the drawing, and the hints of a first game."""
        return JSONResponse(await run_in_threadpool(game_guide, (await self._session(request)).game))

    async def moment(self, request: Request) -> Response:
        """A moment of the past."""
        session, looking, guest = await self._session(request), _query(request, "looking"), _guest(request)
        number, look = request.path_params["number"], _look(request)

        def moment() -> dict[str, Any]:
            with session.at(guest):
                return view.moment_view(session, number, looking, look)

        return JSONResponse(await run_in_threadpool(moment))

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
        body, session = await _read(request, protocol.Change), await self._session(request)
        task = asyncio.create_task(run_in_threadpool(session.move, body.version))
        self._moves.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        error = next((task.exception() for task in done), None)
        if isinstance(error, refusals.Conflict):
            return await self._conflict(request, session, error)
        if error is not None and not isinstance(error, refusals.ProgramFailed):  # that stands in the state's `problem`
            raise error
        return await self._state(request, session)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._moves.discard(task)
        if not task.cancelled():
            task.exception()  # it stands in the session's `problem`

    async def stop(self, request: Request) -> Response:
        """An end to thinking."""
        await _read(request, protocol.Nothing)
        (await self._session(request)).stop()
        return JSONResponse({})

    async def save(self, request: Request) -> Response:
        """The position into a file."""
        return await self._write(request, saves.save)

    async def replay(self, request: Request) -> Response:
        """The game so far into a file."""
        return await self._write(request, saves.save_replay)

    async def _write(self, request: Request, write: Callable[[Session, Path, str], str]) -> Response:
        body = await _read(request, protocol.FileName)
        session = await self._session(request)
        return JSONResponse({"path": await run_in_threadpool(write, session, self._folder, body.name)})

    async def hint(self, request: Request) -> Response:
        """A program's thoughts on the person's decision."""
        body, guest = await _read(request, protocol.HintQuestion), _guest(request)
        session = await self._session(request)
        try:
            return JSONResponse(await run_in_threadpool(view.hint_view, session, body.version, body.program, guest))
        except refusals.Conflict as error:
            return await self._conflict(request, session, error)

    async def value(self, request: Request) -> Response:
        """The return that a program expects at a moment."""
        body, session = await _read(request, protocol.MomentQuestion), await self._session(request)
        seat, value = await run_in_threadpool(session.value, body.moment, body.program, _guest(request))
        return JSONResponse({"moment": body.moment, "seat": seat, "value": round(value, 4)})

    async def review(self, request: Request) -> Response:
        """What a decision was worth by a program."""
        body, session = await _read(request, protocol.MomentQuestion), await self._session(request)
        row = await run_in_threadpool(view.review_view, session, body.moment, body.program, _guest(request))
        return JSONResponse(row)

    async def reviews(self, request: Request) -> Response:
        """What the decisions of a game that is over were worth."""
        return JSONResponse(await run_in_threadpool(view.review_rows, await self._session(request)))

    # -- what these share ------------------------------------------------------------------------------------------

    async def _session(self, request: Request) -> Session:
        return await run_in_threadpool(self.sessions.get, request.path_params["id"])

    async def _change(self, request: Request, change: Callable[[Session], None]) -> Response:
        """Carry out a change; an outdated one is answered with the present state."""
        session, guest = await self._session(request), _guest(request)

        def carry_out() -> None:
            with session.at(guest):
                change(session)

        try:
            await run_in_threadpool(carry_out)
        except refusals.Conflict as error:
            return await self._conflict(request, session, error)
        return await self._state(request, session)

    async def _state(self, request: Request, session: Session, looking: int | None = None) -> Response:
        guest, look = _guest(request), _look(request)
        return JSONResponse(await run_in_threadpool(_seen_state, session, guest, looking, look))

    async def _conflict(self, request: Request, session: Session, error: refusals.Conflict) -> Response:
        state = await run_in_threadpool(_seen_state, session, _guest(request), None, _look(request))
        return JSONResponse({"error": str(error), "state": state}, refusals.Conflict.status)


def _seen_state(session: Session, guest: int | None, looking: int | None, look: Look) -> dict[str, Any]:
    """The state as a guest sees it, or the page of the game itself."""
    with session.at(guest):
        return view.session_state(session, looking, look)


# -- requests ----------------------------------------------------------------------------------------------------------


async def _read(request: Request, kind: type[T], limit: int = MOST_BYTES) -> T:
    """The message in a request's body, as long as it is not too long; what is left of a longer one is not read."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise refusals.WrongKind("expected Content-Type: application/json")
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > limit:
            raise refusals.TooLarge(f"a request has at most {limit:,} bytes")
    return protocol.read_message(kind, data)


def _guest(request: Request) -> int | None:
    """The seat of the guest who asks; None: the page of the game itself. The guard has set it."""
    guest: int | None = request.scope["guest"]
    return guest


def _look(request: Request) -> Look:
    """The layout and the palette of pictures in the answer."""
    return view.read_look(request.query_params.get("layout"), request.query_params.get("palette"))


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
