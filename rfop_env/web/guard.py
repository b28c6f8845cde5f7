"""The guard of the server: lets a request through only from the page itself, and adds the headers of every answer."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from html import escape
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfop_env.web.refusals import NotAllowed

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
RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
# What a guest may ask, with the id of the game.
GUEST_PATHS = r"/|/api/menu|/api/games/{id}(/cards|/guide|/moments/\d+|/reviews|/act|/move|/stop|/undo|/hint|/value)?"
LOCAL_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
NUMBERED_HOST = re.compile(r"(\d{1,3}(\.\d{1,3}){3}|\[[\da-f:.]+\])(:\d{1,5})?")
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
    token other users of this machine. Any port will do, since the page may be reached through a forwarded one.
    `url`: where a proxy shows the page, whose host and origin are then right as well; empty: there is none.
    `everywhere`: the server listens at other addresses than this machine's own, so that a host may be any address
    in numbers, which is nobody's name. `paths`: what the token is good for, as a pattern; `guest_paths`: what a
    guest's is. `guests` gives the game and the seat of a guest's token, or None; they are handed on as the entry
    `guest` of the scope, the seat or None.
    """

    def __init__(
        self,
        app: ASGIApp,
        token: str,
        guests: Callable[[str], tuple[str, int] | None],
        url: str = "",
        everywhere: bool = False,
        paths: str = ".*",
        guest_paths: str = GUEST_PATHS,
    ) -> None:
        self._paths, self._guest_paths = paths, guest_paths
        self._app, self._token, self._guests, self._everywhere = app, token, guests, everywhere
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
                message["headers"] = [*message["headers"], *RAW_HEADERS]
            await send(message)

        headers = Headers(scope=scope)
        problem = self._problem(scope, headers)
        if problem is None and not scope["path"].startswith("/static/"):  # those are the same for everybody
            problem = await self._seat(scope, headers)
        app = self._app if problem is None else error_response(scope["path"], problem, NotAllowed.status)
        await app(scope, receive, send_guarded)

    def _problem(self, scope: Scope, headers: Headers) -> str | None:
        host, origin = headers.get("host", "").lower(), headers.get("origin")
        reads = scope["method"] in ("GET", "HEAD")
        numbered = self._everywhere and NUMBERED_HOST.fullmatch(host)
        if not numbered and LOCAL_HOST.fullmatch(host) is None and (not host or host != self._proxy_host):
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
        return None

    async def _seat(self, scope: Scope, headers: Headers) -> str | None:
        """Find out by the token who asks; returns what is wrong with it."""
        query = parse_qs(scope["query_string"].decode("latin-1")) if scope["path"] == "/" else {}
        token = headers.get("x-token", query.get("token", query.get("study", [""]))[0])
        scope["guest"] = None
        if secrets.compare_digest(token.encode(), self._token.encode()):
            return None if re.fullmatch(self._paths, scope["path"]) else "this link is for the study alone"
        guest = await run_in_threadpool(self._guests, token) if "." in token else None
        if guest is None:
            return (
                "the token is wrong or missing: open the link that 'rfop serve' printed in its terminal; each start of "
                "the server has a new one, unless --token-file keeps it"
            )
        id, scope["guest"] = guest
        if not re.fullmatch(self._guest_paths.format(id=re.escape(id)), scope["path"]):
            return "this link is for one seat of one game"
        scope["guest_game"] = id
        return None


def error_response(path: str, words: str, status: int) -> Response:
    """One sentence: for the page as JSON, for a person at any other address as a page of its own."""
    if path.startswith("/api/"):
        return JSONResponse({"error": words}, status)
    return HTMLResponse(REFUSAL.format(words=escape(f"{words[:1].upper()}{words[1:]}.")), status)
