"""The compiled part of the search; its kernel cache depends on this folder, the core and the game's folder alone."""
