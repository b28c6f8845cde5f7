"""The budget of a run: its time by the clock and on processors."""

from __future__ import annotations

import time

import pytest

from rfop_training.learning.budget import Budget
from rfop_training.learning.phases import Spent


def test_time_by_the_clock_and_on_processors_are_counted_apart(monkeypatch):
    clocks = {"monotonic": 5.0, "process_time": 7.0}
    for name in clocks:
        monkeypatch.setattr(time, name, lambda name=name: clocks[name])
    budget = Budget(1.0, 0, Spent(100.0, 30.0))
    assert budget.time_spent() == Spent(100.0, 30.0)

    clocks["monotonic"] += 45.0
    clocks["process_time"] += 80.0  # of two threads
    assert budget.time_spent() == Spent(145.0, 110.0) == Spent(budget.seconds(), budget.processor_seconds())
    assert budget.update(0) == pytest.approx(0.75), "--minutes are by the clock, and of this call"


def test_a_run_that_resumes_none_begins_at_nothing():
    budget = Budget(1.0, 0)
    assert 0 <= budget.processor_seconds() < 1 and 0 <= budget.seconds() < 60
