"""The profile of a run: how long each phase of training takes, a decision and in all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from rfop_training.learning.phases import STARTING, Phases, Spent


def block_of(trainer: str) -> str:
    """The name of the block of a page that has the profile of a trainer."""
    return f"profile_{trainer}"


@dataclass(frozen=True)
class Profile:
    """Where the time of a run went."""

    decisions: int  # of the learner
    wall: float  # seconds by the clock
    phases: dict[str, Spent]  # of all threads together

    @property
    def processor(self) -> float:
        """Seconds on processors."""
        return sum(spent.processor for spent in self.phases.values())

    @classmethod
    def of(cls, decisions: int, threads: Iterable[Phases]) -> Profile:
        """The sum over the threads of a run, of which the first works from its start to its end."""
        total: dict[str, Spent] = {}
        first, *others = threads
        for phases in (first, *others):
            for name, spent in phases.spent.items():
                if name != STARTING:
                    sums = total.setdefault(name, Spent())
                    sums.wall += spent.wall
                    sums.processor += spent.processor
        wall = sum(spent.wall for name, spent in first.spent.items() if name != STARTING)
        return cls(decisions, wall, total)

    def table(self) -> str:
        """The phases as lines of text, the longest first."""
        lines = [f"{'phase':26}{'clock, s':>10}{'processor, s':>14}{'share':>8}{'us a decision':>15}"]
        for name, spent in sorted(self.phases.items(), key=lambda item: -item[1].processor):
            share = spent.processor / self.processor
            microseconds = 1e6 * spent.processor / self.decisions
            lines.append(f"{name:26}{spent.wall:10.2f}{spent.processor:14.2f}{share:8.1%}{microseconds:15.2f}")
        lines.append(
            f"{self.decisions:,} decisions in {self.wall:.1f} s: {self.decisions / self.wall:,.0f} a second by the "
            f"clock, {self.decisions / self.processor:,.0f} a second of processor time"
        )
        return "\n".join(lines)


def timed(phases: Phases, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, its time counted as this phase; the phase before goes on after it."""

    def call(*args: Any, **named: Any) -> Any:
        before = phases.phase
        phases.begin(phase)
        try:
            return function(*args, **named)
        finally:
            phases.begin(before)

    return call
