"""Search in any game of the package: `SearchAgent`, its settings and its results."""

from rfop_agents.search.agent import SearchAgent, SearchResult
from rfop_agents.search.settings import PLAIN, SearchSettings, search_settings

__all__ = ["PLAIN", "SearchAgent", "SearchResult", "SearchSettings", "search_settings"]
