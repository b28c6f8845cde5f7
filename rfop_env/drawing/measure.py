"""The measure of text: its width, the size that fits a width, and lines of at most a width.

The reader's font is unknown. DejaVu Sans, the widest of the common sans-serif fonts, sets the measure, so that text
stays in its box with any of them.
"""

from __future__ import annotations

from functools import lru_cache

from rfop_env.drawing.font_widths import BOLD, REGULAR, UNITS, WIDEST

SMALLEST = 9.0  # no text is smaller; what is still too long is cut
CUT = "…"


def text_width(words: str, size: float, bold: bool = False) -> float:
    """The width of a line of text, in units of `size`."""
    return size * _units(words, bold) / UNITS


@lru_cache(maxsize=8192)  # the same words come again in every picture
def _units(words: str, bold: bool) -> int:
    widths = BOLD if bold else REGULAR
    return sum([widths.get(letter, WIDEST) for letter in words])


def fit(words: str, size: float, room: float, bold: bool = False) -> tuple[str, float]:
    """The words and the font size, at most `size`, with which they are at most `room` wide.

    The size is never below `SMALLEST` (or `size`, where that is smaller); longer words are cut and end with "…".
    """
    width = text_width(words, size, bold)
    if width <= room:
        return words, size
    smaller = int(10 * size * room / width) / 10
    smallest = min(size, SMALLEST)
    if smaller >= smallest:
        return words, smaller
    while words and text_width(words + CUT, smallest, bold) > room:
        words = words[:-1].rstrip()
    return words + CUT, smallest


def wrap(words: str, size: float, room: float, bold: bool = False) -> list[str]:
    """Words broken into lines of at most a width; a longer word is broken at its hyphens, or has its own line."""
    lines = [""]
    for word in words.split():
        parts = [word] if text_width(word, size, bold) <= room else word.replace("-", "- ").split()
        for i, part in enumerate(parts):
            longer = f"{lines[-1]}{' ' if i == 0 else ''}{part}".strip()
            if not lines[-1] or text_width(longer, size, bold) <= room:
                lines[-1] = longer
            else:
                lines.append(part)
    return lines


def block(words: str, size: float, room: float, max_lines: int, bold: bool = False) -> tuple[list[str], float]:
    """Words in at most `max_lines` lines, and the largest font size up to `size` at which they fit.

    At `SMALLEST` the last line takes the words that are left, and is cut.
    """
    for tenths in range(int(10 * size), int(10 * SMALLEST) - 1, -5):
        lines = wrap(words, tenths / 10, room, bold)
        if len(lines) <= max_lines and all(text_width(line, tenths / 10, bold) <= room for line in lines):
            return lines, tenths / 10
    lines = wrap(words, SMALLEST, room, bold)
    lines = [*lines[: max_lines - 1], " ".join(lines[max_lines - 1 :])]
    return [fit(line, SMALLEST, room, bold)[0] for line in lines], SMALLEST
