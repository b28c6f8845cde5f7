"""Red Flag Over Paris (2021): the 2-player game and its Solo Opponent; RULES.md leads from rule to function to test."""
