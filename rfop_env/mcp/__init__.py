"""Games for language models by the Model Context Protocol: `rfop mcp` serves them over stdin and stdout.

`games.py` has the games and what is told of them, `server.py` the tools and the command.
"""
