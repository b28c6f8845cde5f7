"""Levée en Masse drawn: as text for a terminal, and as a picture."""

from rfop_env.games.levee_en_masse.draw.svg import draw_svg
from rfop_env.games.levee_en_masse.draw.text import draw_text
from rfop_env.games.levee_en_masse.draw.view import question

__all__ = ["draw_svg", "draw_text", "question"]
