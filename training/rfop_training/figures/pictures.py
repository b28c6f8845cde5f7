"""One style for all figures: sizes, colours for light and dark pages, titles; equal data give equal files."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rfop_env.core.errors import RfopError

SUFFIXES = (".png", ".svg", ".pdf")
WIDTH = 6.2  # inches of a figure; its letters can still be read on a page of 400 pixels

# Each colour on a light page, and the one that takes its place on a dark page.
INK, MUTED, LINE = "#1f2328", "#57606a", "#d0d7de"
RED, BLUE, TEAL, ORANGE, PURPLE, GREY = "#b3261e", "#1f4e9c", "#1f6f5c", "#a15c00", "#5b3f8c", "#6e7781"
DARK = {
    INK: "#e6edf3",
    MUTED: "#9da7b3",
    LINE: "#3d444d",
    RED: "#ff8a80",
    BLUE: "#8ab4ff",
    TEAL: "#5cc9a7",
    ORANGE: "#e8a24a",
    PURPLE: "#bfa0f5",
    GREY: "#8b949e",
}
PLAIN_DARK, PLAIN_LIGHT = "#101418", "#fafbfc"  # letters on a filled area, the same on all pages

STYLE: Any = {  # matplotlib types its keys one by one
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 8.5,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 8.5,
    "axes.titlesize": 8.5,
    "axes.titlecolor": MUTED,
    "axes.titlelocation": "left",
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.6,
    "hatch.linewidth": 0.6,
    "figure.facecolor": "none",
    "svg.hashsalt": "rfop",
    "svg.fonttype": "none",
}


def check_picture(out: Path) -> None:
    """Make the folder of a picture. Raises `RfopError` for a file that is no picture, before anything is played."""
    if out.suffix not in SUFFIXES:
        raise RfopError(f"{out}: a picture is a {', '.join(SUFFIXES)} file")
    out.parent.mkdir(parents=True, exist_ok=True)


@contextmanager
def picture(out: Path, height: float, width: float = WIDTH, rows: Sequence[float] = (1,), columns: int = 1,
            title: str = "") -> Iterator[tuple[Any, Any]]:  # fmt: skip
    """Draw a figure of this size in inches and write it: yields the figure and its axes [rows, columns].

    `rows` are the relative heights of the rows; the title is written above all axes. The suffix of `out` is the format:
    an SVG file follows the colours of the page that shows it, other files have a white background.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(
            len(rows), columns, figsize=(width, height), layout="constrained", squeeze=False, height_ratios=rows
        )
        try:
            if title:
                figure.suptitle(wrapped(title, width), x=0.01, ha="left", fontsize=10, fontweight="bold", color=INK)
            yield figure, axes
            _write(figure, out)
        finally:
            pyplot.close(figure)


def _write(figure: Any, out: Path) -> None:
    """Write a figure so that equal figures are equal files."""
    if out.suffix != ".svg":
        figure.savefig(out, dpi=130, facecolor="white")
        return
    figure.savefig(out, metadata={"Date": None})
    out.write_text(themed(out.read_text(encoding="utf-8")), encoding="utf-8")


def wrapped(text: str, width: float) -> str:
    """A title in lines that fit into so many inches."""
    return textwrap.fill(text, int(11.2 * width))


def themed(svg: str) -> str:
    """A drawing that takes the colours of `DARK` on a dark page; programs without style sheets show the light ones."""
    rules = [
        f'[style*="{part}: {light}"]{{{part}: {dark} !important}}'
        for light, dark in DARK.items()
        for part in ("fill", "stroke")
    ]
    dark = "@media (prefers-color-scheme: dark){" + " ".join(rules) + "}"
    trimmed = re.sub(r"[ \t]+\n", "\n", svg)
    return trimmed.replace("</style>", f"\n{dark}</style>", 1)


def percent(value: float) -> str:
    """A share for a title: "0.4 %", "12 %", "99.6 %"."""
    share = 100 * value
    return f"{share:.1f}\u00a0%" if 0 < share < 1 or 99 < share < 100 else f"{share:.0f}\u00a0%"
