"""List the environments."""

from __future__ import annotations

import argparse

from rfop_env.registry import entries


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(args: argparse.Namespace) -> int:
    """Print the table of environments."""
    rows = [("id", "title", "players", "options", "interface")]
    rows += [(e.id, e.title, e.players, ", ".join(e.options) or "-", e.interface) for e in entries()]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
    return 0
