"""The command `rfop serve`: the page on this machine, for this machine's user alone."""

from __future__ import annotations

import argparse
import secrets
import socket
import sys
import webbrowser
from pathlib import Path

from rfop_env.command_line import UsageError, number
from rfop_env.core.errors import extra

HOST = "127.0.0.1"
HIGHEST_PORT = 65535
TOKEN_BYTES = 18
FOLDER = "saved-games"
SHUTDOWN_SECONDS = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    parser.add_argument(
        "--port", type=number(int, 0, HIGHEST_PORT), default=0, metavar="N", help="default: a free one; it is printed"
    )
    parser.add_argument(
        "--saves",
        type=Path,
        default=Path(FOLDER),
        metavar="FOLDER",
        help="where saved games lie (default: %(default)s)",
    )
    parser.add_argument(
        "--components",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a component set of your own, to choose for a new game beside the shipped one; may be repeated",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the link and open nothing")


def serve_command(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    with extra("play", "'rfop serve'", "starlette", "uvicorn"):
        import uvicorn

        from rfop_env.web.app import make_app
    from rfop_env.component_files import ComponentSets
    from rfop_env.players import NO_CHECKOUT, agents_of_checkout
    from rfop_env.web.programs import PagePrograms

    component_sets = ComponentSets(args.components)

    # The socket is bound first: the port is part of the link, and of what the server checks.
    try:
        bound = bind(args.port)
    except OSError as error:
        raise UsageError(f"port {args.port} cannot be used ({error.strerror}): choose another with --port") from None
    port, token = bound.getsockname()[1], secrets.token_urlsafe(TOKEN_BYTES)
    agents = agents_of_checkout()
    app = make_app(PagePrograms(agents), component_sets, args.saves, token, port)

    link = f"http://{HOST}:{port}/?token={token}"
    print(f"Play at {link}\nCtrl-C ends the server and the games on it; saved games go to {args.saves}/.", flush=True)
    if agents is None:
        print(f"Note: {NO_CHECKOUT}.", file=sys.stderr)
    if not args.no_browser:
        webbrowser.open(link)
    config = uvicorn.Config(
        app, log_level="warning", ws="none", server_header=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS
    )
    try:
        uvicorn.Server(config).run(sockets=[bound])
    finally:
        bound.close()
    return 0


def bind(port: int) -> socket.socket:
    """A socket that listens on this machine's own address, which no other machine reaches; port 0: a free one.

    Who comes before the server has started waits, and is not turned away. Raises `OSError`.
    """
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
        bound.listen()
    except OSError:
        bound.close()
        raise
    return bound
