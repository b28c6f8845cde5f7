"""Print a script that completes the commands and flags of `rfop` in your shell.

    rfop completion bash > ~/.local/share/bash-completion/completions/rfop
    rfop completion zsh > ~/.zfunc/_rfop

A new shell completes then.
"""

from __future__ import annotations

import argparse
from typing import Any

import shtab

from rfop_env.cli.command_table import all_commands
from rfop_env.command_line import Command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)


def run(args: argparse.Namespace) -> int:
    """Print the script; returns the exit status."""
    print(shtab.complete(_all_parsers(), args.shell))
    return 0


def _all_parsers() -> argparse.ArgumentParser:
    """One parser with all commands as subparsers; those of two words are below their first."""
    root = argparse.ArgumentParser(prog="rfop")
    places: dict[str, Any] = {"": root.add_subparsers()}
    parsers: dict[str, argparse.ArgumentParser] = {}
    for name, command in sorted(all_commands().items()):
        first, _, second = name.partition(" ")
        settings: dict[str, Any] = {"parents": _parent_parsers(command), "add_help": False, "help": command.text}
        if not second:
            parsers[first] = places[""].add_parser(first, **settings)
            continue
        if first not in parsers:
            parsers[first] = places[""].add_parser(first, help=command.group)
        if first not in places:
            places[first] = parsers[first].add_subparsers()
        places[first].add_parser(second, **settings)
    return root


def _parent_parsers(command: Command) -> list[argparse.ArgumentParser]:
    """The parser of a command; none where an extra is missing or its module is broken: its name alone is completed."""
    try:
        return [command.parser()]
    except Exception:  # whatever the module of another package raises
        return []
