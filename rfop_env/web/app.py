"""The server's routes and checks.

Protocol
--------
The page is `GET /?token=TOKEN`, its files are `GET /static/NAME`. Everything below `/api/` is JSON. Requests carry the
token in the header `X-Token`. A POST has an object as its body, `Content-Type: application/json`, and at most 64 KiB.
An error is `{"error": SENTENCE}` with a status of 400 or more. A change of an outdated version gets 409 and the present
state besides: `{"error", "state"}`.

=====  =================================  =====================================================================
GET    /api/menu                          {games, open, saved}: environments with options, seats, programs and
                                          component sets; games that are open; names of saved ones
POST   /api/games                         {game, options, seats, seed?, components?} -> state. seats: "person" or a
                                          program's name each; seed: digits; components: a set's digest
POST   /api/load                          {name | text, seats?} -> state. A saved game, or a position file's text
GET    /api/games/ID?looking&known        state; {version, thinking} alone if `known` is the present version
GET    /api/games/ID/cards                {NUMBER: {title, does, provenance}}
GET    /api/games/ID/moments/K?looking    {moment, svg, lines}: moment K as the looking seat saw it
POST   /api/games/ID/act                  {version, action} -> state. The person's decision
POST   /api/games/ID/move                 {version} -> state. A program decides; if it takes longer than `PATIENCE`,
                                          the answer is the state with `thinking`
POST   /api/games/ID/stop                 {} -> {}. Programs at work here come to an end
POST   /api/games/ID/undo                 {version} -> state
POST   /api/games/ID/reveal               {version} -> state. The curtain is lifted
POST   /api/games/ID/fork                 {moment, swap} -> state of a new game from there
POST   /api/games/ID/close                {} -> {}. The game is given up
POST   /api/games/ID/save                 {name} -> {path}. The position into a file
POST   /api/games/ID/replay               {name} -> {path}. The game so far into a file
POST   /api/games/ID/hint                 {version, program} -> {program, value, best: [action]}; an action of a hint
                                          has visits, value and prob, null where the program has no such figure
POST   /api/games/ID/value                {moment, program} -> {moment, seat, value}
=====  =================================  =====================================================================

A state has: id, version (rises with every change), game, title, options, seats [{name, player}], decider (seat, -1 once
it is over), viewer (the seat whose view this is, or null), free (the page may choose the seat by `looking`), curtain
(the seat whose person has to come to the page, or null), secrets_of (the seat whose secrets this state holds, or null;
whatever was made for another seat has to go), asks (the person here decides), thinking (a program's name or null),
problem (why a program could not decide), over, result, seed (digits; null before the end), moment (the newest one's
number), deciders [seat of each moment], svg, actions [{id, kind, label, sentence, card}] and log [[sentence] of each
moment].
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfop_env.agent_names import PERSON
from rfop_env.component_files import ComponentSets
from rfop_env.core.errors import InternalFault, RfopError, printable, shown
from rfop_env.core.game import Game
from rfop_env.players import Programs
from rfop_env.registry import entries, get_game
from rfop_env.web import saves
from rfop_env.web.refusals import LONGEST_NAME, Conflict, NotAllowed, ProgramFailed, Refused, TooLarge, WrongKind
from rfop_env.web.session import Session, Sessions
from rfop_env.web.view import cards_of, hint_of, moment_of, state_of, summary_of

STATIC = Path(__file__).parent / "static"
PAGE, FILES = "index.html", {"page.js": "text/javascript", "board.js": "text/javascript", "page.css": "text/css"}
MOST_BYTES = 2**16  # of a body
PATIENCE = 0.8  # seconds that an answer waits for a program
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
LOCAL_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
REFUSAL = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>rfop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="static/page.css">
<main><p role="alert">{words}</p></main>
</html>
"""


class Guard:
    """Lets a request through only from the page itself: right host, right origin, right token.

    The host keeps out other names for this machine (DNS rebinding), the origin other pages in the same browser, the
    token other users of this machine. Any port will do, since the page may be reached through a forwarded one. `url`:
    where a proxy shows the page, whose host and origin are then right as well; empty: there is none.
    """

    def __init__(self, app: ASGIApp, token: str, url: str = "") -> None:
        self._app, self._token = app, token
        proxy = urlsplit(url)
        self._proxy_host, self._proxy_origin = proxy.netloc.lower(), f"{proxy.scheme}://{proxy.netloc}".lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with the headers that every answer gets; refuse with 403."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there is nothing to connect to

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    *((k.lower().encode(), v.encode()) for k, v in HEADERS.items()),
                ]
            await send(message)

        problem = self._problem(scope, Headers(scope=scope))
        app = self._app if problem is None else _error_response(scope["path"], problem, NotAllowed.status)
        await app(scope, receive, send_guarded)

    def _problem(self, scope: Scope, headers: Headers) -> str | None:
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        reads = scope["method"] in ("GET", "HEAD")
        if LOCAL_HOST.fullmatch(host) is None and (not host or host != self._proxy_host):
            return (
                "this server answers to 127.0.0.1 and localhost alone, at any port: open the link that it printed, "
                "or name the address of a proxy in 'rfop serve --url ADDRESS'"
            )
        foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        click = reads and scope["path"] == "/" and headers.get("sec-fetch-dest") == "document"  # a click on a link
        if origin not in (None, f"http://{host}", self._proxy_origin) or (foreign and not click):
            return "requests come from this server's own page alone: open the link that 'rfop serve' printed"
        if not reads and origin is None:
            return "a change needs the page's Origin: open the link that 'rfop serve' printed"
        if scope["path"].startswith("/static/"):
            return None  # the same for everybody
        query = parse_qs(scope["query_string"].decode("latin-1")) if scope["path"] == "/" else {}
        token = headers.get("x-token", query.get("token", [""])[0])
        if not secrets.compare_digest(token.encode(), self._token.encode()):
            return (
                "the token is wrong or missing: open the link that 'rfop serve' printed in its terminal; each start of "
                "the server has a new one"
            )
        return None


def make_app(programs: Programs, component_sets: ComponentSets, folder: Path, token: str, url: str = "") -> Guard:
    """The application. `folder`: where saved games lie; `url`: where a proxy shows the page, if one does."""
    routes = Routes(programs, component_sets, folder)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        routes.sessions.stop()

    handlers = {HTTPException: _http_error, InternalFault: _fault, RfopError: _rfop_error, Exception: _fault}
    return Guard(Starlette(routes=routes.table(), exception_handlers=handlers, lifespan=lifespan), token, url)


class Routes:
    """What answers each request."""

    def __init__(self, programs: Programs, component_sets: ComponentSets, folder: Path) -> None:
        self.sessions = Sessions()
        self._programs, self._component_sets, self._folder = programs, component_sets, folder
        self._moves: set[asyncio.Task[None]] = set()  # programs that think longer than an answer waits

    def table(self) -> list[Route]:
        """Paths and functions."""
        game = "/api/games/{id}"
        posts: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/api/games": self.new,
            "/api/load": self.load,
            f"{game}/act": self.act,
            f"{game}/move": self.move,
            f"{game}/stop": self.stop,
            f"{game}/undo": self.undo,
            f"{game}/reveal": self.reveal,
            f"{game}/fork": self.fork,
            f"{game}/close": self.close,
            f"{game}/save": self.save,
            f"{game}/replay": self.replay,
            f"{game}/hint": self.hint,
            f"{game}/value": self.value,
        }
        gets: dict[str, Callable[[Request], Awaitable[Response]]] = {
            "/": self.page,
            "/static/{name}": self.file,
            "/api/menu": self.menu,
            game: self.state,
            f"{game}/cards": self.cards,
            f"{game}/moments/{{number:int}}": self.moment,
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
        name = request.path_params["name"]
        if name not in FILES:
            raise HTTPException(404)
        return FileResponse(STATIC / name, media_type=FILES[name])

    # -- games -----------------------------------------------------------------------------------------------------

    async def menu(self, request: Request) -> Response:
        """What can be played, and what is there to go on with."""
        return JSONResponse(await run_in_threadpool(self._menu))

    def _menu(self) -> dict[str, Any]:
        games = []
        for entry in entries():
            game = get_game(entry.id)
            options = [{"name": o.name, "values": o.values, "meaning": o.meaning} for o in game.options]
            games.append(
                {
                    "id": entry.id,
                    "title": entry.title,
                    "players": entry.players,
                    "options": options,
                    "seats": list(game.spec.seats),
                    "programs": self._programs.names(game),
                    "components": [
                        {"name": found.name, "digest": found.digest} for found in self._component_sets.of(entry.id)
                    ],
                }
            )
        running = [summary_of(session) for session in self.sessions.newest()]
        return {"games": games, "open": running, "saved": saves.listed(self._folder)}

    async def new(self, request: Request) -> Response:
        """A new game."""
        body = await _body(request, game=str, options=dict, seats=list, seed=(str, None), components=(str, None))
        return await self._opened(lambda: self._new(body))

    def _new(self, body: dict[str, Any]) -> Session:
        for name, value in body["options"].items():
            if not isinstance(value, str) or len(name) + len(value) > LONGEST_NAME:
                raise Refused(f"options: expected texts by name, found {shown({name: value}, 80)}")
        seed = body["seed"]
        if seed is not None and not (seed.isascii() and seed.isdigit() and len(seed) <= 20):
            raise Refused(f"seed: expected up to 20 digits, found {shown(seed, 40)}")
        game, seats = get_game(body["game"]), _names(body["seats"])
        return Session(
            game, seats, self._programs, options=body["options"], components=self._chosen_set(game, body["components"]),
            seed=None if seed is None else int(seed),
        )  # fmt: skip

    def _chosen_set(self, game: Game, digest: str | None) -> Any:
        """The component set with a digest; None, which is the shipped one, where none is named."""
        return None if digest is None else self._component_sets.by_digest(game.id, digest)

    async def load(self, request: Request) -> Response:
        """A saved game, from the server's folder or from the text of a file."""
        body = await _body(request, name=(str, None), text=(str, None), seats=(list, None))
        if (body["name"] is None) == (body["text"] is None):
            raise Refused("load: expected either the name of a saved game or the text of a file")
        seats = None if body["seats"] is None else _names(body["seats"])

        def loaded() -> Session:
            text = body["text"] if body["name"] is None else saves.text_of(self._folder, body["name"])
            return saves.load(text, self._programs, self._component_sets, seats)

        return await self._opened(loaded)

    async def _opened(self, make: Callable[[], Session]) -> Response:
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
        return JSONResponse(await run_in_threadpool(cards_of, self._session(request)))

    async def moment(self, request: Request) -> Response:
        """A moment of the past."""
        session, looking = self._session(request), _query(request, "looking")
        return JSONResponse(await run_in_threadpool(moment_of, session, request.path_params["number"], looking))

    # -- playing ---------------------------------------------------------------------------------------------------

    async def act(self, request: Request) -> Response:
        """The person's decision."""
        body = await _body(request, version=int, action=int)
        return await self._change(request, lambda session: session.act(body["version"], body["action"]))

    async def move(self, request: Request) -> Response:
        """A program's decision: waited for a little, and then left to think."""
        body = await _body(request, version=int)
        session = self._session(request)
        task = asyncio.create_task(run_in_threadpool(session.move, body["version"]))
        self._moves.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        error = next((t.exception() for t in done), None)
        if isinstance(error, Conflict):
            return await self._conflict(session, error)
        if error is not None and not isinstance(error, ProgramFailed):  # that stands in the state's `problem`
            raise error
        return await self._state(session)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._moves.discard(task)
        if not task.cancelled():
            task.exception()  # it stands in the session's `problem`

    async def stop(self, request: Request) -> Response:
        """An end to thinking."""
        await _body(request)
        self._session(request).stop()
        return JSONResponse({})

    async def undo(self, request: Request) -> Response:
        """The person's last decision taken back."""
        body = await _body(request, version=int)
        return await self._change(request, lambda session: session.undo(body["version"]))

    async def reveal(self, request: Request) -> Response:
        """The curtain lifted."""
        body = await _body(request, version=int)
        return await self._change(request, lambda session: session.reveal(body["version"]))

    async def fork(self, request: Request) -> Response:
        """A new game from a moment of this one."""
        body = await _body(request, moment=int, swap=bool)
        session = self._session(request)
        return await self._opened(lambda: session.fork(body["moment"], session.rotation if body["swap"] else None))

    async def close(self, request: Request) -> Response:
        """The end of a game that nobody wants to keep."""
        await _body(request)
        self.sessions.close(request.path_params["id"])
        return JSONResponse({})

    async def save(self, request: Request) -> Response:
        """The position into a file."""
        body = await _body(request, name=str)
        path = await run_in_threadpool(saves.save, self._session(request), self._folder, body["name"])
        return JSONResponse({"path": path})

    async def replay(self, request: Request) -> Response:
        """The game so far into a file."""
        body = await _body(request, name=str)
        path = await run_in_threadpool(saves.save_replay, self._session(request), self._folder, body["name"])
        return JSONResponse({"path": path})

    async def hint(self, request: Request) -> Response:
        """What a program thinks of the person's decision."""
        body = await _body(request, version=int, program=str)
        session, name = self._session(request), _names([body["program"]])[0]
        try:
            return JSONResponse(await run_in_threadpool(hint_of, session, body["version"], name))
        except Conflict as error:
            return await self._conflict(session, error)

    async def value(self, request: Request) -> Response:
        """What a program expects of a moment."""
        body = await _body(request, moment=int, program=str)
        session, name = self._session(request), _names([body["program"]])[0]
        seat, value = await run_in_threadpool(session.value, body["moment"], name)
        return JSONResponse({"moment": body["moment"], "seat": seat, "value": round(value, 4)})

    # -- what these share ------------------------------------------------------------------------------------------

    def _session(self, request: Request) -> Session:
        return self.sessions.get(request.path_params["id"])

    async def _change(self, request: Request, change: Callable[[Session], None]) -> Response:
        """Carry out a change; an outdated one is answered with the present state."""
        session = self._session(request)
        try:
            await run_in_threadpool(change, session)
        except Conflict as error:
            return await self._conflict(session, error)
        return await self._state(session)

    async def _state(self, session: Session, looking: int | None = None) -> Response:
        return JSONResponse(await run_in_threadpool(state_of, session, looking))

    async def _conflict(self, session: Session, error: Conflict) -> Response:
        state = await run_in_threadpool(state_of, session)
        return JSONResponse({"error": str(error), "state": state}, Conflict.status)


# -- requests ----------------------------------------------------------------------------------------------------------


async def _body(request: Request, **fields: Any) -> dict[str, Any]:
    """The JSON object of a request. `fields`: a type for each name, or (type, default) where it may be left out."""
    found = _parsed(await _bytes(request))
    unknown = sorted(set(found) - set(fields))
    if unknown:
        raise Refused(f"unknown field {shown(unknown[0], 60)}; known: {', '.join(fields) or 'none'}")
    return {name: _field(name, found, wanted) for name, wanted in fields.items()}


async def _bytes(request: Request) -> bytes:
    """The body, as long as it is not too long; what is left of a longer one is not read."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise WrongKind("expected Content-Type: application/json")
    data = b""
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_BYTES:
            raise TooLarge(f"a request has at most {MOST_BYTES:,} bytes")
    return data


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):  # numbers and lists without end, too
        found = None
    if not isinstance(found, dict):
        raise Refused("expected a JSON object")
    return found


def _field(name: str, found: dict[str, Any], wanted: Any) -> Any:
    kind = wanted[0] if isinstance(wanted, tuple) else wanted
    value = found.get(name)
    if value is None and isinstance(wanted, tuple):
        return wanted[1]
    if type(value) is not kind:  # not isinstance: true is an int in Python
        raise Refused(f"{name}: expected {kind.__name__}, found {shown(value, 80)}")
    return value


def _names(given: list[Any]) -> list[str]:
    """Names of people and programs."""
    for name in given:
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise Refused(f"expected {PERSON!r} or a program's name, found {shown(name, 80)}")
    return given


def _query(request: Request, name: str) -> int | None:
    """A number from 0 in the address."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise Refused(f"{name}: expected a number from 0, found {shown(text, 40)}")
    return int(text)


# -- errors ------------------------------------------------------------------------------------------------------------


def _error_response(path: str, words: str, status: int) -> Response:
    """One sentence: for the page as JSON, for a person at any other address as a page of its own."""
    if path.startswith("/api/"):
        return JSONResponse({"error": words}, status)
    return HTMLResponse(REFUSAL.format(words=escape(f"{words[:1].upper()}{words[1:]}.")), status)


async def _rfop_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RfopError)
    return _error_response(request.url.path, printable(str(error)), getattr(error, "status", Refused.status))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = f"{request.method} {printable(request.url.path, 80)}: {error.detail}"
    return _error_response(request.url.path, words, error.status_code)


async def _fault(request: Request, error: Exception) -> Response:
    """A bug: a sentence in the browser; the server logs it in full."""
    if isinstance(error, InternalFault):  # its words may hold the seed; Starlette logs others by itself
        traceback.print_exception(error)
    return JSONResponse({"error": "internal error; the terminal of 'rfop serve' says more"}, 500)
