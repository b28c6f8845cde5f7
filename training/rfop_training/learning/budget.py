"""The budget of a run: by the clock, by decisions, or by both."""

from __future__ import annotations

import time

from rfop_training.learning.phases import Spent


class Budget:
    """The share of a run that is over, by the clock or by decisions, whichever is larger.

    `minutes` and `steps` are the limits, 0 for none: the minutes of this call, and the decisions of the whole run.
    `before` is the time of the runs that this one resumes.
    """

    def __init__(self, minutes: float, steps: int, before: Spent | None = None):
        self.limit = minutes * 60
        self.steps = steps
        self.before = before or Spent()
        self.start = time.monotonic()
        self.processor_start = time.process_time()
        self.spent = 0.0

    def seconds(self) -> float:
        """Seconds of training so far by the clock, those of resumed runs included."""
        return time.monotonic() - self.start + self.before.wall

    def processor_seconds(self) -> float:
        """The same on processors, of all threads of this process together."""
        return time.process_time() - self.processor_start + self.before.processor

    def time_spent(self) -> Spent:
        """Both, for a checkpoint or a point of the learning curve."""
        return Spent(self.seconds(), self.processor_seconds())

    def update(self, steps: int) -> float:
        """Note the decisions so far; returns the share spent, from 0 to 1."""
        clock = (time.monotonic() - self.start) / self.limit if self.limit else 0.0
        self.spent = min(1.0, max(clock, steps / self.steps if self.steps else 0.0))
        return self.spent


class Timer:
    """A repeated period in seconds, on the clock of a budget."""

    def __init__(self, budget: Budget, period: float):
        self.budget = budget
        self.period = period
        self.next = budget.seconds() + period

    def due(self) -> bool:
        """Whether the period is over."""
        return self.budget.seconds() >= self.next

    def restart(self) -> None:
        """Start the next period."""
        self.next = self.budget.seconds() + self.period


class CurveTimer:
    """Says when a point of the learning curve is due: at the start, then after each so many decisions or seconds.

    `every_steps` decisions are the same on every machine, so that curves can be compared to the last digit; 0: every
    `every_seconds` on the clock of the budget. `begun`: the decisions that a resumed run has behind it.
    """

    def __init__(self, budget: Budget, every_seconds: float, every_steps: int, begun: int = 0):
        self.timer = Timer(budget, every_seconds)
        self.every_steps = every_steps
        self.at_start = begun == 0
        self.next_steps = self._mark_after(begun)

    def _mark_after(self, steps: int) -> int:
        return (steps // self.every_steps + 1) * self.every_steps if self.every_steps else 0

    def due(self, steps: int) -> bool:
        """Whether a point is due, after so many decisions."""
        return self.at_start or (steps >= self.next_steps if self.every_steps else self.timer.due())

    def restart(self, steps: int) -> None:
        """Wait for the next point."""
        self.at_start = False
        self.next_steps = self._mark_after(steps)
        self.timer.restart()
