"""Run a command of the research tools: `python -m training.research NAME ...`, from the root of a checkout."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rfop_env.cli.main import HELP, find, overview
from rfop_env.command_line import command
from training.research.commands import COMMANDS, PROGRAM

ABOUT = "Tools of this project's authors, run from a checkout."


@command(name=PROGRAM)
def main(words: Sequence[str] | None = None) -> int:
    """Run one command; the exit code is 0, 2 for a user's error, and what the command says."""
    words = list(sys.argv[1:] if words is None else words)
    commands = {entry.name: entry for entry in COMMANDS}
    if words[:1] and words[0] in HELP:
        print(overview(commands, PROGRAM, ABOUT))
        return 0
    entry, arguments = find(commands, words, PROGRAM)
    return entry.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
