"""Threads that share the work of a run: each has its own games, and its own part of every minibatch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from rfop_training.learning.phases import WAITING, Phases

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers:
    """`threads` threads, of which the caller is the first; `phases` has one entry for each."""

    def __init__(self, threads: int):
        self.threads = threads
        self.phases = [Phases() for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1, "trainer") if threads > 1 else None

    def map(self, work: Callable[[Item, Phases], Result], items: Sequence[Item]) -> list[Result]:
        """The results of `work(item, phases)` for one item a thread, in order; raises what any of them raises."""
        if self._pool is None:
            return [work(items[0], self.phases[0])]

        def started(k: int) -> Result:
            self.phases[k].resume(WAITING)
            try:
                return work(items[k], self.phases[k])
            finally:
                self.phases[k].begin(WAITING)

        others = [self._pool.submit(started, k) for k in range(1, self.threads)]
        try:
            first = work(items[0], self.phases[0])
        finally:
            self.phases[0].begin(WAITING)
            wait(others)
        return [first, *(other.result() for other in others)]
