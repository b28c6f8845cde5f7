"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = (), drop_empty: bool = False
) -> str:
    """A table; the columns `right` are aligned to the right. `drop_empty` leaves out columns without any text below."""
    rule, rows = ["---:" if k in right else "---" for k in range(len(titles))], list(rows)
    columns = [k for k in range(len(titles)) if not drop_empty or any(row[k] for row in rows)]
    return "\n".join(f"| {' | '.join(line[k] for k in columns)} |" for line in [titles, rule, *rows])
