"""SVG documents as pixels. Needs the extra `render`.

The letters come from the fonts in `fonts/`, so a picture is the same on every machine, also where no font is installed.
They are DejaVu Sans with the letters of Latin, Greek and Cyrillic, punctuation and signs (`tests/drawing/fonts.py`).
"""

from __future__ import annotations

import functools
import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.errors import extra

WIDTH = 1000  # pixels; the smallest letters of a board stay readable
CACHE_SIZE = 4  # pictures
FOLDER = Path(__file__).parent / "fonts"
FONTS = [str(FOLDER / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]


def pixels(svg: str) -> NDArray[np.uint8]:
    """The picture of an SVG document, uint8 [H, W, 3]. Raises `MissingExtra`, `BrokenExtra`.

    W is `WIDTH` and H follows from the document's shape. Both are even, as video encoders need them.
    """
    return _pixels(svg).copy()


@functools.lru_cache(CACHE_SIZE)
def _pixels(svg: str) -> NDArray[np.uint8]:
    with extra("render", "a picture", "PIL", "resvg_py"):
        import resvg_py
        from PIL import Image

    png = resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH, skip_system_fonts=True, font_files=FONTS)
    picture = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))
    odd = picture.shape[0] % 2
    return np.pad(picture, ((0, odd), (0, 0), (0, 0)), "edge")
