"""The commands of `rfop`: those of this package, and those of installed packages with entry points in `rfop.commands`.

An entry point names a sequence of `rfop_env.command_line.Command`.
"""

from __future__ import annotations

from typing import Any

from rfop_env.command_line import Command
from rfop_env.core.errors import shown
from rfop_env.plugins import load_plugins

PLAY, GAMES, SPEED = "play", "games and their parts", "speed"
GROUP = "rfop.commands"
OWN = (
    Command("play", PLAY, "play in this terminal", "rfop_env.cli.play"),
    Command("serve", PLAY, "play in the browser", "rfop_env.web.serve"),
    Command("study", PLAY, "serve a study to participants in the browser", "rfop_env.cli.study"),
    Command("watch", PLAY, "watch programs play", "rfop_env.cli.watch"),
    Command("replay", PLAY, "look at a recorded game", "rfop_env.cli.replay"),
    Command("page", PLAY, "write a page that plays a game without a server", "rfop_env.cli.page"),
    Command("mcp", PLAY, "serve games to language models by MCP", "rfop_env.mcp.tools"),
    Command("list", GAMES, "the environments", "rfop_env.cli.show:EnvironmentList"),
    Command("show", GAMES, "what an environment is made of", "rfop_env.cli.show"),
    Command("check", GAMES, "does a game of your own keep all that it declares", "rfop_env.cli.check"),
    Command("components check", GAMES, "is a component file valid", "rfop_env.cli.components:ComponentsCheck"),
    Command("components export", GAMES, "print the shipped component file", "rfop_env.cli.components:ComponentsExport"),
    Command("compile", GAMES, "compile the rules of games now, side by side", "rfop_env.cli.compile"),
    Command("build wasm", GAMES, "write the rules as WebAssembly", "rfop_env.cli.build"),
    Command("bench", SPEED, "decisions per second", "rfop_env.cli.bench"),
    Command("completion", SPEED, "print a script that completes commands in your shell", "rfop_env.cli.completion"),
)


def all_commands() -> dict[str, Command]:
    """All commands by name; those of this package first."""
    commands = {command.name: command for command in OWN}
    for table in load_plugins(GROUP, _misfit).values():
        for command in table:
            commands.setdefault(command.name, command)
    return commands


def _misfit(table: Any) -> str:
    """The problem with the commands of a package, "" where there is none."""
    if isinstance(table, list | tuple) and all(isinstance(command, Command) for command in table):
        return ""
    return f"expected a sequence of rfop_env.command_line.Command, found {shown(table, 60)}"
