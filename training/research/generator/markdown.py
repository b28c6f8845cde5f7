"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table; the columns `right` are aligned to the right."""
    rule = ["---:" if k in right else "---" for k in range(len(titles))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [titles, rule, *rows])
