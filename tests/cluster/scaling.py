"""Measure evaluation on Ray clusters of one and of two nodes on this machine, one CPU each.

    python -m tests.cluster.scaling

It prints the seconds by the clock of the same games without Ray, on one node and on two, after everything is compiled,
and fails if their results differ.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

from tests.cluster.conftest import started
from training.common.cluster import connected
from training.common.command_line import Parser
from training.evaluation.cluster import RayWorkers
from training.evaluation.tasks import Setting, play_tasks, tasks_of

SETTING = Setting("Revolution-v0")
AGENTS = ["search-3", "scripted"]
DEALS = range(2000)


def played(workers) -> tuple[list, float]:
    """The results, and the seconds by the clock."""
    tasks = tasks_of(SETTING, AGENTS, DEALS)
    list(play_tasks(tasks[:1], workers, False))  # compiles, and starts the processes
    start = time.perf_counter()
    return list(play_tasks(tasks, workers, False)), time.perf_counter() - start


def main(words=None) -> int:
    """Print a line for each way to play."""
    Parser("tests.cluster.scaling", __doc__).parse_args(words)
    results, seconds = played(1)
    print(f"{len(DEALS):,} games, {' against '.join(AGENTS)}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"without Ray, one process  {seconds:6.1f} s")
    for nodes in (1, 2):
        with started(nodes) as cluster, connected(cluster.address) as ray:
            there, on_nodes = played(RayWorkers(ray))
        print(f"Ray, {nodes} node(s)            {on_nodes:6.1f} s, x {seconds / on_nodes:.2f}")
        for one, other in zip(results, there, strict=True):
            assert np.array_equal(one.won, other.won) and np.array_equal(one.decisions, other.decisions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
