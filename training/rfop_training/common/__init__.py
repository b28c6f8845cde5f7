"""Shared code: the parser of command lines, CSV files and locks, and the git revision."""
