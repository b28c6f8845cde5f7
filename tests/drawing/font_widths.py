"""Writes `rfop_env/drawing/font_widths.py`, the widths of the letters of DejaVu Sans, from Matplotlib's font files.

python -m tests.drawing.font_widths
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import matplotlib
from matplotlib.ft2font import FT2Font, LoadFlags

MODULE = Path(__file__).parents[2] / "rfop_env" / "drawing" / "font_widths.py"
FOLDER = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
FILES = {"REGULAR": "DejaVuSans.ttf", "BOLD": "DejaVuSans-Bold.ttf"}
LETTERS = [*map(chr, range(32, 127)), *map(chr, range(160, 384)), *"–—‘’“”…−◂▸★"]
UNITS = 2048

HEAD = '''"""How wide the letters of DejaVu Sans are. Generated: `python -m tests.drawing.font_widths`."""

UNITS = {units}  # of the font size
WIDEST = {widest}  # the width that a letter without an entry is given

'''


def letter_width(font: FT2Font, letter: str) -> int:
    """The advance width of a letter, in units of the font."""
    return int(font.load_char(ord(letter), flags=LoadFlags.NO_SCALE).horiAdvance)


def widths() -> dict[str, dict[str, int]]:
    """The width of every letter, by font."""
    fonts = {name: FT2Font(str(FOLDER / file)) for name, file in FILES.items()}
    return {name: {letter: letter_width(font, letter) for letter in LETTERS} for name, font in fonts.items()}


def module_text() -> str:
    """The module: for each font its letters, grouped by width."""
    measured = widths()
    text = HEAD.format(units=UNITS, widest=max(max(table.values()) for table in measured.values()))
    for name, table in measured.items():
        groups: dict[int, str] = defaultdict(str)
        for letter, width in table.items():
            groups[width] += letter
        text += f"_{name} = {{\n"
        for width, letters in sorted(groups.items()):
            text += f"    {width}: {literal(letters)},\n"
        text += "}\n"
    for name in measured:
        text += f"{name} = {{letter: width for width, letters in _{name}.items() for letter in letters}}\n"
    return text


def literal(letters: str) -> str:
    """Letters as a literal of Python, as the formatter leaves it; letters that are no ASCII by their number."""
    quote = "'" if '"' in letters else '"'
    return quote + letters.encode("unicode_escape").decode() + quote


if __name__ == "__main__":
    MODULE.write_text(module_text(), encoding="utf-8")
    print(f"wrote {MODULE}")
