"""Research on this project, run from a checkout and not installed: `python -m training.research --help`."""

from pathlib import Path

ROOT = Path(__file__).parents[2]  # of the checkout
