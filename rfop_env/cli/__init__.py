"""The command line: one file a command, `main` puts them together."""
