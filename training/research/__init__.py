"""Research on this project, run from a checkout and not installed: `python -m training.research --help`."""
