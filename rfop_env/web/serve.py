"""Play in the browser: serve the page on this machine, for those who have its link."""

from __future__ import annotations

import argparse
import re
import secrets
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rfop_env import own_code
from rfop_env.agent_names import FUNCTION, AgentSpec
from rfop_env.command_line import UsageError, number
from rfop_env.core.errors import RfopError, extra, printable, shown
from rfop_env.core.files import read_text, telling_what_fails, write_atomically
from rfop_env.game_setup import add_any_components

if TYPE_CHECKING:
    from rfop_env.game_setup import ComponentSets
    from rfop_env.players import AgentLoader

HOST = "127.0.0.1"
HIGHEST_PORT = 65535
TOKEN_BYTES = 18
FOLDER = "saved-games"
SHUTDOWN_SECONDS = 3
TOKEN = re.compile(r"[\w-]{16,100}", re.ASCII)
PROXY_URL = re.compile(r"https?://([\w.-]+|\[[\da-f:]+\])(:\d{1,5})?(/[^\s?#]*)?", re.ASCII)


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
        help="where saved games lie, and all open ones (default: %(default)s)",
    )
    parser.add_argument(
        "--components",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a component set of your own, to choose for a new game beside the shipped one; may be repeated",
    )
    add_any_components(parser)
    parser.add_argument("--replay", type=Path, metavar="FILE", help="a recorded game (.rfop) to open")

    parser.add_argument(
        "--host",
        default=HOST,
        metavar="ADDRESS",
        help="the address to listen at (default: %(default)s); 0.0.0.0 for other machines of the network, and in a "
        "container whose port is forwarded",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="the token of the link, which each start has anew by default; the file is made if there is none",
    )
    parser.add_argument(
        "--url",
        type=proxy_url,
        metavar="ADDRESS",
        help="where a proxy shows the page, as in https://hub.example/user/me/proxy/8000/",
    )

    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="NAME",
        help="a program of your own to choose, as in my_agent.py:act or runs/mine; may be repeated",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the link and open nothing")


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    return serve(args)


def serve(args: argparse.Namespace, config: Path | None = None) -> int:
    """Serve games, or the study of a configuration, until Ctrl-C; returns the exit status."""
    with extra("play", "'rfop serve'", "starlette", "uvicorn"):
        import uvicorn

        from rfop_env.web.app import make_app
    from rfop_env.game_setup import ComponentSets
    from rfop_env.players import AgentLoader
    from rfop_env.web.refusals import require_bounded
    from rfop_env.web.study import MOST_BYTES, read_study

    component_sets = ComponentSets(args.components)
    token = secrets.token_urlsafe(TOKEN_BYTES) if args.token_file is None else kept_token(args.token_file)
    programs = AgentLoader(any_components=args.any_components, check=require_bounded, own=own_agents(args.agent))
    opened = ""
    if args.replay is not None:
        opened = f"&game={_open_replay(args.replay, args.saves, programs, component_sets)}&moment=0"
    study = None if config is None else (read_study(config, programs, component_sets), read_text(config, MOST_BYTES))

    # The socket is bound first: the port is part of the link, and of what the server checks.
    try:
        bound = bind(args.port, args.host)
    except OSError as error:
        place = f"port {args.port} of {printable(args.host, 60)}"
        raise UsageError(f"{place} cannot be used ({error.strerror}): choose another with --port or --host") from None
    port = bound.getsockname()[1]
    address = network_address(args.host)
    elsewhere = None if address is None else f"http://{address}:{port}/"
    try:
        app = make_app(programs, component_sets, args.saves, token, args.url or "", elsewhere, study)
    except RfopError:
        bound.close()
        raise

    query = f"?token={token}{opened}" if study is None else f"?study={token}"
    link = f"{args.url or f'http://{HOST}:{port}/'}{query}"
    words, content = ("Play at", "all games are") if study is None else ("Participants open", "the study is")
    print(f"{words} {link}\nCtrl-C ends the server; {content} kept in {args.saves}/.", flush=True)
    if elsewhere is not None:
        print(f"Other machines of the network reach it at {elsewhere}{query}", flush=True)
    if not args.no_browser:
        webbrowser.open(link)
    settings = uvicorn.Config(
        app, log_level="warning", ws="none", server_header=False, timeout_graceful_shutdown=SHUTDOWN_SECONDS
    )
    try:
        uvicorn.Server(settings).run(sockets=[bound])
    finally:
        bound.close()
    return 0


def _open_replay(path: Path, folder: Path, programs: AgentLoader, component_sets: ComponentSets) -> str:
    """Open a replay among the games of a folder; returns the id of its game. Raises `RfopError`."""
    from rfop_env.replays import Replay
    from rfop_env.web.saves import load_replay
    from rfop_env.web.sessions import Sessions

    replay = Replay.read(path)
    return Sessions(folder, programs, component_sets).open(lambda: load_replay(replay, programs, component_sets)).id


def own_agents(names: Sequence[str]) -> list[str]:
    """Agents that the user has typed; the files of functions are run now. Raises `RfopError`."""
    for name in names:
        if AgentSpec.parse(name).kind == FUNCTION:
            own_code.load(name)
    return list(names)


def proxy_url(text: str) -> str:
    """An address of a page, which ends with a slash. Raises `ArgumentTypeError`."""
    if not PROXY_URL.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"expected an address as in https://hub.example/proxy/8000/, found {shown(text, 80)}"
        )
    return text if text.endswith("/") else f"{text}/"


def kept_token(path: Path) -> str:
    """The token in a file, which is made where there is none, for its owner alone. Raises `UsageError`, `RfopError`."""
    if not path.exists():
        with telling_what_fails(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, f"{secrets.token_urlsafe(TOKEN_BYTES)}\n".encode(), 0o600)
    token = read_text(path, 1000).strip()
    if not TOKEN.fullmatch(token):
        raise UsageError(f"{printable(str(path))} holds no token: from 16 to 100 letters, digits, - and _")
    return token


def network_address(host: str) -> str | None:
    """The address at which other machines reach a server that listens at `host`; None where there is none."""
    if host == HOST or host in ("localhost", "::1"):
        return None
    if host not in ("", "0.0.0.0"):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of no machine; nothing is sent
        except OSError:
            return None
        return str(probe.getsockname()[0])


def bind(port: int, host: str = HOST) -> socket.socket:
    """A socket that listens; by default on this machine's own address, which no other reaches; port 0: a free one.

    Who comes before the server has started waits, and is not turned away. Raises `OSError`.
    """
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen()
    except OSError:
        bound.close()
        raise
    return bound
