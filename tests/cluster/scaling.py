"""Measure evaluation and expert iteration on Ray clusters on this machine, of nodes with one CPU each.

    python -m tests.cluster.scaling

It prints the seconds by the clock of the same games without Ray, on one node and on two, and of the same training in
two threads and on two nodes, after everything is compiled, and fails if their results differ.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.cluster.conftest import started
from rfop_env.command_line import Parser
from rfop_training.common.cluster import connected
from rfop_training.evaluation.cluster import RayWorkers
from rfop_training.evaluation.setting import Setting
from rfop_training.evaluation.tasks import make_tasks, play_tasks
from rfop_training.expert_iteration import ExpertArguments, train_run

SETTING = Setting("Revolution-v0")
AGENTS = ["search-3", "scripted"]
DEALS = range(2000)
STEPS = 40_000  # decisions of the training


def played(workers) -> tuple[list, float]:
    """The results, and the seconds by the clock."""
    tasks = make_tasks(SETTING, AGENTS, DEALS)
    list(play_tasks(tasks[:1], workers, False))  # compiles, and starts the processes
    start = time.perf_counter()
    return list(play_tasks(tasks, workers, False)), time.perf_counter() - start


def trained(ray: str) -> tuple[dict, float]:
    """The weights after a short expert iteration in two parts, and the seconds by the clock."""
    with tempfile.TemporaryDirectory() as folder:
        args = ExpertArguments(
            run=Path(folder) / "run", env=SETTING.env, steps=STEPS, threads=2, ray=ray, quiet=True, evaluate_deals=1
        )
        run = train_run(args)
        progress = run.folder.progress.read_text().splitlines()
    names, last = progress[0].split(","), progress[-1].split(",")
    return run.trainer.to_arrays(), float(last[names.index("seconds")])


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

    weights, seconds = trained("")
    print(f"expert iteration, {STEPS:,} decisions; load {os.getloadavg()[0]:.1f}")
    print(f"two threads               {seconds:6.1f} s")
    with started(2) as cluster:
        there, on_nodes = trained(cluster.address)
    print(f"Ray, 2 node(s)            {on_nodes:6.1f} s, x {seconds / on_nodes:.2f}")
    assert all(np.array_equal(weights[name], there[name]) for name in weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
