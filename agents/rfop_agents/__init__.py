"""Agents for every environment: searches, trained networks, language models.

`rfop_agents.load("search-100+revolution/ppo-2", game)` loads one by name. `rfop_env.players.load_agent` knows these
names too, and so does every command. Importing this package imports nothing until something of it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rfop_agents import language_model
    from rfop_agents.catalogue import load, names
    from rfop_env.agent import Agent, Positions

__all__ = ["Agent", "Positions", "language_model", "load", "names"]


def __getattr__(name: str) -> Any:
    """The public names, each from its module."""
    if name in ("load", "names"):
        return getattr(import_module("rfop_agents.catalogue"), name)
    if name in ("Agent", "Positions"):
        return getattr(import_module("rfop_env.agent"), name)
    if name == "language_model":
        return import_module("rfop_agents.language_model")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
