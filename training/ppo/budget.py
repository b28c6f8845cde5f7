"""The budget of a run: by the clock, by decisions, or by both."""

from __future__ import annotations

import time


class Budget:
    """The share of a run that is over, by the clock or by decisions, whichever is larger.

    `minutes` and `steps` are the limits, 0 for none. `seconds_before` is the time of the runs that this one resumes.
    """

    def __init__(self, minutes: float, steps: int, seconds_before: float = 0.0):
        self.limit = minutes * 60
        self.steps = steps
        self.before = seconds_before
        self.start = time.monotonic()
        self.spent = 0.0

    def seconds(self) -> float:
        """Seconds of training so far, those of resumed runs included."""
        return time.monotonic() - self.start + self.before

    def update(self, steps: int) -> float:
        """Note the decisions so far; returns the share spent, from 0 to 1."""
        clock = (time.monotonic() - self.start) / self.limit if self.limit else 0.0
        self.spent = min(1.0, max(clock, steps / self.steps if self.steps else 0.0))
        return self.spent


class Timer:
    """A repeated period in seconds, on the clock of a budget; with `now` the first one is over at once."""

    def __init__(self, budget: Budget, period: float, now: bool = False):
        self.budget = budget
        self.period = period
        self.next = 0.0 if now else budget.seconds() + period

    def due(self) -> bool:
        """Whether the period is over."""
        return self.budget.seconds() >= self.next

    def restart(self) -> None:
        """Start the next period."""
        self.next = self.budget.seconds() + self.period
