"""Writes the fonts of `rfop_env/drawing/fonts`: DejaVu Sans from Matplotlib's files, with the letters that boards need.

python -m tests.drawing.fonts
"""

from __future__ import annotations

import shutil
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

from rfop_env.drawing.pixels import FOLDER

from tests.drawing.font_widths import FILES, FOLDER as SOURCE

LICENSE = "LICENSE_DEJAVU"
BLOCKS = (  # of Unicode, first and last letter
    (0x0020, 0x017F),  # Latin
    (0x0370, 0x052F),  # Greek and Cyrillic
    (0x2010, 0x206F),  # punctuation
    (0x20A0, 0x20BF),  # currencies
    (0x2190, 0x22FF),  # arrows, mathematics
    (0x25A0, 0x26FF),  # shapes and other signs
)


def write(folder: Path = FOLDER) -> None:
    """Write both fonts and their licence."""
    letters = [letter for first, last in BLOCKS for letter in range(first, last + 1)]
    options = Options()
    options.hinting = False  # for screens of few dots
    options.layout_features = ["ccmp", "kern", "mark", "mkmk"]
    options.drop_tables += ["FFTM"]  # a time stamp of FontForge

    for file in FILES.values():
        font = load_font(str(SOURCE / file), options)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=letters)
        subsetter.subset(font)
        save_font(font, str(folder / file), options)
    shutil.copyfile(SOURCE / LICENSE, folder / LICENSE)


if __name__ == "__main__":
    write()
    print(f"wrote {FOLDER}")
