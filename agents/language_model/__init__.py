"""Language models as agents: any command, or any endpoint that speaks OpenAI's chat completions."""

from agents.language_model.agent import LanguageModelAgent
from agents.language_model.settings import LanguageModelSettings, parse_name

__all__ = ["LanguageModelAgent", "LanguageModelSettings", "parse_name"]
