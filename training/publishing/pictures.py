"""Pictures: without a window, and equal figures as equal files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rfop_env.core.errors import RfopError

SUFFIXES = (".png", ".svg", ".pdf")


def check_picture(out: Path) -> None:
    """Make the folder of a picture. Raises `RfopError` for a file that is no picture, before anything is played."""
    if out.suffix not in SUFFIXES:
        raise RfopError(f"{out}: a picture is a {', '.join(SUFFIXES)} file")
    out.parent.mkdir(parents=True, exist_ok=True)


def begin_picture(width: float, height: float) -> tuple[Any, Any]:
    """A figure of this size in inches, and its axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")


def begin_grid(width: float, height: float, rows: Sequence[float], columns: int) -> tuple[Any, Any]:
    """A figure of this size in inches, and its axes [rows, columns]; `rows` are the relative heights of the rows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(
        len(rows), columns, figsize=(width, height), layout="constrained", squeeze=False, height_ratios=rows
    )


def write_picture(figure: Any, path: Path) -> None:
    """Write a figure so that equal figures are equal files, and close it."""
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": "rfop", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=130)
    pyplot.close(figure)
