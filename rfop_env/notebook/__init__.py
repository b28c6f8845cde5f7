"""A game in a notebook cell: `Board` shows the position, and a click is an action. Needs the extra `notebook`."""

from rfop_env.notebook.board import Board

__all__ = ["Board"]
