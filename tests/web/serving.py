"""The real server on a thread."""

import contextlib
import secrets
import socket
import socketserver
import threading

import uvicorn

from rfop_env.game_setup import ComponentSets
from rfop_env.web.app import make_app
from rfop_env.web.serve import bind


def mount(prefix, app):
    """An application as a proxy shows it below a path of its own: what reaches it has that path no more."""

    async def proxy(scope, receive, send):
        if scope["type"] == "http":
            assert scope["path"].startswith(prefix), scope["path"]
            scope = scope | {"path": scope["path"].removeprefix(prefix)}
        await app(scope, receive, send)

    return proxy


@contextlib.contextmanager
def served(programs, folder, component_sets=None, prefix="", study=None):
    """The link to a server that runs as long as the block; with a prefix, below such a path; perhaps of a study."""
    bound, token = bind(0), secrets.token_urlsafe(9)
    port = bound.getsockname()[1]
    app = mount(prefix, make_app(programs, component_sets or ComponentSets(), folder, token, study=study))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}{prefix}/?{'study' if study else 'token'}={token}"
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def in_thread(server):
    """A server of the standard library answers as long as the block."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


class Tunnel(socketserver.BaseRequestHandler):
    """A connection that is handed on to the port `target` of the server."""

    def handle(self):
        with socket.create_connection(("127.0.0.1", self.server.target)) as far:
            back = threading.Thread(target=pump, args=(far, self.request))
            back.start()
            pump(self.request, far)
            back.join()


def pump(source, sink):
    """Hand on what comes from a socket, and its end."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def tunnel(port):
    """Another port of this machine that leads to a port, as `ssh -L` makes one."""
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Tunnel)
    server.target = port
    with in_thread(server):
        yield server.server_address[1]
