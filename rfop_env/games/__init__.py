"""One folder a game; a game knows the core alone."""
