"""The compiled part of exact searches; its kernel cache depends on this folder, the core and the game's folder."""
