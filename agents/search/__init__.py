"""Search in any game of the package: `SearchAgent`, its settings and its results."""

from agents.search.agent import SearchAgent, SearchResult
from agents.search.settings import PLAIN, SearchSettings, settings_of

__all__ = ["PLAIN", "SearchAgent", "SearchResult", "SearchSettings", "settings_of"]
