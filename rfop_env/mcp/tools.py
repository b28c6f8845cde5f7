"""Serve games to language models by MCP, over stdin and stdout."""

from __future__ import annotations

import argparse
import functools
import signal
from collections.abc import Callable
from typing import Any

from rfop_env import __version__
from rfop_env.core.errors import RfopError, extra

INSTRUCTIONS = """\
Board games with rules to the letter. Begin with list_environments, read rules, start a game with new_game, then play
one move after another until the game is over. A move is the label or the number of a legal action."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has none."""


def run(args: argparse.Namespace) -> int:
    """Serve until the client hangs up, or ends the process by SIGTERM: there is nothing to save."""
    server = make_server()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # an interruption would wait for the client's next line
    server.run("stdio")
    return 0


def make_server() -> Any:
    """The server with its tools. Raises `MissingExtra`, `BrokenExtra`."""
    with extra("mcp", "'rfop mcp'", "mcp"):
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    from rfop_env.mcp.open_games import Games
    from rfop_env.players import AgentLoader
    from rfop_env.web.refusals import require_bounded

    games = Games(AgentLoader(check=require_bounded))
    server = MCPServer("rfop", instructions=INSTRUCTIONS, version=__version__, log_level="ERROR")

    def add_tool(function: Callable[..., str]) -> None:
        """Add a tool. Whatever a user can get wrong comes back as one sentence, the tool's error."""

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> str:
            try:
                return function(*args, **kwargs)
            except RfopError as error:
                raise ToolError(str(error)) from None

        server.tool(structured_output=False)(run)

    for function in games.tools:
        add_tool(function)
    return server
