"""The command `rfop`: list, show, play, watch, replay, serve, mcp, compile, bench, components."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from rfop_env import __version__
from rfop_env.cli import bench, compile, components, play, replay, show, watch
from rfop_env.command_line import Parser, add_command, command
from rfop_env.mcp import server as mcp_server
from rfop_env.web import server


@command(name="rfop")
def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 1 for a component file that is not valid, 2 for a user's error."""
    args = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = args.run
    return run(args)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="rfop", description="Board games as reinforcement-learning environments.")
    parser.add_argument("--version", action="version", version=f"rfop {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    add_command(commands, "list", show.list_command, "the environments")
    show.add_arguments(add_command(commands, "show", show.show_command, "what an environment is made of"))
    play.add_arguments(add_command(commands, "play", play.play_command, "play in this terminal", play.EXAMPLES))
    watch.add_arguments(add_command(commands, "watch", watch.watch_command, "watch programs play", watch.EXAMPLES))
    replay.add_arguments(add_command(commands, "replay", replay.replay_command, "look at a recorded game"))
    server.add_arguments(add_command(commands, "serve", server.serve_command, "play in the browser"))
    add_command(commands, "mcp", mcp_server.mcp_command, "serve games to language models by MCP, over stdin and stdout")
    compiled = add_command(
        commands, "compile", compile.compile_command, "compile the rules of games now, side by side", compile.EXAMPLES
    )
    compile.add_arguments(compiled)
    bench.add_arguments(add_command(commands, "bench", bench.bench_command, "measure decisions per second"))
    components.add_commands(commands.add_parser("components", help="component files"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
