"""Serve games to language models by MCP, over stdin and stdout: a tool for each method of `Games`."""

from __future__ import annotations

import argparse
import functools
import signal
from collections.abc import Callable
from typing import Any, ParamSpec

from rfop_env import __version__
from rfop_env.core.errors import RfopError, extra

P = ParamSpec("P")

INSTRUCTIONS = """\
Board games with rules to the letter. Begin with list_environments, read rules, start a game with new_game, then play
one move after another until the game is over. A move is the label or the number of a legal action."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


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

    def tool(function: Callable[P, str]) -> Callable[P, str]:
        """Add a tool. Whatever a user can get wrong comes back as one sentence, the tool's error."""

        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> str:
            try:
                return function(*args, **kwargs)
            except RfopError as error:
                raise ToolError(str(error)) from None

        return server.tool(structured_output=False)(run)

    @tool
    def list_environments() -> str:
        """List the environments, each with its seats, options and opponents."""
        return games.environments()

    @tool
    def rules(environment: str) -> str:
        """Read the rules of an environment in brief."""
        return games.rules(environment)

    @tool
    def new_game(
        environment: str,
        seat: str = "",
        opponent: str = "random",
        seed: int | None = None,
        options: dict[str, str | int | bool] | None = None,
    ) -> str:
        """Start a game and read its name and your first position.

        seat: the side that you play, the first one by default. opponent: the program of all other seats. seed: the same
        seed gives the same game, a random one by default. options: of the environment, by name.
        """
        return games.new(environment, seat, opponent, seed, options)

    @tool
    def position(game: str, form: str = "text", list_legal_actions: bool = True) -> str:
        """Read what your seat knows, and what has happened since you last read it. form: text or json."""
        return games.position(game, form, list_legal_actions)

    @tool
    def list_legal_actions(game: str) -> str:
        """List your legal actions: number, label and what each does."""
        return games.legal_actions(game)

    @tool
    def play(game: str, move: str) -> str:
        """Carry out a legal action, given by its label or its number; the others answer, and you read your position."""
        return games.play(game, move)

    @tool
    def journal(game: str) -> str:
        """Read everything that has happened in a game."""
        return games.journal(game)

    @tool
    def end_game(game: str) -> str:
        """Give a game up that you do not want to finish: so many can be open at a time."""
        return games.end(game)

    return server
