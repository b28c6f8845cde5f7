"""Games for language models by the Model Context Protocol: `rfop mcp` serves them over stdin and stdout.

`open_games.py` has the games and their texts, `tools.py` the tools and the command.
"""
