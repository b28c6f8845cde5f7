"""Agents for every environment: searches, trained networks, language models.

`rfop_agents.load("search-100+revolution/ppo-2", game)` loads one by name: it is `rfop_env.players.load_agent`, and
`names` is `agent_names` there. Importing this package imports nothing until something of it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rfop_agents import language_model
    from rfop_env.agent import Agent, Positions
    from rfop_env.players import agent_names as names
    from rfop_env.players import load_agent as load

__all__ = ["Agent", "Positions", "language_model", "load", "names"]


def __getattr__(name: str) -> Any:
    """The public names, each from its module."""
    if name in ("load", "names"):
        return getattr(import_module("rfop_env.players"), {"load": "load_agent", "names": "agent_names"}[name])
    if name in ("Agent", "Positions"):
        return getattr(import_module("rfop_env.agent"), name)
    if name == "language_model":
        return import_module("rfop_agents.language_model")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
