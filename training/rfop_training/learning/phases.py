"""The phases of training: how long each takes, by the clock and on the processor."""

from __future__ import annotations

import time
from dataclasses import dataclass

STARTING = "start"
FINISHED = "end"
EVALUATION = "evaluation"
SAVING = "saving"
BOOKKEEPING = "bookkeeping"
WAITING = "waiting for other threads"

# Of an update.
MINIBATCHES = "minibatches"
FORWARD = "forward"
BACKWARD = "backward"
OPTIMISER = "optimiser"


@dataclass
class Spent:
    """Time that was spent, in seconds."""

    wall: float = 0.0  # by the clock
    processor: float = 0.0


class Phases:
    """The phases of one thread: all its time belongs to the phase that was begun last."""

    def __init__(self) -> None:
        self.spent: dict[str, Spent] = {}
        self.phase = STARTING
        self._wall = time.perf_counter()
        self._processor = time.thread_time()

    def begin(self, phase: str) -> None:
        """End the present phase and begin another; called by the thread that works."""
        wall, processor = time.perf_counter(), time.thread_time()
        spent = self.spent.setdefault(self.phase, Spent())
        spent.wall += wall - self._wall
        spent.processor += processor - self._processor

        self.phase = phase
        self._wall = wall
        self._processor = processor

    def resume(self, phase: str) -> None:
        """Begin a phase in a thread that has done nothing before: what lies between belongs to no phase."""
        self.phase = phase
        self._wall = time.perf_counter()
        self._processor = time.thread_time()
