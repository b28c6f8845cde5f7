"""The progress bar of both trainers."""

from __future__ import annotations

from typing import Any


class ProgressBar:
    """A bar in per cent of the budget; no output if `quiet`."""

    def __init__(self, quiet: bool):
        self.bar: Any = None
        if not quiet:
            from tqdm import tqdm

            self.bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")

    def update(self, spent: float) -> None:
        """Move to a share of the budget, from 0 to 1."""
        if self.bar is not None:
            self.bar.n = round(100 * spent)
            self.bar.refresh()

    def write(self, text: str) -> None:
        """Show a text behind the bar."""
        if self.bar is not None:
            self.bar.set_postfix_str(text)

    def close(self) -> None:
        """End the line."""
        if self.bar is not None:
            self.bar.close()
