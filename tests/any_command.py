"""Run a command by its words, whether it is one of `rfop` or of `python -m training.research`."""

from rfop_env.cli.main import main as rfop
from training.research.__main__ import main as research
from training.research.commands import COMMANDS

RESEARCH = {command.name for command in COMMANDS}


def run_command(words):
    """The exit status of a command of either program."""
    return research(words) if words[0] in RESEARCH else rfop(words)
