"""The commands of `python -m training.research`."""

from __future__ import annotations

from rfop_env.command_line import Command

GAMES, SPEED = "games and their parts", "speed"
PROGRAM = "python -m training.research"


def _command(name: str, group: str, text: str, module: str) -> Command:
    return Command(name, group, text, f"training.research.{module}", program=PROGRAM)


COMMANDS = (
    _command("mutants", GAMES, "read mutated positions in a process that checks bounds", "mutants"),
    _command("copies", SPEED, "what copying games costs", "copy_cost"),
    _command("device", SPEED, "decisions per second on a graphics card", "device_speed"),
    _command("libraries", SPEED, "decisions per second in other libraries", "library_speed"),
    _command("peers", SPEED, "decisions per second of other libraries' games", "peers"),
)
