"""Paris drawn: as text for a terminal, and as a picture."""

from rfop_env.games.paris.draw.svg import draw_svg
from rfop_env.games.paris.draw.text import draw_text
from rfop_env.games.paris.draw.view import question

__all__ = ["draw_svg", "draw_text", "question"]
