"""The terminal: its width, its colours, the editing of a typed line, and how games are printed there."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rfop_env.core.batch import GameBatch

WIDTH = 80  # columns where the terminal does not say
BOLD = "1"  # an ANSI attribute
LONGEST_LABEL = 34  # columns; after a longer label the sentence begins on a line of its own
NARROWEST = 20  # columns that a sentence has at least


def width() -> int:
    """The columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def paint(text: str, attribute: str) -> str:
    """A text with an ANSI attribute, where stdout is a terminal with colours and NO_COLOR is unset or empty."""
    plain = not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") in (None, "", "dumb")
    return text if plain else f"\x1b[{attribute}m{text}\x1b[0m"


def edit_lines() -> None:
    """Give `input` arrow keys and a history of this session, where stdin is a terminal and Python has readline."""
    if sys.stdin is not None and sys.stdin.isatty():
        with contextlib.suppress(ImportError):  # as on Windows, whose console edits lines itself
            import readline  # noqa: F401 its import is what changes `input`


def menu(rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    """A numbered menu of labels and sentences, from 1, in lines of at most so many columns where words allow it."""
    label_width = min(LONGEST_LABEL, max(len(label) for label, _ in rows))
    margin = " " * (4 + 2 + label_width + 2)
    if columns - len(margin) < NARROWEST:
        margin = " " * 8

    lines = []
    for number, (label, sentence) in enumerate(rows, 1):
        parts = textwrap.wrap(sentence, max(NARROWEST, columns - len(margin))) or [""]
        start = f"{number:4}  {label}"
        if len(start) + 2 <= len(margin):
            lines.append(f"{number:4}  {paint(label, BOLD)}{' ' * (len(margin) - len(start))}{parts.pop(0)}".rstrip())
        else:
            lines.append(f"{number:4}  {paint(label, BOLD)}")
        lines += [margin + part for part in parts]
    return lines


def wrapped(text: str, columns: int, indent: str) -> str:
    """A text in lines of at most so many columns, the second and later ones indented."""
    return textwrap.fill(text, max(NARROWEST, columns), subsequent_indent=indent, break_on_hyphens=False)


def result_line(batch: GameBatch) -> str:
    """One line: how a game ended and who won."""
    return paint(f"The game is over. {batch.game.result_sentence(batch.record(), batch.components)}.", BOLD)


def print_journal(batch: GameBatch) -> None:
    """Print what has happened since the last decision."""
    for line in batch.journal():
        print(wrapped(f"  · {line}", width(), "    "))


def over(batch: GameBatch) -> bool:
    """Whether the game has ended."""
    return bool(batch.states["over"][0])
