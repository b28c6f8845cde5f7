"""Agents for every environment of the package: `agents.load("greedy", game)` loads one by name.

They run from a checkout or an editable install; the wheel contains `rfop_env` alone.
"""

from agents import language_model
from agents.agent import Agent, Positions
from agents.catalogue import load, names

__all__ = ["Agent", "Positions", "language_model", "load", "names"]
