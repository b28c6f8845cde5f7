"""A Ray cluster of two nodes on this machine, one for all tests of this folder."""

from __future__ import annotations

import os
from contextlib import contextmanager

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
STORE = 200 * 2**20


@contextmanager
def started(nodes: int):
    """A cluster of so many nodes with one CPU each, which is stopped at the end."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(nodes - 1):
            cluster.add_node(num_cpus=1, object_store_memory=STORE)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()


@pytest.fixture(scope="session")
def cluster():
    """The cluster, which is started by the first test that uses it."""
    pytest.importorskip("ray")
    with started(2) as two:
        yield two


@pytest.fixture(scope="module")
def connection(cluster):
    """This process as a driver of the cluster, for all tests of a module."""
    import ray

    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()
