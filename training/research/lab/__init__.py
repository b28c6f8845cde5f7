"""Studies of agents: exploitability, end games, luck, actions, distributions of points."""
