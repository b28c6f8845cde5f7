"""Agents for every environment of the package: `agents.load("greedy", game)` gives one by name.

Run from a checkout (or an editable install): the wheel installs `rfop_env` alone.
"""

from agents.agent import Agent, Positions
from agents.catalogue import load, names

__all__ = ["Agent", "Positions", "load", "names"]
