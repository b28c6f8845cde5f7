"""Language models as agents: any command, or any endpoint that speaks OpenAI's chat completions.

Their names start programs and send positions elsewhere, so `load` is for names that a user typed.
`rfop_env.players.load_agent`, which is given names from elsewhere too, refuses them unless it is told so.
"""

from rfop_agents.language_model.agent import LanguageModelAgent
from rfop_agents.language_model.settings import LanguageModelSettings, parse_name

__all__ = ["LanguageModelAgent", "LanguageModelSettings", "load", "parse_name"]


def load(name: str) -> LanguageModelAgent:
    """The agent of a name as `language-model --endpoint URL --model NAME`. Raises `RfopError` for a wrong one."""
    return LanguageModelAgent(parse_name(name))
