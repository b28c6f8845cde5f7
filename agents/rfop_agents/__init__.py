"""Agents for every environment: searches, trained networks, language models.

`rfop_agents.load("search-100+revolution/ppo-2", game)` loads one by name. `rfop_env.players.load_agent` knows these
names too, and so does every command.
"""

from rfop_agents import language_model
from rfop_agents.catalogue import load, names
from rfop_env.agent import Agent, Positions

__all__ = ["Agent", "Positions", "language_model", "load", "names"]
