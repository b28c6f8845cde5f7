"""The command `rfop`: the commands of this package and of installed ones (`rfop_env.cli.command_table`)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from rfop_env import __version__
from rfop_env.cli.command_table import all_commands
from rfop_env.command_line import Command, UsageError, command
from rfop_env.core import errors

HELP, VERSION = ("-h", "--help"), "--version"
ABOUT = "Board games as reinforcement-learning environments: play, train, evaluate."


@command(name="rfop")
def main(words: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a user's error, and what the command says."""
    words = list(sys.argv[1:] if words is None else words)
    if words[:1] == [VERSION]:
        print(f"rfop {__version__}")
        return 0
    commands = all_commands()
    if words[-1:] and words[-1] in HELP and " ".join(words[:-1]) not in commands:
        if group := {name: c for name, c in commands.items() if name.split()[: len(words) - 1] == words[:-1]}:
            print(overview(group))
            return 0
    entry, arguments = find(commands, words)
    return entry.run(arguments)


def find(commands: Mapping[str, Command], words: Sequence[str], program: str = "rfop") -> tuple[Command, list[str]]:
    """The command that a command line begins with, of two words where there is one, and its arguments.

    Raises `UsageError`.
    """
    if not words:
        raise UsageError(f"say what to do; {program} --help lists the commands")
    for length in (2, 1):
        if entry := commands.get(" ".join(words[:length])):
            return entry, list(words[length:])
    seconds = [name.split()[1] for name in commands if name.split()[0] == words[0]]
    if not seconds:
        hint = errors.nearest(words[0], list(commands))
        raise UsageError(f"no command {errors.shown(words[0])}: {hint}; {program} --help lists them")
    if len(words) == 1:
        raise UsageError(f"{words[0]}: say which: {', '.join(seconds)}")
    raise UsageError(f"no command {words[0]} {errors.shown(words[1])}: {errors.nearest(words[1], seconds)}")


def overview(commands: Mapping[str, Command], program: str = "rfop", about: str = ABOUT) -> str:
    """The commands by group, a line for each."""
    lines = [f"usage: {program} COMMAND ...", "", about]
    width = max(map(len, commands)) + 2
    for group in dict.fromkeys(c.group for c in commands.values()):
        lines += ["", f"{group}:"]
        lines += [f"  {c.name.ljust(width)}{c.text}" for c in commands.values() if c.group == group]
    return "\n".join(
        [*lines, "", f"{program} COMMAND --help says more. Every command reads its arguments from --config, too."]
    )


if __name__ == "__main__":
    sys.exit(main())
